"""Rates of each group of people against the largest difference that is allowed, on training and on test rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from bokeh.models import ColumnDataSource, HoverTool, Range1d

from ...data.gaps import MEASURED
from ...sweeps import Sweep
from ..search.plots.base import Plot, add_legend, new_figure, replace, show_entries
from .plot import COLORS
from .points import PARTS

_NOTHING = "No fits under a fairness constraint yet: fill the front over its largest difference."
_COLUMNS = ("tolerance", "group", "rows", "rate", "low", "high")
_MOST_GROUPS = 8
_DASHES = {"train": "dashed", "test": "solid"}


def by_tolerance(sweeps: Sequence[Sweep], criterion: str) -> pd.DataFrame:
    """The first rate of a criterion (in percent, with its 95 % interval) by tolerance, group and rows."""
    rate, found = MEASURED[criterion][0], []
    for sweep in sweeps:
        for point in sorted({result.point for result in sweep.results}):
            fair = sweep.parameters_of(point).get("fairness")
            if fair is None or not sweep.groups:
                continue
            for on in PARTS if sweep.plan.tested else ("train",):
                rates = sweep.rates(point, on).reindex(sweep.groups)
                figures = 100 * rates[[rate, f"{rate}_low", f"{rate}_high"]].to_numpy(dtype=float)
                found += [
                    (fair.rates()[0].tolerance, group, on, *row)
                    for group, row in zip(rates.index, figures, strict=True)
                ]
    frame = pd.DataFrame(found, columns=list(_COLUMNS)).dropna(subset=["rate"])
    return frame.sort_values(["group", "rows", "tolerance"], ignore_index=True)


class RatesPlot(Plot):
    """A colour for each group; training rows are dashed."""

    def __init__(self) -> None:
        self._asked = pd.DataFrame(columns=list(_COLUMNS)), ""
        self._lines = ColumnDataSource({"xs": [], "ys": [], "color": [], "dash": []})
        self._dots = ColumnDataSource({name: [] for name in (*_COLUMNS, "color", "shown")})
        ranges = Range1d(start=0, end=20), Range1d(start=0, end=100)  # of nothing Bokeh finds none, and says so
        self.figure = new_figure("Rates by tolerance", "largest difference allowed (%)", "", *ranges, height=270)
        self.figure.multi_line("xs", "ys", color="color", line_dash="dash", line_width=2, source=self._lines)
        self.figure.segment("tolerance", "low", "tolerance", "high", color="color", alpha=0.5, source=self._dots)
        dots = self.figure.scatter("tolerance", "rate", color="color", size=7, source=self._dots, name="rates")
        # a legend by a column reads colours of rows that are not drawn yet (Bokeh 3.9)
        self._samples = [self.figure.scatter(x=[math.nan], y=[math.nan], size=7) for _ in range(_MOST_GROUPS)]
        self._legend = add_legend(self.figure, [("", sample) for sample in self._samples], columns=2)
        show_entries(self._legend, [False] * _MOST_GROUPS)
        self.figure.add_tools(HoverTool(renderers=[dots], tooltips="@group, @rows: @rate{0.0} % (@shown)"))

    def frame(self) -> pd.DataFrame:
        """What is drawn."""
        frame, rate = self._asked
        return frame.rename(columns={"rate": f"{rate} (%)", "low": "95 % interval from", "high": "to"})

    def use_dark(self, dark: bool) -> None:
        """Colour for a dark or a light page."""
        self._dark = dark
        self.draw(*self._asked)

    def draw(self, frame: pd.DataFrame, rate: str) -> None:
        """Draw what `by_tolerance` gives; ``rate``: what it counts, in words."""
        self._asked = frame, rate
        names = list(frame["group"].unique())[:_MOST_GROUPS]
        hues = dict(zip(names, (of[self._dark] for of in COLORS.values()), strict=False))
        drawn = frame[frame["group"].isin(names)].assign(tolerance=100 * frame["tolerance"].astype(float))
        drawn["color"] = drawn["group"].map(hues)
        drawn["shown"] = [f"{low:.1f} to {high:.1f}" for low, high in drawn[["low", "high"]].to_numpy(dtype=float)]
        curves = [some for _, some in drawn.groupby(["group", "rows"], sort=False)]
        firsts = [some.iloc[0] for some in curves]
        columns = {
            "xs": [some["tolerance"].tolist() for some in curves],
            "ys": [some["rate"].tolist() for some in curves],
            "color": [first["color"] for first in firsts],
            "dash": [_DASHES[first["rows"]] for first in firsts],
        }
        replace(self._lines, columns)
        test = drawn if "test" not in set(drawn["rows"]) else drawn[drawn["rows"] == "test"]
        replace(self._dots, {str(name): test[name].tolist() for name in test})
        self.figure.yaxis.axis_label = f"{rate} (%)"
        if len(drawn):
            self.figure.x_range.update(start=0, end=1.06 * drawn["tolerance"].max())
            self.figure.y_range.update(start=max(0, drawn["low"].min() - 2), end=min(100, drawn["high"].max() + 2))
        for name, sample, entry in zip(names, self._samples, self._legend, strict=False):
            entry.label = {"value": str(name)}
            sample.glyph.update(line_color=hues[name], fill_color=hues[name])
        show_entries(self._legend, [k < len(names) for k in range(_MOST_GROUPS)])
        lines = "Solid: test rows, with 95 % intervals; dashed: training rows." if len(test) < len(drawn) else ""
        gaps = [np.ptp(some["rate"]) for _, some in drawn[drawn["rows"] == "train"].groupby("tolerance")]
        held = f" On training rows groups are at most {max(gaps):.1f} points apart." if gaps else ""
        self.caption = f"{lines}{held}".strip() if len(drawn) else _NOTHING
