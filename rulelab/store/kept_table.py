"""The rows of data without a name and what each column is for, so that groups can be counted on another day."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from .. import strict_json
from .data_rows import LARGEST_ROWS, data_hash, training_csv
from .errors import StoreError

if TYPE_CHECKING:
    from ..datasets import Dataset

FORMAT = "rulelab table"
HOW = {"encoding": "utf-8", "separator": ",", "decimal": ".", "thousands": ""}
"""How the text of a kept table is read; see `rulelab.datasets.sheet`."""
LARGEST_TABLE = 3 * LARGEST_ROWS
"""Bytes of the file: a text as JSON takes more than alone."""
_MOST_LISTS = 10_000
_PACKED: WeakKeyDictionary[Dataset, bytes | None] = WeakKeyDictionary()


@dataclass(frozen=True)
class KeptTable:
    """A table that makes a data set again.

    Attributes
    ----------
    name : str
        Of the data.
    csv : bytes
        All rows in their order; the target has the labels of two classes.
    target, positive : str
        Column, and the label that is predicted.
    sensitive, kept : tuple of str
        Columns whose values are groups, and those of them that are features, too.
    weight : str or None
        Column that says how much a row counts.
    """

    name: str
    csv: bytes
    target: str
    positive: str
    sensitive: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    weight: str | None = None

    @property
    def file(self) -> str:
        """What its file may be called."""
        return f"{self.name or 'data'}.csv"

    def dataset(self) -> Dataset:
        """The data set; raises DatasetError."""
        from ..datasets import sheet

        return sheet(self.csv, name=self.name or "data", **HOW).dataset(  # type: ignore[arg-type]
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
    """The table of a file that may come from anywhere.

    Parameters
    ----------
    content : bytes
    hash : str
        That the data have, see `rulelab.store.data_hash`.

    Raises
    ------
    StoreError
        When it is none, or its data are others.
    """
    try:
        entry = strict_json.load(content, LARGEST_TABLE, _MOST_LISTS)
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
    csv = training_csv(data, None)
    if csv is None:
        return None
    people = () if data.sensitive is None else tuple(map(str, data.sensitive.columns))
    entry = {
        "format": FORMAT,
        "name": str(data.name),
        "csv": csv.decode("utf-8", "replace"),
        "target": str(data.target),
        "positive": str(data.positive),
        "sensitive": people,
        "kept": [name for name in people if name in data.X.columns],
        "weight": None if data.weight is None else str(data.weight.name),
    }
    content = json.dumps(entry, ensure_ascii=False).encode("utf-8", "replace")
    try:
        unpacked(content, data_hash(data))
    except StoreError:
        return None
    return content


def _table(entry: dict[str, Any]) -> KeptTable:
    lists = {name: entry.pop(name) for name in ("sensitive", "kept")}
    if not all(isinstance(found, list) and all(isinstance(each, str) for each in found) for found in lists.values()):
        raise ValueError("columns of groups must be a list of names")
    weight = entry.pop("weight")
    texts = entry | ({} if weight is None else {"weight": weight})
    if not all(isinstance(text, str) for text in texts.values()):
        raise ValueError("names must be texts")
    csv = entry.pop("csv").encode()
    people, kept = (tuple(lists[name]) for name in ("sensitive", "kept"))
    return KeptTable(csv=csv, sensitive=people, kept=kept, weight=weight, **entry)
