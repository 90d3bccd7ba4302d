"""The picture of which antecedents good models have, in the order of clusters.

Bare Bokeh, as its neighbours: taps choose models; `rulelab.plots.antecedents` draws a finished result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from bokeh.models import ColumnDataSource, FactorRange, FixedTicker

from ..live.wording import count, counted
from ..search.plots.base import Columns, Window, new_figure, replace
from ..widgets.esc import plain
from ..widgets.style import INK, LENGTHS
from .good import Good
from .plots import HEIGHT, Picture

MOST_COLUMNS, MOST_ROWS = 150, 18
"""Models and antecedents of the matrix."""
_NAME, _END, _LONGEST = 34, 19, 2000
_CELL = ("model", "x", "name", "full", "place", "color")


class Matrix(Picture):
    """Which antecedents the models have, and at which place: a column per model, in clusters."""

    title = "Antecedents of the models"

    def __init__(self, on_tap: Callable[[int], None] = lambda k: None) -> None:
        self._source = ColumnDataSource({name: [] for name in _CELL})
        self._ring = ColumnDataSource({"x": []})
        self._across, self._lines = Window(-0.5, 9.5), FactorRange()
        plot = new_figure(
            self.title,
            "models, like beside like",
            None,
            self._across,
            self._lines,
            height=HEIGHT + 80,
            min_border_left=20,
        )
        self.figure = plot
        cells = plot.rect(
            x="x", y="name", width=0.94, height=0.86, source=self._source, fill_color="color", line_color=None
        )
        self._span = plot.vspan(x="x", source=self._ring, line_width=2)
        plot.xaxis.ticker = FixedTicker(ticks=[])
        plot.grid.visible = False
        self._listen(self._source, cells, [("antecedent", "@full"), ("rule", "@place")], on_tap)

    def draw(self, found: Good, kept: np.ndarray, chosen: int | None) -> None:
        """Draw models, best first in ``kept``; those that share antecedents stand together, and so do antecedents."""
        self._asked = (found, kept, chosen)
        columns: Columns = {name: [] for name in _CELL}
        rows: list[str] = []
        order: list[int] = []
        self.caption = "No model is left."
        if len(kept):
            members, ordered = found.members, found.ways == "lists"
            order, shown, rarer = _clustered(members, kept[:MOST_COLUMNS].tolist())
            names = short_names([found.names[j] for j in shown])
            name_of = dict(zip(shown, names, strict=True))
            rows = names[::-1]
            for x, k in enumerate(order):
                for place, j in enumerate(members[k]):
                    if j in name_of:
                        cell = (k, x, name_of[j], found.names[j], place + 1, LENGTHS[min(place, 7) if ordered else 0])
                        for name, value in zip(_CELL, cell, strict=True):
                            columns[name].append(value)
            fewer = f", the best of {count(len(kept))}" if len(kept) > len(order) else ""
            left_out = f"; {rarer} rarer {found.part}s are not drawn" if rarer else ""
            colours = "from blue (first rule) to orange (eighth or later)" if ordered else "each line is a rule"
            self.caption = (
                f"{counted(len(order), 'models')}{fewer}, a column each, {colours}; the line: the chosen one{left_out}."
            )
        self._across.span(-0.5, max(len(order), 10) - 0.5)
        if list(self._lines.factors) != rows:
            replace(self._source, {name: [] for name in _CELL})
            self._lines.factors = rows
        replace(self._source, columns)
        replace(self._ring, {"x": [order.index(chosen)] if chosen in order else []})

    def frame(self) -> pd.DataFrame:
        """A line for each cell."""
        data = self._source.data
        return pd.DataFrame(
            {"model": [k + 1 for k in data["model"]], "antecedent": data["full"], "rule": data["place"]}
        )

    def use_dark(self, dark: bool) -> None:
        self._span.glyph.line_color = INK[dark]


def _clustered(lists: Sequence[Sequence[int]], kept: Sequence[int]) -> tuple[list[int], list[int], int]:
    """Models and their most frequent antecedents, each in the order of clusters, and how many antecedents are left out.

    Two models are close when they share most of their antecedents, two antecedents when most models that have one of
    them have both.
    """
    used, n = np.unique([j for k in kept for j in lists[k]], return_counts=True)
    shown = used[np.argsort(-n, kind="stable")][:MOST_ROWS]
    has = np.array([[j in lists[k] for j in used] for k in kept], dtype=float).reshape(len(kept), len(used))
    drawn = has[:, np.searchsorted(used, shown)]
    models = [kept[i] for i in by_cluster(has)]
    return models, [int(shown[i]) for i in by_cluster(drawn.T)], len(used) - len(shown)


def by_cluster(sets: np.ndarray) -> list[int]:
    """The order in which sets that have much in common stand together, the first set as far to the left as may be.

    The two closest clusters are joined again and again, by the mean of the shares that their sets do not have in
    common (average linkage of Jaccard's distance), and turned so that what is alike meets.
    """
    shared = sets @ sets.T
    size = sets.sum(axis=1)
    either = size[:, None] + size[None, :] - shared
    apart = 1 - np.divide(shared, either, out=np.ones_like(shared), where=either > 0)
    groups = {i: [i] for i in range(len(sets))}
    between = apart + np.diag(np.full(len(sets), np.inf))
    while len(groups) > 1:
        i, j = sorted(divmod(int(np.argmin(between)), len(sets)))
        left, right = groups[i], groups.pop(j)
        turns = [(a, b) for a in (left, left[::-1]) for b in (right, right[::-1])]
        a, b = min(turns, key=lambda turn: (apart[turn[0][-1], turn[1][0]], turn[0][0]))
        mean = (len(left) * between[i] + len(right) * between[j]) / (len(left) + len(right))
        between[i], between[:, i] = mean, mean
        between[i, i] = np.inf
        between[j], between[:, j] = np.inf, np.inf
        groups[i] = a + b
    order = groups.popitem()[1] if groups else []
    return order[::-1] if order and order.index(0) > len(order) // 2 else order


def short_names(names: Sequence[str]) -> list[str]:
    """Names that fit beside the axis, all different; of long ones, which often begin alike, the middle is left out."""
    out: list[str] = []
    for name in names:
        text = plain(name, _LONGEST)
        if len(text) > _NAME:
            text = f"{text[: _NAME - _END - 1].rstrip()}…{text[-_END:].lstrip()}"
        while text in out:
            text += "'"
        out.append(text)
    return out
