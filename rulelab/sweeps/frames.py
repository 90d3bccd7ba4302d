"""The results of a sweep as tables: one row per fit, one per configuration, one per group of people."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

import pandas as pd

from ..data.gaps import MEASURED, largest_gap
from ..data.metrics import RATES, Confusion
from .errors import SweepParameterError
from .fronts import mean_and_error
from .result import FAILED, PARTS, Result, Scores

GAPS = tuple(f"{criterion}_gap" for criterion in MEASURED)
_FIGURES = ("objective", "lower_bound", "gap", "complexity", "rules", "conditions")
_OF_A_PART = ("errors", "weight", *RATES)


Row = dict[str, Any]


def table(rows: Iterable[Row], parameters: Sequence[str], compared: Sequence[str]) -> pd.DataFrame:
    """Rows as `row` makes them, one per configuration and fold, in this order.

    Parameters
    ----------
    rows : iterable of dict
    parameters : sequence of str
        Columns for these, in this order.
    compared : sequence of str
        Groups that the gaps compare.

    Returns
    -------
    DataFrame
        point, family, baseline, the parameters, fold, status, objective, lower_bound, gap, complexity, rules,
        conditions; for train and test each: ``_errors``, ``_weight``, every rate of `rulelab.data.metrics.RATES`, with
        groups ``_<criterion>_gap`` for every criterion of `rulelab.data.gaps.MEASURED` and ``_few``; seconds, message,
        model (JSON text or None).
    """
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
    """The configurations: means over the folds that are done, with standard errors.

    Parameters
    ----------
    frame : DataFrame
        The `table` of the results.
    results : sequence of Result
    parameters, compared
        As for `table`.
    on : str
        "test" or "train": the rows that rates, errors and gaps count.

    Returns
    -------
    DataFrame
        One row per configuration: point, family, baseline, the parameters, folds (that have a model), proven (how many
        of them are certified optimal); then the means, each with a column ``_se``, of objective, lower_bound, gap,
        complexity, rules, conditions, errors, weight, the rates, seconds and, with groups, of the gaps; and with groups
        ``<criterion>_gap_pooled``: the gap of the counts summed over the folds, which has less noise than the mean of
        the folds' gaps and no upward bias from taking the largest of noisy differences fold by fold.
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
