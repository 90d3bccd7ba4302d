"""Terms of every search: what is minimized, what is proven, and what there is to count."""

from __future__ import annotations

from .term import CORELS, OWN, Term

TERMS = (
    Term(
        "objective",
        "What a search makes as small as it can: errors, and a price for complexity.",
        "Lists measure it as a share of the rows, rule sets as a number of rows.",
        "rule list: R(d) = errors / n + λ · rules",
        see=("rule list objective", "falling rule list objective", "rule set objective"),
        aliases=("loss (rows)", "loss (best found)"),
    ),
    Term(
        "lower bound",
        "A number that no model can go below, proven so far.",
        "It only rises. When it meets the objective, the model at hand is optimal.",
        "min( R_best, least b(d) + h(d) over the prefixes d in the queue )",
        f"Thm 1 and what sharpens it, {CORELS}",
        ("gap", "certificate"),
    ),
    Term(
        "gap",
        "Objective minus lower bound: how much better than the best model another one could be, at most.",
        "0 means proven optimal. Within a gap the model may be optimal too; nobody has proven it yet.",
        "gap = objective − lower bound",
        see=("certificate", "gap between groups"),
    ),
    Term(
        "certificate",
        "A proof that a model is optimal, which can be checked without the search that made it.",
        "The check uses plain numpy and none of the compiled code: for lists, a table of costs V of uncaptured sets of "
        "rows, each entry no more than stopping there costs and no more than any next rule followed by its own entry "
        "does (of softly falling lists with the rises, in fractions); for rule sets, prices of the "
        "linear programme and all rules that a better set could have.",
        "V(S) ≤ errors of stopping at S / n,  V(S) ≤ errors of rule a on S / n + λ + V(S − a) for every a",
        OWN,
        ("certified optimal", "verify"),
        ("proof", "certificates"),
    ),
    Term(
        "certified optimal",
        "Proven: no model of the family, made of these conditions, has a smaller objective.",
        "It speaks of the training rows and of the conditions there are; on other rows another model can be better.",
        see=("certificate", "optimal"),
        aliases=("proven", "proven optimal"),
    ),
    Term(
        "verify",
        "Checks the proof of a model anew, on the data, by a program that shares no code with the search.",
        see=("certificate",),
        aliases=("verify proof",),
    ),
    Term(
        "incumbent",
        "The best model found so far.",
        "It changes whenever the search finds a better one, and is optimal at the latest when the gap is 0.",
        see=("objective", "errors of the incumbents"),
        aliases=("best", "incumbents", "found after"),
    ),
    Term("running", "The search goes on: neither proven nor at a limit.", aliases=("status running",)),
    Term(
        "optimal",
        "The search has ended with a proof that its model has the least objective.",
        see=("certified optimal",),
        aliases=("status optimal",),
    ),
    Term(
        "infeasible",
        "The search has ended with a proof that no model meets the fairness constraint.",
        "Allow a larger difference between the groups, or a larger complexity.",
        see=("fairness",),
        aliases=("certified infeasible",),
    ),
    Term(
        "limit",
        "The search has stopped before its proof was complete; the gap that is proven by then holds.",
        "Run goes on where it stopped, with a limit of time, gap or work; a limit of memory can be raised.",
        see=("time limit", "memory limit", "work limit", "gap limit", "exactness", "cluster"),
        aliases=("limit reached", "status limit"),
    ),
    Term("time limit", "Seconds of search after which it stops, with the gap proven by then.", aliases=("time",)),
    Term("gap limit", "The search stops when the gap is as small as asked for.", see=("gap",)),
    Term("work limit", "The search stops after so many units of work.", see=("work",)),
    Term(
        "memory limit",
        "What the stored part of the search may take; at the limit it stops, with the gap proven by then.",
        "For lists these are prefixes, for rule sets conditions, rules and the tables of pricing.",
        see=("stored",),
        aliases=("memory",),
    ),
    Term(
        "cluster",
        "Other machines, or processes, that do the searches of this page; the server was told of them when it began.",
        "What they find and prove comes back several times a second, and at the end the search itself, with its tree "
        "and its certificate. If the one that searches is lost, the best model and the gap that was proven stay.",
        see=("limit", "gap"),
        aliases=("on the cluster", "worker of the cluster", "its worker was lost"),
    ),
    Term(
        "exactness",
        "The search is done, but weights or penalties of too many digits leave a gap of the size of their rounding.",
        see=("gap",),
        aliases=("weights of too many digits",),
    ),
    Term(
        "work",
        "What a search has done, in units of its own: it does not depend on how fast the machine is.",
        "Rule lists count prefixes expanded, first by the beam search and then by the search that proves; the figure "
        '"expanded" counts the latter alone. Falling lists count also lists made at random, rule sets solutions of '
        "the linear programme, pricings and searches for sets.",
        see=("expanded", "beam search", "plot against"),
    ),
    Term("search time", "Seconds of search, without pauses.", aliases=("seconds of search", "seconds")),
    Term(
        "created",
        "Prefixes made so far, each of them a list without its end.",
        "Each was cut or expanded, or waits in the queue, so that made = cut + expanded + queue. The ablation counts "
        "as nodes those that a bound was computed of.",
        see=("prefix", "expanded"),
        aliases=("made", "nodes", "node", "counted"),
    ),
    Term(
        "expanded",
        "Prefixes that were taken out of the queue and tried with every next rule; those of the beam search are not "
        "counted.",
        see=("prefix", "queued", "work"),
    ),
    Term(
        "queued",
        "Prefixes that wait to be expanded; when none is left, the proof is complete.",
        see=("policy", "queue by prefix length"),
        aliases=("queue", "inserted", "largest queue", "open"),
    ),
    Term("stored", "Prefixes kept in memory, to recognize those that capture the same rows.", see=("memory limit",)),
    Term(
        "reopened",
        "Prefixes that came back into the queue because a cheaper way to the same captured rows was found.",
        see=("equivalent support",),
    ),
    Term("longest prefix", "The most rules of any prefix that was made.", see=("prefix",)),
    Term(
        "log10 remaining",
        "How many digits the number of prefixes still to be looked at has, at most.",
        "12 means at most 10^12. Cuts make it fall much faster than the search could count: often from 10^30 to none "
        "left within a second.",
        "Σ over lengths L of q_L · Σ_{j=0..K−L} (m−L)! / (m−L−j)!,  K = min(⌊R_best / λ⌋, m),  q_L prefixes queued",
        f"Prop 9, {CORELS}; the finer Thm 7 where a search counts for it",
        ("possible lists",),
    ),
    Term(
        "possible lists",
        "How many lists there are of at most K of the m antecedents, in every order.",
        "K is the most rules that an optimal list can have, so that longer lists are ruled out by their rules alone. "
        "The labels are not counted: each rule predicts the majority of what it captures. The antecedents are those "
        "that the search keeps when equal ones are merged.",
        "Σ_{k=0..K} m! / (m−k)!,  K = min(⌊1 / (2λ)⌋, m)",
        f"Prop 8 and Cor 5, {CORELS}",
        ("log10 remaining", "a priori length"),
    ),
    Term(
        "possible sets",
        "How many sets there are of rules of at most D conditions, of complexity at most C.",
        "Rules with more than D conditions are not looked at; D is on every certificate.",
        "coefficient sums of Π_{d=1..D} (1 + z^(1+d))^(m choose d) up to z^C",
        OWN,
        ("set complexity", "column generation"),
    ),
    Term(
        "resolution",
        "The smallest difference of objectives that the arithmetic of the search can tell.",
        see=("exactness",),
    ),
    Term(
        "random state",
        "Seed of whatever is random: the same seed, the same search.",
        aliases=("seed",),
    ),
    Term(
        "warm start",
        "A model that the search begins with, such as the optimum at another regularization.",
        "It is at once the best one known; it moves no bound.",
    ),
)
