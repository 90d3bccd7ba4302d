"""Data sets: embedded ones, cached or downloaded ones, and the user's own files.

``names()`` lists them, ``load(name)`` gives a `Dataset`, ``read(path, target)`` reads CSV or Parquet, ``sheet(path)``
shows how a file is read and what its columns hold, ``from_frame`` takes a DataFrame. Data that are not embedded are
looked up in the folder `home()`, which the environment variable ``RULELAB_DATA_HOME`` sets, and are fetched from their
source when they are not there; either way their SHA-256 is checked before they are used.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from . import cache
from .cache import home
from .dataset import Dataset, DatasetError, FetchError, from_frame
from .guesses import closest, quote
from .normalise import LOADERS, RECORDS, Record
from .reader import DatasetWarning, read, sheet
from .reading import Reading
from .sheet import Sheet, SheetColumn

__all__ = [
    "Dataset", "DatasetError", "DatasetWarning", "FetchError", "Reading", "Sheet", "SheetColumn", "catalogue",
    "from_frame", "home", "install", "load", "names", "read", "sheet",
]  # fmt: skip


def names() -> dict[str, str]:
    """The data sets by name, embedded ones first, each "embedded", "cached", "download" or "by hand"."""
    return {record.name: _availability(record) for record in RECORDS.values()}


def catalogue() -> pd.DataFrame:
    """The data sets as a table, embedded ones first, indexed by name.

    Returns
    -------
    DataFrame
        Columns availability (``"embedded"``, ``"cached"``, ``"download"`` or ``"by hand"``), rows, features,
        positives, target, positive, sensitive (names joined by a comma), description, source.
    """
    columns = ("rows", "features", "positives", "target", "positive", "sensitive", "description", "source")
    rows = [[getattr(record, name) for name in columns] for record in RECORDS.values()]
    table = pd.DataFrame(rows, pd.Index(list(RECORDS), name="name"), columns)
    table["sensitive"] = table["sensitive"].map(", ".join)
    table.insert(0, "availability", list(names().values()))
    return table


def load(name: str, *, keep_sensitive: bool | Sequence[str] | str | None = None, download: bool = True) -> Dataset:
    """Load a data set by name.

    Parameters
    ----------
    name : str
        One of `names()`.
    keep_sensitive : bool or sequence of str, optional
        Which sensitive attributes are features in X as well: all (True), none (False) or those named. By default all
        but race, as in the CORELS paper. ``Dataset.sensitive`` always has all of them.
    download : bool
        Whether data that are neither embedded nor cached may be fetched.

    Raises
    ------
    DatasetError
        No such data set, a damaged or different file, or no way to fetch it; the message says how to put it in place.
    """
    record = _record(name)
    frame = LOADERS[record.name]() if record.embedded else cache.table(record, download=download)
    return from_frame(
        frame,
        record.target,
        record.positive,
        record.sensitive,
        keep_sensitive=record.kept if keep_sensitive is None else keep_sensitive,
        excluded=record.excluded,
        name=record.name,
        description=record.description,
        source=record.source,
        notes=record.notes,
    )


def install(name: str, path: str | os.PathLike[str]) -> Path:
    """Put a file that was fetched by hand in place: the source's own file or a normalised one.

    Returns
    -------
    Path
        Where the normalised file now is.

    Raises
    ------
    DatasetError
        The file does not become exactly the known data set; nothing is written then.
    """
    record = _record(name)
    if record.embedded:
        raise DatasetError(f"data set {name!r} is embedded; there is nothing to install")
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise DatasetError(f"{path} cannot be read: {error.strerror}") from error
    return cache.install(record, raw, str(path))


def _record(name: str) -> Record:
    if name not in RECORDS:
        hint = closest(str(name), RECORDS)
        raise DatasetError(f"there is no data set {quote(name)}{hint} The data sets are {', '.join(RECORDS)}")
    return RECORDS[name]


def _availability(record: Record) -> str:
    if record.embedded:
        return "embedded"
    if (home() / record.file).is_file():  # its checksum is looked at when it is loaded
        return "cached"
    return "by hand" if record.by_hand else "download"
