"""Tables of this server, named when it was started: data sets of the page whose rows are counted where they lie."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ... import datasets, tables
from ...data.binarize import Binarizer
from ...datasets import DatasetError, Sheet
from ...tables import PatternCounts, Table, TableError
from ..live.wording import count
from ..widgets.esc import plain
from .data import OnCancel
from .draft import Draft

PREVIEWED = 1000  # rows that are looked at for the sheet
_LOOK_SECONDS = 0.25
_MOST_CLASSES = 50
_DATES = "dates or times: only a number made of them, such as the year, can be used"


@dataclass(frozen=True)
class Served:
    """A table that the server offers."""

    name: str  # in the list of data sets
    source: str  # where it lies; no visitor sees it
    target: str | None = None  # the column to predict, if it was named when the server was started

    @property
    def file(self) -> str:
        """What visitors see of where it lies."""
        return Path(self.source).name

    def open(self) -> Table:
        """The table, over a connection of its own; raises TableError without the place."""
        try:
            return tables.open(self.source, self.name)
        except TableError as error:
            folder = str(Path(self.source).parent)
            raise TableError(str(error).replace(f"{folder}/", "")) from None


_OFFERED: dict[str, Served] = {}


def offer(sources: list[str], target: str | None = None) -> None:
    """Offer these tables, and no others, on every page of this process; TableError where one cannot be."""
    found: dict[str, Served] = {}
    for source in sources:
        table = tables.open(source)
        name = _name(source)
        if name in found or name in datasets.names():
            raise TableError(f"there is a data set {name!r} already; rename the file {source!r}")
        if target is not None:
            table.require([target])
        found[name] = Served(name, source, target)
    _OFFERED.clear()
    _OFFERED.update(found)


def _name(source: str) -> str:
    """The name of the file without wildcards and endings, or that of its folder."""
    path = Path(source)
    return re.sub(r"[*?\[\]]+", "", path.name.split(".")[0]).strip(" _-") or path.absolute().parent.name or "table"


def offered() -> Mapping[str, Served]:
    """The tables of this server by their names."""
    return _OFFERED


def _watched(work: Callable[[], Any], table: Table, doing: Callable[[], str], report: Callable[[str], None]) -> Any:
    """What ``work`` gives; it is said how far it is, and it is interrupted when nobody wants it any more."""
    report(doing())
    with ThreadPoolExecutor(1, thread_name_prefix=threading.current_thread().name) as pool:
        future = pool.submit(work)
        while True:
            try:
                return future.result(_LOOK_SECONDS)
            except NotYet:
                if future.done():
                    raise
            try:
                done = table.progress
                report(doing() if done is None else f"{doing()}: {100 * done:.0f} % of this pass")
            except BaseException:
                while not future.done():  # a query that has not begun is not interrupted
                    table.interrupt()
                    time.sleep(_LOOK_SECONDS)
                raise


class TableDraft(Draft):
    """A table of this server: its first rows are its sheet, and all are counted where they lie."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self._table = served.open()
        self._classes: dict[str, dict[Any, int]] = {}
        self.chosen = {}
        head = self._table.frame.head(PREVIEWED).collect().to_pandas()
        self._take(Sheet(head, served.name, served.file))
        for name in head.columns:
            if self._unusable(name):
                self.roles[name] = self.chosen[name] = "ignore"
        if served.target is not None:
            self.give(served.target, "target")

    def read_as(self, how: Mapping[str, str], on_cancel: OnCancel = lambda end: None) -> None:
        """A table of the server is as it is."""

    def give(self, name: str, role: str) -> None:
        """Use a column for something else; one that holds dates or the like can only be ignored."""
        why = "" if role == "ignore" else self._unusable(name)
        if not why:
            super().give(name, role)
        self.error = why

    @property
    def lacking(self) -> str:
        if self.target is not None and not self.classes:
            return f"The target has more than {_MOST_CLASSES} different values; choose another column."
        return super().lacking

    def state(self) -> dict[str, Any]:
        """All that the form shows."""
        found = super().state()
        rows = min(PREVIEWED, len(self.sheet.frame))
        said = f"{found['title'].partition(':')[0]}: a table of this server, its first {count(rows)} rows"
        note = (
            f"Missing and distinct values are those of the first {count(rows)} rows; all rows are counted for a search."
        )
        for row in found["columns"]:
            if self._unusable(row["name"]):
                row["notes"] = _DATES if row["type"] in ("date", "time") else "neither numbers, Booleans nor texts"
        said_of_file = [plain(doubt, 300) for doubt in self._table.doubts]
        return {**found, "title": said, "sums": False, "remarks": [*found["remarks"], note, *said_of_file]}

    def _unusable(self, name: str) -> str:
        """Why a column can only be ignored; empty when it can be used."""
        try:
            if name in self._table.columns:
                self._table.kind(name)
        except TableError as error:
            return str(error)
        return ""

    def _labels(self, target: str) -> dict[Any, int]:
        """The classes of the target, of all rows."""
        if target not in self._classes:
            try:
                found = self._table.values(target)
                rows = {v: int(n) for v, n in zip(found["v"], found["n"], strict=True) if v is not None}
            except TableError:
                rows = {}
            few = sorted(rows, key=lambda v: (isinstance(v, str), v)) if len(rows) <= _MOST_CLASSES else []
            self._classes[target] = {label: rows[label] for label in few}
        return self._classes[target]

    @property
    def _may_be_every(self) -> bool:
        """Rows are counted by two classes."""
        return False

    def dataset(self) -> datasets.Dataset:
        """The rows are counted under conditions, so that there is no data set before conditions are chosen."""
        raise DatasetError(f"{self.name} is counted where it lies; its rows are not read")

    def check(self) -> None:
        """Refuse roles that cannot be; raises ValueError."""
        if self.lacking:
            raise DatasetError(self.lacking)
        table = self._features(self.served.open())
        for name in table.columns:
            table.kind(name)

    def count(self, binarizer: Binarizer, share: float, seed: int, report: Callable[[str], None]) -> PatternCounts:
        """Fit the binarizer and count the rows, a share of them apart at random; ends where ``report`` raises."""
        table = self.served.open()
        stage = [f"looking at the columns of {self.name}"]

        def work() -> PatternCounts:
            binarizer.fit(self._features(table))
            stage[0] = f"counting the rows of {self.name}"
            asked = list(self.sensitive), self.weight, None, self.unknown
            assert self.target is not None, "it was accepted"
            return tables.count(table, binarizer, self.target, self.positive, *asked)

        counts = _watched(work, table, lambda: stage[0], report)
        return counts.split_at_random(share, seed) if share else counts

    def code(self) -> str:
        """Python that opens the table, with ``rl`` for this package."""
        return f"rl.tables.open({self.served.file!r})"

    def features_code(self) -> str:
        """Python that names the columns conditions are made of, of a ``table``."""
        aside = ", ".join(map(repr, (self.target, *self._left)))
        more = "" if self.weight is None else f", weight={self.weight!r}"
        more += "" if self.unknown == "leave out" else f", unknown={self.unknown!r}"
        return f"table.features({aside}{more})"

    def count_code(self) -> str:
        """The arguments of `rulelab.tables.count` after the conditions."""
        roles = {name: self._roles.get(name) for name in ("positive", "sensitive", "weight", "unknown")}
        said = [f"{name}={value!r}" for name, value in roles.items() if value not in (None, [])]
        return ", ".join([repr(self.target), *said])

    @property
    def _left(self) -> list[str]:
        """Columns that are no features, besides the target and the weights."""
        return list(dict.fromkeys([*self.ignored, *(name for name in self.sensitive if name not in self.kept)]))

    def _features(self, table: Table) -> Table:
        known = {"unknown": self.unknown, "positive": self.positive}
        assert self.target is not None, "without one nothing is counted"
        return table.features(self.target, *self._left, weight=self.weight, **known)
