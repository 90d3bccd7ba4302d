"""A matrix of Boolean columns, checked and packed, each column with the condition it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..kernels import bits
from .conditions import Condition, column_name, conditions_of
from .dataframes import in_pandas


@dataclass(frozen=True, eq=False)
class BooleanTable:
    """The mined columns: words (n_columns, n_words(n_rows)), packed along the rows."""

    words: np.ndarray
    n_rows: int
    features: tuple[str, ...]
    conditions: tuple[Condition, ...]


def read_boolean_table(B: Any) -> BooleanTable:
    """Read a DataFrame or array of bool or 0/1, shape (n_rows, n_columns); other cells are an error that names them."""
    B = in_pandas(B)
    if isinstance(B, pd.DataFrame):
        features = tuple(column_name(c) for c in B.columns)
        if len(set(features)) < len(features):
            name = next(name for name in features if features.count(name) > 1)
            raise ValueError(f"repeated column name {name!r}; every column needs a name of its own")
        conditions = conditions_of(B.set_axis(list(features), axis=1))
        boolean = all(dtype == np.bool_ for dtype in B.dtypes)
        matrix = B.to_numpy().T if boolean and B.shape[1] else None
        columns = [] if boolean else [_booleans(B.iloc[:, j], features[j]) for j in range(B.shape[1])]
    else:
        array = np.asarray(B)
        if array.ndim != 2:
            raise ValueError(f"the matrix must have two dimensions (rows, columns), not {array.ndim}")
        features = tuple(f"x{j}" for j in range(array.shape[1]))
        conditions = tuple(Condition(name, "==", True) for name in features)
        matrix = array.T if array.dtype == np.bool_ else None
        columns = (
            [] if matrix is not None else [_booleans(pd.Series(array[:, j]), features[j]) for j in range(len(features))]
        )
    n_rows = len(B)
    if not features or not n_rows:
        raise ValueError(f"the matrix is empty: {n_rows} rows, {len(features)} columns")
    return BooleanTable(bits.pack(np.stack(columns) if matrix is None else matrix), n_rows, features, conditions)


def _booleans(values: pd.Series, name: str) -> np.ndarray:
    missing = values.isna().to_numpy(dtype=bool)
    if missing.any():
        raise ValueError(
            f"column {name!r} has a missing cell in row {np.flatnonzero(missing)[0]}; use rulelab.Binarizer"
        )
    other = ~values.isin([0, 1]).to_numpy(dtype=bool)
    if other.any():
        row = int(np.flatnonzero(other)[0])
        cell = values.iloc[row]
        cell = cell.item() if isinstance(cell, np.generic) else cell
        raise ValueError(
            f"column {name!r} holds {cell!r} in row {row}, not a Boolean or 0/1; "
            "rulelab.Binarizer turns a table into Boolean columns"
        )
    return values.to_numpy().astype(bool)
