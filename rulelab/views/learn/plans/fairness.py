"""What it costs to treat groups of people alike, and what the proof says about the price."""

from __future__ import annotations

import numpy as np

from ....rule_set import EqualOpportunity
from ...live.wording import count
from ...search.fairness import group_rates
from ..plan import Choice, Part, Run, Seen, ended, plan, ran, tried

_ANY, _NONE = "1 (any)", "0"


def _with(seen: Seen, choice: str) -> Run:
    return next(run for run in seen.runs if run.choice == choice)


def _gap(run: Run) -> float:
    criterion, loss, size = (run.search.parameters[name] for name in ("fairness", "loss", "min_group_size"))
    (rate,) = group_rates(run.model, run.problem, run.problem.matrix(), criterion, loss, size)
    return 100 * rate.gap


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
        "people a part of the difference may be chance, which is why the bars have intervals."
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


PLAN = plan(
    "fairness.md",
    [
        Part(ended, _unequal),
        Part(tried(3), _price, chooses=True),
        Part(lambda seen: any(run.choice == _NONE for run in seen.runs), _nothing, chooses=True),
        Part(ran(1), chooses=True),
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
    figures={
        "difference (points)": lambda run: f"{_gap(run):.1f}",
    },
)
