"""The count of all near-optimal lists or sets on the page: how many there are, and what is certain of all of them."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from typing import Any

import panel as pn
import param

from ...report import Near
from ...rule_list import NearOptimalCount, NearOptimalCountProgress
from ..live.job import POOL, Job
from ..live.ticker import Work, Working
from ..live.wording import count, duration, grouped
from ..widgets.buttons import Press, download
from ..widgets.esc import plain
from ..widgets.fields import WIDE, LayoutViewer, alert, row
from ..widgets.html import Html, LiveText
from ..widgets.style import CARD_CSS, PANEL_CSS
from .counting import COUNT_CSS, Ranges, count_all, facts, ranges_of
from .good import Good
from .parts import spaced


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
        self._work = Work(lambda doing: self._show(), POOL)
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
