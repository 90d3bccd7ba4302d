"""The walks, in the order in which they are offered; what their steps say stands in Markdown beside this file."""

from __future__ import annotations

from collections.abc import Callable
from math import comb, perm

import numpy as np

from ....assets import texts
from ....data.metrics import Confusion
from ....data.problem import Problem
from ....report.known import training_confusion
from ....rule_set import EqualOpportunity
from ....snapshot import Snapshot
from ...live.wording import count, counted
from ..plan import Choice, Figures, Plan, Run, Seen, Step, Task, plan

_ANY, _NONE = "1 (any)", "0"


def stepped(units: int) -> Task:
    """So much work has been done, or the search has ended."""
    return lambda seen: seen.snapshot is not None and (seen.work >= units or seen.over)


def cut_in_ways(kinds: int) -> Task:
    """Prefixes have been cut by so many bounds, the last of them after a step since; or the search has ended."""

    def done(seen: Seen) -> bool:
        cut = {} if seen.snapshot is None else seen.snapshot.pruned
        return seen.over or (seen.work > 0 and sum(n > 0 for n in cut.values()) >= kinds)

    return done


def found_rules(seen: Seen) -> bool:
    """The best model has rules, or the search has ended."""
    best = None if seen.snapshot is None else seen.snapshot.incumbent
    return seen.over or (best is not None and bool(best.model.rules))


def priced(seen: Seen) -> bool:
    """The linear programme has given rows their prices, after a step since; or the search has ended."""
    return seen.over or (seen.work > 0 and "master_value" in seen.snapshot.detail)


def looked_back_to(reached: Callable[[Snapshot, Snapshot], bool]) -> Task:
    """Of a run that has ended one looks at the first moment that reached something, beside the last, or the next."""

    def done(seen: Seen) -> bool:
        first = next((k for k, each in enumerate(seen.moments) if reached(each, seen.moments[-1])), None)
        return seen.over and seen.at is not None and first is not None and seen.at - first in (0, 1)

    return done


def saw_another_model(seen: Seen) -> bool:
    """Of a run that has ended one looks at a moment with another model than that of the end."""
    found = [] if seen.at is None or not seen.over else [seen.moments[at].incumbent for at in (seen.at, -1)]
    return len({best.model for best in found if best is not None}) == 2


def _ended(seen: Seen) -> bool:
    return seen.over


def _tried_all(seen: Seen) -> bool:
    """Three choices have been run to their ends."""
    return len(seen.runs) >= 3


def _children(seen: Seen) -> Figures:
    now = seen.snapshot
    waiting = {name: count(now.counts[name]) for name in ("expanded", "queued")}
    return {"made": count(now.made), "cut": count(sum(now.pruned.values()))} | waiting


def _left(seen: Seen) -> Figures:
    m = seen.problem.n_antecedents
    return {
        "expanded": counted(seen.snapshot.counts["expanded"], "prefixes"),
        "made": count(seen.snapshot.made),
        "antecedents": count(m),
        "lists": count(sum(perm(m, rules) for rules in range(6))),
    }


def _has_the_best_list(moment: Snapshot, end: Snapshot) -> bool:
    best, last = moment.incumbent, end.incumbent
    return best is not None and last is not None and best.objective == last.objective


_BRANCH_AND_BOUND = plan(
    "branch_and_bound.md",
    [
        Step(stepped(1)),
        Step(stepped(4)),
        Step(cut_in_ways(2), _children),
        Step(stepped(20)),
        Step(_ended, lambda seen: {"cost": f"{seen.snapshot.incumbent.objective:.6g}"}),
        Step(looked_back_to(_has_the_best_list), _left),
    ],
)
"""How a search proves that no list is better without looking at each."""


def _of_how_many(seen: Seen) -> Figures:
    m = seen.problem.n_antecedents
    return {
        "found": count(seen.snapshot.counts["columns"]),
        "conditions": count(m),
        "pairs": count(comb(m, 2)),
        "triples": count(comb(m, 3)),
    }


def _gap_closed(seen: Seen) -> Figures:
    nodes = seen.snapshot.counts["branching_nodes"]
    closed = "without branching" if nodes == 0 else f"in {count(nodes)} further nodes"
    return {"closed": closed, "loss": f"{seen.snapshot.incumbent.objective:g}"}


