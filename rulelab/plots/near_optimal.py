"""Pictures of many good models: how good they are, and which antecedents they have."""

from __future__ import annotations

from typing import Any

import holoviews as hv

from ..rule_list import NearOptimal
from .styling import LENGTHS, MODEL, ORANGE, styled

_MOST_MODELS, _MOST_ANTECEDENTS = 150, 20


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
