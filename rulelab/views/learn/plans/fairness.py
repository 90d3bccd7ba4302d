"""What it costs to treat groups of people alike, and what the proof says about the price."""

from __future__ import annotations

import numpy as np

from ....rule_set import EqualOpportunity
from ...live.wording import count
from ...search.fairness import group_rates
from ..plan import Choice, Plan, Run, Seen, Step, ended, ran, tried

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


PLAN = Plan(
    name="what fairness costs",
    about="A bound on how unequally groups are treated, and the proven price of each tolerance.",
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
    steps=(
        Step(
            "The best set need not find the positives of all groups equally often, for nobody asked for it. [[Equal "
            "opportunity|equal opportunity]] asks that it does, up to a [[tolerance]]; a tolerance of 1 asks for "
            "nothing.",
            "rates per group",
            "Press Run.",
            ended,
            "How differently are the groups treated?",
            _unequal,
        ),
        Step(
            "Now only sets count whose rates differ by no more than the tolerance. The search proves for each of them "
            "that no such set has a smaller loss.",
            "model",
            "Run with a tolerance of 0.1, then with 0.02.",
            tried(3),
            "What does it cost, and is the price of the method or of the matter?",
            _price,
            chooses=True,
        ),
        Step(
            "With a tolerance of 0 the rates must be exactly equal, which few sets reach, as groups have few "
            "positives. What is proven holds for the rows of training; on other rows the rates will differ.",
            "rates per group",
            "Run with a tolerance of 0.",
            lambda seen: any(run.choice == _NONE for run in seen.runs),
            "Is a set that treats everybody alike a good set?",
            _nothing,
            chooses=True,
        ),
        Step(
            "There are several criteria, and they contradict each other: who wants equal shares of found positives "
            "does not get equal shares of false alarms. Which one is right is a question about the decision, not "
            "about the algorithm.",
            "rates per group",
            "Run once more with the tolerance that you would choose.",
            ran(1),
            "Who should choose the tolerance?",
            "Those who answer for the decision, with those it concerns. A front of proven prices, as in the tab "
            "Fronts, shows what can be chosen; it does not choose.",
            chooses=True,
        ),
    ),
)
