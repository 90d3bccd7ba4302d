"""Terms of Boolean rule sets and of the column generation that finds them."""

from __future__ import annotations

from .term import BRCG, FAIR, OWN, Term

TERMS = (
    Term(
        "rule set",
        "Rules side by side: the positive class is predicted when at least one of them holds.",
        see=("rule set objective", "dnf", "cnf"),
        aliases=("best rule set so far", "optimal rule set"),
    ),
    Term(
        "rule set objective",
        "The loss in rows, at a complexity of at most C.",
        formula="Σ_{positives} ξ_i + Σ_{negatives} Σ_{rules k that cover i} w_k,  Σ c_k w_k ≤ C",
        source=f"section 2.1, {BRCG}",
        see=("hamming loss", "set complexity", "complexity cost"),
    ),
    Term(
        "set complexity",
        "Rules and conditions counted together: a rule counts 1, each of its conditions 1 more.",
        "The search finds the best set of at most the complexity C.",
        "Σ c_k ≤ C,  c_k = 1 + conditions of rule k",
        f"section 2.1, {BRCG}",
        ("rule set objective",),
        ("max complexity", "complexity", "set grid", "complexities", "clauses", "complexity of the set"),
    ),
    Term(
        "loss",
        "What counts as wrong: Hamming counts rules to add or remove, 0-1 counts training errors.",
        see=("hamming loss", "zero one loss"),
    ),
    Term(
        "hamming loss",
        "Positives that no rule covers, and for every negative the number of rules that cover it.",
        "A negative that two rules cover counts twice, as both would have to go.",
        "H = #(positives covered by no rule) + Σ over negatives of #(rules that cover it)",
        f"section 2.1, {BRCG}; section 2.2, {FAIR}",
        ("zero one loss",),
        ("hamming",),
    ),
    Term(
        "zero one loss",
        "Training errors: each row that is predicted wrongly counts once.",
        formula="Σ_{positives} ξ_i + Σ_{negatives} ζ_i,  w_k ≤ ζ_i for every rule k that covers i",
        source=f"section 2.1, {FAIR}; how the two losses compare: its Thm 4",
        see=("hamming loss",),
        aliases=("0 1", "zero one"),
    ),
    Term("form", "Whether one rule is enough (DNF) or all clauses must hold (CNF).", see=("dnf", "cnf")),
    Term("dnf", "Positive when any rule holds, and a rule holds when all of its conditions do: an or of ands."),
    Term(
        "cnf",
        "Positive when all clauses hold, and a clause holds when any of its conditions does: an and of ors.",
        "It is found as a DNF of the negated labels over negated conditions.",
        source=f"section 2, {BRCG} (De Morgan)",
        see=("dnf",),
    ),
    Term(
        "max conditions (rule set)",
        "The most conditions of a rule, D. The certificate speaks of sets of such rules.",
        "None: any number, as far as the complexity allows.",
        "c_k ≤ 1 + D",
        f"section 2.2, {BRCG}",
        ("set complexity",),
        ("rule size", "rule size d", "set conditions"),
    ),
    Term(
        "complexity cost",
        "What a unit of complexity costs, in rows; 0: only the bound C counts.",
        formula="loss + cost · Σ c_k w_k",
        source=OWN,
        see=("set complexity",),
        aliases=("regularization (rule set)", "cost of a unit of complexity"),
    ),
    Term(
        "column generation",
        "Finds the rules worth having among all conjunctions without listing them: it prices them.",
        "A linear programme over a pool of rules gives a price to every row. The rule that would lower its value most "
        "joins the pool, until there is none; then the value bounds every set of rules.",
        source=f"section 2.2, {BRCG}; section 4, {FAIR}",
        see=("reduced cost", "lp value", "pricing nodes"),
    ),
    Term(
        "lp value",
        "The value of the linear programme over the rules found so far, where rules may be taken in parts.",
        "It falls while rules are found. When no rule has a negative reduced cost, no set is below it, rounded up. "
        "Where rates must be equal exactly, each value that they can take has a linear programme of its own, and no "
        "value is shown: none of them bounds all sets.",
        "z_IP ≥ ⌈z_LP⌉",
        f"section 2.3, {BRCG}",
        ("column generation", "reduced cost"),
    ),
    Term(
        "reduced cost",
        "How much the linear programme would fall per unit of a new rule; not below 0: no rule helps any more.",
        formula="ρ_k = #(negatives covered) − Σ over positives covered of μ_i + λ c_k",
        source=f"section 2.2, {BRCG}; before the end z_IP ≥ ⌈z_RMLP − C θ⌉ sharpens its Prop 7 ({FAIR})",
        see=("column generation", "least reduced cost of all rules"),
        aliases=("least reduced cost",),
    ),
    Term(
        "rules in the pool",
        "Rules that column generation has found so far.",
        "In the picture a dot each, by complexity and reduced cost: below 0 a rule lowers the value of the linear "
        "programme; those that it uses are at 0. Large dots hold many rows, squares are in the best set.",
        see=("column generation",),
        aliases=("columns", "pool", "columns in master"),
    ),
    Term(
        "prices of the rows",
        "What it is worth to the linear programme that a group of equal rows is covered: its dual value.",
        "A bar for each group that has a price, the dearest first; the pale part is what its rows could be worth at "
        "most. A rule helps when the prices of what it covers exceed what it costs.",
        "0 ≤ μ_i ≤ 1 for a positive row i",
        f"section 2.2, {BRCG}",
        ("reduced cost", "column generation"),
        ("dual value", "dual values", "duals", "prices"),
    ),
    Term(
        "pricing nodes",
        "Conjunctions that were looked at to find the one of least reduced cost.",
        "Branch and bound on packed bits: exact, and the costly part of the search.",
        source=OWN,
        see=("reduced cost",),
    ),
    Term(
        "rules in the proof",
        "All rules that a better set could have; the best set among them is the optimum.",
        formula="ρ_k ≤ UB − 1 − z_LP for every rule of a strictly better set",
        source=f"{OWN}; reduced cost fixing",
        see=("certificate", "column limit"),
        aliases=("closing columns", "rules in the last step"),
    ),
    Term(
        "column limit",
        "The most rules that the last step of the proof may look at together.",
        "When more rules could be part of a better set, the search stops with the gap proven by then.",
        see=("rules in the proof",),
        aliases=("too many rules for the proof",),
    ),
    Term(
        "iterations (rule set)", "Solutions of the linear programme.", see=("column generation",), aliases=("masters",)
    ),
    Term(
        "gaps tried",
        "Gaps between groups for which it was asked whether a set has no larger one.",
        "Each answer is a set, or the proof that none has; the last one is about all gaps below that of the best set.",
        source=OWN,
        see=("gap between groups",),
    ),
    Term("pricings", "How often rules were priced.", see=("reduced cost",)),
    Term("closing nodes", "Nodes of the search among the rules in the proof.", aliases=("branching nodes",)),
)
