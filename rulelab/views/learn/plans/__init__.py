"""The walks, in the order in which they are offered; what their steps say stands in Markdown beside this file."""

from __future__ import annotations

from math import perm

import numpy as np

from ....report.known import training_confusion
from ....rule_set import EqualOpportunity
from ....snapshot import Snapshot
from ...live.wording import count, counted
from ..plan import (
    Choice,
    Plan,
    Run,
    Seen,
    Step,
    cut_in_ways,
    ended,
    found_rules,
    looked_back_to,
    plan,
    ran,
    saw_another_model,
    stepped,
    stepped_anew,
    tried,
)

_ANY, _NONE = "1 (any)", "0"


def _children(seen: Seen) -> str:
    made, stored, queued = (count(seen.counts[name]) for name in ("created", "stored", "queued"))
    return (
        f"So far {made} prefixes have been made; {stored} were worth keeping, and {queued} wait. "
        "Each was made by adding one rule to a prefix that was there."
    )


def _left(seen: Seen) -> str:
    counts, m = seen.counts, 0 if seen.problem is None else seen.problem.n_antecedents
    lists = sum(perm(m, rules) for rules in range(6))
    return (
        f"Expanded: {counted(counts['expanded'], 'prefixes')}; made: {count(counts['created'])}. With {count(m)} "
        f"antecedents there are {count(lists)} orders of up to five of them alone, before labels are chosen: almost "
        "all were excluded without being made, because a prefix of theirs was cut."
    )


def _has_the_best_list(moment: Snapshot, end: Snapshot) -> bool:
    best, last = moment.incumbent, end.incumbent
    return best is not None and last is not None and best.objective == last.objective


def _cost_of_both(seen: Seen) -> str:
    cost = f"{seen.best.objective:.6g}"
    return f"Both are {cost}: some list costs that much, and no list costs less. The proof is that nothing is left."


_BRANCH_AND_BOUND = plan(
    "branch_and_bound.md",
    [
        Step(stepped(1)),
        Step(stepped(4)),
        Step(cut_in_ways(2), _children),
        Step(stepped(20)),
        Step(ended, _cost_of_both),
        Step(looked_back_to(_has_the_best_list), _left),
    ],
    family="rule_list",
    data="diabetes",
    parameters={"regularization": 0.01, "thresholds": 3, "max_conditions": 1, "beam_width": 0},
    speed="10 per tick",
)
"""How a search proves that no list is better without looking at each."""


def _of_how_many(seen: Seen) -> str:
    assert seen.problem is not None
    m = seen.problem.n_antecedents
    pairs, triples = m * (m - 1) // 2, m * (m - 1) * (m - 2) // 6
    return (
        f"{count(seen.counts['columns'])} rules were found, while {count(m)} conditions make {count(m)} "
        f"rules of one, {count(pairs)} of two and {count(triples)} of three conditions. The proof says that none of "
        "the others belongs to a better set, and none of them was written down."
    )


def _gap_closed(seen: Seen) -> str:
    nodes = seen.counts["branching_nodes"]
    closed = "without branching" if nodes == 0 else f"in {count(nodes)} further nodes"
    return (
        "The linear programme may take half a rule; its value bounds every set of whole rules. What was left between "
        f"the two was closed {closed}, and the loss {seen.best.objective:g} is proven."
    )


_COLUMN_GENERATION = plan(
    "column_generation.md",
    [
        Step(found_rules),
        Step(stepped(6)),
        Step(ended, _of_how_many),
        Step(looked_back_to(lambda moment, _end: moment.lower_bound > 0), _gap_closed),
    ],
    family="rule_set",
    data="diabetes",
    parameters={"max_complexity": 10},
    speed="1 step per tick",
)
"""How rules are found without listing all of them, and why none is missing in the end."""


def _inevitable(run: Run) -> str:
    return count(int(np.minimum(run.problem.positives, run.problem.negatives).sum()))


def _counted(seen: Seen) -> str:
    assert seen.problem is not None
    wrong = int(np.minimum(seen.problem.positives, seen.problem.negatives).sum())
    return (
        f"The {count(seen.problem.n_rows)} rows make {count(seen.problem.n_patterns)} patterns. In each the smaller "
        f"class must be wrong: {counted(wrong, 'rows')} together, which is {wrong / seen.problem.n_rows:.4f} of all."
    )


def _most(seen: Seen) -> str:
    best = min(seen.runs, key=lambda run: run.snapshot.incumbent.objective if run.snapshot.incumbent else np.inf)
    hardest = max(seen.runs, key=lambda run: run.snapshot.work)
    return (
        f"Here the least objective was with {best.choice} groups, and the longest proof with {hardest.choice}. More "
        "cuts tell more rows apart, which takes the inevitable errors away and with them a bound, and they make more "
        "antecedents, which gives more lists to exclude."
    )


