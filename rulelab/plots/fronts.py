"""Pictures of many models: fronts of sweeps, errors by number of rules, least gaps, and near-optimal models."""

from __future__ import annotations

from typing import Any

import holoviews as hv
import pandas as pd

from ..rule_list import NearOptimal
from ..sweeps import Sweep
from ..sweeps import front as best_of
from ..sweeps.frames import MAXIMISED
from .styling import BLUE, CYCLE, LENGTHS, MODEL, ORANGE, in_front, in_words, require_columns, styled

_ROOM = 0.05  # beside the outermost points, which the frame would cut in half
_MOST_MODELS, _MOST_ANTECEDENTS = 150, 20
_OPEN = {"color": ORANGE}  # of points that are not proven


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
    for k, (family, some) in enumerate(points.groupby("family", sort=False)):
        color = CYCLE[k % len(CYCLE)]
        name = str(family).replace("_", " ")
        best = best_of(some, y, x).drop_duplicates([x, y])
        steps = hv.Curve((best[x], best[y]), kdim, vdim, label=name)
        parts.append(styled(steps, color=color, line_width=2, interpolation="steps-post"))
        dots = hv.Scatter((some[x], some[y], places[some.index]), kdim, [vdim, model], label=name)
        parts.append(styled(dots, color=color, size=7))
        if f"{y}_error" in some:
            bars = hv.ErrorBars((some[x], some[y], some[f"{y}_error"].fillna(0)), kdim, [vdim, hv.Dimension("error")])
            parts.append(in_front(bars))
    free = "bottom_right" if y in MAXIMISED else "top_right"
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
    proven = known["proven"].astype(bool) if "proven" in known else known["errors"] == known["lower_bound"]
    kinds = ((known[proven], "errors", "proven", {"color": BLUE}), (known[~proven], "errors", "best known", _OPEN))
    parts = _steps_and_dots(known.astype({"errors": float}), hv.Dimension("rules"), hv.Dimension("errors"), kinds)
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
    known = frame.dropna(subset=["gap"])
    in_percent = {"accuracy": "min_accuracy", "gap": "gap", "lower_bound": "lower_bound"}
    known = known.assign(**{name: 100 * known[column].astype(float) for name, column in in_percent.items()})
    kdim = hv.Dimension("accuracy", label="accuracy at least (%)")
    vdim = hv.Dimension("gap", label="least gap between groups (points)")
    proven = known["status"] == "proven"
    kinds = (
        (known[proven], "gap", "proven", {"color": BLUE}),
        (known[~proven], "gap", "best known", {**_OPEN, "marker": "square"}),
        (known[~proven], "lower_bound", "proven bound", {**_OPEN, "marker": "triangle"}),
    )
    parts = _steps_and_dots(known, kdim, vdim, kinds, "steps-pre")
    return styled(hv.Overlay(parts).relabel("Least gap by accuracy"), padding=_ROOM, legend_position="top_left")


def _steps_and_dots(known: pd.DataFrame, kdim: Any, vdim: Any, kinds: Any, steps: str = "steps-post") -> list[Any]:
    """A curve of two columns, and the points of each kind: its rows, the column of its heights, name and style."""
    curve = hv.Curve((known[kdim.name], known[vdim.name]), kdim, vdim)
    parts = [styled(curve, color=BLUE, line_width=2, interpolation=steps)]
    for some, name, label, style in kinds:
        if len(some):
            dots = hv.Scatter((some[kdim.name], some[name].astype(float)), kdim, vdim, label=label)
            parts.append(styled(dots, **style, size=8))
    return parts


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
        (frame["rules"].to_numpy(), accuracy, frame["gap"].to_numpy(), range(1, len(frame) + 1)),
        [hv.Dimension("rules"), hv.Dimension("accuracy", label="accuracy (%)")],
        [value, hv.Dimension(MODEL)],
        label="Good models",
    )
    lengths = sorted({int(n) for n in frame["rules"]})
    return styled(points, color="above", cmap=list(LENGTHS), size=7, xticks=lengths, padding=0.1)


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
    heat = hv.HeatMap(cells, [MODEL, "antecedent"], hv.Dimension("rule", label="place in the list"))
    return styled(heat.relabel("Antecedents of the models"), cmap=list(LENGTHS))


def linked(*pictures: Any, link: Any = None) -> Any:
    """Pictures of the same models, side by side: those that are selected in one stand out in all.

    Selecting is by a box or a lasso, where Bokeh draws and Python runs; elsewhere they stand side by side.

    Parameters
    ----------
    *pictures : Overlay, Points or HeatMap
        Two or more of one near-optimal set (`good_models`, `antecedents`), or fronts of one sweep (`front` with
        different axes).
    link : holoviews.link_selections, optional
        One of one's own, made with ``index_cols=["model"]``: its ``selection_expr`` tells what is selected.

    Returns
    -------
    Layout

    Raises
    ------
    ValueError
        When there are fewer than two, or one has no models to select.

    Examples
    --------
    >>> rl.plots.linked(rl.plots.good_models(near), rl.plots.antecedents(near))
    >>> rl.plots.linked(rl.plots.front(sweep), rl.plots.front(sweep, "equal_opportunity_gap"))
    """
    if len(pictures) < 2:
        raise ValueError(f"linked needs two pictures or more, not {len(pictures)}")
    live = hv.Store.current_backend == "bokeh"  # Matplotlib's pictures cannot be selected in
    if live and link is None:
        link = hv.link_selections.instance(index_cols=[MODEL], selected_color=ORANGE, unselected_alpha=0.15)
    panels = []
    for place, picture in enumerate(pictures, start=1):
        parts = list(picture) if isinstance(picture, hv.Overlay) else [picture]
        models = [part for part in parts if isinstance(part, hv.Element) and part.get_dimension(MODEL) is not None]
        if not models:
            raise ValueError(f"picture {place} has no models to select; give good_models, antecedents or front")
        if not live:
            panels.append(picture)
            continue
        others = [part for part in parts if not any(part is one for one in models)]
        chosen = link(hv.Overlay(models) if len(models) > 1 else models[0])
        panels.append((hv.Overlay(others) * chosen if others else chosen).relabel(picture.label))
    return hv.Layout(panels)
