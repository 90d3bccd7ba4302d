"""Parse delimited text with every number exactly as it is written."""

from __future__ import annotations

from typing import Any, TextIO

import pandas as pd

# From 3.1 on pandas rounds correctly by default and deprecates the option that asks for it.
_VERSION = tuple(int(part) for part in pd.__version__.split(".")[:2])
_EXACT: dict[str, Any] = {} if _VERSION >= (3, 1) else {"float_precision": "round_trip"}


def parse_csv(source: TextIO, **options: Any) -> pd.DataFrame:
    """`pandas.read_csv` with exact numbers, one type per column and no column taken for an index."""
    return pd.read_csv(source, index_col=False, low_memory=False, **_EXACT, **options)
