"""The rows behind a run: their hash, and where they have no name, they and what each column is for."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from ..arguments import StoreError
from ..datasets import Dataset, sheet
from ..files import load_json

LARGEST_ROWS = 1_000_000
"""Bytes of CSV that are kept."""
_MOST_CELLS = 200_000


def data_hash(data: Dataset) -> str:
    """SHA-256 of all that a search could see: names and values of the columns, the target, groups, weights."""
    found = hashlib.sha256()
    parts = [data.X, data.y.to_frame("target")]
    parts += [] if data.sensitive is None else [data.sensitive]
    parts += [
        each.to_frame(name) for name, each in (("weight", data.weight), ("heads", data.heads)) if each is not None
    ]
    for part in parts:
        found.update("\x1f".join(map(str, part.columns)).encode("utf-8", "surrogatepass") + b"\x1e")
        plainly = part.astype({name: object for name in part if isinstance(part[name].dtype, pd.CategoricalDtype)})
        found.update(pd.util.hash_pandas_object(plainly, index=False).to_numpy().astype("<u8").tobytes())
    return found.hexdigest()


def whole_table(data: Dataset) -> pd.DataFrame | None:
    """All columns, the target with its own labels; None where the rows are too many to be kept."""
    if data.X.size > _MOST_CELLS or data.heads is not None:
        return None
    table = data.X.copy()
    if data.sensitive is not None:
        _put_between(table, data.sensitive)
    if data.weight is not None:
        table[str(data.weight.name)] = data.weight
    table[str(data.target)] = np.where(data.y.to_numpy() == 1, str(data.positive), str(data.negative))
    return table


def training_csv(data: Dataset, test_rows: np.ndarray | None) -> bytes | None:
    """The training rows with the target's own labels, as CSV; None where they are too many to be kept."""
    table = whole_table(data)
    if table is None:
        return None
    if test_rows is not None:
        table = table.drop(index=table.index[test_rows])
    text = table.to_csv(index=False, lineterminator="\n").encode("utf-8", "surrogatepass")
    return text if len(text) <= LARGEST_ROWS else None


def _put_between(table: pd.DataFrame, groups: pd.DataFrame) -> None:
    """Put columns that are no features where both they and the features keep their order."""
    following = None
    for name in reversed(list(groups.columns)):
        if name not in table:
            place = table.shape[1] if following is None else table.columns.get_loc(following)
            table.insert(int(place), name, groups[name])
        following = name


FORMAT = "rulelab table"
HOW = {
    "encoding": "utf-8", "separator": ",", "decimal": ".", "thousands": "", "missing": [""], "skip": 0, "header": True,
}  # fmt: skip
"""How the text of a kept table is read; see `rulelab.datasets.sheet`."""
LARGEST_TABLE = 3 * LARGEST_ROWS
"""Bytes of the file: a text as JSON takes more than alone."""
_MOST_LISTS = 10_000
PARQUET = b"PAR1"
_PACKED: WeakKeyDictionary[Dataset, bytes | None] = WeakKeyDictionary()


@dataclass(frozen=True)
class KeptTable:
    """A table that makes a data set again."""

    name: str  # of the data
    # rows: all rows in their order, as CSV, or as Parquet where types get lost in a text; the target has the labels
    # of two classes
    rows: bytes
    # target, positive: column, and the label that is predicted
    target: str
    positive: str
    # sensitive, kept: columns whose values are groups, and those of them that are features, too
    sensitive: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    weight: str | None = None  # column that says how much a row counts

    @property
    def file(self) -> str:
        """What its file may be called."""
        return f"{self.name or 'data'}.{'csv' if self.how else 'parquet'}"

    @property
    def how(self) -> dict[str, Any]:
        """How the text is read; empty for Parquet."""
        return {} if self.rows.startswith(PARQUET) else HOW

    def dataset(self) -> Dataset:
        """The data set; raises DatasetError."""
        return sheet(self.rows, name=self.name or "data", **self.how).dataset(  # type: ignore[arg-type]
            self.target,
            self.positive,
            list(self.sensitive),
            keep_sensitive=list(self.kept) if self.kept else False,
            weight=self.weight,
        )


def packed(data: Dataset) -> bytes | None:
    """A data set as a file; None where it is too large, or where the file does not give the same data again."""
    if data not in _PACKED:
        _PACKED[data] = _packed(data)
    return _PACKED[data]


def unpacked(content: bytes, hash: str) -> KeptTable:
    """The table of a file from anywhere; StoreError when it is none, or not of the data with this hash."""
    try:
        entry = load_json(content, LARGEST_TABLE, _MOST_LISTS)
        if not isinstance(entry, dict) or entry.pop("format", None) != FORMAT:
            raise ValueError("it is something else")
        table = _table(entry)
        same = data_hash(table.dataset()) == hash
    except (ValueError, TypeError, KeyError) as error:
        raise StoreError(f"the rows of the data {hash[:12]} cannot be read: {str(error)[:200]}") from None
    if not same:
        raise StoreError(f"the rows of the data {hash[:12]} are not what their hash says")
    return table


def _packed(data: Dataset) -> bytes | None:
    table = whole_table(data)
    if table is None:
        return None
    people = () if data.sensitive is None else tuple(map(str, data.sensitive.columns))
    entry = {
        "format": FORMAT,
        "name": str(data.name),
        "target": str(data.target),
        "positive": str(data.positive),
        "sensitive": people,
        "kept": [name for name in people if name in data.X.columns],
        "weight": None if data.weight is None else str(data.weight.name),
    }
    for write in (_as_csv, _as_parquet):
        with suppress(StoreError, ImportError, ValueError, TypeError):  # what this form cannot hold, the next may
            if len(written := write(table)) <= LARGEST_ROWS:
                text = written if isinstance(written, str) else base64.b64encode(written).decode("ascii")
                kind = {"csv" if isinstance(written, str) else "parquet": text}
                content = json.dumps({**entry, **kind}, ensure_ascii=False).encode("utf-8", "replace")
                unpacked(content, data_hash(data))
                return content
    return None


def _as_csv(table: pd.DataFrame) -> str:
    return table.to_csv(index=False, lineterminator="\n")


def _as_parquet(table: pd.DataFrame) -> bytes:
    out = io.BytesIO()
    table.to_parquet(out, index=False)  # an ImportError where no pyarrow is installed
    return out.getvalue()


def _table(entry: dict[str, Any]) -> KeptTable:
    lists = {name: entry.pop(name) for name in ("sensitive", "kept")}
    if not all(isinstance(found, list) and all(isinstance(each, str) for each in found) for found in lists.values()):
        raise ValueError("columns of groups must be a list of names")
    weight = entry.pop("weight")
    texts = entry | ({} if weight is None else {"weight": weight})
    if not all(isinstance(text, str) for text in texts.values()):
        raise ValueError("names must be texts")
    rows = base64.b64decode(entry.pop("parquet"), validate=True) if "parquet" in entry else entry.pop("csv").encode()
    people, kept = (tuple(lists[name]) for name in ("sensitive", "kept"))
    return KeptTable(rows=rows, sensitive=people, kept=kept, weight=weight, **entry)
