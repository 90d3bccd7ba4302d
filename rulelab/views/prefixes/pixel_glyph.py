"""All prefixes of a tree as images, one a row, within the picture of the tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, CustomJSHover, HoverTool, Image, LinearColorMapper
from bokeh.plotting import figure

from ...kernels.fates import CUT, EXPANDED, OPEN
from ...prefixes import NOBODY, Pixels
from ..search.plots.base import Columns, drawn
from .fate_colors import color_of, fate_of

_HIGH = 0.96
"""Of a row; a little is left between rows."""
_NOTHING: dict[str, list[Any]] = {"image": [], "y": []}


class PixelGlyph:
    """An image with a row of pixels per length.

    Parameters
    ----------
    plot : figure
        Rows are counted downwards from 0; its width is 1.

    Attributes
    ----------
    pixels : Pixels or None
        What is drawn.
    colors : dict of str
        Of the fates that are drawn, by their names.
    hover : HoverTool
    """

    def __init__(self, plot: figure) -> None:
        self.pixels: Pixels | None = None
        self.colors: dict[str, str] = {}
        self._source = ColumnDataSource(_NOTHING)
        self._mapper = LinearColorMapper(palette=["#000000"], low=-0.5, high=0.5, high_color="rgba(0, 0, 0, 0)")
        glyph = Image(image="image", x=0, y="y", dw=1, dh=_HIGH, color_mapper=self._mapper, global_alpha=0.6)
        image = drawn(plot, self._source, glyph)
        self._names = CustomJSHover(args={"names": self._mapper}, code="return names.tags[Math.round(value)] ?? ''")
        self.hover = HoverTool(renderers=[image], tooltips="<b>@image{custom}</b>", formatters={"@image": self._names})

    def show(self, pixels: Pixels | None, cuts: Sequence[str]) -> None:
        """Draw pixels, or nothing; ``cuts``: the bounds, in the order of the fates."""
        if pixels is None and self.pixels is None:
            return
        self.pixels = pixels
        if pixels is None:
            self._source.data = _NOTHING
            return
        states = {EXPANDED: ("expanded", ""), OPEN: ("open", "")} | {CUT + k: ("cut", by) for k, by in enumerate(cuts)}
        every = [states[fate] for fate in sorted(states)]
        present = set(np.unique(pixels.fate).tolist())
        self.colors = {fate_of(*states[fate]): color_of(*states[fate]) for fate in sorted(states) if fate in present}
        names = [fate_of(*each) for each in every]
        if self._mapper.tags != names:
            self._mapper.update(palette=[color_of(*each) for each in every], high=len(every) - 0.5, tags=names)
        rows = [row[None, :] for row in pixels.fate]
        shown = self._source.data["image"]
        if len(rows) != len(shown) or any((one != other).any() for one, other in zip(rows, shown, strict=True)):
            self._source.data = {"image": rows, "y": list(range(len(rows)))}

    def node_at(self, x: float | None, y: float | None) -> int | None:
        """The prefix at a place of the plot."""
        if self.pixels is None or x is None or y is None:
            return None
        rows, columns = self.pixels.node.shape
        if not (0 <= x < 1 and 0 <= y < rows):
            return None
        node = int(self.pixels.node[int(y), int(x * columns)])
        return None if node == NOBODY else node

    def around(self, nodes: Sequence[int]) -> Columns:
        """The edges of those of some prefixes that have pixels."""
        spans = [] if self.pixels is None else [span for node in nodes if (span := self.pixels.span(node)) is not None]
        columns = 1 if self.pixels is None else self.pixels.node.shape[1]
        return {
            "left": [first / columns for _, first, _ in spans],
            "right": [end / columns for _, _, end in spans],
            "top": [row for row, _, _ in spans],
            "bottom": [row + _HIGH for row, _, _ in spans],
        }
