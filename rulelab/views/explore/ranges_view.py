"""Ranges of rule sets on the page: which columns all, some or none use, how often, and how far groups are apart."""

from __future__ import annotations

import io
from functools import partial
from typing import Any

import panel as pn
import param

from ...rule_set import RuleSetRanges
from ..live.wording import duration
from ..widgets import icons
from ..widgets.download import download
from . import ranges_html
from .beside import Beside
from .finding_sets import FoundSets
from .good import Good
from .good_models import BUTTON
from .ranging import columns_of, gaps_of


class RangesView(Beside):
    """Proves what is true of all rule sets within the distance of what was found, however many there are."""

    caption = "Ranges"

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._columns: RuleSetRanges | None = None
        self._gaps: RuleSetRanges | None = None
        start = pn.widgets.Button(
            label="Find ranges", icon=icons.RUN, on_click=self.find, width=130, disabled=True, **BUTTON
        )
        self._saves = (
            download("Columns (CSV)", "column_ranges.csv", self.columns_csv, width=130, height=38),
            download("Differences (CSV)", "differences.csv", self.differences_csv, width=150, height=38),
        )
        for save in self._saves:
            save.param.update(disabled=True, align="end")
        self._build(start, "Stop", *self._saves)
        self._show()

    @property
    def columns(self) -> RuleSetRanges | None:
        """Who uses each column, once it is known."""
        return self._columns

    @property
    def gaps(self) -> RuleSetRanges | None:
        """What is proven of the chosen groups, once it is known."""
        return self._gaps

    def begin(self, found: Good) -> None:
        super().begin(found)
        self._columns = self._gaps = None
        self._criterion.disabled = not self.attribute
        self._show()

    def find(self, *_: Any) -> None:
        """Find the ranges of all columns, then of the groups."""
        assert isinstance(self._found, FoundSets)
        self._columns = self._gaps = None
        self._work(partial(columns_of, self._found, self.seconds))

    def columns_csv(self) -> io.StringIO:
        """One row per column."""
        assert self._columns is not None
        return io.StringIO(self._columns.columns.to_csv())

    def differences_csv(self) -> io.StringIO:
        """One row per rate and pair of groups, in shares."""
        assert self._gaps is not None
        return io.StringIO(self._gaps.differences.to_csv(index=False))

    def _take(self, result: Any) -> None:
        if result is None:
            return
        if len(result.gaps):
            self._gaps = result
        else:
            self._columns = result
            self._find_gaps()

    @param.depends("attribute", "criterion", watch=True)
    def _find_gaps(self) -> None:
        """Find how far the groups are apart; what is known of the columns stays."""
        self._criterion.disabled = not self.attribute
        if self._filling or self._columns is None:
            return
        self.stop()
        self._job = self._gaps = None
        if self.attribute:
            assert isinstance(self._found, FoundSets)
            self._work(partial(gaps_of, self._found, self.attribute, self.criterion, self.seconds))
        self._show()

    def _show(self) -> None:
        columns, busy = self._columns, self.busy
        with pn.io.hold():
            self._stop.disabled = not busy
            self._start.disabled = not isinstance(self._found, FoundSets) or busy
            for save, known in zip(self._saves, (columns, self._gaps), strict=True):
                save.disabled = known is None
            if busy and self._job is not None:
                said = f"Finding ranges: {self._job.standing}"
                self._status.param.update(tone="busy", phase=said, figures=[])
            elif columns is not None and isinstance(self._found, FoundSets):
                tone, said = ranges_html.verdict(columns, self._found)
                seconds = columns.seconds + (0 if self._gaps is None else self._gaps.seconds)
                self._status.param.update(tone=tone, phase=said, figures=[["search time", duration(seconds)]])
            else:
                self._status.param.update(tone="idle", phase="", figures=[])
            text = ranges_html.said(columns, self._gaps, busy, self.criterion)
            if self._text.object != text:
                self._text.object = text
