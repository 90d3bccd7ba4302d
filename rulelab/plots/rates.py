"""Pictures of rates: of groups of people and of risk groups, with their intervals, and ROC curves."""

from __future__ import annotations

from typing import Any

import holoviews as hv
import numpy as np
import pandas as pd

from ..data.metrics import RATES
from .styling import BLUE, CYCLE, GREY, in_front, in_words, require_columns, styled


def group_rates(rates: pd.DataFrame, rate: str = "true_positive_rate") -> Any:
    """A rate of every group, with its interval.

    Parameters
    ----------
    rates : DataFrame
        One row per group, as `rulelab.data.metrics.group_rates` or `rulelab.Sweep.rates` gives it.
    rate : str
        One of `rulelab.data.metrics.RATES`.

    Returns
    -------
    Overlay
        Of bars and 95 % intervals.
    """
    if rate not in RATES:
        raise ValueError(f"there is no rate {rate!r}; the rates are {', '.join(RATES)}")
    names = [rate, f"{rate}_low", f"{rate}_high"]
    rates = require_columns(rates, names, "a table of rates per group")
    value, low, high = (100 * rates[name].to_numpy(dtype=float) for name in names)
    label = hv.Dimension(rate, label=f"{in_words(rate)} (%)")
    bars = _with_intervals("group", [str(group) for group in rates.index], label, value, low, high)
    return bars.relabel(f"{in_words(rate).capitalize()} by group")


def strata(frame: pd.DataFrame, threshold: float | None = None) -> Any:
    """The risk groups of a falling rule list: the proportion of positives in each, with its interval.

    Parameters
    ----------
    frame : DataFrame
        What ``FallingRuleList.strata()`` gives: ``name``, ``proportion``, ``low`` and ``high``, a row for each rule and
        the default last.
    threshold : float, optional
        The proportion above which a rule predicts the positive class; a dashed line.

    Returns
    -------
    Overlay
        Of bars, intervals and the threshold.
    """
    names = ["name", "proportion", "low", "high"]
    frame = require_columns(frame, names, "the strata of a falling rule list: `model.strata()`")
    value, low, high = (100 * frame[name].to_numpy(dtype=float) for name in names[1:])
    places = [*(f"rule {k + 1}" for k in range(len(frame) - 1)), "default"][-len(frame) :]
    label = hv.Dimension("proportion", label="proportion of positives (%)")
    whole = _with_intervals("stratum", places, label, value, low, high)
    if threshold is not None:
        whole *= styled(hv.HLine(100 * float(threshold)), color=GREY, line_dash="dashed", line_width=1)
    return whole.relabel("Strata of risk")


def roc(frame: pd.DataFrame, by: str | None = None) -> Any:
    """Models of several weights of a missed positive, in the plane of the two rates.

    Parameters
    ----------
    frame : DataFrame
        With columns ``false_positive_rate`` and ``true_positive_rate``, from 0 to 1: a row for each model.
    by : str, optional
        Column that tells rows of the table apart, such as training from unseen rows: a colour for each.

    Returns
    -------
    Overlay
        Of points, joined in the order of the false positive rate, and the diagonal of guessing.
    """
    names = ["false_positive_rate", "true_positive_rate", *([] if by is None else [by])]
    frame = require_columns(frame, names, "a table with the rates of a model in each row")
    kdim, vdim = (hv.Dimension(name, label=f"{in_words(name)} (%)") for name in names[:2])
    guess = hv.Curve(([0, 100], [0, 100]), kdim, vdim)
    parts = [styled(guess, color=GREY, line_dash="dashed", line_width=1)]
    groups = [("models", frame)] if by is None else list(frame.groupby(by, sort=False))
    for k, (name, some) in enumerate(groups):
        ordered = 100 * some.sort_values(names[:2])[names[:2]].astype(float)
        color = CYCLE[k % len(CYCLE)]
        parts.append(styled(hv.Curve(ordered, kdim, vdim, label=str(name)), color=color, line_width=1))
        parts.append(styled(hv.Scatter(ordered, kdim, vdim, label=str(name)), color=color, size=8))
    return styled(hv.Overlay(parts).relabel("ROC"), legend_position="right")


def rates_by_tolerance(frame: pd.DataFrame) -> Any:
    """The rate of each group against the difference between groups that is allowed.

    Parameters
    ----------
    frame : DataFrame
        With columns ``tolerance`` (from 0 to 1), ``group``, ``rows`` ("train" or "test") and ``true_positive_rate``.

    Returns
    -------
    Overlay
        A colour for each group; training rows are dashed.
    """
    names = ["tolerance", "group", "rows", "true_positive_rate"]
    frame = require_columns(frame, names, "a table of rates by tolerance, group and rows")
    shown = frame[names[:3]].assign(**{"true positive rate (%)": 100 * frame[names[3]]})
    return curves(shown, "tolerance", "true positive rate (%)", "group", "rows").relabel("Rates by tolerance")


def curves(frame: pd.DataFrame, x: str, y: str, by: str, rows: str | None = None) -> Any:
    """One column of a table over another, a curve for each value of a third.

    Parameters
    ----------
    frame : DataFrame
    x, y : str
        Columns of numbers.
    by : str
        Column that tells the curves apart: a colour for each.
    rows : str, optional
        Column that tells training rows ("train", dashed) from others.

    Returns
    -------
    Overlay
        Of curves.
    """
    names = [x, y, by, *([] if rows is None else [rows])]
    frame = require_columns(frame, names, "a table of what is drawn")
    parts = []
    for k, (name, own) in enumerate(frame.groupby(by, sort=False)):
        for on, some in [("", own)] if rows is None else list(own.groupby(rows, sort=False)):
            curve = hv.Curve(some.sort_values(x)[[x, y]].astype(float), x, y, label=f"{name}, {on}".strip(", "))
            dash = "dashed" if on == "train" else "solid"
            parts.append(styled(curve, color=CYCLE[k % len(CYCLE)], line_width=2, line_dash=dash))
    return styled(hv.Overlay(parts), legend_position="right")


def _with_intervals(
    over: str, places: list[str], label: Any, value: np.ndarray, low: np.ndarray, high: np.ndarray
) -> Any:
    """Bars with the whole of their intervals in front; a bar without a value has none."""
    kdim = hv.Dimension(over)
    bars = styled(hv.Bars((places, value), kdim, label), color=BLUE, fill_alpha=0.5)
    known = ~np.isnan(value)
    shown = [place for place, each in zip(places, known, strict=True) if each]
    sides = (shown, value[known], (value - low)[known], (high - value)[known])
    intervals = in_front(hv.ErrorBars(sides, kdim, [label, hv.Dimension("down"), hv.Dimension("up")]))
    return bars * intervals