_COLUMN_GENERATION = plan(
    "column_generation.md",
    [
        Step(found_rules),
        Step(priced),
        Step(_ended, _of_how_many),
        Step(looked_back_to(lambda moment, _end: moment.lower_bound > 0), _gap_closed),
    ],
)
"""How rules are found without listing all of them, and why none is missing in the end."""


def _inevitable(problem: Problem) -> int:
    """The errors of the smaller class of each pattern."""
    return int(np.minimum(problem.positives, problem.negatives).sum())


def _counted(seen: Seen) -> Figures:
    problem, wrong = seen.problem, _inevitable(seen.problem)
    return {
        "rows": count(problem.n_rows),
        "patterns": count(problem.n_patterns),
        "wrong": counted(wrong, "rows"),
        "share": f"{wrong / problem.n_rows:.4f}",
    }


def _most(seen: Seen) -> Figures:
    best = min(seen.runs, key=lambda run: run.best.objective)
    return {"best": best.choice, "hardest": max(seen.runs, key=lambda run: run.snapshot.work).choice}


_EQUAL_ROWS = plan(
    "equal_rows.md",
    [
        Step(stepped(1), _counted),
        Step(_ended),
        Step(_tried_all, _most, chooses=True),
        Step(lambda seen: seen.ends >= 2, chooses=True),
    ],
    figures={
        "patterns": lambda run: count(run.problem.n_patterns),
        "inevitable errors": lambda run: count(_inevitable(run.problem)),
        "antecedents": lambda run: count(run.problem.n_antecedents),
    },
)
"""Why rows that no condition tells apart bound every list."""


def _errors(run: Run) -> Confusion:
    return training_confusion(run.best.model)


def _first(seen: Seen) -> Figures:
    return {"rules": counted(seen.snapshot.incumbent.model.complexity, "rules")}


def _more(seen: Seen) -> Figures:
    fewest = min(seen.runs, key=lambda run: _errors(run).false_negative)
    wrong = _errors(fewest)
    return {"weight": fewest.choice, "missed": count(wrong.false_negative), "alarms": count(wrong.false_positive)}


_FALLING_LISTS = plan(
    "falling_lists.md",
    [
        Step(_ended, _first),
        Step(saw_another_model),
        Step(lambda seen: seen.anew and seen.work >= 3),
        Step(_tried_all, _more, chooses=True),
    ],
    figures={
        "missed": lambda run: count(_errors(run).false_negative),
        "false alarms": lambda run: count(_errors(run).false_positive),
    },
)
"""What it costs that probabilities may only fall from rule to rule, and what it gives."""


def _with(seen: Seen, choice: str) -> Run:
    return next(run for run in seen.runs if run.choice == choice)


def _gap(run: Run) -> float:
    (gap,) = run.snapshot.detail["true_gaps"].values()
    return float(100 * gap)


def _unequal(seen: Seen) -> Figures:
    run = _with(seen, _ANY)
    groups = run.problem.groups
    assert groups is not None
    sizes = zip(groups.names, groups.positives.sum(axis=1), strict=True)
    return {"gap": f"{_gap(run):.1f}", "positives": ", ".join(f"{count(int(n))} of {name}" for name, n in sizes)}


def _price(seen: Seen) -> Figures:
    def said(run: Run) -> str:
        return f"{run.best.objective:g} (tolerance {run.choice}, difference {_gap(run):.1f} points)"

    runs = sorted(seen.runs, key=lambda run: run.best.objective)
    return {"least": said(runs[0]), "most": said(runs[-1])}


def _nothing(seen: Seen) -> Figures:
    finds = "nobody" if _with(seen, _NONE).best.model.complexity == 0 else "some"
    return {"found": texts("learn")[finds]}


_FAIRNESS = plan(
    "fairness.md",
    [
        Step(_ended, _unequal),
        Step(_tried_all, _price, chooses=True),
        Step(lambda seen: any(run.choice == _NONE for run in seen.runs), _nothing, chooses=True),
        Step(lambda seen: seen.ends >= 1, chooses=True),
    ],
    parameters={"max_complexity": 8, "thresholds": 2, "fairness": EqualOpportunity(1.0)},
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
