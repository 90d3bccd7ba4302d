"""Terms of rule lists under fairness constraints, with the bounds of their search."""

from __future__ import annotations

from .term import OWN, Term

TERMS = (
    Term(
        "relaxation",
        "Lists are charged for the differences between groups instead of being forbidden them.",
        "For any price of the differences the cheapest list then costs no more than the best fair list. The search "
        "chooses the price that proves most.",
        "min over lists of  R(d) + Σ μ v(d) − Σ max(μ low, μ high)  ≤  R(fair d)",
        OWN,
        ("completions", "weak rule"),
    ),
    Term(
        "completions",
        "The least cost of going on, in the relaxation, is proven: prefixes for which it is too large are dropped.",
        "What is proven of a set of rows that are left holds for all prefixes that leave them.",
        "relaxed cost(d) + F(S) > threshold:  drop d",
        OWN,
        ("relaxation",),
    ),
    Term(
        "weak rule",
        "A rule that gets little right is only worth trying as far as the best list without it leaves room.",
        "In the relaxation the list without the rule costs less by its price, but for what the rule gets right. A fair "
        "list may need a rule that corrects no row at all, so that such rules cannot be left out.",
        "relaxed cost(d) + f(S) + λ − W(rule in S) > threshold",
        OWN,
        ("relaxation", "accurate support"),
    ),
    Term(
        "same set",
        "Of prefixes that leave the same rows, one is dropped if another costs no more and is fair whenever it is.",
        "Without constraints the cheapest one would do. Here the differences between groups count, too.",
        "R(d) ≤ R(D) and every end that makes D fair makes d fair:  drop D",
        OWN,
        ("equivalent support",),
    ),
    Term(
        "reach",
        "No labels of the rows that are left can bring the rates of the groups together again: the prefix is dropped.",
        "",
        "v(d) + Σ of the negative d_u in S > high  or  v(d) + Σ of the positive d_u in S < low",
        OWN,
        ("fairness",),
    ),
    Term("sets counted", "How often all antecedents were counted on a set of rows.", see=("created", "expanded")),
    Term(
        "labels",
        "What the rules of a fair list may predict.",
        "Free: either class, whichever makes the list best. Majority: the class of most of the rows that the rule is "
        "the first to apply to, which can be much worse.",
        see=("fairness", "rule list"),
        aliases=(
            "labels of a fair list",
            "free",
            "majority",
            "free: whichever class is best",
            "majority: the class of most rows",
        ),
    ),
)
