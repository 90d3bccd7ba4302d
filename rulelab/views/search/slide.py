"""Pictures of a search to keep: a plot as large as a slide, and the curves as a drawing without scripts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from bokeh.models import Axis
from bokeh.models.annotations import Label, Legend, Title
from bokeh.plotting import figure

from ...snapshot import Snapshot
from ..live.prepared import Prepared
from ..live.wording import count
from ..widgets.esc import esc
from ..widgets.style import BLUE, ORANGE
from .families import Look
from .figures import SearchFigures
from .plots.base import Columns, still

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

    `number`: which of its plots. `axis`: see `rulelab.views.search.plots.curves.AXES`. `snapshots`: the history.
    `beneath`: earlier runs, see `rulelab.views.search.plots.bounds.PaleCurves.show`. Gives ``item``, which Bokeh
    embeds, and ``size`` in pixels.
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
    return still(plot, (WIDTH, HEIGHT), min_border=40)


def _enlarge(plot: figure) -> None:
    """Make texts, lines and marks as large as the picture wants them."""
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


_WIDTH, _HEIGHT, _RIGHT, _BOTTOM, _TOP = 560, 190, 90, 24, 14
_MOST = 400


def curves_svg(snapshots: Sequence[Snapshot]) -> str:
    """Objective and lower bound against the work, which is on a scale of logarithms; empty where there is no curve."""
    known = [each for each in snapshots if each.incumbent is not None and math.isfinite(each.lower_bound)]
    if len(known) < 2:
        return ""
    step = -(-len(known) // _MOST)
    known = [*known[:-1:step], known[-1]]
    bounds = [each.lower_bound for each in known]
    objectives = [each.incumbent.objective for each in known if each.incumbent is not None]
    low, high = min(*bounds, *objectives), max(*bounds, *objectives)
    ends = math.log1p(known[0].work), math.log1p(known[-1].work)

    def x(work: float) -> float:
        return (math.log1p(work) - ends[0]) / max(ends[1] - ends[0], 1e-9) * (_WIDTH - _RIGHT)

    def y(value: float) -> float:
        return _TOP + (high - value) / max(high - low, 1e-300) * (_HEIGHT - _TOP - _BOTTOM)

    def path(values: Sequence[float], color: str) -> str:
        points = f"M{x(known[0].work):.1f} {y(values[0]):.1f}"
        points += "".join(f"H{x(each.work):.1f}V{y(v):.1f}" for each, v in zip(known[1:], values[1:], strict=True))
        return f'<path d="{points}" fill="none" stroke="{color}" stroke-width="2"/>'

    def word(at: float, text: str, color: str) -> str:
        return f'<text x="{_WIDTH - _RIGHT + 6}" y="{at:.1f}" fill="{color}">{esc(text)}</text>'

    best, bound = y(objectives[-1]), y(bounds[-1])
    apart = max(bound, best + 14)
    said = (
        f"objective {objectives[-1]:.6g} and lower bound {bounds[-1]:.6g} after {count(known[-1].work)} units of work"
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" style="max-width: 100%" font-size="12" '
        f'font-family="sans-serif" role="img" aria-label="{esc(said)}">'
        f"{path(bounds, BLUE)}{path(objectives, ORANGE)}"
        f"{word(best + 4, f'{objectives[-1]:.6g}', ORANGE)}{word(apart + 4, f'{bounds[-1]:.6g}', BLUE)}"
        f'<text x="0" y="{_HEIGHT - 4}" fill="currentColor">objective and lower bound, until '
        f"{count(known[-1].work)} units of work (logarithms)</text></svg>"
    )
