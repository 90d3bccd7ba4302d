"""The pictures of fronts: accuracy against complexity or a gap between groups, rates of an ROC curve, and of groups.

Bare Bokeh: they are drawn again while a sweep runs, and taps on points choose models; `rulelab.plots.front` draws
the finished sweep.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np
import pandas as pd
from bokeh.models import BoxZoomTool, ColumnDataSource, CustomJS, HoverTool, Range1d, ResetTool, TapTool
from bokeh.models.annotations import BoxAnnotation, Label, Slope
from bokeh.plotting import figure

from ...assets import asset, texts
from ...data.gaps import MEASURED
from ...sweeps import FAMILIES, Sweep
from ..live.wording import counted
from ..search.plots.base import Columns, Plot, add_legend, enlarged, new_figure, replace, show_entries
from ..widgets.esc import plain
from ..widgets.style import INK, sheet
from .points import COMPLEXITY, FALSE_POSITIVES, LABELS, PARTS, Point, front, fronts, number, percent


class Look(NamedTuple):
    """How a method looks."""

    marker: str
    light: str
    dark: str

    @property
    def fill(self) -> float:
        """How dense the inside of a filled marker is, so that lines across it are seen."""
        return 0.4 if self.marker.endswith(("_cross", "_pin", "_x")) else 0.9


LOOKS = {method: Look(*look) for method, look in json.loads(sheet("looks.json")).items()}
"""Colours on a light and on a dark page: at least 3 : 1 on either, hues after Okabe and Ito, and Tol."""
COLORS = {method: {False: look.light, True: look.dark} for method, look in LOOKS.items()}
_SHAPES: dict[str, str] = json.loads(asset("markers.json"))  # the markers of Bokeh as SVG, in a square of 14


def swatches_css(methods: Sequence[str], dark: bool) -> str:
    """A style sheet that puts its marker before the check box of each of some methods."""
    rules = [sheet("choices.css", "swatches.css")]
    for place, method in enumerate(methods, 1):
        ink = COLORS[method][dark]
        svg = (
            f"<svg xmlns='http://www.w3.org/2000/svg' width='14' height='14' fill='{ink}' stroke='{ink}'>"
            f"{_SHAPES[LOOKS[method].marker]}</svg>"
        )
        rules.append(f'label:nth-of-type({place}) {{ background-image: url("data:image/svg+xml,{quote(svg)}"); }}')
    return "\n".join(rules)


_DOMINATED = 0.12
_INTERVALS = {True: 0.45, False: 0.1}
"""How strong the lines of a point are: on the front of all methods or chosen; or neither."""
_HEIGHT = 270
_STRIP = (1.1, 1.25, 1.4)
"""Of the strip for methods without a complexity: where it begins, its points, its end; the largest complexity is 1."""
_X, _Y = ("x", "x_low", "x_high"), ("y", "y_low", "y_high")
_POINT = ("key", "label", "marker", "color", "alpha", "lines", *_X, *_Y, "accuracy", "size", "gap", "proof")
_TOOLTIP = texts("tooltips")["point"]

_IMPOSSIBLE = " Shaded: proven, no rule list of these conditions is there."
_NO_METHOD = "Every method is taken out of the picture."
_NO_FIGURE = "No point has this figure: a group lacks the rows it is measured on."

INTO_VIEW = asset("front_into_view.js")
"""Scrolls to the figures of the point, once they are there, and again while they change: unless the user moves."""


class FrontPlot(Plot):
    """Points of all methods, a front per family and one of all methods over what it dominates.

    A method that has no complexity is in a strip of its own at the right, where the axis counts nothing. `on_tap` gets
    the key of the point that was tapped.
    """

    def __init__(self, title: str, x_label: str, on_tap: Callable[[str], None]) -> None:
        self._title, self._on_tap = title, on_tap
        self._asked: tuple[Sequence[Point], str, str | None, Sequence[float], str] = ((), COMPLEXITY, None, (), "")
        self._spans: tuple[float, ...] = ()
        self._points = ColumnDataSource({name: [] for name in _POINT})
        self._chosen = ColumnDataSource({"x": [], "y": []})
        self._overall = ColumnDataSource({"x": [], "y": []})
        self._impossible = ColumnDataSource({"x": [], "y": [], "high": []})
        self._taps = ColumnDataSource({"taps": [0]})
        self._steps = {family: ColumnDataSource({"x": [], "y": []}) for family in FAMILIES}
        self.figure: figure = new_figure(title, x_label, "accuracy (%)", height=_HEIGHT)
        self._build()
        self._points.selected.on_change("indices", self._tapped)

    def frame(self) -> pd.DataFrame:
        """The points that are drawn: both axes, and what stands behind them."""
        points, x, *_, y = self._asked
        axes: list[Any] = [axis.axis_label for axis in (self.figure.xaxis[0], self.figure.yaxis[0])]
        rows = [
            (p.label, _scale(x) * p.value(x), *(100 * share for share in (p.value(y), *_ends(p, y))), p.proof)
            for p in points
        ]
        table = pd.DataFrame(rows, columns=["point", *axes, "95 % interval from", "to", "proof"])
        if x != COMPLEXITY:
            of = "false positives" if x == FALSE_POSITIVES else "gap"
            table[[f"{of} from", f"{of} to"]] = 100 * np.array([_ends(p, x) for p in points]).reshape(-1, 2)
        return table

    def picture(self) -> dict[str, Any]:
        """Drawn anew for a slide, with a legend and without the ring."""
        plot = FrontPlot(self._title, "", lambda key: None)
        points, x, gap, ceiling, y = self._asked
        plot.draw(points, x, gap, None, ceiling, y)
        for own, new in zip(self.figure.axis, plot.figure.axis, strict=True):
            new.axis_label = own.axis_label
        plot.figure.legend[0].visible = True
        return enlarged(plot.figure)

    def draw(
        self,
        points: Sequence[Point],
        x: str,
        gap: str | None,
        chosen: str | None,
        ceiling: Sequence[float] = (),
        y: str = "accuracy",
    ) -> None:
        """Bring the picture up to date.

        `x`: the figure on the horizontal axis. `gap`: the one that the pointer tells; None without groups of people.
        `chosen`: the key of the point with the ring. `ceiling`: the accuracies that no rule list of at most 0, 1, ...
        rules exceeds; what lies above is shaded. `y`: the share on the vertical axis, of which more is better.
        """
        self._asked = points, x, gap, ceiling, y
        placed = [p for p in points if not math.isnan(p.value(x))]
        strip = [p for p in points if math.isnan(p.value(x))] if x == COMPLEXITY else []
        at = {p.key: _drawn(p, x) for p in placed}
        end = max((high for _, _, high in at.values()), default=1)
        end = 100 if x == FALSE_POSITIVES else max(end, 1 if x == COMPLEXITY else 0.1)
        at |= {p.key: [_short(end * _STRIP[1])] * 3 for p in strip}
        lines, overall = fronts(placed, x, y), front(placed, x, y)

        def places(some: Sequence[Point]) -> Columns:
            return {"x": [at[p.key][0] for p in some], "y": [_drawn(p, y)[0] for p in some]}

        best = {p.key for line in lines.values() for p in line} | {p.key for p in strip}
        known, told = [p for p in points if p.key in at], {chosen, *(p.key for p in (*overall, *strip))}
        replace(self._points, self._columns(known, at, best, told))
        for family, steps in self._steps.items():
            replace(steps, places(lines[family]))
        replace(self._chosen, places([p for p in known if p.key == chosen]))
        present = {p.method for p in known}
        show_entries(self._legend, [method in present for method in LOOKS])
        self._guess.visible = x == FALSE_POSITIVES
        self.caption = _caption(known, x) + (_IMPOSSIBLE if ceiling else "")
        if not known:
            self.caption = _NO_FIGURE if points else _NO_METHOD
        steps_of_all = places(overall)
        if overall:
            steps_of_all["x"].append(end if self._guess.visible else _short(end * 1.06))
            steps_of_all["y"].append(steps_of_all["y"][-1])
        replace(self._overall, steps_of_all)
        if known:
            self._shade(ceiling, self._fit(known, end, bool(strip)))
        else:
            self._shade((), 0)

    def _shade(self, ceiling: Sequence[float], high: float) -> None:
        """What is proven impossible: a list of k rules has k conditions at the least, and no smaller complexity."""
        ends = [_short(min(100 * most, high)) for most in ceiling]
        xs, ys = [2 * k for k in range(len(ends) + 1)] if ends else [], [*ends, *ends[-1:]]
        self._area.visible = bool(xs)  # a stepped area without points never ends drawing itself (Bokeh 3.9)
        replace(self._impossible, {"x": xs, "y": ys, "high": [_short(high)] * len(xs)})

    def _columns(
        self, points: Sequence[Point], at: Mapping[str, Sequence[float]], best: set[str], told: set[Any]
    ) -> Columns:
        """The table of points, ``at`` these places; the ``best`` are filled, the lines of those ``told`` are strong."""
        _, _, gap, _, y = self._asked
        rows = [
            {
                "key": p.key,
                "label": f"{p.label}; {plain(p.asked, 90)}" if p.asked else p.label,
                "marker": LOOKS[p.method].marker,
                "color": COLORS[p.method][self._dark],
                "alpha": LOOKS[p.method].fill if p.key in best else _DOMINATED,
                "lines": _INTERVALS[p.key in told],
                **dict(zip(_X, at[p.key], strict=True)),
                **dict(zip(_Y, _drawn(p, y), strict=True)),
                "accuracy": f"{percent(p, 'accuracy')} %",
                "size": number(p, COMPLEXITY),
                "gap": "no groups" if gap is None else f"{percent(p, gap)} %",
                "proof": p.proof,
            }
            for p in points
        ]
        return {name: [row[name] for row in rows] for name in _POINT}

    def _build(self) -> None:
        plot, source = self.figure, self._points
        plot.x_range, plot.y_range = Range1d(start=0, end=10), Range1d(start=0, end=100)
        self._strip = BoxAnnotation(left=0, fill_alpha=0.05, line_alpha=0, visible=False, level="underlay")
        in_corner: dict[str, Any] = {"x": 0, "y": 0, "y_units": "screen", "x_offset": -4, "text_align": "right"}
        self._strip_name = Label(text="no rule count", visible=False, text_font_size="11px", **in_corner)
        plot.add_layout(self._strip)
        plot.add_layout(self._strip_name)
        self._guess = Slope(gradient=1, y_intercept=0, line_dash="dashed", line_alpha=0.5, visible=False)
        plot.add_layout(self._guess)
        overall = self._overall
        hidden: dict[str, Any] = {"visible": False, "name": "impossible", "source": self._impossible}
        self._area = plot.varea_step(x="x", y1="y", y2="high", step_mode="after", fill_alpha=0.1, **hidden)
        self._front = plot.step(x="x", y="y", mode="after", line_width=6, line_alpha=0.16, source=overall, name="front")
        lines = {
            family: plot.step(x="x", y="y", mode="after", line_width=2, line_alpha=0.8, source=steps, name=family)
            for family, steps in self._steps.items()
        }
        line: dict[str, Any] = {"line_color": "color", "line_alpha": "lines", "source": source}
        plot.segment(x0="x", x1="x", y0="y_low", y1="y_high", **line)
        plot.segment(x0="x_low", x1="x_high", y0="y", y1="y", **line)
        inks: dict[str, Any] = {"fill_color": "color", "line_color": "color", "fill_alpha": "alpha", "line_width": 1.5}
        dots = plot.scatter(x="x", y="y", marker="marker", size=11, source=source, name="points", **inks)
        dots.nonselection_glyph = None
        self._ring = plot.scatter(x="x", y="y", size=22, fill_alpha=0, line_width=2, source=self._chosen, name="chosen")
        samples = {
            method: plot.scatter(x=[math.nan], y=[math.nan], marker=look.marker, size=10)
            for method, look in LOOKS.items()
        }
        named = [*((LABELS[method], dots) for method, dots in samples.items()), ("Front of all", self._front)]
        self._legend = add_legend(plot, named, columns=5)[: len(LOOKS)]
        plot.legend[0].visible = False
        show_entries(self._legend, [False] * len(LOOKS))
        hover = HoverTool(renderers=[dots], tooltips=_TOOLTIP, limit=1)
        plot.tools = [hover, TapTool(renderers=[dots]), BoxZoomTool(), ResetTool()]
        plot.toolbar.update(active_drag=None, autohide=True, logo=None)
        plot.toolbar_location = "above"
        self._taps.js_on_change("data", CustomJS(code=INTO_VIEW))
        plot.js_on_event("reset", CustomJS(args={"taps": self._taps}, code=""))  # makes the source known to the page
        self.tinted = [
            *((each.glyph, "line_color", INK) for each in (self._ring, self._front)),
            *((each, "fill_color", INK) for each in (self._area.glyph, self._strip)),
            (self._guess, "line_color", INK),
            (self._strip_name, "text_color", INK),
            *((line.glyph, "line_color", COLORS[family]) for family, line in lines.items()),
            *((dots.glyph, "line_color fill_color", COLORS[method]) for method, dots in samples.items()),
        ]
        self.use_dark(False)

    def _fit(self, known: Sequence[Point], end: float, strip: bool) -> float:
        """Let the axes span what there is, unless that is as before; gives the upper end of the vertical one."""
        heights = [100 * y for p in known for y in _ends(p, self._asked[-1])]
        lowest, highest = (0, 100) if self._guess.visible else (min(heights), max(heights))
        margin = max(0.08 * (highest - lowest), 0.5)
        low, high = lowest - margin, min(highest + margin, 101)
        spans = (end, low, high, strip)
        if spans != self._spans:
            self._spans = spans
            wide = {"start": -0.03 * end, "end": (_STRIP[2] if strip else 1.06) * end}
            for axis, ends in ((self.figure.x_range, wide), (self.figure.y_range, {"start": low, "end": high})):
                axis.update(**ends, reset_start=ends["start"], reset_end=ends["end"])
            for one in (self.figure.xaxis[0], self.figure.xgrid[0]):
                one.bounds = (0, end * 1.06) if strip else "auto"  # nothing is counted in the strip
            self._strip.update(left=end * _STRIP[0], visible=strip)
            self._strip_name.update(x=end * _STRIP[2], visible=strip)
        return high

    def _tapped(self, attr: str, old: list[int], new: list[int]) -> None:
        if new:
            self._points.selected.indices = []
            self._on_tap(self._points.data["key"][min(new)])
            self.into_view()

    def into_view(self) -> None:
        """Let the browser scroll to what is said of the chosen point."""
        self._taps.data = {"taps": [self._taps.data["taps"][0] + 1]}


def _ends(point: Point, name: str = "accuracy") -> tuple[float, float]:
    """Of the interval of a figure; it has no length where none is known."""
    low, high = point.interval(name)
    return (point.value(name),) * 2 if math.isnan(low) else (low, high)


def _scale(x: str) -> int:
    """Counts are shown as they are, rates in per cent."""
    return 1 if x == COMPLEXITY else 100


def _drawn(point: Point, name: str) -> list[float]:
    """Where a figure is drawn, and the ends of its interval."""
    return [_short(_scale(name) * each) for each in (point.value(name), *_ends(point, name))]


def _caption(points: Sequence[Point], x: str) -> str:
    """How many points there are, and which is best in what a picture has beside the other one."""
    if not points:
        return ""
    what, name, best = "most accurate", "accuracy", max(points, key=lambda p: p.value("accuracy"))
    if x == FALSE_POSITIVES:
        return f"{counted(len(points), 'points')}; guessing lies on the dashed line, no error in the corner above."
    if x != COMPLEXITY:
        what, name, best = "smallest gap", x, min(points, key=lambda p: (p.value(x), -p.value("accuracy")))
    share = f"{percent(best, name)} %".replace(" ", "\u00a0")  # stays on one line
    lines = "" if best.tested is None else " Lines are 95 % intervals."
    return f"{counted(len(points), 'points')}; the {what}: {best.label}, {share}.{lines}"


def _short(value: float) -> float:
    return round(value, 3)


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
