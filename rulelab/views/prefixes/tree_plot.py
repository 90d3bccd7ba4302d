"""The tree of a search as an icicle: its prefixes coloured by what has become of them.

Bare Bokeh: a running search replaces its columns, taps choose prefixes, and scripts in it place the labels while one
zooms; `rulelab.plots.tree` draws a finished tree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from bokeh.embed import json_item
from bokeh.events import Event, Tap
from bokeh.models import (
    BoxZoomTool,
    ColumnDataSource,
    CustomJS,
    CustomJSHover,
    FixedTicker,
    HoverTool,
    PanTool,
    Quad,
    Range1d,
    ResetTool,
    TapTool,
    Text,
)

from ...assets import asset
from ...prefixes import Pixels
from ...prefixes.nodes import COLUMNS
from ..live.wording import count, in_signs
from ..search.plots.base import (
    LARGE_TEXT,
    Columns,
    Plot,
    TextSizes,
    Window,
    add_legend,
    drawn,
    new_figure,
    replace,
    show_as_before,
)
from ..widgets.esc import esc, plain
from ..widgets.style import INK, MUTED, PAPER
from .fate_colors import color_of, fate_of
from .icicle import icicle
from .pixel_glyph import PixelGlyph

HEIGHT = 320
PICTURE = (1280, 720)
"""Width and height of what is saved."""
LEFT_OUT = "not drawn one by one"
PIXELS = "all as pixels"
"""A way to draw a tree."""
_FEWEST_ROWS = 4
_TEXT = 11
"""Pixels of the rules in the picture."""
_TALLER = 1.4
"""Of a picture with large text."""
_SPLIT = 8e-3
"""Rectangles that are narrower have no line between them, which would hide them on a phone."""
_LABELS = "labels.data = fitting({ plot, range, rows, nodes, blocks, size: labels.tags[0] })"
EMPTY = pd.DataFrame(columns=list(COLUMNS))
"""No tree."""
_SVG = (640, 26)
"""Width of a drawing without scripts, and height of a row in it, in pixels."""
_RECT = ("left", "right", "top", "bottom")
_NODE = (*_RECT, "color", "line", "fate", "rule", "above", "cost", "bound", "below", "node")
_TOOLTIP = (
    '<div style="max-width: min(300px, 42vw); font-size: 12px; line-height: 1.35; white-space: pre-line; '
    'overflow-wrap: anywhere">'
    "<b>@fate</b>\n@place{custom}\ncosts @cost{0.0000}, bound @bound{0.0000}\n@below below</div>"
)
"""Bokeh escapes what it puts in."""
_HIDDEN = '<div style="font-size: 12px">@count more<br>left out, or too narrow to see</div>'


class TreePlot(Plot):
    """Rectangles for prefixes, hatched ones for what is left out, and a line around the way to the best list.

    Parameters
    ----------
    on_tap : callable, optional
        Takes the number of the prefix that was tapped.
    height : int
        In pixels.
    """

    title = "Search tree"
    below = ""

    def __init__(self, on_tap: Callable[[int], None] | None = None, height: int = HEIGHT) -> None:
        self._shown: tuple[Any, ...] = (EMPTY, "descendants", None, "", "", None, ())
        self._on_tap = on_tap
        self._nodes = ColumnDataSource({name: [] for name in (*_NODE, "place")})
        self._blocks = ColumnDataSource({name: [] for name in (*_RECT, "count")})
        self._path, self._chosen = (ColumnDataSource({name: [] for name in _RECT}) for _ in range(2))
        self._labels = ColumnDataSource({"x": [], "y": [], "text": []}, tags=[_TEXT])
        self._x, self._rows = Window(0, 1), Range1d(start=_FEWEST_ROWS, end=0)
        plot = new_figure(
            self.title, "", "rules", height=height, min_border_left=52, x_range=self._x.range, y_range=self._rows
        )
        plot.toolbar_inner = False
        plot.xaxis.visible = plot.grid.visible = False
        self._ticker = FixedTicker(ticks=[])
        plot.yaxis.update(
            ticker=self._ticker, axis_line_color=None, major_tick_line_color=None, minor_tick_line_color=None
        )
        edges: dict[str, Any] = {name: name for name in _RECT}
        rects = Quad(**edges, fill_color="color", fill_alpha=0.6, line_color=PAPER[False], line_alpha="line")
        self._rects = drawn(plot, self._nodes, rects)
        show_as_before(self._rects)
        hatched = Quad(**edges, fill_color=None, line_color=None, hatch_pattern="/", hatch_scale=7, hatch_weight=0.8)
        self._hatched = drawn(plot, self._blocks, hatched)
        self._outline, self._ring = (
            drawn(plot, source, Quad(**edges, fill_color=None, line_width=width), level="annotation")
            for source, width in ((self._path, 2), (self._chosen, 4))
        )
        words = Text(
            x="x", y="y", text="text", text_align="center", text_baseline="middle", text_font_size=f"{_TEXT}px"
        )
        self._words = drawn(plot, self._labels, words, level="annotation")
        self._raster = PixelGlyph(plot)
        self._entries = add_legend(plot, [("", self._rects), (LEFT_OUT, self._hatched), ("best list", self._outline)])
        self._entries[0].label = {"field": "fate"}
        plot.legend.visible = False
        place = CustomJSHover(args={"nodes": self._nodes}, code=asset("tree.js") + "return prefix(nodes.data, value)")
        plot.tools = [
            HoverTool(renderers=[self._rects], tooltips=_TOOLTIP, formatters={"@place": place}),
            HoverTool(renderers=[self._hatched], tooltips=_HIDDEN),
            self._raster.hover,
            TapTool(renderers=[self._rects]),
            BoxZoomTool(dimensions="width"),
            PanTool(dimensions="width"),
            ResetTool(),
        ]
        self.figure, self._height, self._sizes = plot, height, TextSizes([plot])
        relabel = CustomJS(
            args={
                "plot": plot, "range": self._x.range, "rows": self._rows, "nodes": self._nodes, "blocks": self._blocks,
                "labels": self._labels,
            },
            code=asset("tree.js") + _LABELS,
        )  # fmt: skip
        for model, names in (
            (plot, "inner_width inner_height"),
            (self._x.range, "start end"),
            (self._rows, "start"),
            (self._nodes, "data"),
            (self._blocks, "data"),
            (self._labels, "tags"),
        ):
            for name in names.split():
                model.js_on_change(name, relabel)
        if on_tap is not None:
            self._nodes.selected.on_change("indices", self._tapped)
            plot.on_event(Tap, self._tapped_at)
        self.sources = (self._nodes, self._blocks, self._path, self._chosen)
        self.use_dark(False)
        self.clear()

    def as_svg(self) -> str:
        """The picture as a drawing without scripts; empty where there is nothing to see."""
        parts = []
        for source, looks in ((self._nodes, self._nodes.data["color"]), (self._blocks, None)):
            edges = zip(*(source.data[name] for name in _RECT), strict=True)
            for k, (left, right, top, bottom) in enumerate(edges):
                look = "#8888" if looks is None else looks[k]
                parts.append(
                    f'<rect x="{_SVG[0] * left:.2f}" width="{max(_SVG[0] * (right - left) - 0.5, 0.3):.2f}" '
                    f'y="{_SVG[1] * min(top, bottom):.1f}" height="{_SVG[1] * abs(bottom - top):.1f}" fill="{look}"/>'
                )
        if not parts:
            return ""
        high = _SVG[1] * max(float(row) for source in self.sources[:2] for row in source.data["bottom"])
        box = f'viewBox="0 0 {_SVG[0]} {high:.0f}" width="{_SVG[0]}" style="max-width: 100%"'
        return f'<svg {box} role="img" aria-label="{esc(self.title)}">{"".join(parts)}</svg>'

    @property
    def nodes(self) -> list[int]:
        """The numbers of the prefixes that are drawn, each after its parent."""
        return list(self._nodes.data["node"])

    def largest(self, most: int) -> list[int]:
        """Of those the ones that are the widest."""
        data = self._nodes.data
        wide = np.subtract(data["right"], data["left"])
        return [data["node"][k] for k in np.argsort(-wide, kind="stable")[:most].tolist()]

    def clear(self) -> None:
        self.show_tree(EMPTY, "descendants", None, "Nothing is stored yet.")

    def show_tree(
        self,
        tree: pd.DataFrame,
        width: str,
        objective: float | None,
        empty: str,
        said: str = "",
        pixels: Pixels | None = None,
        cuts: tuple[str, ...] = (),
    ) -> None:
        """Show a tree.

        Parameters
        ----------
        tree : DataFrame
            As `rulelab.prefixes.PrefixSearch.tree` gives it.
        width : str
            One of `rulelab.views.prefixes.icicle.WIDTHS`.
        objective : float or None
            Of the best model.
        empty : str
            Why there is nothing to see, where there is nothing.
        said : str
            What else is to be known, after the caption.
        pixels : Pixels, optional
            All prefixes, to be shown in place of the largest ones.
        cuts : tuple of str
            The bounds, in the order of the fates of the pixels.
        """
        self._shown = (tree, width, objective, empty, said, pixels, cuts)
        self._raster.show(pixels if len(tree) else None, cuts)
        if not len(tree):
            for source in self.sources:
                replace(source, {name: [] for name in source.data})
            self._label_rows(0)
            self.caption, self.below = empty, ""
            return
        if pixels is not None:
            self._show_pixels(tree, pixels, said)
            return
        layout = icicle(tree, width, objective=objective)
        drawn = tree.iloc[layout.place]
        fates = [fate_of(*each) for each in zip(drawn["state"], drawn["cut_by"], strict=True)]
        at = {node: k for k, node in enumerate(drawn["node"].tolist())}
        nodes: Columns = {
            **_rectangles(layout.left, layout.right, layout.row),
            "color": [color_of(*each) for each in zip(drawn["state"], drawn["cut_by"], strict=True)],
            "line": [float(wide) for wide in layout.right - layout.left > _SPLIT],
            "fate": fates,
            "rule": [_rule(*each) for each in zip(drawn["antecedent"], drawn["label"], strict=True)],
            "above": [at.get(parent, -1) for parent in drawn["parent"].tolist()],
            "cost": drawn["cost"].round(6).tolist(),
            "bound": drawn["bound"].round(6).tolist(),
            "below": [count(below) for below in drawn["descendants"].tolist()],
            "node": drawn["node"].tolist(),
            "place": list(range(len(drawn))),
        }
        replace(self._nodes, nodes)
        row = layout.row[layout.block_parent] + 1
        blocks = _rectangles(layout.block_left, layout.block_right, row)
        replace(self._blocks, {**blocks, "count": [count(n) for n in layout.block_count.tolist()]})
        path = [at[node] for node in tree.attrs.get("incumbent", []) if node in at]
        replace(self._path, {name: [nodes[name][k] for k in path] for name in _RECT})
        self._label_rows(int(max(layout.row.max(), row.max(initial=0))) + 1)
        self._say(tree, dict(zip(fates, nodes["color"], strict=True)), int(layout.block_count.sum()), len(path) > 1)
        self.caption = f"{self.caption} {said}".rstrip()

    def choose(self, node: int | None) -> None:
        """Put a ring around a prefix."""
        nodes = self.nodes
        at = [nodes.index(node)] if node in nodes else []
        if self._raster.pixels is None:
            replace(self._chosen, {name: [self._nodes.data[name][k] for k in at] for name in _RECT})
        else:
            replace(self._chosen, self._raster.around([] if node is None else [node]))
        if self._nodes.selected.indices != at:
            self._nodes.selected.indices = at

    def frame(self) -> pd.DataFrame:
        tree = self._shown[0]
        return tree.drop(columns=["cut_by"]).assign(state=_fates(tree)) if len(tree) else tree

    def use_dark(self, dark: bool) -> None:
        ink = INK[dark]
        self._rects.glyph.line_color = PAPER[dark]
        self._hatched.glyph.hatch_color = "#7a7a7a" if dark else "#9a9a9a"
        self._outline.glyph.line_color = self._ring.glyph.line_color = self._words.glyph.text_color = ink

    def use_size(self, large: bool) -> None:
        """Make the text fit for a screen, or larger for a projector, and the picture higher."""
        self._sizes.use(large)
        size = int(LARGE_TEXT.removesuffix("px")) if large else _TEXT
        if self._labels.tags != [size]:
            self._labels.tags = [size]
            self.figure.height = round(self._height * (_TALLER if large else 1))

    def picture(self) -> dict[str, Any]:
        """The picture alone, as large as a slide and on white, for the browser to save."""
        alone = TreePlot()
        alone.show_tree(*self._shown)
        alone.figure.update(width=PICTURE[0], height=PICTURE[1], sizing_mode="fixed", toolbar_location=None)
        alone.figure.legend.visible = True
        return {"item": json_item(alone.figure), "size": list(PICTURE)}

    def _label_rows(self, n: int) -> None:
        ticks = [k + 0.5 for k in range(n)]
        self.figure.yaxis.visible = n > 0
        if self._ticker.ticks != ticks:
            self._rows.start = max(n, _FEWEST_ROWS)
            self.figure.yaxis.major_label_overrides = {tick: str(k) for k, tick in enumerate(ticks)}
            self._ticker.ticks = ticks

    def _show_pixels(self, tree: pd.DataFrame, pixels: Pixels, said: str) -> None:
        for source in (self._nodes, self._blocks):
            replace(source, {name: [] for name in source.data})
        path = self._raster.around(tree.attrs.get("incumbent", []))
        replace(self._path, path)
        self._label_rows(len(pixels.node))
        self._say(tree, self._raster.colors, 0, len(path["left"]) > 1)
        self.caption = f"{self.caption} A pixel for each place; what is narrower may have none. {said}".rstrip()

    def _tapped_at(self, event: Event) -> None:
        """Where there are pixels."""
        assert isinstance(event, Tap)
        node = self._raster.node_at(event.x, event.y)
        if node is not None and self._on_tap is not None:
            self._on_tap(node)

    def _say(self, tree: pd.DataFrame, colors: dict[str, str], hidden: int, path: bool) -> None:
        """Caption and legend."""
        stored = int(tree.attrs.get("stored", len(tree)))
        more = f", {count(hidden)} of them in the hatched blocks" if hidden else ""
        outlined = " Outlined: the way to the best list." if path else ""
        prefixes = "1 prefix" if stored == 1 else f"{count(stored)} prefixes"
        self.caption = f"{prefixes} stored{more}; each stands under the one it continues.{outlined}"
        fates = sorted(colors, key=lambda fate: (fate.startswith("cut"), fate))
        hatch = f"repeating-linear-gradient(135deg, {MUTED} 0 1px, transparent 1px 4px)"
        signs = [(fate, f"color-mix(in srgb, {colors[fate]} 60%, transparent)") for fate in fates]
        signs += [(LEFT_OUT, hatch)] if hidden else []
        square = "display: inline-block; width: 12px; height: 12px; margin-right: 5px; vertical-align: -1px"
        self.below = "".join(
            f'<span style="white-space: nowrap; margin-right: 14px; font-size: calc(12px * var(--rl-zoom, 1))">'
            f'<span style="{square}; background: {look}"></span>{esc(name)}</span> '
            for name, look in signs
        )

    def _tapped(self, _name: str, _old: Any, new: list[int]) -> None:
        if new and self._on_tap is not None and new[0] < len(self.nodes):
            self._on_tap(self.nodes[new[0]])


def _fates(tree: pd.DataFrame) -> list[str]:
    return [fate_of(*each) for each in zip(tree["state"], tree["cut_by"], strict=True)]


def _rule(antecedent: str, label: Any) -> str:
    return f"{plain(in_signs(antecedent), 80)} then {plain(label, 20)}" if antecedent else "no rule yet"


def _rectangles(left: np.ndarray, right: np.ndarray, row: np.ndarray) -> Columns:
    """Rows are counted downwards from 0; a little is left between them."""
    return {
        "left": left.round(6).tolist(),
        "right": right.round(6).tolist(),
        "top": row.tolist(),
        "bottom": (row + 0.96).round(2).tolist(),
    }
