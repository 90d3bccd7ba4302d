"""How a search proves that no list is better without looking at each."""

from __future__ import annotations

from math import perm

from ....snapshot import Snapshot
from ...live.wording import count
from ..plan import Part, Seen, cut_in_ways, ended, looked_back_to, plan, stepped


def _children(seen: Seen) -> str:
    assert seen.snapshot is not None
    counts = seen.snapshot.counts
    return (
        f"So far {count(counts['created'])} prefixes have been made; {count(counts['stored'])} were worth keeping, and "
        f"{count(counts['queued'])} wait. Each was made by adding one rule to a prefix that was there."
    )


def _left(seen: Seen) -> str:
    assert seen.snapshot is not None
    counts, m = seen.snapshot.counts, 0 if seen.problem is None else seen.problem.n_antecedents
    lists = sum(perm(m, rules) for rules in range(6))
    return (
        f"{count(counts['expanded'])} prefixes were expanded, and {count(counts['created'])} made. With {count(m)} "
        f"antecedents there are {count(lists)} orders of up to five of them alone, before labels are chosen: almost "
        "all were excluded without being made, because a prefix of theirs was cut."
    )


def _has_the_best_list(moment: Snapshot, end: Snapshot) -> bool:
    best, last = moment.incumbent, end.incumbent
    return best is not None and last is not None and best.objective == last.objective


def _gap(seen: Seen) -> str:
    assert seen.snapshot is not None
    assert seen.snapshot.incumbent is not None
    best = seen.snapshot.incumbent.objective
    return f"Both are {best:.6g}: some list costs that much, and no list costs less. The proof is that nothing is left."


PLAN = plan(
    "branch_and_bound.md",
    [
        Part(stepped(1)),
        Part(stepped(4)),
        Part(cut_in_ways(2), _children),
        Part(stepped(20)),
        Part(ended, _gap),
        Part(looked_back_to(_has_the_best_list), _left),
    ],
    family="rule_list",
    data="diabetes",
    parameters={"regularization": 0.01, "thresholds": 3, "max_conditions": 1, "beam_width": 0},
    speed="10 per tick",
)
