"""Reading the data of the page: a data set by its name, or a file that the user has uploaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from ... import datasets
from ...datasets import Dataset, DatasetError, Sheet
from ...datasets.reader import read_sheet
from ..allowance import ALLOWED, NO_ROOM, SHARES
from ..live.apart import MAX_BYTES, NotDoneError, apart
from ..live.recipe import MAX_CELLS
from ..live.wording import count
from ..widgets.esc import plain

FILES = ".csv,.tsv,.txt,.data,.gz,.zip,.xlsx,.parquet"  # what may be uploaded, as browsers are told
UPLOADED = "(uploaded file)"  # in place of the name of a data set
MAX_UPLOAD_BYTES = 100_000_000
MAX_UPLOAD_COLUMNS = 5000
LIMIT = (
    f"CSV, Excel or Parquet, at most {MAX_UPLOAD_BYTES // 10**6} MB, {MAX_CELLS // 10**6} million cells and "
    f"{count(MAX_UPLOAD_COLUMNS)} columns"
)
OnCancel = Callable[[Callable[[], Any]], Any]
"""Is told what ends the work before its time, see `rulelab.views.live.apart.apart`."""
_AT_ONCE_BYTES = 1_000_000
_PACKED = (b"PAR1", b"\x1f\x8b", b"PK")


def load(name: str) -> Dataset:
    """A data set by its name; one that cannot be fetched is said so in one sentence."""
    try:
        return datasets.load(name)
    except datasets.FetchError as error:
        raise DatasetError(
            f"{name} is not on this machine, and its source cannot be reached: choose other data, or try again later"
        ) from error


def read(contents: bytes, file_name: str, on_cancel: OnCancel = lambda end: None, **how: Any) -> Sheet:
    """The sheet of a file; a large or packed one is read in a process of its own. ValueError says what is wrong.

    ``how``: see `rulelab.datasets.sheet`.
    """
    name = PurePath(plain(file_name)).name or "the file"
    if len(contents) > MAX_UPLOAD_BYTES:
        raise DatasetError(f"{name} has {len(contents) / 1e6:.0f} MB; {LIMIT}")
    wanted = contents, name, MAX_CELLS, MAX_UPLOAD_COLUMNS, how
    shown = plain(name, 60)
    room: int | None = None
    try:
        if len(contents) <= _AT_ONCE_BYTES and not contents.startswith(_PACKED):
            return read_sheet(*wanted)
        if ALLOWED.full:
            raise DatasetError(f"{shown} was not read: {NO_ROOM}")
        with ALLOWED.part(len(SHARES)) as room:  # of what the server has left: what is read there comes here, too
            return apart(read_sheet, *wanted, on_cancel=on_cancel, most=room)
    except DatasetError:
        raise
    except NotDoneError as error:
        raise DatasetError(f"{shown} was not read: {error}") from error
    except MemoryError as error:
        if room is not None and room < MAX_BYTES:
            raise DatasetError(f"{shown} was not read: {NO_ROOM}") from error
        most = f"{MAX_BYTES / 1e9:g} GB of memory"
        raise DatasetError(f"{shown} takes more than {most} to read; take fewer columns or rows") from error
    except Exception as error:  # whatever a file may do, the user is told
        raise DatasetError(f"{shown} cannot be read: {type(error).__name__}: {plain(str(error), 200)}") from error
