"""Pictures of what one figure costs in another: fronts of sweeps, errors by number of rules, least gaps."""

from __future__ import annotations

from typing import Any

import holoviews as hv
import pandas as pd

from ..sweeps import Sweep
from .styling import BLUE, CYCLE, MODEL, ORANGE, in_front, in_words, require_columns, styled

_ROOM = 0.05
"""Beside the outermost points, which the frame would cut in half."""


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
    points = require_columns(points, ["family", x, y], "a sweep, or the table of its points").reset_index(drop=True)
    places = points.index + 1
    points = points.dropna(subset=[x, y])
    kdim, vdim = hv.Dimension(x, label=in_words(x)), hv.Dimension(y, label=in_words(y))
    model, parts = hv.Dimension(MODEL), []
    for color, (family, some) in zip(
        _colors(points["family"].nunique()), points.groupby("family", sort=False), strict=True
    ):
        name = str(family).replace("_", " ")
        best = _front(some, x, y)
        steps = hv.Curve((best[x], best[y]), kdim, vdim, label=name)
        parts.append(styled(steps, color=color, line_width=2, interpolation="steps-post"))
        dots = hv.Scatter((some[x], some[y], places[some.index]), kdim, [vdim, model], label=name)
        parts.append(styled(dots, color=color, size=7))
        if f"{y}_error" in some:
            bars = hv.ErrorBars((some[x], some[y], some[f"{y}_error"].fillna(0)), kdim, [vdim, hv.Dimension("error")])
            parts.append(in_front(bars))
    free = "top_right" if _smaller_is_better(y) else "bottom_right"
    title = f"{in_words(y).capitalize()} and {in_words(x)}"
    return styled(hv.Overlay(parts).relabel(title), padding=_ROOM, legend_position=free)


def frontier(frame: pd.DataFrame) -> Any:
    """Least errors by number of rules; an orange point where the least is not proven.

    Parameters
    ----------
    frame : DataFrame
        That of `rulelab.FrontierSearch`, with columns ``rules``, ``errors`` and ``lower_bound`` or ``proven``.

    Returns
    -------
    Overlay
    """
    frame = require_columns(frame, ["rules", "errors"], "the frame of a `rulelab.FrontierSearch`")
    if "proven" not in frame:
        require_columns(frame, ["lower_bound"], "the frame of a `rulelab.FrontierSearch`")
    known = frame.dropna(subset=["errors"])
    kdim, vdim = hv.Dimension("rules"), hv.Dimension("errors")
    steps = hv.Curve((known["rules"], known["errors"].astype(float)), kdim, vdim)
    parts = [styled(steps, color=BLUE, line_width=2, interpolation="steps-post")]
    proven = known["proven"].astype(bool) if "proven" in known else known["errors"] == known["lower_bound"]
    for some, label, color in ((known[proven], "proven", BLUE), (known[~proven], "best known", ORANGE)):
        if len(some):
            dots = hv.Scatter((some["rules"], some["errors"].astype(float)), kdim, vdim, label=label)
            parts.append(styled(dots, color=color, size=8))
    return styled(hv.Overlay(parts).relabel("Errors by number of rules"), padding=_ROOM, legend_position="top_right")


def gap_frontier(frame: pd.DataFrame) -> Any:
    """The least gap between groups at each accuracy, in points; orange where the least is not proven.

    Parameters
    ----------
    frame : DataFrame
        That of ``rulelab.frontier(problem, "gap")``, with columns ``min_accuracy``, ``status``, ``gap`` and
        ``lower_bound``.

    Returns
    -------
    Overlay
        Of steps, points, and what is proven where a point is open.
    """
    names = ["min_accuracy", "status", "gap", "lower_bound"]
    frame = require_columns(frame, names, "the frame of a front by gap")
    known = frame.dropna(subset=["gap"]).astype(dict.fromkeys(("min_accuracy", "gap", "lower_bound"), float))
    kdim = hv.Dimension("accuracy", label="accuracy at least (%)")
    vdim = hv.Dimension("gap", label="least gap between groups (points)")
    proven = known["status"] == "proven"
    steps = hv.Curve((100 * known["min_accuracy"], 100 * known["gap"]), kdim, vdim)
    parts = [styled(steps, color=BLUE, line_width=2, interpolation="steps-pre")]
    for some, name, label, style in (
        (known[proven], "gap", "proven", {"color": BLUE, "size": 8}),
        (known[~proven], "gap", "best known", {"color": ORANGE, "size": 8, "marker": "square"}),
        (known[~proven], "lower_bound", "proven bound", {"color": ORANGE, "size": 8, "marker": "triangle"}),
    ):
        if len(some):
            dots = hv.Scatter((100 * some["min_accuracy"], 100 * some[name]), kdim, vdim, label=label)
            parts.append(styled(dots, **style))
    return styled(hv.Overlay(parts).relabel("Least gap by accuracy"), padding=_ROOM, legend_position="top_left")


def _front(points: pd.DataFrame, x: str, y: str) -> pd.DataFrame:
    """Those that no other one beats: smaller in x, larger in y where that is better."""
    smaller_is_better = _smaller_is_better(y)
    ordered = points.sort_values([x, y], ascending=[True, smaller_is_better])
    best = ordered[y].cummin() if smaller_is_better else ordered[y].cummax()
    return ordered[(ordered[y] == best) & ~best.duplicated()]


def _smaller_is_better(y: str) -> bool:
    return y.endswith(("_gap", "objective", "errors", "complexity"))


def _colors(n: int) -> list[str]:
    return [CYCLE[k % len(CYCLE)] for k in range(n)]
