"""The count of all near-optimal lists or sets on the page: how many there are, and what is certain of all of them."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from typing import Any

import panel as pn
import param

from ...rule_list import NearOptimalCount, NearOptimalCountProgress
from ..live.wording import count, duration
from ..widgets import icons
from ..widgets.download import download
from . import count_html
from .beside import Beside
from .counting import Ranges, Total, count_all, ranges_of, verdict
from .finding import Found
from .good import Good
from .good_models import BUTTON
from .sampling import Sample, draw


class CountView(Beside):
    """Counts all lists, or sets, within the distance of what was found, whether or not they could be listed there.

    Parameters
    ----------
    on_sample : callable, optional
        Takes random lists, or sets, of a complete count, and None when they are forgotten.
    """

    caption = "Count of all"

    def __init__(self, on_sample: Callable[[Sample | None], None] = lambda sample: None, **params: Any) -> None:
        super().__init__(**params)
        self._on_sample = on_sample
        self._sample: Sample | None = None
        self._total: Total | None = None
        self._ranges: Ranges | None = None
        start = pn.widgets.Button(
            label="Count all lists", icon=icons.RUN, on_click=self.count, width=150, disabled=True, **BUTTON
        )
        self._save = download("Lists by cost (CSV)", "lists_by_cost.csv", self.lists_csv, width=150, height=38)
        self._save.param.update(disabled=True, align="end")
        self._build(start, "Stop counting", self._save)
        self._show()

    @property
    def total(self) -> Total | None:
        """The count as it stands."""
        return self._total

    @property
    def sample(self) -> Sample | None:
        """Random lists, or sets, of a complete count, once they are drawn."""
        return self._sample

    @property
    def ranges(self) -> Ranges | None:
        """What is certain of all lists, once it is known."""
        return self._ranges

    @property
    def _ways(self) -> str:
        return "lists" if self._found is None else self._found.ways

    def begin(self, found: Good) -> None:
        super().begin(found)
        self._forget()
        self._start.label = f"Count all {found.ways}"
        self._save.visible = isinstance(found, Found)
        self._show()

    def count(self, *_: Any) -> None:
        """Count all lists, or sets."""
        assert self._found is not None
        self._forget()
        self._work(partial(count_all, self._found, self.seconds))

    def _forget(self) -> None:
        self._total = self._ranges = self._sample = None
        self._on_sample(None)

    def lists_csv(self) -> io.StringIO:
        """The numbers of lists by what they cost."""
        assert self._total is not None
        assert isinstance(self._total.result, NearOptimalCount)
        return io.StringIO(self._total.result.by_objective.to_csv(index=False))

    def _take(self, result: Any) -> None:
        if isinstance(result, Total):
            self._total = result
            self._find_ranges()
        elif isinstance(result, Ranges):
            self._ranges = result
            if self._sample is None and self._found is not None and self._total is not None:
                self._work(partial(draw, self._found, self._total))
        elif isinstance(result, Sample):
            self._sample = result
            self._on_sample(result)

    @param.depends("attribute", "criterion", watch=True)
    def _find_ranges(self) -> None:
        """Find what is certain of all that a complete count counts."""
        self._criterion.disabled = not self.attribute
        found, total = self._found, self._total
        if self._filling or found is None or total is None or not total.result.complete:
            return
        attribute, criterion = self.attribute, self.criterion
        self._work(lambda progress: ranges_of(found, total, attribute, criterion))

    def _show(self) -> None:
        total, busy = self._total, self.busy
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
            elif self._job is not None:
                said = f"Counting all {self._ways}: {self._job.standing}"
                self._status.param.update(tone="busy", phase=said, figures=[])
            else:
                self._status.param.update(tone="idle", phase="", figures=[])
            found, criterion = self._found is not None, self.criterion if self.attribute else ""
            text = count_html.said(total, self._ranges, busy, criterion, self._ways, found)
            if self._sample is not None:
                text += f'<p class="note">In the picture of models, under “All together”: {self._sample.words}.</p>'
            if self._text.object != text:
                self._text.object = text