_EQUAL_ROWS = plan(
    "equal_rows.md",
    [Step(stepped(1), _counted), Step(ended), Step(tried(3), _most, chooses=True), Step(ran(2), chooses=True)],
    family="rule_list",
    data="diabetes",
    parameters={"regularization": 0.02, "thresholds": 2, "max_conditions": 1, "beam_width": 0},
    speed="speeding up",
    choice=Choice("thresholds", "Groups per number", {"2": 2, "3": 3, "4": 4}),
    figures={
        "patterns": lambda run: count(run.problem.n_patterns),
        "inevitable errors": _inevitable,
        "antecedents": lambda run: count(run.problem.n_antecedents),
    },
)
"""Why rows that no condition tells apart bound every list."""


def _missed(run: Run) -> float:
    return training_confusion(run.model).false_negative


def _alarms(run: Run) -> float:
    return training_confusion(run.model).false_positive


def _first(seen: Seen) -> str:
    return (
        f"This list has {counted(seen.best.model.complexity, 'rules')}. Read it from the top and stop at the first "
        "rule that applies: that is the stratum of the person, and nobody further down is at a higher risk."
    )


def _more(seen: Seen) -> str:
    fewest = min(seen.runs, key=_missed)
    return (
        f"Of your runs the one with weight {fewest.choice} misses {count(_missed(fewest))}, the fewest, with "
        f"{count(_alarms(fewest))} false alarms. The weight says how many false alarms a missed positive is worth; "
        "that is a decision about people, not one that the search can make."
    )


_FALLING_LISTS = plan(
    "falling_lists.md",
    [Step(ended, _first), Step(saw_another_model), Step(stepped_anew(3)), Step(tried(3), _more, chooses=True)],
    family="falling_rule_list",
    data="breast_cancer",
    parameters={"thresholds": 4, "max_conditions": 1, "iterations": 0},
    speed="speeding up",
    choice=Choice("positive_weight", "Weight of a missed positive", {"1": 1.0, "3": 3.0, "10": 10.0}),
    figures={"missed": lambda run: count(_missed(run)), "false alarms": lambda run: count(_alarms(run))},
)
"""What it costs that probabilities may only fall from rule to rule, and what it gives."""


def _with(seen: Seen, choice: str) -> Run:
    return next(run for run in seen.runs if run.choice == choice)


def _gap(run: Run) -> float:
    (gap,) = run.snapshot.detail["true_gaps"].values()
    return float(100 * gap)


def _found(run: Run) -> str:
    sizes = run.problem.groups
    assert sizes is not None
    return ", ".join(
        f"{count(int(n))} of {name}" for name, n in zip(sizes.names, sizes.positives.sum(axis=1), strict=True)
    )


def _unequal(seen: Seen) -> str:
    run = _with(seen, _ANY)
    return (
        f"The true positive rates differ by {_gap(run):.1f} points. The positives are {_found(run)}: with so few "
        "people a part of the difference may be chance, which is why the rates have intervals."
    )


def _price(seen: Seen) -> str:
    loss = [run.snapshot.incumbent.objective for run in seen.runs if run.snapshot.incumbent is not None]
    least, most = seen.runs[int(np.argmin(loss))], seen.runs[int(np.argmax(loss))]
    return (
        f"Of your runs the least loss is {min(loss):g} (tolerance {least.choice}, difference {_gap(least):.1f} "
        f"points), the largest {max(loss):g} (tolerance {most.choice}, {_gap(most):.1f} points). Each is proven, so "
        "that this price is not a weakness of the method: no set over these conditions does better at its tolerance."
    )


def _nothing(seen: Seen) -> str:
    run = _with(seen, _NONE)
    empty = run.model.complexity == 0
    return (
        "The set is empty: it misses every positive of every group alike, and nothing else within the tolerance costs "
        "less. Equal is not the same as good."
        if empty
        else "This set still finds positives, in equal shares of both groups; with other data the only equal set may "
        "be the one that finds nobody."
    )


_FAIRNESS = plan(
    "fairness.md",
    [
        Step(ended, _unequal),
        Step(tried(3), _price, chooses=True),
        Step(lambda seen: any(run.choice == _NONE for run in seen.runs), _nothing, chooses=True),
        Step(ran(1), chooses=True),
    ],
    family="rule_set",
    data="diabetes",
    parameters={"max_complexity": 8, "thresholds": 2, "fairness": EqualOpportunity(1.0)},
    speed="full speed",
    sensitive="sex",
    choice=Choice(
        "fairness",
        "Tolerance",
        {_ANY: EqualOpportunity(1.0), "0.1": EqualOpportunity(0.1), "0.02": EqualOpportunity(0.02)}
        | {_NONE: EqualOpportunity(0.0)},
    ),
    figures={"difference (points)": lambda run: f"{_gap(run):.1f}"},
)
"""What it costs to treat groups of people alike, and what the proof says about the price."""

PLANS: dict[str, Plan] = {
    each.name: each for each in (_BRANCH_AND_BOUND, _EQUAL_ROWS, _FALLING_LISTS, _COLUMN_GENERATION, _FAIRNESS)
}
