"""The results of a sweep as tables: one row per fit, one per configuration, one per group of people."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import SweepParameterError
from ..data.gaps import MEASURED, largest_gap
from ..data.metrics import RATES, Confusion
from .result import FAILED, PARTS, Result, Scores

MAXIMISED = frozenset({"accuracy", "true_positive_rate", "true_negative_rate", "precision"})
"""Better when larger; of all else (complexity, errors, gaps, other rates, seconds) less is better."""
GAPS = tuple(f"{criterion}_gap" for criterion in MEASURED)
_FIGURES = ("objective", "lower_bound", "gap", "complexity", "rules", "conditions")
_OF_A_PART = ("errors", "weight", *RATES)
Row = dict[str, Any]


def non_dominated(x: Any, y: Any, maximise: tuple[bool, bool] = (False, False)) -> np.ndarray:
    """Which points no other one is at least as good as in both values and better in one: bool array, (n_points,).

    ``x``, ``y`` (numbers, shape (n_points,)): a point that lacks one is on no front. ``maximise``: is more better.
    """
    a, b = (
        np.asarray(values, dtype=float) * (-1 if more else 1) for values, more in zip((x, y), maximise, strict=True)
    )
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"x and y must be of one length, not of the shapes {a.shape} and {b.shape}")
    known = ~np.isnan(a) & ~np.isnan(b)  # a comparison with what is not known is never true
    worse = [((a <= p) & (b <= q) & ((a < p) | (b < q))).any() for p, q in zip(a, b, strict=True)]
    return known & ~np.array(worse, dtype=bool)


def mean_and_error(frame: pd.DataFrame, by: Sequence[str], values: Sequence[str]) -> pd.DataFrame:
    """Means of columns over the rows of each point, in the order of their first rows, and their standard errors.

    ``by``: columns that say which rows belong to one point. Missing values are left out. Returns the columns of ``by``,
    ``folds``, each value and ``<value>_se``, the standard deviation (n - 1) over the root of their number.
    """
    grouped = frame.groupby(list(by), sort=False, dropna=False)
    table = {"folds": grouped.size()}
    for name in values:
        column = grouped[name]
        table |= {name: column.mean(), f"{name}_se": column.sem()}
    return pd.DataFrame(table).reset_index()


def front(points: pd.DataFrame, x: str, y: str) -> pd.DataFrame:
    """The points that are not dominated in two columns, see `MAXIMISED`, from the smallest y to the largest."""
    kept = non_dominated(points[x], points[y], (x in MAXIMISED, y in MAXIMISED))
    return points[kept].sort_values([y, x], kind="stable").reset_index(drop=True)


def table(rows: Iterable[Row], parameters: Sequence[str], compared: Sequence[str]) -> pd.DataFrame:
    """Rows as `row` makes them, one per configuration and fold, in this order; see `Sweep.frame`."""
    ordered = sorted(rows, key=lambda row: (row["point"], row["fold"]))
    columns = ["point", "family", "baseline", *parameters, "fold", "status", *_FIGURES]
    for part in PARTS:
        columns += [f"{part}_{name}" for name in _OF_A_PART]
        if compared:
            columns += [f"{part}_{name}" for name in (*GAPS, "few")]
    return pd.DataFrame(ordered, columns=[*columns, "seconds", "message", "model"])


def row(result: Result, parameters: Sequence[str], compared: Sequence[str]) -> Row:
    """One result as a row of `table`."""
    out: Row = {"point": result.point, "family": result.family, "baseline": result.baseline}
    out |= {name: result.parameters.get(name) for name in parameters}
    out |= {"fold": result.fold, "status": result.status}
    figures = ((name, getattr(result, name)) for name in _FIGURES)
    out |= {name: math.nan if value is None else value for name, value in figures}
    for part in PARTS:
        scores: Scores | None = getattr(result, part)
        if scores is not None:
            out |= {f"{part}_{name}": value for name, value in _figures(scores, compared).items()}
    text = None if result.model is None else json.dumps(dict(result.model), ensure_ascii=False)
    return out | {"seconds": result.seconds, "message": result.message, "model": text}


def points(
    frame: pd.DataFrame, results: Sequence[Result], parameters: Sequence[str], compared: Sequence[str], on: str
) -> pd.DataFrame:
    """The configurations: means over the folds that are done, with standard errors; see `Sweep.points`.

    The gap of the counts summed over the folds, ``<criterion>_gap_pooled``, has less noise than the mean of the folds'
    gaps, and no upward bias from taking the largest of noisy differences fold by fold.
    """
    if on not in PARTS:
        raise SweepParameterError("on", on, "'test' or 'train'")
    frame = frame[frame["status"].ne(FAILED) & frame[f"{on}_errors"].notna()]
    frame = frame.rename(columns=lambda name: name.removeprefix(f"{on}_"))
    frame["proven"] = frame["status"].eq("optimal")
    by = ["point", "family", "baseline", *parameters]
    values = [*_FIGURES, *_OF_A_PART, "seconds", *(GAPS if compared else ())]
    out = mean_and_error(frame.astype(dict.fromkeys(values, float)), by, values)
    out.insert(len(by) + 1, "proven", frame.groupby("point", sort=False)["proven"].sum().to_numpy())
    if compared:
        summed = [_gaps(pooled(results, point, on), compared) for point in out["point"]]
        for name in GAPS:
            out[f"{name}_pooled"] = [gaps[name] for gaps in summed]
    return out


def pooled(results: Sequence[Result], point: int, on: str) -> dict[str, Confusion]:
    """The counts of each group over all folds of one configuration."""
    counted = [scores.groups for r in results if r.point == point and (scores := getattr(r, on)) is not None]
    names = sorted(set().union(*counted))
    return {name: reduce(add, (c[name] for c in counted if name in c)) for name in names}


def _gaps(groups: Mapping[str, Confusion], compared: Sequence[str]) -> dict[str, float]:
    """The largest differences between the groups that are compared."""
    known = {name: groups[name] for name in compared if name in groups}
    return {name: largest_gap(known, criterion).value for name, criterion in zip(GAPS, MEASURED, strict=True)}


def _figures(scores: Scores, compared: Sequence[str]) -> dict[str, Any]:
    """Errors, rates and gaps."""
    whole = scores.whole
    out: dict[str, Any] = {"errors": whole.errors, "weight": whole.weight}
    out |= {name: whole.rate(name) for name in RATES}
    if compared:
        out |= _gaps(scores.groups, compared)
        out["few"] = scores.few(compared)
    return out
