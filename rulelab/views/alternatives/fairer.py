"""What is searched for beside the good models: fairer ones, of the least gap at each accuracy, and the count of all."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import panel as pn
import param
from bokeh.models import ColumnDataSource

from ...assets import texts
from ...data.gaps import CONSTRAINED
from ...data.metrics import FEW
from ...frontiers import FrontPoint, frontier
from ...report import Near
from ...rule_list import NearOptimalCount, NearOptimalCountProgress
from ..allowance import ALLOWED, take_memory
from ..fronts.points import criterion_name
from ..live.job import POOL, Job, Progress, run
from ..live.ticker import Work, Working
from ..live.wording import count, counted, duration, grouped
from ..search.plots.base import Columns, PlotBox, Window, new_figure
from ..search.plots.base import replace as refill
from ..widgets.esc import plain
from ..widgets.fields import WIDE, LayoutViewer, alert, column, download, row
from ..widgets.html import Html, LiveText, Press
from ..widgets.style import CARD_CSS, INK, ORANGE, PANEL_CSS, SKY
from .counting import COUNT_CSS, Ranges, count_all, facts, ranges_of
from .good import MEMORY_BYTES, Good
from .parts import spaced
from .plots import HEIGHT, Picture

_SECONDS = (2.0, 60.0, 300.0)  # at once, and each time that more is asked for
_KEPT_BYTES = 300_000_000  # a search that holds more begins anew where more is asked for
_PLACES = 7  # accuracies, from that of one answer for everybody to that of the best list
_TOOLTIP = texts("tooltips")["least gap"]


class Fairer:
    """Models of least gap between groups, as far as they are known."""

    points: tuple[FrontPoint, ...] = ()  # those that have a model, the least accurate one first, each once
    # accuracies, and what no model that is so accurate has a smaller gap than
    bounds: tuple[tuple[float, float], ...] = ()
    open = 0  # at how many of these that is not known to be the least
    among = ""  # which models these are: what they are called, and their size at most

    def __init__(self, found: Good, attribute: str, criterion: str) -> None:
        self._asked = found, attribute, criterion
        self.search: Any = None

    def look(self, seconds: float, progress: Progress) -> None:
        """Search for longer; ValueError when there are no two groups to compare."""
        take_memory()
        self.search = self.search or self._begun()
        run(self.search, seconds, progress, self._take_over, "the search for least gaps")
        if self.search.memory_bytes > _KEPT_BYTES:
            self.search = None

    def _begun(self) -> Any:
        found, attribute, criterion = self._asked
        result, best = found.result, found.model(0)
        problem = replace(result.problem, groups=found.prepared.masses(attribute))
        share = max(problem.total_positive, problem.total_negative) / problem.total_weight
        places = np.floor(1e4 * np.linspace(share, float(1 - best.errors / problem.total_weight), _PLACES)) / 1e4
        given, self.among = _sizes(found, best)
        given |= {"accuracies": places.tolist(), "criterion": CONSTRAINED.get(criterion, criterion)}
        memory = ALLOWED.within(MEMORY_BYTES)
        return frontier(problem, "gap", best.family, min_group_size=FEW, memory_limit=memory, **given)

    def _take_over(self, _: Any) -> str:
        points: tuple[FrontPoint, ...] = self.search.points
        self.points = tuple({point.model: point for point in points if point.model is not None}.values())
        self.open = sum(point.status == "open" for point in points)
        self.bounds = tuple((point.place["min_accuracy"], point.lower_bound) for point in points)
        return "at each accuracy"


def _sizes(found: Good, best: Any) -> tuple[dict[str, Any], str]:
    """How large the models may be, as parameters of the search and in words."""
    asked = found.prepared.search.parameters
    if found.graph is None:
        given = {name: asked[name] for name in ("max_complexity", "form")}
        given |= {"max_conditions": found.result.max_conditions, "loss": "zero_one"}  # accuracy is of what is predicted
        return given, f"sets of at most {counted(asked['max_complexity'], 'rules')} and conditions"
    most = asked.get("max_length")
    most = max(len(best.rules) + 1, int(found.frame["rules"].max())) if most is None else int(most)
    return {"max_length": most}, f"lists of at most {counted(most, 'rules')}"


class FairerDots(Picture):
    """Accuracy against the least gap; what is proven impossible is shaded."""

    title = "Least gap by accuracy"
    names = {"y": "accuracy (%)", "x": "gap (%)", "rules": "rules", "status": "status", "doubt": "doubt"}

    def __init__(self, on_tap: Callable[[int], None] = lambda k: None) -> None:
        self._points = ColumnDataSource({name: [] for name in ("k", *self.names, "said", "fill")})
        self.sources = (self._points,)
        self._others = ColumnDataSource({"x": [], "y": []})
        self._none = ColumnDataSource({"left": [], "right": [], "bottom": [], "top": []})
        self._across, self._up = Window(0, 5), Window(50, 100)
        plot = new_figure(self.title, "gap (%)", "accuracy (%)", self._across, self._up, height=HEIGHT)
        shade = plot.quad(
            left="left", right="right", bottom="bottom", top="top", source=self._none, fill_alpha=0.1, line_alpha=0
        )
        plot.scatter(x="x", y="y", size=6, source=self._others, color=SKY, fill_alpha=0.5, line_alpha=0.8)
        dots = plot.scatter(
            x="x", y="y", size=12, marker="diamond", source=self._points, line_color=ORANGE, fill_color=ORANGE,
            fill_alpha="fill",
        )  # fmt: skip
        self.figure = plot
        self.tinted = [(shade.glyph, "fill_color", INK)]
        self._listen(self._points, dots, _TOOLTIP, on_tap)

    def draw(self, found: Fairer, gaps: np.ndarray, accuracies: np.ndarray, axis: str) -> None:
        """Draw the models of least gap over those near the optimum, whose gaps and accuracies are in per cent."""
        self._asked = (found, gaps, accuracies, axis)
        self.figure.xaxis.axis_label = f"gap in {axis} (%)"
        points, known = found.points, ~np.isnan(gaps)
        x = [100 * (point.true_gap or 0.0) for point in points]
        y = [100 * (point.accuracy or 0.0) for point in points]
        proven, doubts = [point.status == "proven" for point in points], [point.emptied for point in points]
        claims = ["no model as accurate has less" if sure else "not proven" for sure in proven]
        columns: Columns = {"k": list(range(len(points))), "x": x, "y": y, "doubt": doubts}
        columns["rules"] = [len(point.model.rules) for point in points]
        columns["status"] = [point.status for point in points]
        columns["said"] = ["; ".join(filter(None, each)) for each in zip(claims, doubts, strict=True)]
        columns["fill"] = [0.9 if sure else 0.0 for sure in proven]
        refill(self._points, columns)
        refill(self._others, {"x": gaps[known].tolist(), "y": accuracies[known].tolist()})
        from_, least = (100 * np.array(ends) for ends in zip(*found.bounds, strict=True))
        widest, lowest, highest = max(0.1, *x, *gaps[known]), min(from_), max(*from_, *y, *accuracies[known])
        margin = 0.06 * max(highest - lowest, 0.1)
        self._across.span(-0.03 * widest, 1.05 * widest)
        self._up.span(lowest - margin, highest + margin)
        tops, right = [*from_[1:].tolist(), highest + margin], np.minimum(least, 1.05 * widest).tolist()
        refill(self._none, {"left": [0.0] * len(tops), "right": right, "bottom": from_.tolist(), "top": tops})
        shaded = "; shaded: what no model is" if any(least) else ""
        self.caption = (
            f"{counted(len(x), 'models')} of the smallest gap that was found, filled where none is smaller{shaded}; "
            "dots: the good models. Tap a diamond to edit it."
        )


class FairerView(Working, LayoutViewer):
    """The models of least gap between groups, found when it is opened; `on_model` takes one that was tapped."""

    def __init__(self, on_model: Callable[[Any], None], selects: Any, **params: Any) -> None:
        super().__init__(**params)
        self._on_model = on_model
        self._asked: tuple[Any, ...] = ()
        self._effort = 0
        self._work = Work(self._say_busy, POOL, what="the search for fairer models")
        self.fairer: Fairer | None = None
        self._drawn: tuple[Any, ...] = ()
        self._status = LiveText(caption="Fairer ones", **WIDE)
        self._more = Press(self.more_or_stop, width=110, height=34, margin=0, align="end", visible=False)
        self.dots = FairerDots(self.choose)
        self.box = PlotBox(self.dots, lambda: "least_gaps")
        self._plot = column(*self.box.items, sheets=[PANEL_CSS], visible=False)
        self._layout = spaced(row(*selects, self._more), self._status, self._plot)

    def begin(self, found: Good, attribute: str, criterion: str) -> None:
        """Search for them, unless that was done."""
        asked = found, attribute, criterion
        if attribute and asked != self._asked:
            self._asked, self._effort, self.fairer = asked, 0, Fairer(*asked)
            self._search()

    def more_or_stop(self) -> None:
        """Search for longer; while that goes on, end it and keep what it has found."""
        if self._work.busy:
            self._work.cancel()
            return
        self._effort = min(self._effort + 1, len(_SECONDS) - 1)
        self._search()

    def _search(self) -> None:
        assert self.fairer is not None
        self._work.begin(partial(self.fairer.look, _SECONDS[self._effort]), self._take)
        self._more.param.update(label="Stop", visible=True)
        self.refresh()

    def _say_busy(self, doing: str) -> None:
        with pn.io.hold():
            self._status.param.update(tone="busy", phase=f"Searching for least gaps: {doing}")
            self._draw()

    def _take(self, job: Job) -> None:
        with pn.io.hold():
            self._show(job.error or "")

    def _show(self, error: str) -> None:
        found, (_, attribute, criterion) = self.fairer, self._asked
        assert found is not None
        self._draw()
        self._more.param.update(label="Look longer", visible=found.open > 0)
        what = f"the least gap in {criterion_name(criterion)} by {attribute} of {found.among}"
        places = counted(len(found.bounds), "accuracy levels")  # one where the best list is the same for everybody
        phase = f"not certified at {found.open} of {places}: {what}" if found.open else f"certified at {places}: {what}"
        tone = "proven" if found.bounds and not found.open else "limit"
        self._status.param.update(tone=tone, phase=phase if found.bounds else plain(error, 600))

    def _draw(self) -> None:
        """Draw what is new."""
        found, (good, attribute, criterion) = self.fairer, self._asked
        assert found is not None
        self._plot.visible = bool(found.bounds)
        now = (*self._asked, found.points, found.bounds)
        if found.bounds and now != self._drawn:
            self._drawn = now
            axis = f"{criterion_name(criterion)} by {attribute}"
            self.dots.draw(found, good.gaps(attribute, criterion), good.frame["accuracy"].to_numpy(), axis)
            self.box.refresh()

    def choose(self, k: int) -> None:
        if self.fairer is not None and k < len(self.fairer.points):
            self._on_model(self.fairer.points[k].model)


class CountView(Working, LayoutViewer):
    """Counts all lists, or sets, within the distance of what was found, whether or not they could be listed there."""

    groups = param.Tuple(
        default=("", "equal_opportunity"), doc="The attribute, empty: none, and the criterion of gaps."
    )

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.seconds = 60.0  # time limit of what is begun from now on
        self.total: Near | None = None  # the count as it stands
        self.ranges: Ranges | None = None  # what is certain of all lists, once it is known
        self._found: Good | None = None
        self._work = Work(lambda doing: self._show(), POOL, what="another count")
        self._start = Press(self.count_or_stop, width=150, height=34, margin=0)
        self._save = download("Lists by cost (CSV)", "lists_by_cost.csv", self.lists_csv, width=150, small=True)
        self._status = LiveText(caption="Count of all", **WIDE)
        self._alert = alert("Error of the count")
        self._text = Html("", stylesheets=[CARD_CSS, PANEL_CSS, COUNT_CSS], **WIDE)
        self._layout = spaced(row(self._start, self._save), self._alert, self._status, self._text)

    def begin(self, found: Good) -> None:
        """Forget what is known: something else has been found."""
        self._work.forget()
        self._found = found
        self._alert.phase = ""
        self.total = self.ranges = None
        self._show()

    def count_or_stop(self) -> None:
        (self._work.cancel if self._work.busy else self.count)()

    def count(self) -> None:
        assert self._found is not None
        self.total = self.ranges = None
        self._begin(partial(count_all, self._found, self.seconds))

    def lists_csv(self) -> io.StringIO:
        assert self.total is not None
        assert isinstance(self.total.result, NearOptimalCount)
        return io.StringIO(self.total.result.by_objective.to_csv(index=False))

    def _begin(self, work: Callable[[Any], Any]) -> None:
        self._alert.phase = ""
        self._work.begin(work, self._take)
        self._show()

    def _take(self, job: Job) -> None:
        """Keep what was found, and go on with what is found out of it."""
        result = job.result
        self._alert.phase = "" if result is not None else plain(job.error or "nothing was found out", 600)
        if isinstance(result, Near):
            self.total = result
            self._find_ranges()
        elif result is not None:
            self.ranges = result
        self._show()

    @param.depends("groups", watch=True)
    def _find_ranges(self) -> None:
        """Find what is certain of all that a complete count counts."""
        found, total, groups = self._found, self.total, self.groups
        if found is not None and total is not None and total.proven:
            self._begin(lambda progress: ranges_of(found, total, *groups))

    def _show(self) -> None:
        found, total, busy = self._found, self.total, self._work.busy
        ways = "lists" if found is None else found.ways
        with pn.io.hold():
            self._start.label = "Stop counting" if busy else f"Count all {ways}"
            listed = total is not None and total.proven and isinstance(total.result, NearOptimalCount)
            self._save.visible = listed
            if total is not None:
                seconds = duration(total.snapshot.seconds)
                figures = [["search time", seconds]]
                if isinstance(total.snapshot, NearOptimalCountProgress):
                    figures = [["counting time", seconds], ["sets of rows", count(total.snapshot.states)]]
                self._status.param.update(tone=total.tone, phase=grouped(total.counted), figures=figures)
            else:
                phase = f"Counting all {ways}: {self._work.standing}" if busy else ""
                self._status.param.update(tone="busy" if busy else "idle", phase=phase, figures=[])
            self._text.object = facts(total, self.ranges, busy, self.groups[1], ways)
