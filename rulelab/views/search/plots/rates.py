"""Rates of groups, before a fairness constraint and with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from bokeh.models import ColumnDataSource, FactorRange, HoverTool, Range1d
from bokeh.transform import dodge

from ....data.fairness import compared
from ....data.metrics import Confusion
from ....data.problem import Problem
from ....models import RuleSet
from ....rule_set import Criterion, confusions
from ....shown import percent
from ....snapshot import Snapshot, Status
from ...cards.templates import filled
from ...live.prepared import Prepared
from ...live.wording import NONE, count
from ...widgets.esc import plain
from ...widgets.style import BLUE, INK, ORANGE
from .base import Columns, Plot, add_legend, new_figure, show_entries

_MOST_GROUPS = 12
_ROW = 34
_WORDS = {
    "false_negative_rate": "missed positives",
    "false_positive_rate": "false alarms",
    "selection_rate": "predicted positive",
    "accuracy": "accuracy",
}
_DRAWN = ("factor", "group", "value", "low", "high")


@dataclass(frozen=True)
class GroupRate:
    """One rate of all groups, as a rule set predicts the training rows."""

    name: str
    groups: tuple[str, ...]
    counts: tuple[Confusion, ...]  # per group
    tolerance: float  # largest difference that the criterion allows
    compared: tuple[int, ...]  # the groups that are large enough for the constraint
    # largest difference of what the constraint counts; with the Hamming loss a row counts once per rule
    proxy_gap: float

    @property
    def shares(self) -> list[tuple[float, float, float]]:
        """Of each group, with a 95 % interval."""
        return [(each.rate(self.name), *each.interval(self.name)) for each in self.counts]

    @property
    def gap(self) -> float:
        """Largest true difference between two groups that are compared."""
        values = [self.shares[g][0] for g in self.compared]
        return max(values) - min(values)


def group_rates(
    model: RuleSet, problem: Problem, matrix: np.ndarray, criterion: Criterion, loss: str, min_group_size: int = 0
) -> list[GroupRate]:
    """The rates that the criterion names, of a problem with groups; ``loss``: whose errors the constraint counts."""
    groups = problem.groups
    assert groups is not None
    decided, fires = model.fired(matrix), model.form == "dnf"
    times = (decided if fires else ~decided).sum(axis=1)
    # errors of each pattern, as the constraint counts them
    wrongly, missed = (times if loss == "hamming" else np.minimum(times, 1)), (times == 0).astype(times.dtype)
    on_positives, on_negatives = (missed, wrongly) if fires else (wrongly, missed)
    counts = confusions(groups, (times > 0) == fires)
    positives, negatives = groups.positives, groups.negatives
    sizes = {"positives": positives, "negatives": negatives, "rows": positives + negatives}
    out = []
    for rate, large in zip(criterion.rates(), compared(criterion, groups, min_group_size), strict=True):
        errors = rate.on_positives * positives @ on_positives + rate.on_negatives * negatives @ on_negatives
        shares = (errors + rate.base * positives.sum(axis=1))[list(large)] / sizes[rate.per].sum(axis=1)[list(large)]
        proxy_gap = float(shares.max() - shares.min())
        out.append(GroupRate(rate.name, groups.names, tuple(counts), rate.tolerance, large, proxy_gap))
    return out


def rate_columns(rates: Sequence[GroupRate]) -> Columns:
    """One bar per rate and group, in per cent."""
    rows: list[tuple[Any, ...]] = []
    for rate in rates:
        for k, (group, shares) in enumerate(list(zip(rate.groups, rate.shares, strict=True))[:_MOST_GROUPS]):
            factor = _WORDS[rate.name], f"{plain(group, 18)}{' ' * k}"  # no two factors alike
            rows.append((factor, plain(group, 60), *(round(100 * share, 2) for share in shares)))
    return {name: [row[k] for row in rows] for k, name in enumerate(_DRAWN)}


def gaps_table(
    without: Sequence[GroupRate], fair: Sequence[GroupRate], objectives: tuple[str, str], proven: bool
) -> str:
    """The gaps before and after as an HTML table, the true ones and what the constraint counts."""
    rows = []
    for k, rate in enumerate(fair or without):
        before, after = (percent(rates[k].gap) if rates else NONE for rates in (without, fair))
        proxy = percent(fair[k].proxy_gap) if fair else NONE
        rows.append((f"gap in {_WORDS[rate.name]}", (before, after, proxy, percent(rate.tolerance))))
    rows.append(("loss" if proven else "loss (best found)", (*objectives, "", "")))
    return filled("gaps.html", rows=rows)


class RatesPlot(Plot):
    """Bars per group, without the constraint and with it, and the gaps as a table below."""

    title = "Rates per group"
    below = ""
    nothing = "How the groups of people fare, without the constraint and with it."
    _prepared: Prepared | None
    _matrix: Any
    _model: Any
    _without: list[GroupRate]

    def __init__(self) -> None:
        self._before, self._after = (ColumnDataSource(rate_columns([])) for _ in range(2))
        self._factors = FactorRange(range_padding=0.1, group_padding=0.6)
        across = Range1d(start=0, end=100)
        plot = new_figure(self.title, "share of the group (%)", None, across, self._factors, min_border_top=54)
        legend, intervals = [], []
        for name, source, shift, colour in (("before", self._before, 0.2, ORANGE), ("after", self._after, -0.2, BLUE)):
            y = dodge("factor", shift, range=self._factors)
            bars = plot.hbar(y=y, left=0, right="value", height=0.36, source=source, color=colour, fill_alpha=0.55)
            intervals.append(
                plot.segment(x0="low", x1="high", y0=y, y1=y, source=source, color=INK[False], line_width=1.5)
            )
            tooltips = [("group", "@group"), (name, "@value{0.0} %"), ("95 % interval", "@low{0.0} to @high{0.0} %")]
            plot.add_tools(HoverTool(renderers=[bars], tooltips=tooltips))
            legend.append((name, bars))
        self.entries = add_legend(plot, [*legend, ("95 % interval", intervals[0])], columns=2)
        plot.ygrid.grid_line_color = None
        plot.yaxis[0].update(group_label_orientation="horizontal")
        plot.yaxis.major_tick_line_color = None
        self.figure = plot
        self.sources = (self._before, self._after)
        self.tinted = [(each.glyph, "line_color", INK) for each in intervals]
        self.clear()

    def begin(self, prepared: Prepared) -> None:
        search = prepared.search
        self._prepared, self._matrix, self._model = prepared, search.problem.matrix(), None
        best = None if prepared.unconstrained is None else prepared.unconstrained.incumbent
        self._without = [] if best is None else self._rates(best.model)
        columns = rate_columns(self._without)
        self._factors.factors = columns["factor"][::-1]
        self.figure.height = 120 + _ROW * max(3, len(columns["factor"]))
        self._before.data = columns
        show_entries(self.entries, [bool(columns["value"]), False, bool(columns["value"])])
        self.below = self._gaps([], None)

    def clear(self) -> None:
        super().clear()
        self._prepared, self._matrix, self._model, self._without = None, None, None, []
        self._factors.factors, self.below = [], ""

    def show(self, snapshots: Sequence[Snapshot], whole: bool, latest: Snapshot) -> None:
        best = latest.incumbent
        if best is None or best.model is self._model or self._prepared is None:
            return
        self._model = best.model
        rates = self._rates(best.model)
        columns = rate_columns(rates)
        if columns["factor"] != list(self._factors.factors)[::-1]:
            self._factors.factors = columns["factor"][::-1]
        self._after.data = columns
        show_entries(self.entries, [bool(self._without), True, True])
        self.below = self._gaps(rates, best.objective)
        self.caption = "Largest difference: " + "; ".join(
            f"{percent(rate.gap)} points in {_WORDS[rate.name]}"
            + (f" ({percent(self._without[k].gap)} before)" if self._without else "")
            for k, rate in enumerate(rates)
        )

    def frame(self) -> pd.DataFrame:
        rows = [
            (rate, group, name, *numbers)
            for name, source in (("before", self._before), ("after", self._after))
            for (rate, _), group, *numbers in zip(*(source.data[column] for column in _DRAWN), strict=True)
        ]
        return pd.DataFrame(rows, columns=["rate", "group", "constraint", "share (%)", "95 % interval from", "to"])

    def _rates(self, model: Any) -> list[GroupRate]:
        assert self._prepared is not None
        search = self._prepared.search
        names = ("fairness", "loss", "min_group_size")
        return group_rates(model, search.problem, self._matrix, *(search.parameters[name] for name in names))

    def _gaps(self, fair: list[GroupRate], loss: float | None) -> str:
        assert self._prepared is not None
        free = self._prepared.unconstrained
        if free is None or free.incumbent is None:
            return gaps_table([], fair, (NONE, _loss(loss)), True) if fair else ""
        texts = (_loss(free.incumbent.objective), _loss(loss))
        return gaps_table(self._without, fair, texts, free.status is Status.OPTIMAL)


def _loss(value: float | None) -> str:
    return NONE if value is None else count(round(value, 4))
