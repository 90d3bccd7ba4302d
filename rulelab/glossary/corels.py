"""Terms of the search that the CORELS papers describe, where it has bounds of its own."""

from __future__ import annotations

from .term import CORELS, EARLY, Term

TERMS = (
    Term(
        "corels",
        "The search of the CORELS papers over prefixes, with every bound as a switch, to study and to teach.",
        "It finds the same optimum as the exact search and takes much longer.",
        source=CORELS,
        see=("bounds",),
    ),
    Term(
        "a priori length",
        "No optimal list has more rules than half the errors could pay for.",
        formula="K ≤ min( ⌊1 / (2λ)⌋, m )",
        source=f"Cor 5, {CORELS}",
        see=("incumbent length",),
    ),
    Term(
        "incumbent length",
        "No better list has as many rules as the best objective pays for.",
        formula="K ≤ min( ⌊R_best / λ⌋, m )",
        source=f"Thm 4, {CORELS}",
        see=("prefix length",),
    ),
    Term(
        "prefix length",
        "A prefix can be continued by no more rules than what it has left to spend pays for.",
        formula="K(d′) ≤ min( k + ⌊(R_best − b(d)) / λ⌋, m )",
        source=f"Thm 6, {CORELS}",
        see=("lookahead",),
    ),
    Term(
        "support",
        "The share of the rows that a rule captures: those on which it holds and no rule before it does.",
        "As a bound: each rule of an optimal list captures at least what it costs. In mining: the share of all rows on "
        "which the conditions hold.",
        "rows captured by rule i ≥ λ · n",
        f"Thm 10, {CORELS}",
        ("accurate support", "min support"),
    ),
    Term(
        "excessive support",
        "A rule must leave enough rows over, or the list may as well end before it with its label as the default.",
        formula="rows left after rule i ≥ λ · n",
        source=f"Thm 21, {CORELS}",
        see=("support",),
    ),
    Term(
        "rejection propagation",
        "What a support bound rejects after some antecedents it rejects after more of them, in any order.",
        formula="a rejected after A  ⇒  a rejected after every A′ ⊇ A",
        source=f"Thm 12, Props 13, 14 and 22, {CORELS}",
        see=("support", "accurate support", "excessive support"),
    ),
    Term(
        "dominance",
        "An antecedent whose rows have all been captured by an earlier one never follows it.",
        formula="rows(b) ⊆ rows(a):  b never follows a",
        source=EARLY,
        see=("dominance (falling rule list)",),
    ),
    Term(
        "commuting",
        "Two adjacent rules that capture disjoint rows are tried in one order only.",
        formula="rows(a) ∩ rows(b) = ∅:  R(… a b …) = R(… b a …)",
        source=EARLY,
        see=("permutation",),
    ),
    Term(
        "permutation",
        "Of the prefixes that order the same antecedents only the cheapest is continued.",
        formula="{d} = {D} and b(d) ≤ b(D):  drop D",
        source=f"Cor 16, {CORELS}",
        see=("equivalent support",),
    ),
    Term(
        "similar support",
        "A prefix is dropped when one that captures nearly the same rows was, and the difference cannot make it up.",
        formula="best from D ≥ best from d + b(D) − b(d) − ω₁ − ω₂,  ω: shares captured by one of them alone",
        source=f"Thm 18, {CORELS}",
        see=("equivalent support",),
    ),
)
