"""How rules are found without listing all of them, and why none is missing in the end."""

from __future__ import annotations

from ...live.wording import count
from ..plan import Plan, Seen, Step, ended, found_rules, looked_back_to, stepped


def _of_how_many(seen: Seen) -> str:
    assert seen.snapshot is not None
    assert seen.problem is not None
    m = seen.problem.n_antecedents
    pairs, triples = m * (m - 1) // 2, m * (m - 1) * (m - 2) // 6
    return (
        f"{count(seen.snapshot.counts['columns'])} rules were found, while {count(m)} conditions make {count(m)} "
        f"rules of one, {count(pairs)} of two and {count(triples)} of three conditions. The proof says that none of "
        "the others belongs to a better set, and none of them was written down."
    )


def _gap(seen: Seen) -> str:
    assert seen.snapshot is not None
    assert seen.snapshot.incumbent is not None
    nodes, objective = seen.snapshot.counts["branching_nodes"], seen.snapshot.incumbent.objective
    closed = "without branching" if nodes == 0 else f"in {count(nodes)} further nodes"
    return (
        "The linear programme may take half a rule; its value bounds every set of whole rules. What was left between "
        f"the two was closed {closed}, and the loss {objective:g} is proven."
    )


PLAN = Plan(
    name="column generation",
    about="How a few rules are chosen from more than one could list, with a proof for all of them.",
    family="rule_set",
    data="diabetes",
    parameters={"max_complexity": 10},
    speed="1 step per tick",
    steps=(
        Step(
            "A [[rule set]] predicts positive when any of its rules holds, and a rule joins conditions by and. There "
            "are far too many such rules to list, so that the search begins with a few.",
            "model",
            "Press Step a few times, until a set with rules appears.",
            found_rules,
            "What is the loss that the set is judged by?",
            "Each positive that no rule covers costs 1, and each rule that covers a negative costs 1. A negative that "
            "two rules cover costs 2: that is the Hamming loss, and it makes the problem one that a linear programme "
            "can bound.",
        ),
        Step(
            "A linear programme chooses among the rules that are there, and gives each row a price, its dual value: "
            "what it would be worth to cover this row. The [[reduced cost]] of a rule is what it costs, less the "
            "prices of what it covers.",
            "prices of the rows",
            "Press Step until groups of equal rows have prices.",
            stepped(6),
            "Which rule is worth adding?",
            "One with a negative reduced cost: it covers rows that are worth more than it costs. Adding it can lower "
            "the value of the linear programme; no other rule can.",
        ),
        Step(
            "The search looks for the rule of least reduced cost among all conjunctions there are, and adds it: that "
            "is [[column generation]]. When the least one is not negative any more, no rule is missing.",
            "least reduced cost of all rules",
            "Press Run and wait for the end.",
            ended,
            "How many rules were needed, of how many?",
            _of_how_many,
        ),
        Step(
            "From then on the value of the linear programme, rounded up, is below the loss of every set. Where a "
            "whole set does not reach it, the search [[closes the gap|rules in the proof]] by adding all rules that "
            "could still matter, and by branching.",
            "objective and lower bound",
            "Drag the slider back to the moment at which the lower bound first rose above 0.",
            looked_back_to(lambda moment, _end: moment.lower_bound > 0),
            "Why did the bound not meet the loss at once?",
            _gap,
        ),
    ),
)
