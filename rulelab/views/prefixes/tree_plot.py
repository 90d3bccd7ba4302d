"""The tree of a search as an icicle: its prefixes coloured by what has become of them.

Bare Bokeh: a running search replaces its columns, taps choose prefixes, and scripts in it place the labels while one
zooms; `rulelab.plots.tree` draws a finished tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from bokeh.models import (
    BoxZoomTool,
    ColumnDataSource,
    CustomJS,
    CustomJSHover,
    FixedTicker,
    HoverTool,
    NoOverlap,
    PanTool,
    Quad,
    Range1d,
    ResetTool,
    TapTool,
    Text,
)

from ...assets import asset, texts
from ..live.wording import count, filled, in_signs
from ..search.plots import base
from ..widgets.esc import plain
from ..widgets.style import INK, PAPER
from .frames import Seen, TreeFrame
from .icicle import Icicle, color_of, fate_of, icicle

HEIGHT = 320
_FEWEST_ROWS = 3
_TEXT = 11  # pixels of the rules in the picture
_TALLER = 1.4  # of a picture with large text
_SPLIT = 8e-3  # rectangles that are narrower have no line between them, which would hide them on a phone
_SEEN = 1.2e-2  # the width of an outline, at least
_LABELS = "labels.data = fitting({ plot, range, rows, nodes, size: labels.tags[0] })"
_SVG = (640, 26)  # width of a drawing without scripts, and height of a row in it, in pixels
_GOING_ON, _BEYOND = "; cut is what would go on from it", ", empty where it is not stored"
_RECT = ("left", "right", "top", "bottom")
_NODE = (*_RECT, "color", "line", "fate", "rule", "above", "alone", "figures", "node", "place")
_TOOLTIP = texts("tooltips")["prefix"]


class TreePlot(base.Plot):
    """Rectangles for prefixes, stubs for those that stand together, and a line around the way to the best list.

    `on_tap` takes the number of the prefix that was tapped: of a stub the one of least bound, or, where that is not
    known, the parent. `height`: in pixels.
    """

    title = "Search tree"
    below = ""

    def __init__(self, on_tap: Callable[[int], None] | None = None, height: int = HEIGHT) -> None:
        self._shown = TreeFrame()
        self._nodes = ColumnDataSource({name: [] for name in _NODE})
        self._path, self._chosen = (ColumnDataSource({name: [] for name in _RECT}) for _ in range(2))
        self._labels = ColumnDataSource({"x": [], "y": [], "text": []}, tags=[_TEXT])
        self._x, self._rows = base.Window(0, 1), Range1d(start=_FEWEST_ROWS, end=0)
        plot = base.new_figure(self.title, "", "rules", self._x, self._rows, height=height, min_border_left=52)
        plot.toolbar_inner = False
        plot.xaxis.visible = plot.grid.visible = False
        self._ticker = FixedTicker(ticks=[])
        bare: dict[str, Any] = dict.fromkeys(("axis_line_color", "major_tick_line_color", "minor_tick_line_color"))
        some = NoOverlap(min_distance=2)  # of many rows only those are numbered whose numbers find room
        plot.yaxis.update(ticker=self._ticker, major_label_policy=some, **bare)
        edges: dict[str, Any] = {name: name for name in _RECT}
        rects = Quad(**edges, fill_color="color", fill_alpha=0.6, line_color=PAPER[False], line_alpha="line")
        self._rects = base.drawn(plot, self._nodes, rects)
        base.show_as_before(self._rects)
        outline, ring = (
            base.drawn(plot, source, Quad(**edges, fill_color=None, line_width=width), level="annotation")
            for source, width in ((self._path, 2), (self._chosen, 4))
        )
        words = Text(
            x="x", y="y", text="text", text_align="center", text_baseline="middle", text_font_size=f"{_TEXT}px"
        )
        base.drawn(plot, self._labels, words, level="annotation")
        self.entries = base.add_legend(plot, [("", self._rects), ("best list", outline)])
        self.entries[0].label = {"field": "fate"}
        plot.legend.visible = False
        place = CustomJSHover(args={"nodes": self._nodes}, code=asset("tree.js") + "return prefix(nodes.data, value)")
        plot.tools = [
            HoverTool(renderers=[self._rects], tooltips=_TOOLTIP, formatters={"@place": place}),
            TapTool(renderers=[self._rects]),
            BoxZoomTool(dimensions="width"),
            PanTool(dimensions="width"),
            ResetTool(),
        ]
        self.figure, self._height = plot, height
        x, rows, nodes, labels = self._x.range, self._rows, self._nodes, self._labels
        args = {"plot": plot, "range": x, "rows": rows, "nodes": nodes, "labels": labels}
        relabel = CustomJS(args=args, code=asset("tree.js") + _LABELS)
        seen: list[Any] = [(plot, "inner_width"), (plot, "inner_height"), (x, "start"), (x, "end")]
        for model, name in (*seen, (rows, "start"), (nodes, "data"), (labels, "tags")):
            model.js_on_change(name, relabel)
        if on_tap is not None:
            base.when_tapped(self._nodes, "node", on_tap)
        self.sources = (self._nodes, self._path, self._chosen)
        self.tinted = (
            (rects, "line_color", PAPER),
            *((each.glyph, "line_color", INK) for each in (outline, ring)),
            (words, "text_color", INK),
        )
        self.use_dark(False)
        self.clear()

    def as_svg(self) -> str:
        """The picture as a drawing without scripts; empty where there is nothing to see."""
        data = self._nodes.data
        rects = [dict(zip(data, each, strict=True)) for each in zip(*data.values(), strict=True)]
        return filled("tree.html", rects=rects, title=self.title, width=_SVG[0], row=_SVG[1]) if rects else ""

    @property
    def nodes(self) -> list[int]:
        """The numbers of the prefixes that are drawn one by one, each after its parent."""
        data = self._nodes.data
        return [node for node, alone in zip(data["node"], data["alone"], strict=True) if alone]

    def largest(self, most: int) -> list[int]:
        """Of those the ones that are the widest."""
        wide = np.subtract(self._nodes.data["right"], self._nodes.data["left"])[: len(self.nodes)]
        return [self.nodes[k] for k in np.argsort(-wide, kind="stable")[:most].tolist()]

    def clear(self) -> None:
        self.draw(TreeFrame())

    def draw(self, frame: TreeFrame) -> None:
        """Show a tree, the way to its best list, and a ring around the prefix that is looked at."""
        self._shown, tree = frame, frame.tree
        if not len(tree):
            for source in self.sources:
                base.replace(source, {name: [] for name in source.data})
            self._label_rows(0)
            self.caption, self.below = frame.empty, ""
            return
        layout = icicle(tree, frame.rest)
        nodes = _columns(tree, layout)
        base.replace(self._nodes, nodes)
        path = _way(tree, nodes, frame.best) if frame.best else {name: [] for name in _RECT}
        base.replace(self._path, path)
        base.replace(self._chosen, _ring(tree, nodes, frame.seen))
        self._label_rows(round(max([*nodes["bottom"], *path["bottom"]]) + 0.04))
        end = _places(tree, nodes, frame.best)[-1]
        there = _BEYOND if end < 0 else _GOING_ON if nodes["fate"][end].startswith("cut") else ""
        self._say(frame, dict(zip(nodes["fate"], nodes["color"], strict=True)), there)

    def frame(self) -> pd.DataFrame:
        tree = self._shown.tree
        fates = [fate_of(*each) for each in zip(tree["state"], tree["cut_by"], strict=True)]
        return tree.drop(columns=["cut_by"]).assign(state=fates) if len(tree) else tree

    def use_size(self, large: bool) -> None:
        """The picture is higher where the text is larger."""
        super().use_size(large)
        size = int(base.LARGE_TEXT.removesuffix("px")) if large else _TEXT
        if self._labels.tags != [size]:
            self._labels.tags = [size]
            self.figure.height = round(self._height * (_TALLER if large else 1))

    def picture(self) -> dict[str, Any]:
        alone = TreePlot()
        alone.draw(self._shown)
        alone.figure.legend.visible = True
        return base.still(alone.figure)

    def _label_rows(self, n: int) -> None:
        ticks = [k + 0.5 for k in range(n)]
        self.figure.yaxis.visible = n > 0
        if self._ticker.ticks != ticks:
            self._rows.start = max(n, _FEWEST_ROWS)
            self.figure.yaxis.major_label_overrides = {tick: str(k) for k, tick in enumerate(ticks)}
            self._ticker.ticks = ticks

    def _say(self, frame: TreeFrame, colors: dict[str, str], there: str) -> None:
        """Caption and legend."""
        stored = int(frame.tree.attrs.get("stored", len(frame.tree)))
        drawn, ring = self._nodes.data, self._chosen.data["top"]
        below = "the prefix below" if ring == [len(frame.seen.path)] else "where the prefix below stands with others"
        outlined = f" Thickest outline: {below}." if ring else ""
        lumped = {fate for fate, alone in zip(drawn["fate"], drawn["alone"], strict=True) if not alone}
        if not all(fate.startswith("cut") for fate in lumped):
            outlined = f" Narrow ones, and all below them, stand together.{outlined}"
        outlined += f" Outlined: the way to the best list{there}." if frame.best else ""
        deepest, drawn_to = frame.tree.attrs.get("deepest", 0), len(self._ticker.ticks) - 1
        if deepest > drawn_to:
            outlined += f" The longest have {deepest} rules; all of more than {drawn_to} are too narrow for a row."
        prefixes = "1 prefix" if stored == 1 else f"{count(stored)} prefixes"
        kept = f"kept of {count(frame.stored)} that were stored" if frame.stored else "stored"
        self.caption = f"{prefixes} {kept}; each stands under the one it continues.{outlined} {frame.said}".rstrip()
        fates = sorted(colors, key=lambda fate: (fate.startswith("cut"), fate))
        self.below = filled("tree_colours.html", colours=[(fate, colors[fate]) for fate in fates])


def _columns(tree: pd.DataFrame, layout: Icicle) -> base.Columns:
    """What is drawn of the prefixes, and then of the stubs."""
    alone, stubs = tree.iloc[layout.place], layout.stubs
    at = {node: k for k, node in enumerate(alone["node"].tolist())}
    every = tree["node"].tolist()
    above, many = stubs["parent"].tolist(), stubs["count"].tolist()
    left, right = (np.concatenate([getattr(layout, name), stubs[name].to_numpy(dtype=float)]) for name in _RECT[:2])
    row = np.concatenate([layout.row, layout.row[stubs["parent"].to_numpy(dtype=np.int64)] + 1])
    fates = [(*each,) for some in (alone, stubs) for each in zip(some["state"], some["cut_by"], strict=True)]
    rules = [_rule(*each) for each in zip(alone["antecedent"], alone["label"], strict=True)]
    figures = [
        f"costs {cost:.4f}, bound {bound:.4f}\n{count(below)} below"
        for cost, bound, below in zip(*(alone[name].tolist() for name in ("cost", "bound", "descendants")), strict=True)
    ]
    return {
        "left": left.round(6).tolist(),
        "right": right.round(6).tolist(),
        "top": row.tolist(),
        "bottom": (row + 0.96).round(2).tolist(),  # a little is left between rows
        "color": [color_of(*each) for each in fates],
        "line": [float(wide) for wide in right - left > _SPLIT],
        "fate": [fate_of(*each) for each in fates],
        "rule": rules + [f"{count(n)} {fate_of(*each)}" for n, each in zip(many, fates[len(rules) :], strict=True)],
        "above": [at.get(parent, -1) for parent in alone["parent"].tolist()] + above,
        "alone": [1] * len(alone) + [0] * len(stubs),
        "figures": figures + [f"{count(n)} prefixes" if n > 1 else "1 prefix" for n in many],
        "node": alone["node"].tolist()
        + [every[k] if k >= 0 else alone["node"].iat[up] for k, up in zip(stubs["place"].tolist(), above, strict=True)],
        "place": list(range(len(alone) + len(stubs))),
    }


def _places(tree: pd.DataFrame, nodes: base.Columns, antecedents: Sequence[str]) -> list[int]:
    """Where the prefixes of a list stand among those drawn one by one; -1 of those that do not."""
    drawn = {node: k for k, (node, alone) in enumerate(zip(nodes["node"], nodes["alone"], strict=True)) if alone}
    pairs = zip(tree["parent"].tolist(), tree["antecedent"].tolist(), strict=True)
    children = dict(zip(pairs, tree["node"].tolist(), strict=True))
    way = [tree["node"].iat[0]]
    for name in antecedents:
        way.append(children.get((way[-1], name), -1))
    return [drawn.get(node, -1) for node in way]


def _way(tree: pd.DataFrame, nodes: base.Columns, best: Sequence[str]) -> base.Columns:
    """Outlines that are wide enough to be seen; what is not stored stands at the end of its parent's."""
    found: list[Any] = []
    for k in _places(tree, nodes, best):
        left, right, top, bottom = found[-1] if k < 0 else (nodes[name][k] for name in _RECT)
        if k < 0:
            found.append((max(left, right - _SEEN), right, top + 1, bottom + 1))
        else:
            found.append((left, max(right, left + _SEEN), top, bottom))
    return {name: [each[k] for each in found] for k, name in enumerate(_RECT)}


def _ring(tree: pd.DataFrame, nodes: base.Columns, seen: Seen) -> base.Columns:
    """Around the prefix that is looked at, or the stub that it stands in; wide enough to be seen."""
    places = _places(tree, nodes, seen.path)
    at = places[-1:]
    if at == [-1] and seen.own is not None:
        fate = fate_of(seen.own["fate"], seen.own["cut_by"])
        stubs = zip(nodes["above"], nodes["fate"], nodes["alone"], strict=True)
        at = [k for k, stub in enumerate(stubs) if stub == (max(places), fate, 0)]  # below the last that is drawn
    found = {name: [nodes[name][k] for k in at if k >= 0] for name in _RECT}
    wide = [max(right, left + _SEEN) for left, right in zip(found["left"], found["right"], strict=True)]
    return {**found, "right": wide}


def _rule(antecedent: str, label: Any) -> str:
    return f"{plain(in_signs(antecedent), 80)} then {plain(label, 20)}" if antecedent else "no rule yet"
