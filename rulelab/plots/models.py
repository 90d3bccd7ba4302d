"""Pictures of models: fronts of sweeps, errors by number of rules, rates of groups, and many good models."""

from __future__ import annotations

from typing import Any

import holoviews as hv
import numpy as np
import pandas as pd

from ..data.metrics import RATES
from ..rule_list import NearOptimal
from ..sweeps import Sweep
from .styling import BLUE, CYCLE, LENGTHS, require_columns, styled

_MOST_MODELS, _MOST_ANTECEDENTS = 150, 20


def front(sweep: Sweep | pd.DataFrame, x: str = "complexity", y: str = "accuracy", on: str = "test") -> Any:
    """The means of two figures over the folds, with standard errors, and the front of each family.

    Parameters
    ----------
    sweep : Sweep, or DataFrame
        A sweep, or the points of several, put together by `pandas.concat`; see `rulelab.Sweep.points`.
    x, y : str
        Columns of the points, such as "complexity", "accuracy" or "equal_opportunity_gap".
    on : str
        "test" or "train"; unused with a table.

    Returns
    -------
    Overlay
        Points and steps, a colour per family.
    """
    points = sweep.points(on) if isinstance(sweep, Sweep) else sweep
    points = require_columns(points, ["family", x, y], "a sweep, or the table of its points").dropna(subset=[x, y])
    kdim, vdim = hv.Dimension(x, label=_words(x)), hv.Dimension(y, label=_words(y))
    parts = []
    for color, (family, some) in zip(
        _colors(points["family"].nunique()), points.groupby("family", sort=False), strict=True
    ):
        name = str(family).replace("_", " ")
        best = _front(some, x, y)
        steps = hv.Curve((best[x], best[y]), kdim, vdim, label=name)
        parts.append(styled(steps, color=color, line_width=2, interpolation="steps-post"))
        parts.append(styled(hv.Scatter((some[x], some[y]), kdim, vdim, label=name), color=color, size=7))
        if f"{y}_error" in some:
            bars = hv.ErrorBars((some[x], some[y], some[f"{y}_error"].fillna(0)), kdim, [vdim, hv.Dimension("error")])
            parts.append(bars)
    return hv.Overlay(parts).relabel(f"{_words(y).capitalize()} and {_words(x)}")


def frontier(frame: pd.DataFrame) -> Any:
    """Least errors by number of rules; a hollow point where the least is not proven.

    Parameters
    ----------
    frame : DataFrame
        That of `rulelab.FrontierSearch`, with columns ``rules``, ``errors`` and ``lower_bound`` or ``proven``.

    Returns
    -------
    Overlay
    """
    frame = require_columns(frame, ["rules", "errors"], "the frame of a `rulelab.FrontierSearch`")
    known = frame.dropna(subset=["errors"])
    kdim, vdim = hv.Dimension("rules"), hv.Dimension("errors")
    steps = hv.Curve((known["rules"], known["errors"].astype(float)), kdim, vdim)
    dots = hv.Scatter((known["rules"], known["errors"].astype(float)), kdim, vdim)
    whole = styled(steps, color=BLUE, line_width=2, interpolation="steps-post") * styled(dots, color=BLUE, size=7)
    return whole.relabel("Errors by number of rules")


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
    groups = [str(group) for group in rates.index]
    value, low, high = (100 * rates[name].to_numpy(dtype=float) for name in names)
    kdim, vdim = hv.Dimension("group"), hv.Dimension(rate, label=f"{_words(rate)} (%)")
    bars = styled(hv.Bars((groups, value), kdim, vdim), color=BLUE)
    known = ~np.isnan(value)
    shown = [group for group, each in zip(groups, known, strict=True) if each]
    sides = (shown, value[known], (value - low)[known], (high - value)[known])
    return (bars * hv.ErrorBars(sides, kdim, [vdim, "down", "up"])).relabel(f"{_words(rate).capitalize()} by group")


def good_models(result: NearOptimal) -> Any:
    """Near-optimal models: accuracy against the number of rules, coloured by how far above the optimum they are.

    Parameters
    ----------
    result : NearOptimal

    Returns
    -------
    Points
    """
    frame = result.frame()
    accuracy = 100 * (1 - frame["errors"].to_numpy(dtype=float) / result.problem.total_weight)
    value = hv.Dimension("above", label="objective above the optimum")
    points = hv.Points(
        (frame["rules"].to_numpy(), accuracy, frame["gap"].to_numpy()),
        [hv.Dimension("rules"), hv.Dimension("accuracy", label="accuracy (%)")],
        value,
        label="Good models",
    )
    return styled(points, color="above", cmap=list(LENGTHS), size=7)


def antecedents(result: NearOptimal) -> Any:
    """Which antecedents near-optimal models have, and at which place.

    Parameters
    ----------
    result : NearOptimal

    Returns
    -------
    HeatMap
        A column per model, the best ones; a line per antecedent, those of most models.
    """
    uses: dict[int, int] = {}
    models = result.lists[:_MOST_MODELS]
    for antecedents_of in models:
        for j in antecedents_of:
            uses[j] = uses.get(j, 0) + 1
    shown = sorted(uses, key=lambda j: (-uses[j], j))[:_MOST_ANTECEDENTS]
    cells = [
        (k + 1, result.problem.names[j], place + 1)
        for k, chosen in enumerate(models)
        for place, j in enumerate(chosen)
        if j in shown
    ]
    heat = hv.HeatMap(cells, ["model", "antecedent"], hv.Dimension("rule", label="place in the list"))
    return styled(heat.relabel("Antecedents of the models"), cmap=list(LENGTHS))


def _front(points: pd.DataFrame, x: str, y: str) -> pd.DataFrame:
    """Those that no other one beats: smaller in x, larger in y where that is better."""
    smaller_is_better = y.endswith(("_gap", "objective", "errors", "complexity"))
    ordered = points.sort_values([x, y], ascending=[True, smaller_is_better])
    best = ordered[y].cummin() if smaller_is_better else ordered[y].cummax()
    return ordered[(ordered[y] == best) & ~best.duplicated()]


def _colors(n: int) -> list[str]:
    return [CYCLE[k % len(CYCLE)] for k in range(n)]


def _words(name: str) -> str:
    return name.replace("_", " ")
