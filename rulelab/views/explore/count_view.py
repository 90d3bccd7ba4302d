"""The count of all near-optimal lists or sets on the page: how many there are, and what is certain of all of them."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from typing import Any

import panel as pn
import param
from panel.viewable import Viewer

from ...data.gaps import CRITERIA
from ...rule_list import NearOptimalCount, NearOptimalCountProgress
from ..fronts.points import criterion_words
from ..live.job import Job
from ..live.pool import POOL
from ..live.ticker import Beat
from ..live.wording import count, duration
from ..widgets import icons
from ..widgets.download import download
from ..widgets.esc import plain
from ..widgets.explained import term_classes
from ..widgets.html import Html
from ..widgets.live_text import LiveText
from ..widgets.style import BAR_CSS, CARD_CSS, PANEL_CSS, VIEW_CSS
from . import count_html
from .counting import Ranges, Total, count_all, ranges_of, verdict
from .finding import Found
from .good import Good
from .good_models import ANY, BUTTON, LISTED, WIDE
from .sampling import Sample, draw


class CountView(Viewer):
    """Counts all lists within the distance of what was found, without listing them, or all sets that were found.

    Parameters
    ----------
    on_sample : callable, optional
        Takes random lists of a complete count, and None when they are forgotten.
    """

    attribute: param.Selector[str] = param.Selector(default=ANY, objects={"(none)": ANY}, label="Groups by")
    criterion: param.Selector[str] = param.Selector(
        default="equal_opportunity",
        objects={criterion_words(name): name for name in CRITERIA},
        label="Gap between groups in",
    )

    def __init__(self, on_sample: Callable[[Sample | None], None] = lambda sample: None, **params: Any) -> None:
        super().__init__(**params)
        self._on_sample = on_sample
        self._sample: Sample | None = None
        self._found: Good | None = None
        self._seconds = 60.0
        self._total: Total | None = None
        self._ranges: Ranges | None = None
        self._job: Job | None = None
        self._filling = False
        self._beat = Beat(self.refresh)
        self._build()

    def __panel__(self) -> Any:
        return self._layout

    @property
    def total(self) -> Total | None:
        """The count as it stands."""
        return self._total

    @property
    def sample(self) -> Sample | None:
        """Random lists of a complete count, once they are drawn."""
        return self._sample

    @property
    def ranges(self) -> Ranges | None:
        """What is certain of all lists, once it is known."""
        return self._ranges

    @property
    def _ways(self) -> str:
        return "lists" if self._found is None else self._found.ways

    def begin(self, found: Good, seconds: float) -> None:
        """Forget what was counted: something else has been found, and a count may take so many seconds."""
        self.stop()
        self._job, self._found, self._seconds = None, found, seconds
        self._forget()
        self._filling = True
        self._start.label = f"Count all {found.ways}"
        self._save.visible = isinstance(found, Found)
        options = {"(none)": ANY, **{name: name for name in found.attributes}}
        self.param.attribute.objects = options
        self._attribute.options = options
        if self.attribute not in options.values():
            self.attribute = ANY
        self._filling = False
        self._show()

    def count(self, *_: Any) -> None:
        """Count all lists, or sets."""
        assert self._found is not None
        self._forget()
        self._begin(partial(count_all, self._found, self._seconds))

    def _forget(self) -> None:
        self._total = self._ranges = self._sample = None
        self._on_sample(None)

    def stop(self, *_: Any) -> None:
        """End the count and keep what is certain."""
        if self._job is not None:
            self._job.cancel()

    def close(self) -> None:
        """End what is under way."""
        self.stop()
        self._beat.stop()

    def refresh(self) -> bool:
        """Show what is new; True while more may come."""
        job = self._job
        if job is None:
            return False
        if not job.busy:
            self._job = None
            self._take(job)
        self._show()
        return self._job is not None

    def lists_csv(self) -> io.StringIO:
        """The numbers of lists by what they cost."""
        assert self._total is not None
        assert isinstance(self._total.result, NearOptimalCount)
        return io.StringIO(self._total.result.by_objective.to_csv(index=False))

    def _take(self, job: Job) -> None:
        self._alert.phase = "" if job.result is not None else plain(job.error or "nothing was counted", 600)
        if isinstance(job.result, Total):
            self._total = job.result
            self._find_ranges()
        elif isinstance(job.result, Ranges):
            self._ranges = job.result
            if self._sample is None and isinstance(self._found, Found) and self._total is not None:
                self._begin(partial(draw, self._found, self._total))
        elif isinstance(job.result, Sample):
            self._sample = job.result
            self._on_sample(job.result)

    @param.depends("attribute", "criterion", watch=True)
    def _find_ranges(self) -> None:
        """Find what is certain of all that a complete count counts."""
        self._criterion.disabled = not self.attribute
        found, total = self._found, self._total
        if self._filling or found is None or total is None or not total.result.complete:
            return
        attribute, criterion = self.attribute, self.criterion
        self._begin(lambda progress: ranges_of(found, total, attribute, criterion))

    def _begin(self, work: Any) -> None:
        self.stop()
        self._alert.phase = ""
        self._job = Job(work, POOL)
        self._show()
        self._beat.start()

    def _show(self) -> None:
        job, total = self._job, self._total
        busy = job is not None and job.busy
        with pn.io.hold():
            self._stop.disabled = not busy
            self._start.disabled = self._found is None or busy
            self._save.disabled = total is None or not total.result.complete
            if total is not None:
                tone, said = verdict(total)
                seconds = duration(total.snapshot.seconds)
                figures = [["search time", seconds]]
                if isinstance(total.snapshot, NearOptimalCountProgress):
                    figures = [["counting time", seconds], ["sets of rows", count(total.snapshot.states)]]
                self._status.param.update(tone=tone, phase=said, figures=figures)
            elif job is not None:
                self._status.param.update(tone="busy", phase=f"Counting all {self._ways}: {job.standing}", figures=[])
            else:
                self._status.param.update(tone="idle", phase="", figures=[])
            text = count_html.said(total, self._ranges, busy, self.criterion if self.attribute else "", self._ways)
            if self._sample is not None:
                text += f'<p class="note">In the picture of models, under “All together”: {self._sample.words}.</p>'
            if self._text.object != text:
                self._text.object = text

    def _build(self) -> None:
        select = pn.widgets.Select.from_param
        self._start = pn.widgets.Button(
            label="Count all lists", icon=icons.RUN, on_click=self.count, width=150, disabled=True, **BUTTON
        )
        self._stop = pn.widgets.Button(
            label="Stop counting", icon=icons.STOP, on_click=self.stop, disabled=True, width=150, **BUTTON
        )
        self._attribute = select(
            self.param.attribute, width=170, css_classes=term_classes("sensitive attribute"), **LISTED
        )
        self._criterion = select(
            self.param.criterion, width=330, disabled=True, css_classes=term_classes("gap between groups"), **LISTED
        )
        self._save = download("Lists by cost (CSV)", "lists_by_cost.csv", self.lists_csv, width=150, height=38)
        self._save.param.update(disabled=True, align="end")
        self._status = LiveText(caption="Count of all", css_classes=["rl-row"], **WIDE)
        self._alert = LiveText(role="alert", caption="Error", css_classes=["rl-row"], **WIDE)
        self._text = Html("", stylesheets=[CARD_CSS, PANEL_CSS, count_html.COUNT_CSS], css_classes=["rl-row"], **WIDE)
        self._layout = pn.Column(
            pn.Row(
                self._start, self._stop, self._attribute, self._criterion, self._save,
                stylesheets=[BAR_CSS], css_classes=["rl-row"], **WIDE,
            ),
            self._alert,
            self._status,
            self._text,
            stylesheets=[VIEW_CSS],
            css_classes=["rl-row"],
            **WIDE,
        )  # fmt: skip
        self._show()
