"""Pictures side by side in which one selects together."""

from __future__ import annotations

from typing import Any

import holoviews as hv

from .styling import MODEL, ORANGE


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
