"""The fronts of sweeps to look at: live while results come, with the model card of any point."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import partial
from typing import Any

import panel as pn
import param

from ...arguments import short
from ...assets import texts
from ...data.gaps import MEASURED
from ...datasets import Dataset
from ...sweeps import Sweep
from ..cards.view import ModelCard
from ..compare.table import ModelTable
from ..forms.data_settings import TEST_SHARE
from ..live.ticker import Beat
from ..live.wording import Standing
from ..notebook import NotebookViewer
from ..search.plots.base import PlotBox
from ..widgets import icons, style
from ..widgets.fields import KEEP, WIDE, Pinning, button, column, download, pinned_note, row, select, when_page_ends
from ..widgets.html import Html, LiveText
from . import points as front_points
from .plot import LOOKS, FrontPlot, RatesPlot, by_tolerance, swatches_css
from .run import Run, followed

ROC = "roc"
"""The second picture shows the rates of an ROC curve, and no gap; the table keeps the criterion of the fits."""
RATES = "rates"
"""It shows the rates of each group against the largest difference that is allowed."""
_CHAT_TICKS = 8  # ticks between two changes of the status line while only the time goes on
_EMPTY = texts("empty")["fronts"]
_HOW = texts("fronts")["how"]
_UNTESTED = texts("fronts")["untested"].format(TEST_SHARE.title.partition(",")[0].lower())
_FAIRNESS = "Accuracy and fairness"
_WARN_CSS = ".warn { border-left: 4px solid #E69F00; padding: 2px 8px; }"
LINE_CSS = style.sheet("sweep_line.css")
"""What is said of a sweep, in one line with what the figures rest on."""


class FrontView(Pinning, NotebookViewer):
    """Accuracy-complexity and accuracy-fairness fronts of sweeps.

    Parameters
    ----------
    sweeps : Sweep or sequence of Sweep, optional
        Sweeps over the same data and rows, such as one per family. They may still run.
    data : Dataset, optional
        That was swept: gives the model cards the names of the target and of its classes.

    Attributes
    ----------
    on : str
        "test" or "train": the rows that the figures are of.
    criterion : str
        The fairness criterion whose gaps are drawn; instead "roc": the rates of an ROC curve, or "rates": those of each
        group by what is allowed.
    point : str
        The one that is chosen; empty: none.
    boxes : list of PlotBox
        The two pictures, and what stands in the place of the second one where `criterion` is "rates".
    files : Row
        Saves what is drawn.

    Examples
    --------
    In a notebook::

        rl.views.FrontView(rl.sweep(data, "rule_list", sensitive="sex", baselines=["cart"]))
    """

    on: param.Selector[str] = param.Selector(
        default="test",
        objects={words: name for name, words in front_points.PARTS.items()},
        label="Accuracy and gaps on",
    )
    criterion: param.Selector[str] = param.Selector(
        default="equal_opportunity",
        objects={
            **{front_points.criterion_words(name): name for name in MEASURED},
            "no criterion: ROC": ROC,
            "each group by tolerance": RATES,
        },
        label="Fairness criterion",
    )
    point = param.String(default="", doc="The key of the chosen point.")
    hidden = param.List(default=[], item_type=str, doc="Methods that are not drawn.")
    apart = param.Boolean(default=False, doc="Whether `details` has a place of its own on the page.")
    sweeping = param.Boolean(default=False, doc="Whether what is shown still grows.")
    dark = param.Boolean(default=False, doc="Whether the page around is dark.")

    def __init__(self, sweeps: Sweep | Sequence[Sweep] = (), data: Dataset | None = None, **params: Any) -> None:
        given = [sweeps] if isinstance(sweeps, Sweep) else sweeps
        if not isinstance(given, Sequence) or not all(isinstance(one, Sweep) for one in given):
            raise TypeError(f"sweeps must be a rulelab.Sweep or several, not {short(sweeps)}")
        super().__init__(**params)
        self.run: Run | None = None  # what is shown
        self.model: ModelCard | None = None  # of the chosen point
        self._model_of: tuple[Any, ...] = ()
        self._shown: tuple[Any, ...] = ()
        self._ticks = 0
        self._beat = Beat(self.refresh)
        self._context = None if pn.state.curdoc is None else pn.state.curdoc.session_context
        self._build()
        self._restyle()
        when_page_ends(self.close)
        if given:
            self.follow(followed(list(given), data))

    def follow(self, run: Run) -> None:
        """Follow other sweeps from now on; those before end if they were this view's own."""
        if self.run is not None:
            self.run.cancel()
        self.run, self._shown = run, ()
        self.point = ""
        self.complain("")
        self.refresh()
        self._beat.start()

    def close(self) -> None:
        """End what belongs to the view: its own sweeps, a search for a card."""
        if self.run is not None:
            self.run.cancel()
        if self.model is not None:
            self.model.close()
        self._beat.stop()

    def choose(self, key: str) -> None:
        """Choose a point, and show what is said of it."""
        self.point = key
        self._plots[0].into_view()

    def pin(self, key: str) -> None:
        """Pin the model of a point."""
        point = next((p for p in self.points() if p.key == key), None)
        if self.run is not None and point is not None:
            self.hand_on(partial(front_points.card_of, self.run.started, point))

    def refresh(self) -> bool:
        """Show what is new; True while more may come."""
        run = self.run
        busy = run is not None and run.busy  # looked at first: what came before the end is shown below
        with pn.io.hold():
            if run is not None:
                self._tell(run.standing())
                if run.error or run.messages:
                    self.complain(run.error or run.messages)
                self._draw(run)
            self.sweeping = run is not None and run.sweeping
        if self._context is None:
            pn.io.push_notebook(*(box.pane for box in self.boxes))
        return busy

    @property
    def _sweeps(self) -> tuple[Sweep, ...]:
        return () if self.run is None else self.run.started.sweeps

    @property
    def grouped(self) -> bool:
        """Whether there are groups of people to compare."""
        return any(sweep.groups for sweep in self._sweeps)

    @property
    def measured(self) -> str:
        """The criterion of the gaps in the table: the chosen one, else that of a constraint, else the usual one."""
        if self.criterion in MEASURED:
            return self.criterion
        return front_points.constrained(self._sweeps) or self.param.criterion.default

    @property
    def gap(self) -> str | None:
        """The figure of the chosen gap; None without groups."""
        return front_points.gap_name(self.measured) if self.grouped else None

    @property
    def attribute(self) -> str:
        """Whose groups are compared; empty: there are none."""
        return next((" and ".join(sweep.plan.identity["sensitive"]) for sweep in self._sweeps if sweep.groups), "")

    @property
    def untested(self) -> bool:
        """Whether there are figures of training rows only."""
        return any(not sweep.plan.tested for sweep in self._sweeps)

    @property
    def part(self) -> str:
        """The rows that the figures are of: those asked for, or the only ones there are."""
        return "train" if self.untested else self.on

    def points(self, on: str | None = None) -> list[front_points.Point]:
        """What is known, sweep by sweep."""
        found = () if self.run is None else self.run.points[on or self.part]
        return sorted(found, key=lambda p: (p.sweep, p.point))

    def _tell(self, now: Standing) -> None:
        self._ticks += 1
        over = now.tone in ("proven", "limit")  # the phase has the number of fits
        said = [f"{name}: {text}" for name, text in now.figures if not (over and name == "fits done")]
        changed = now.tone != "busy" or not self._status.phase.startswith(now.phase)
        if changed or self._ticks % _CHAT_TICKS == 0:
            self._status.param.update(tone=now.tone, phase="; ".join([now.phase, *said]))

    def _draw(self, run: Run) -> None:
        rates = self.criterion == ROC or not self.grouped
        known = (run, run.points, run.ceiling, self.part, self.gap, rates, self.criterion)
        asked = (*known, self.point, self.dark, self.on_pin, *self.hidden)
        if asked == self._shown:
            return
        self._shown = asked
        points, gap = self.points(), self.gap
        drawn = [p for p in points if p.method not in self.hidden]
        complexity, second, by_group = self._plots
        words = f"on {front_points.PARTS[self.part]} (%)"
        for plot in (complexity, second):
            plot.figure.yaxis.axis_label = f"accuracy {words}"
        second.figure.xaxis.axis_label = f"gap in {front_points.criterion_name(self.measured)} (%)"
        ceiling = run.ceiling if self.part == "train" else ()
        complexity.draw(drawn, front_points.COMPLEXITY, gap, self.point, ceiling)
        if gap is not None and not rates:
            second.draw(drawn, gap, gap, self.point)
        else:
            second.figure.xaxis.axis_label = f"false positive rate {words}"
            second.figure.yaxis.axis_label = f"true positive rate {words}"
            second.draw(drawn, front_points.FALSE_POSITIVES, gap, self.point, (), front_points.TRUE_POSITIVES)
        self.boxes[1].rename("ROC" if rates else _FAIRNESS)
        grouped = self.criterion == RATES and self.grouped
        if grouped:
            counts = MEASURED[self.measured][0].replace("_", " ")
            by_group.draw(by_tolerance(run.started.sweeps, self.measured), counts)
        for box in self.boxes:
            box.refresh()
        present = [method for method in LOOKS if any(p.method == method for p in points)]
        self._methods.param.update(
            options={front_points.LABELS[method]: method for method in present},
            value=[method for method in present if method not in self.hidden],
            stylesheets=[swatches_css(present, self.dark)],
        )
        shown: dict[Any, bool] = {
            **dict.fromkeys(self._criteria, bool(points) and self.grouped),
            self._on: not self.untested,
            self._untested: bool(points) and self.untested,
            **dict.fromkeys((self._places[0], self.files, self._methods), bool(points)),
            self._places[1]: bool(points) and not grouped,
            self._places[2]: bool(points) and grouped,
            self._empty: not points,
        }
        for item, visible in shown.items():
            item.visible = visible
        self.table.more = [front_points.row_of(run.started, p, gap, self.on_pin is not None) for p in points]
        self._summarise(run)

    def _summarise(self, run: Run) -> None:
        """Figures and rates of the chosen point, which may still change."""
        points = self.points()
        found = {on: next((p for p in self.points(on) if p.key == self.point), None) for on in front_points.PARTS}
        p = found[self.part] or found["test"] or found["train"]
        self.details.visible = p is not None
        self._hint.visible = bool(points) and p is None
        if p is None:
            return
        words = f"gap in {front_points.criterion_name(self.measured)}"
        sweep = run.started.sweeps[p.sweep]
        accuracies = {q.point: q.value("accuracy") for q in points if q.sweep == p.sweep}
        notes = [] if p.baseline else front_points.unmet(sweep, p)
        notes += front_points.warning(sweep, p, self.part, accuracies) if sweep.groups else []
        text = front_points.summary(found["test"], found["train"], self.gap, words, notes, sweep.plan.split)
        if sweep.groups:
            text += front_points.rates_of_groups(sweep.rates(p.point, self.part), self.attribute, self.part)
        self._summary.object = text
        self._show_model(run.started, p)

    def _show_model(self, started: front_points.Started, point: front_points.Point) -> None:
        """Show the card of a point's model, once, and whether it can be pinned."""
        known = started.result_of(point) is not None
        if (of := (id(started), point.key, known)) != self._model_of:
            self._model_of = of
            if self.model is not None:
                self.model.close()
            self.model = ModelCard(front_points.card_of(started, point)) if known else None
            self._card.objects = [] if self.model is None else [self.model.__panel__()]
            self._about.object = front_points.about(started, point)
            self._pinned.object = pinned_note()
        self._keep.visible = self._pinned.visible = known and self.on_pin is not None

    def _keep_model(self, *_: Any) -> None:
        shown = self.model
        if shown is not None and (letter := self.hand_on(lambda: shown.card)):
            self._pinned.object = pinned_note(letter)

    @param.depends("on", "criterion", "point", "hidden", "on_pin", watch=True)
    def _redraw(self) -> None:
        if self.run is not None:
            self.refresh()

    @param.depends("dark", watch=True)
    def _restyle(self) -> None:
        with pn.io.hold():
            for plot in self._plots:
                plot.use_dark(self.dark)
            self._redraw()

    def _build(self) -> None:
        self._status = LiveText(caption="Sweep", stylesheets=[style.sheet("slim.css")], margin=0)
        self._alert = LiveText(role="alert", caption="Error", css_classes=["rl-alert"], margin=0)
        tapped = partial(setattr, self, "point")
        self._plots = (
            FrontPlot("Accuracy and complexity", "complexity (rules and conditions)", tapped),
            FrontPlot(_FAIRNESS, "gap (%)", tapped),
            RatesPlot(),
        )
        # on a narrow page it has to stay beside the name of its figure
        narrow = "@media (max-width: 1100px) { :host { width: 232px !important; } }"
        listed = {"stylesheets": [style.SELECT_CSS, narrow]}
        self._on = select(self.param.on, 175, **listed)
        self._criteria = [select(self.param.criterion, 280, visible=False, **listed) for _ in range(2)]
        self.boxes = [
            PlotBox(plot, self._file_name, control)
            for plot, control in zip(self._plots, (self._on, *self._criteria), strict=True)
        ]
        self.files = pn.Row(
            download("All points (CSV)", "points.csv", self.points_csv, width=140, height=38),
            download("All fits (CSV)", "fits.csv", self.fits_csv, width=120, height=38),
            visible=False,
            stylesheets=[style.BAR_CSS],
            margin=0,
        )
        note = Html(_UNTESTED, stylesheets=[style.CARD_CSS], **WIDE)
        # in a column: Panel's view of HTML fails when it is to be shown before it has been drawn
        self._untested = column(note, visible=False, classes="rl-rest")
        said = (self._alert, self._status, self._untested)
        self._line = row(*said, sheets=[style.BAR_CSS, LINE_CSS], classes="rl-row")
        self._places = [
            column(*box.items, visible=False, sheets=[style.PANEL_CSS], classes="rl-wide") for box in self.boxes
        ]
        # the legend: what is taken out of it is taken out of the pictures
        self._methods = pn.widgets.CheckBoxGroup(inline=True, visible=False, **WIDE)
        self._methods.param.watch(self._hide, "value")
        self._empty = Html(_EMPTY, stylesheets=[style.CARD_CSS, style.PANEL_CSS], css_classes=["rl-row"], **WIDE)
        self._hint = column(Html(_HOW, stylesheets=[style.CARD_CSS], **WIDE), visible=False)
        self._summary = Html("", stylesheets=[style.MODEL_CSS, _WARN_CSS], **WIDE)
        self._about = Html("", stylesheets=[style.MODEL_CSS], **WIDE)
        self._keep = button(KEEP, self._keep_model, 120, small=False, icon=icons.PIN, visible=False)
        self._pinned = Html(pinned_note(), stylesheets=[style.MODEL_CSS], margin=0, visible=False)
        self._card = column(sheets=[style.CARDS_CSS])
        bar = pn.Row(self._keep, self._pinned, stylesheets=[style.BAR_CSS], margin=(6, 0))
        both = column(
            column(self._summary, sheets=[style.PANEL_CSS], classes="rl-wide rl-chosen-point"),
            column(self._about, bar, self._card, classes="rl-wide"),
            sheets=[style.VIEW_CSS],
        )
        # the figures and the card of the chosen point
        self.details = column(both, visible=False, classes="rl-row")
        self.table = ModelTable(empty="There is no result yet.", sizing_mode="stretch_width", margin=0)
        self.table.on_page = lambda what, key: self.pin(key) if what == "pin" else self.choose(key)
        table = column(self.table, sheets=[style.PANEL_CSS], classes="rl-row")
        below = [row(self.files, sheets=(), classes="rl-row"), table, self.details]
        near = ":host { margin-top: -8px !important; }"
        self._layout = column(
            *(self._line, self._empty, *self._places),
            column(self._methods, self._hint, sheets=[near], classes="rl-row"),
            *([] if self.apart else below),
            sheets=[style.VIEW_CSS],
            classes="rl-fronts",
        )

    def _hide(self, event: param.parameterized.Event) -> None:
        shown = self._methods.options.values()
        out = [method for method in shown if method not in event.new]
        self.hidden = [*(method for method in self.hidden if method not in shown), *out]

    def _file_name(self) -> str:
        data = None if self.run is None else self.run.started.data
        return "sweep" if data is None else data.name

    def points_csv(self) -> io.StringIO:
        """One row per point on test and on training rows."""
        assert self.run is not None
        return io.StringIO(self.run.summary().to_csv(index=False))

    def fits_csv(self) -> io.StringIO:
        """One row per fit."""
        assert self.run is not None
        return io.StringIO(self.run.fits().to_csv(index=False))
