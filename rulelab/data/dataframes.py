"""Dataframes of other libraries, as those of pandas."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from ..lazy import as_pandas


def in_pandas(X: Any) -> Any:
    """A dataframe of any library that narwhals knows as one of pandas, all else as it is; raises ValueError."""
    if isinstance(X, pd.DataFrame | np.ndarray | list | tuple):
        return X
    import narwhals as nw

    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise ValueError(
            f"this {type(X).__name__} is not in memory: rulelab.tables.open takes it, and rulelab.tables.count counts "
            "its rows where they lie; or collect it first"
        )
    if not isinstance(frame, nw.DataFrame):
        return X
    what = f"a {type(X).__name__} of {frame.implementation.name.capitalize()}"
    return as_pandas(frame, what, ValueError)


def cell_text(cell: Any) -> str:
    """A cell's own text; a whole number has no decimals, whatever its type."""
    cell = float(cell) if isinstance(cell, Decimal) else cell
    if isinstance(cell, float | np.floating) and float(cell).is_integer():
        return str(int(cell))
    return str(cell)
