"""How rules are found without listing all of them, and why none is missing in the end."""

from __future__ import annotations

from ...live.wording import count
from ..plan import Part, Seen, ended, found_rules, looked_back_to, plan, stepped


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


PLAN = plan(
    "column_generation.md",
    [
        Part(found_rules),
        Part(stepped(6)),
        Part(ended, _of_how_many),
        Part(looked_back_to(lambda moment, _end: moment.lower_bound > 0), _gap),
    ],
    family="rule_set",
    data="diabetes",
    parameters={"max_complexity": 10},
    speed="1 step per tick",
)
