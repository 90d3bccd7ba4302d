"""The rows behind a run: always their hash, and the rows themselves where they are few and have no name elsewhere."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from ..datasets import Dataset

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
