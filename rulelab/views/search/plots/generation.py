"""Column generation: the least reduced cost over time, the pool of rules, and the prices of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from bokeh.models import ColumnDataSource, HoverTool
from bokeh.plotting import figure

from ....assets import texts
from ....snapshot import Snapshot
from ...live.wording import count, counted
from ...widgets.esc import plain
from ...widgets.style import BLUE, INK, ORANGE, SKY
from .base import BLUES, Columns, Plot, Window, add_legend, new_figure, replace, set_ticks, show_entries, tooltip
from .curves import CurvePlot, Curves


class ReducedCostPlot(CurvePlot):
    """The least reduced cost of all rules; at 0 no rule improves the linear programme."""

    title = "Least reduced cost of all rules"
    nothing = "How much the best new rule could lower the value of the linear programme, as a negative number."
    names = {"reduced_cost": "least reduced cost"}
    heads = ("reduced_cost",)

    def __init__(self, curves: Curves) -> None:
        super().__init__(curves, "reduced cost", BLUE)
        self.tinted = tuple((glyph, "line_color", BLUES) for glyph in self.over_time)

    def _words(self, latest: Snapshot) -> str:
        known = [value for value in self._curves.past("reduced_cost") if value == value]
        if not known:
            return "No rule has a price yet."
        if known[-1] == 0:
            return "0: no rule lowers the value of the linear programme any more."
        return f"A rule could still lower the value of the linear programme: its price is {known[-1]:.4g}."

    def fit(self) -> None:
        least = min(self._curves.known("reduced_cost"), default=-1.0) or -1.0
        self._window.span(1.08 * least, -0.08 * least)


class TablePlot(Plot):
    """A mark for each row of a table, in the colour of its kind."""

    empty: ClassVar[pd.DataFrame]
    labels: ClassVar[tuple[str, str]]  # of the axes
    kinds: ClassVar[Mapping[str, str | None]]  # with their colours; a source for each
    tooltip: ClassVar[str]

    def __init__(self) -> None:
        self._across, self._up = Window(0, 10), Window(-1, 1)
        self.figure = new_figure(self.title, *self.labels, self._across, self._up, height=300, min_border_top=52)
        self.sources = tuple(ColumnDataSource(self.columns(self.empty)) for _ in self.kinds)
        legend, pointed = self.marks(self.figure)
        self.entries = add_legend(self.figure, legend, columns=2)
        hover = HoverTool(renderers=pointed, tooltips=tooltip(self.tooltip), point_policy="follow_mouse")
        self.figure.add_tools(hover)
        self.draw(self.empty)

    def marks(self, plot: figure) -> tuple[list[tuple[str, Any]], list[Any]]:
        """Draw the sources; what the legend names, and what can be pointed at."""
        raise NotImplementedError

    @staticmethod
    def columns(part: pd.DataFrame) -> Columns:
        """What is drawn of rows of one kind."""
        raise NotImplementedError

    def fill(self, parts: Sequence[pd.DataFrame]) -> None:
        """Draw the rows of each kind."""
        for source, part in zip(self.sources, parts, strict=True):
            replace(source, self.columns(part))
        drawn = [bool(len(part)) for part in parts]
        show_entries(self.entries, [*drawn, any(drawn)][: len(self.entries)])

    def frame(self) -> pd.DataFrame:
        (frame,) = self._asked
        return frame.rename(columns=dict(self.names))


_SPREAD = 0.3  # how far rules of one complexity stand apart, of the way to the next
_USED = 1e-6


class PoolPlot(TablePlot):
    """A dot per rule: below 0 it lowers the value of the LP; large ones hold many rows."""

    title = "Rules in the pool"
    labels = ("complexity of the rule", "reduced cost (rows)")
    empty = pd.DataFrame(columns=["rule", "complexity", "rows", "reduced_cost", "use", "chosen"])
    kinds = {"in the pool": SKY, "used by the LP": ORANGE, "in the best set": None}
    names = {"rows": "rows covered", "reduced_cost": "reduced cost", "use": "in the LP", "chosen": "in the best set"}
    tooltip = "<b>@rule</b><br>complexity @complexity, @rows rows<br>reduced cost @cost{0.0000}, in the LP @use{0.000}"

    def marks(self, plot: figure) -> tuple[list[tuple[str, Any]], list[Any]]:
        set_ticks(plot.xaxis, min_interval=1)
        dots: list[Any] = [
            plot.scatter(x="x", y="cost", size="size", source=source, color=color or "black", fill_alpha=0.5)
            for source, color in zip(self.sources, self.kinds.values(), strict=True)
        ]
        dots[-1].glyph.update(fill_alpha=0.0, line_width=2.5, marker="square")
        self.tinted = ((dots[-1].glyph, "line_color", INK),)
        self.use_dark(False)
        return list(zip(self.kinds, dots, strict=True)), dots

    @staticmethod
    def columns(part: pd.DataFrame) -> Columns:
        n = len(part)
        order = np.argsort(np.argsort(part["rows"].astype(float), kind="stable"), kind="stable") if n else np.zeros(0)
        aside = _SPREAD * (2 * ((order * 0.618034) % 1) - 1)
        rows = part["rows"].astype(float)
        largest = float(rows.max()) if n else 1.0
        return {
            "x": np.round(part["complexity"].astype(float) + aside, 3).tolist(),
            "cost": part["reduced_cost"].astype(float).round(6).tolist(),
            "size": np.round(5 + 9 * np.sqrt(rows / (largest or 1.0)), 1).tolist(),
            "rule": [plain(rule, 200) for rule in part["rule"]],
            "complexity": part["complexity"].astype(int).tolist(),
            "rows": [count(value) for value in rows.tolist()],
            "use": part["use"].astype(float).round(6).tolist(),
        }

    def draw(self, frame: pd.DataFrame) -> None:
        """Show what `rulelab.RuleSetSearch.pool` gives."""
        self._asked = (frame,)
        known = frame[np.isfinite(frame["reduced_cost"].astype(float))]
        kinds = (~known["chosen"].astype(bool) & (known["use"] <= _USED), known["use"] > _USED, known["chosen"])
        self.fill([known[each.astype(bool)] for each in kinds])
        if not len(known):
            gathered = f"{counted(len(frame), 'rules')} gathered; no" if len(frame) else "No"
            self.caption = f"{gathered} rule has a price yet: the linear programme gives it."
            return
        costs = known["reduced_cost"].astype(float)
        low, high = min(float(costs.min()), 0.0), max(float(np.quantile(costs, 0.98)), 0.0)
        room = 0.12 * (high - low) or 1.0
        self._up.span(low - room, high + room)
        self._across.span(1.4, float(known["complexity"].max()) + 0.6)
        size = int(frame.attrs.get("pool", len(frame)))
        more = f"; the {count(len(frame))} best of them are drawn" if size > len(frame) else ""
        lower = int((costs < -_USED).sum())
        said = f"{count(lower) if lower else 'none'} of them with a negative reduced cost in the last linear programme"
        above = int((costs > high + room).sum())
        out = f" Above the picture: {counted(above, 'rules')} of larger reduced cost." if above else ""
        self.caption = f"{counted(size, 'rules')} in the pool{more}; {said}. Squares: the best set.{out}"


MOST_BARS = 60
_COVERED, _NOT_COVERED = "covered by the best set", "not covered"


class PricesPlot(TablePlot):
    """A bar per group, the dearest first; behind it, pale, what its rows can be worth at most."""

    title = "Prices of the rows"
    below = ""
    labels = ("groups of equal rows, the dearest first", "price (rows)")
    empty = pd.DataFrame(columns=["conditions", "rows", "wanted", "price", "cost", "covered"])
    kinds = {_COVERED: SKY, _NOT_COVERED: ORANGE}
    names = {"wanted": "rows to cover", "cost": "cost of covering", "covered": _COVERED}
    tooltip = texts("tooltips")["price"]

    def marks(self, plot: figure) -> tuple[list[tuple[str, Any]], list[Any]]:
        plot.xaxis.ticker = []
        look: dict[str, Any] = {"x": "x", "width": 0.8, "line_color": None}
        pale = [
            plot.vbar(top="wanted", source=source, color="#999999", fill_alpha=0.2, **look) for source in self.sources
        ]
        bars = [
            plot.vbar(top="price", source=source, color=color, fill_alpha=0.85, **look)
            for source, color in zip(self.sources, self.kinds.values(), strict=True)
        ]
        return [*zip(self.kinds, bars, strict=True), ("at most", pale[0])], pale

    @staticmethod
    def columns(part: pd.DataFrame) -> Columns:
        return {
            "x": [k + 1 for k in part.index.tolist()],
            **{name: part[name].astype(float).round(6).tolist() for name in ("price", "wanted", "cost")},
            "rows": [count(value) for value in part["rows"].astype(float).tolist()],
            "said": [_COVERED if each else _NOT_COVERED for each in part["covered"].tolist()],
            "conditions": [plain(each, 200) for each in part["conditions"]],
        }

    def draw(self, frame: pd.DataFrame) -> None:
        """Show what `rulelab.RuleSetSearch.prices` gives."""
        self._asked = (frame,)
        drawn = frame.head(MOST_BARS).reset_index(drop=True)
        covered = drawn["covered"].astype(bool)
        self.fill([drawn[covered], drawn[~covered]])
        if not len(drawn):
            self.caption = "No row has a price yet: the linear programme gives it."
            return
        self._across.span(0.4, max(10, len(drawn)) + 0.6)
        self._up.span(0, 1.05 * float(drawn[["price", "wanted"]].to_numpy(dtype=float).max()))
        priced = int(frame.attrs.get("priced", len(frame)))
        total = float(frame.attrs.get("total", frame["price"].sum()))
        more = f"; the {count(len(drawn))} dearest are drawn" if priced > len(drawn) else ""
        groups = "1 group of equal rows has a price" if priced == 1 else f"{counted(priced, 'groups')} have a price"
        sums = f"the prices add up to {total:.4g} {'row' if total == 1 else 'rows'}{more}"
        self.caption = f"{groups}: what a new rule could earn by covering them; {sums}."
