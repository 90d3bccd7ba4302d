"""One plot of a search alone, as large as a slide and on white, for the browser to save."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.embed import json_item
from bokeh.models import Axis
from bokeh.models.annotations import Label, Legend, Title
from bokeh.plotting import figure

from ...snapshot import Snapshot
from ..live.prepared import Prepared
from .families import Look
from .figures import SearchFigures
from .plots.base import Columns

WIDTH, HEIGHT = 1600, 900
SCALE = 2
_TEXT = {"title": "34px", "label": "26px", "tick": "22px", "legend": "22px"}


def slide(
    look: Look,
    number: int,
    axis: str,
    snapshots: Sequence[Snapshot],
    latest: Snapshot | None,
    prepared: Prepared | None,
    beneath: Sequence[tuple[str, str, Columns]] = (),
) -> dict[str, Any]:
    """A plot drawn anew.

    Parameters
    ----------
    look : Look
    number : int
        Which of its plots.
    axis : str
        See `rulelab.views.search.plots.curves.AXES`.
    snapshots : sequence of Snapshot
        The history.
    latest : Snapshot or None
    prepared : Prepared or None
    beneath : sequence of (str, str, Columns)
        Earlier runs, see `rulelab.views.search.plots.pale.PaleCurves.show`.

    Returns
    -------
    dict
        ``item``, which Bokeh embeds, and ``size`` in pixels.
    """
    plots = SearchFigures(look)
    plots.use_axis(axis)
    plots.lay_beneath(beneath)
    if latest is not None and prepared is not None:
        plots.extend(snapshots, True, latest, prepared)
    return enlarged(plots.figures[number])


def enlarged(plot: figure) -> dict[str, Any]:
    """A figure of its own as a slide, see `slide`."""
    _enlarge(plot)
    return {"item": json_item(plot), "size": [WIDTH, HEIGHT]}


def _enlarge(plot: figure) -> None:
    """Make texts, lines and marks as large as the picture wants them."""
    plot.update(width=WIDTH, height=HEIGHT, sizing_mode="fixed", toolbar_location=None, min_border=40)
    for title in plot.select({"type": Title}):
        title.update(text_font_size=_TEXT["title"])
    for axis in plot.select({"type": Axis}):
        axis.update(
            axis_label_text_font_size=_TEXT["label"], major_label_text_font_size=_TEXT["tick"], axis_line_width=SCALE
        )
    for legend in plot.select({"type": Legend}):
        legend.update(
            label_text_font_size=_TEXT["legend"],
            title_text_font_size=_TEXT["legend"],
            label_height=28,
            glyph_width=34,
            glyph_height=28,
            spacing=16,
        )
    for label in plot.select({"type": Label}):
        label.update(text_font_size=_TEXT["tick"])
    for renderer in plot.renderers:
        glyph: Any = getattr(renderer, "glyph", None)
        for name in ("line_width", "size"):
            value = getattr(glyph, name, None)
            if isinstance(value, int | float):
                setattr(glyph, name, SCALE * value)
        if getattr(glyph, "text_font_size", None) is not None:
            glyph.update(text_font_size=_TEXT["tick"])
