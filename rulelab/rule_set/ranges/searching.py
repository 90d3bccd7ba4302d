"""What all rule sets near the optimum have in common, certified without listing them: columns, and gaps of groups."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...arguments import is_number, require
from ...data.fairness import criterion_called
from ...data.gaps import CONSTRAINED, CRITERIA
from ...data.groups import Groups
from ...data.problem import Problem, ProblemError
from ...models import RuleSet
from ...snapshot import Snapshot, Status
from ..arguments import clauses_of
from ..search import RuleSetSearch
from .differences import GreatestDifference, LeastTrueGap, pairs
from .listed import DIFFERENCES, differences, least_gap, listed
from .result import RuleSetRanges
from .uses import count, near, range_of_uses, uses_of_column

RATIO = 0.01
_SLICE = 5
Late = Callable[[], bool]
"""Whether all of it is to end."""
ALL, SOME, NONE, UNKNOWN = "all", "some", "none", "not known"
"""Which of the sets near the optimum use a column."""


def rule_set_ranges(
    search: RuleSetSearch | Problem,
    within: float | None = None,
    *,
    ratio: float | None = None,
    criteria: tuple[str, ...] = (),
    groups: Groups | None = None,
    graded: bool = False,
    columns: Collection[str] | None = None,
    time_limit: float | None = None,
    stop: Callable[[], bool] = lambda: False,
    report: Callable[[str], None] = lambda doing: None,
    **parameters: Any,
) -> RuleSetRanges:
    """Which columns all, some or no rule sets near the optimum use, and the ranges of their gaps between groups.

    Two searches for each column answer it: one for a set that has to use it, one on the problem without it. Gaps are
    read from the list of all sets where that is short; else nothing is listed, so that it does not matter how many sets
    there are.

    Parameters
    ----------
    search : RuleSetSearch or Problem
        Without a fairness constraint, ``must_use`` and ``max_uses``; brought to its proof first.
    within : float, optional
        Sets with an objective at most the optimum's + ``within`` (in rows, or weight) count; or
    ratio : float, optional
        at most the optimum's * (1 + ``ratio``). Give one of the two, or neither: then it is a ratio of 0.01.
    criteria : tuple of str
        Such as ``("equal_opportunity",)``, over the groups: the least gap of any such set, and the least and the
        greatest difference between each two groups, where the loss is the Hamming loss.
    groups : Groups, optional
        By default the problem's.
    graded : bool
        Also how many conditions on each column such sets have at least and at most, by some more searches a column.
    columns : collection of str, optional
        Of these alone it is found who uses them; by default of all.
    time_limit : float, optional
        Seconds for all of it, without compiling; what is not clear then is "not known".
    stop : callable
        Asked often: True ends all of it, as a time limit does.
    report : callable
        Told what is being done.
    **parameters
        With a problem: arguments of `RuleSetSearch`.

    Raises
    ------
    ValueError
        When an argument is out of range, or the optimum is not certified within the limits.

    Examples
    --------
    >>> found = rl.rule_set_ranges(problem, ratio=0.02, max_complexity=8)
    >>> found.columns
    """
    if isinstance(search, Problem):
        search = RuleSetSearch(search, **parameters)
    elif parameters:
        raise ValueError(f"a search has its parameters: leave {', '.join(parameters)} out")
    _check(search, within, ratio, criteria, graded, time_limit)
    problem = search.problem if groups is None else replace(search.problem, groups=groups)
    asked = _asked(search.problem, columns)
    criteria = tuple(criterion_called(name)[0] for name in criteria)
    if criteria and problem.groups is None:
        raise ValueError("the problem has no groups: give them when it is made, Problem.from_arrays(.., groups=..)")
    _compile(search, problem, criteria)
    began = time.monotonic()
    end = math.inf if time_limit is None else began + time_limit

    def late() -> bool:
        return stop() or time.monotonic() > end

    report("searching the optimum")
    best = _until(search, late, lambda snapshot: False)
    if best.incumbent is None or best.status is not Status.OPTIMAL:
        raise ValueError("the optimum is not certified within the limits; give it more time, or a smaller complexity")
    optimum = best.incumbent.objective
    threshold = optimum + within if within is not None else optimum * (1 + (RATIO if ratio is None else ratio))
    if criteria:
        report("listing all sets near the optimum")
    sets = listed(search, problem, within, ratio, late) if criteria and not late() else None
    rows = {}
    for k, name in enumerate(asked):
        report(f"column {name}, {k + 1} of {len(asked)}")
        rows[name] = _of_column(search, best, name, threshold, late, graded)
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=["used_by", *_FIGURES, *(_GRADES if graded else ())])
    frame.index.name = "column"
    order = {ALL: 0, SOME: 1, UNKNOWN: 2, NONE: 3}
    frame = frame.sort_values("used_by", key=lambda values: values.map(order), kind="stable")
    if sets is None:
        gaps = {name: _gap(search, problem, name, threshold, late, report) for name in criteria}
        apart = _differences(search, problem, best, criteria, threshold, late, report)
    else:
        gaps = {name: (least_gap(sets, _RATES_OF[name]),) * 2 for name in criteria}
        apart = differences(sets, tuple(dict.fromkeys(rate for name in criteria for rate in _RATES_OF[name])))
    found = pd.DataFrame.from_dict(gaps, orient="index", columns=["least", "found"])
    found.index.name = "criterion"
    seconds = time.monotonic() - began
    return RuleSetRanges(problem, optimum, threshold, frame, found, apart, seconds, search.parameters)


def _compile(search: RuleSetSearch, problem: Problem, criteria: tuple[str, ...]) -> None:
    """Before any time is counted."""
    search.compile()
    for name in criteria[:1]:
        LeastTrueGap(problem, name, 0.5).compile()


_FIGURES = ("objective", "bound", "without", "without_bound")
_GRADES = ("fewest", "most", "at_least", "at_most")


def _check(search: RuleSetSearch, within: Any, ratio: Any, criteria: Any, graded: Any, time_limit: Any) -> None:
    if within is not None and ratio is not None:
        raise ValueError("within and ratio say the same in two ways: give one of them")

    def positive(value: Any) -> bool:
        return value is None or (is_number(value) and value >= 0 and math.isfinite(value))

    require(
        ("search", search, isinstance(search, RuleSetSearch), "a RuleSetSearch or a Problem"),
        ("within", within, positive(within), "a number of at least 0"),
        ("ratio", ratio, positive(ratio), "a number of at least 0"),
        ("time_limit", time_limit, positive(time_limit), "a number of at least 0"),
        ("graded", graded, isinstance(graded, bool), "True or False"),
        ("criteria", criteria, isinstance(criteria, tuple), "a tuple of names of criteria"),
    )
    if search.fairness is not None or search.must_use or search.max_uses:
        raise ValueError(
            "ranges are of rule sets without a fairness constraint, and without what they must use or may not use often"
        )
    if criteria and search.loss != "hamming":
        raise ValueError("least gaps are of sets near the optimum of the Hamming loss, not of the 0-1 loss")


def _asked(problem: Problem, columns: Collection[str] | None) -> list[str]:
    """The columns to look at, in the order of the problem; without known columns antecedents."""
    every: list[str] = list(problem.names)
    if problem.conditions is not None:
        every = list(dict.fromkeys(condition.column for some in problem.conditions for condition in some))
    if columns is None:
        return every
    strange = [columns] if isinstance(columns, str) else [name for name in columns if name not in every]
    if strange:
        raise ValueError(f"columns must be names of columns, such as {every[:3]}, not {strange!r}")
    return [name for name in every if name in columns]


def _of_column(
    search: RuleSetSearch, best: Snapshot, name: str, threshold: float, late: Late, graded: bool
) -> tuple[Any, ...]:
    """Who uses a column, the figures that show it, and how often."""
    assert best.incumbent is not None
    assert isinstance(best.incumbent.model, RuleSet)
    counted = uses_of_column(search.problem, name)
    used = count(best.incumbent.model, counted) > 0
    optimum = best.incumbent.objective

    def clear(snapshot: Snapshot) -> bool:
        return near(snapshot, threshold) is not None or snapshot.lower_bound > threshold

    with_, without = (optimum, optimum), (optimum, optimum)
    other: Snapshot | float | None = None
    if not late():
        other = _without(search, name, late, clear) if used else _with(search, name, late, clear)
    if used:
        without = _figures(other, optimum)
    else:
        with_ = _figures(other, optimum)
    if with_[1] > threshold:
        by = NONE
    elif without[1] > threshold:
        by = ALL
    elif with_[0] <= threshold and without[0] <= threshold:
        by = SOME
    else:
        by = UNKNOWN
    figures = (by, *with_, *without)
    if not graded:
        return figures
    if by == NONE:
        return *figures, 0, 0, 0, 0
    counts = [count(best.incumbent.model, counted)]
    if without[0] <= threshold:
        counts.append(0)
    if not used and isinstance(other, Snapshot) and (met := near(other, threshold)) is not None:
        counts.append(count(met, counted))

    def until(asked: RuleSetSearch) -> Snapshot | None:
        return None if late() else _until(asked, late, clear)

    return *figures, *range_of_uses(search, counted, counts, threshold, _settings(search), until, by == ALL)


def _with(search: RuleSetSearch, name: str, late: Late, clear: Callable[[Snapshot], bool]) -> Snapshot:
    return _until(RuleSetSearch(search.problem, **{**_settings(search), "must_use": [name]}), late, clear)


def _without(search: RuleSetSearch, name: str, late: Late, clear: Callable[[Snapshot], bool]) -> Snapshot | float:
    """The search without a column; a number where no column is left: what no rule at all costs."""
    try:
        rest = search.problem.without(name)
    except ProblemError:
        empty = RuleSet.from_problem(search.problem, (), search.form)
        return float(empty.hamming_loss if search.loss == "hamming" else empty.errors)
    return _until(RuleSetSearch(rest, **_settings(search)), late, clear)


def _settings(search: RuleSetSearch) -> dict[str, Any]:
    names = ("max_complexity", "max_conditions", "loss", "form", "regularization", "column_limit", "memory_limit")
    return {name: getattr(search, name) for name in names}


def _until(search: Any, late: Late, clear: Callable[[Snapshot], bool]) -> Snapshot:
    """Go on until it is clear, ended, or late."""
    while True:
        snapshot: Snapshot = search.advance(_SLICE)
        if snapshot.status is not Status.RUNNING or clear(snapshot) or late():
            return snapshot


def _figures(found: Snapshot | float | None, optimum: float) -> tuple[float, float]:
    """What the best set costs that was found, and what every one costs at least; None: nobody has looked."""
    if found is None:
        return math.inf, optimum
    if isinstance(found, float):
        return found, found
    if found.status is Status.INFEASIBLE:
        return math.inf, math.inf
    least = max(found.lower_bound, optimum)  # no set has less than the optimum
    return math.inf if found.incumbent is None else found.incumbent.objective, least


def _is_near(search: RuleSetSearch, model: Any, threshold: float) -> bool:
    """Whether a set of small loss is near the optimum, with what its complexity costs, too."""
    return bool(model.objective(search.loss, search.regularization) <= threshold)


def _gap(
    search: RuleSetSearch,
    problem: Problem,
    criterion: str,
    threshold: float,
    late: Late,
    report: Callable[[str], None],
) -> tuple[float, float]:
    """The least gap of a set whose loss is at most the threshold, and the one of a set that was found."""
    if late():
        return 0.0, math.nan
    report(f"least gap: {criterion.replace('_', ' ')}")
    most = math.floor(threshold) if problem.integral else threshold
    share = max(0.0, 1 - most / float(problem.total_weight))
    asked = LeastTrueGap(
        problem,
        criterion,
        float(np.nextafter(share, 0.0)),
        max_complexity=search.max_complexity,
        max_conditions=search.max_conditions,
        form=search.form,
    )

    def clear(snapshot: Snapshot) -> bool:
        return snapshot.incumbent is not None and snapshot.lower_bound >= snapshot.incumbent.objective

    last = _until(asked, late, clear)
    near = last.incumbent is not None and _is_near(search, last.incumbent.model, threshold)
    found = float(last.incumbent.objective) if near and last.incumbent is not None else math.nan
    return max(0.0, last.lower_bound), found


def _differences(
    search: RuleSetSearch,
    problem: Problem,
    best: Snapshot,
    criteria: tuple[str, ...],
    threshold: float,
    late: Late,
    report: Callable[[str], None],
) -> pd.DataFrame:
    """The least and the greatest difference of each rate between each two groups."""
    rows = []
    for rate in dict.fromkeys(rate for name in criteria for rate in _RATES_OF[name]):
        ends = [
            (pair, _greatest(search, problem, best, rate, pair, threshold, late, report)) for pair in pairs(problem)
        ]
        for (pair, upper), (_, lower) in zip(ends[::2], ends[1::2], strict=True):
            if upper is not None and lower is not None:
                assert problem.groups is not None
                names = (problem.groups.names[g] for g in pair)
                rows.append((rate, *names, -lower[0], upper[0], -lower[1], upper[1]))
    return pd.DataFrame(rows, columns=DIFFERENCES)


_RATES_OF = {CONSTRAINED.get(name, name): rates for name, rates in CRITERIA.items()}


def _greatest(
    search: RuleSetSearch,
    problem: Problem,
    best: Snapshot,
    rate: str,
    pair: tuple[int, int],
    threshold: float,
    late: Late,
    report: Callable[[str], None],
) -> tuple[float, float] | None:
    """The largest difference of a near set that was met, and what none exceeds; None where a group has no such rate."""
    if late():
        return math.nan, 1.0
    assert problem.groups is not None
    assert best.incumbent is not None
    assert isinstance(best.incumbent.model, RuleSet)
    report(f"{rate.replace('_', ' ')}: {' and '.join(problem.groups.names[g] for g in pair)}")
    settings = {name: value for name, value in _settings(search).items() if name not in ("loss", "regularization")}
    start = clauses_of(best.incumbent.model, problem, search.form)
    try:
        asked = GreatestDifference(problem, rate, *pair, threshold, [start], settings)
    except ValueError:
        return None
    while not asked.ended and not late():
        asked.advance(_SLICE)
    found, most = asked.found, float(asked.most)
    if found is None:
        return math.nan, most
    model = RuleSet.from_problem(problem, found[1], search.form)
    return float(found[0]) if _is_near(search, model, threshold) else math.nan, most
