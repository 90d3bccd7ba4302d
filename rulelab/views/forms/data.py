"""The data of the page: a data set by name, or a file that the user has uploaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import pandas as pd

from ... import datasets
from ..live.recipe import MAX_CELLS
from ..widgets.esc import plain

UPLOADED = "(uploaded file)"
"""In place of the name of a data set."""
MAX_UPLOAD_BYTES = 100_000_000
MAX_LABELS = 50
MAX_GROUPS = 12
"""Most values of a column that is offered as sensitive."""


@dataclass(frozen=True, eq=False)
class Upload:
    """A table that was uploaded, checked when it is made.

    Attributes
    ----------
    name : str
        Of the file, without folder and suffix.
    frame : DataFrame
    file : str
        Name of the file.
    """

    name: str
    frame: pd.DataFrame = field(repr=False)
    file: str = ""

    @classmethod
    def read(cls, contents: bytes, file_name: str) -> Upload:
        """Read a CSV or Parquet file; raises ValueError naming the column and row that cannot be used."""
        path = PurePath(plain(file_name))
        if len(contents) > MAX_UPLOAD_BYTES:
            raise datasets.DatasetError(
                f"{path.name} has {len(contents)} bytes, more than the {MAX_UPLOAD_BYTES} that the page takes"
            )
        frame = datasets.sheet(contents, name=path.name, max_cells=MAX_CELLS).frame
        return cls(path.name.partition(".")[0] or "data", frame, path.name)

    @property
    def columns(self) -> list[str]:
        return [str(column) for column in self.frame.columns]

    def labels(self, target: str) -> list[Any]:
        """The values of a column, one of which may be the positive class: sorted; none when they are too many."""
        values = self.frame[target].dropna().unique().tolist()
        return sorted(values, key=lambda v: (isinstance(v, str), v)) if len(values) <= MAX_LABELS else []

    def grouping(self, target: str) -> list[str]:
        """The columns that may tell groups of people apart: those of a few values, but for the target."""
        few = self.frame.nunique(dropna=False).between(2, MAX_GROUPS)
        return [str(column) for column in self.frame.columns[few.to_numpy()] if str(column) != target]


@dataclass(frozen=True, eq=False)
class Labelled:
    """An uploaded table, and what in it is to be predicted.

    Attributes
    ----------
    upload : Upload
    target : str
        Name of a column.
    positive : object
        The value of it to predict; None: the larger one of two.
    """

    upload: Upload
    target: str
    positive: Any = None

    @property
    def grouping(self) -> list[str]:
        """The columns that may tell groups of people apart."""
        return self.upload.grouping(self.target)

    def dataset(self, sensitive: Sequence[str] = ()) -> datasets.Dataset:
        """The data set; sensitive columns stay features. Raises DatasetError."""
        frame, name = self.upload.frame, self.upload.name
        return datasets.from_frame(frame, self.target, self.positive, list(sensitive), keep_sensitive=True, name=name)

    def code(self, sensitive: Sequence[str] = ()) -> str:
        """Python that reads the same from the file, with ``rl`` for this package."""
        chosen: dict[str, Any] = {"target": self.target, "positive": self.positive}
        if sensitive:
            chosen |= {"sensitive": list(sensitive), "keep_sensitive": True}
        arguments = ", ".join(f"{name}={value!r}" for name, value in chosen.items())
        return f"rl.datasets.read({self.upload.file!r}, {arguments})"
