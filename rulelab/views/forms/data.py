"""The data of the page: a data set by name, or a file that the user has uploaded and given roles to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd

from ... import datasets
from ...datasets import Dataset, DatasetError, Sheet
from ..allowance import ALLOWED, NO_ROOM, SHARES
from ..live.apart import MAX_BYTES, NotDoneError, apart
from ..live.recipe import MAX_CELLS
from ..live.wording import count
from ..widgets.esc import plain
from .reading import read_sheet

FILES = ".csv,.tsv,.txt,.data,.gz,.zip,.xlsx,.parquet"
"""What may be uploaded, as browsers are told."""
UPLOADED = "(uploaded file)"
"""In place of the name of a data set."""
MAX_UPLOAD_BYTES = 100_000_000
MAX_UPLOAD_COLUMNS = 5000
LIMIT = (
    f"CSV, Excel or Parquet, at most {MAX_UPLOAD_BYTES // 10**6} MB, {MAX_CELLS // 10**6} million cells and "
    f"{count(MAX_UPLOAD_COLUMNS)} columns"
)
_AT_ONCE_BYTES = 1_000_000
_PACKED = (b"PAR1", b"\x1f\x8b", b"PK")


@dataclass(frozen=True, eq=False)
class Labelled:
    """An uploaded table, and what each of its columns is used for."""

    sheet: Sheet
    target: str  # name of a column
    positive: Any = None  # the value of it to predict; None: the one of two that is guessed
    sensitive: tuple[str, ...] = ()  # columns whose values are groups to compare
    kept: tuple[str, ...] = ()  # those of them that rules may use, too
    weight: str | None = None  # column that says how much each row counts
    ignored: tuple[str, ...] = ()  # columns that are not used
    drop: bool = False  # whether rows without a target are left out
    # what becomes of rows whose target says that it is not known, see `rulelab.datasets.read`
    unknown: str = "leave out"

    @property
    def name(self) -> str:
        """Of the data set."""
        return self.sheet.name

    @property
    def predicted(self) -> str:
        """What is predicted, in words."""
        return f"{plain(self.target, 60)} = {plain(self.positive, 60)}"

    def dataset(self) -> Dataset:
        """The data set. Raises DatasetError."""
        roles = self._roles
        return self.sheet.dataset(roles.pop("target"), roles.pop("positive", None), **roles)

    def check(self) -> None:
        """Refuse roles that cannot be; raises ValueError."""
        self.dataset()

    def code(self) -> str:
        """Python that reads the same from the file, with ``rl`` for this package."""
        reading = self.sheet.reading
        written = ("encoding", "separator", "decimal", "thousands", "skip", "header", "missing")
        how = {} if reading is None else {name: getattr(reading, name) for name in written}
        how = {name: value for name, value in how.items() if value is not None}
        arguments = ", ".join(f"{name}={value!r}" for name, value in {**self._roles, **how}.items())
        return f"rl.datasets.read({self.sheet.file!r}, {arguments})"

    @property
    def _roles(self) -> dict[str, Any]:
        """The arguments of `rulelab.datasets.read` that are not as ever."""
        kept = set(self.kept) == set(self.sensitive) or list(self.kept)
        chosen = {
            "target": self.target,
            "positive": self.positive,
            "sensitive": list(self.sensitive),
            "keep_sensitive": kept if self.kept else False,
            "weight": self.weight,
            "excluded": list(self.ignored) if self.ignored or self.sheet.identifiers(self.target) else None,
            "drop_missing_target": self.drop,
            "unknown": self.unknown,
        }
        always = ("sensitive", "positive", "excluded")  # else they are guessed
        return {
            name: value
            for name, value in chosen.items()
            if (value is not None if name in always else value and value != "leave out")
        }


def load(name: str) -> Dataset:
    """A data set by its name; one that cannot be fetched is said so in one sentence."""
    try:
        return datasets.load(name)
    except datasets.FetchError as error:
        raise DatasetError(
            f"{name} is not on this machine, and its source cannot be reached: choose other data, or try again later"
        ) from error


def read(
    contents: bytes,
    file_name: str,
    on_cancel: Callable[[Callable[[], Any]], Any] = lambda end: None,  # see `rulelab.views.live.apart.apart`
    **how: Any,  # see `rulelab.datasets.sheet`
) -> Sheet:
    """The sheet of a CSV, Excel or Parquet file; raises ValueError that says, in the words of the page, what is wrong.

    One that is large, or compressed so that it may turn out to be, is read in a process of its own.
    """
    name = PurePath(plain(file_name)).name or "the file"
    if len(contents) > MAX_UPLOAD_BYTES:
        raise DatasetError(f"{name} has {len(contents) / 1e6:.0f} MB; {LIMIT}")
    wanted = contents, name, MAX_CELLS, MAX_UPLOAD_COLUMNS, how
    shown = plain(name, 60)
    try:
        if len(contents) <= _AT_ONCE_BYTES and not contents.startswith(_PACKED):
            return read_sheet(*wanted)
        return _apart(wanted, shown, on_cancel)
    except DatasetError:
        raise
    except NotDoneError as error:
        raise DatasetError(f"{shown} was not read: {error}") from error
    except MemoryError as error:
        most = f"{MAX_BYTES / 1e9:g} GB of memory"
        raise DatasetError(f"{shown} takes more than {most} to read; take fewer columns or rows") from error
    except Exception as error:  # whatever a file may do, the user is told
        raise DatasetError(f"{shown} cannot be read: {type(error).__name__}: {plain(str(error), 200)}") from error


def _apart(wanted: tuple[Any, ...], shown: str, on_cancel: Callable[[Callable[[], Any]], Any]) -> Sheet:
    """Read in a process that may take its part of what the server has left: what it has read comes here, too."""
    if ALLOWED.full:
        raise DatasetError(f"{shown} was not read: {NO_ROOM}")
    with ALLOWED.part(len(SHARES)) as most:
        try:
            found: Sheet = apart(read_sheet, *wanted, on_cancel=on_cancel, most=most)
        except MemoryError as error:
            if most is None or most >= MAX_BYTES:
                raise
            raise DatasetError(f"{shown} was not read: {NO_ROOM}") from error
    return found


FEWEST = 3
"""Classes; of two one is told from the other."""
ALL_CLASSES = "all classes, in one list"
ELSEWHERE = (
    "all classes of {} are predicted by one list, which the tab Search finds; this is of two classes: choose a "
    "positive class in the tab Search, under Roles of columns"
)


@dataclass(frozen=True, eq=False)
class AllClasses(Labelled):
    """The table, of which no class is told from the rest."""

    def dataset(self) -> Dataset:
        """There is none, for it would have two classes."""
        raise DatasetError(ELSEWHERE.format(plain(self.target, 60)))

    def check(self) -> None:
        data, _ = self.labelled()
        weights = None if data.weight is None else data.weight.to_numpy()
        if weights is not None and not (np.mod(weights, 1) == 0).all():
            raise DatasetError(
                f"the weights in {plain(self.weight, 60)} are not all whole numbers, as one list of all classes needs"
            )

    def labelled(self) -> tuple[Dataset, pd.Series]:
        """The columns as conditions are made of them, and the label of each row; raises DatasetError."""
        labels = self.sheet.frame[self.target].dropna().reset_index(drop=True)
        roles = {**self._roles, "positive": labels.iloc[0], "unknown": "negative"}
        data = self.sheet.dataset(roles.pop("target"), roles.pop("positive"), **roles)
        return data, labels

    @property
    def predicted(self) -> str:
        classes = self.sheet.frame[self.target].nunique()
        return f"{plain(self.target, 60)}, all {count(classes)} classes in one list"

    def code(self) -> str:
        """A data set of two classes would be another one."""
        return ""

    @property
    def _roles(self) -> dict[str, Any]:
        return {name: value for name, value in super()._roles.items() if name != "positive"}
