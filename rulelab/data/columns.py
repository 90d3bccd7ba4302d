"""The columns of a user's table, checked and read as numbers, Booleans or texts, and the weights of its rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .conditions import as_booleans, as_numbers, as_text, column_name, holds_dates

_NUMBERS = {"integer", "floating", "mixed-integer-float", "decimal", "empty"}
_EXACT_INTEGERS = 2.0**53
ROUNDING = 1e-12
"""Relative, of sums of weights that are not whole numbers."""
_MOST_GROUPS = 1 << 53
_LARGEST_PRODUCT = 1 << 62


class Column(NamedTuple):
    """One input column: kind "boolean", "number", "code" (a category that is a number) or "category" (a text).

    data: float64 or integers, NaN where missing; texts for categories. missing: bool, shape (n_rows,).
    """

    name: str
    kind: str
    data: np.ndarray
    missing: np.ndarray


def typed_rows(X: Any) -> Any:
    """Rows that are lists with cells of several types as an array of these; NumPy would make all of them texts."""
    if not isinstance(X, list | tuple):
        return X
    array = np.asarray(X)
    mixed = array.ndim == 2 and (array.dtype.kind in "US" or len({isinstance(c, bool) for row in X for c in row}) > 1)
    return np.array(X, dtype=object) if mixed else array


def as_frame(X: Any, fitting: bool = True) -> pd.DataFrame:
    """The input as a DataFrame with distinct texts as column names; to be fitted to, it needs rows."""
    if isinstance(X, pd.DataFrame):
        names = [column_name(c) for c in X.columns]
        repeated = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
        if repeated:
            raise ValueError(f"repeated column names: {listed(repeated)}; every column needs a name of its own")
        frame = X.set_axis(names, axis=1)
    else:
        if hasattr(X, "tocsr"):
            raise TypeError("sparse data was passed, but dense data is required; use .toarray()")
        array = np.asarray(typed_rows(X))
        if array.ndim != 2:
            raise ValueError(f"expected a table with two dimensions, found {array.ndim}. Reshape your data")
        frame = pd.DataFrame(array, columns=[f"x{j}" for j in range(array.shape[1])])
    if frame.shape[1] == 0:
        raise ValueError(f"0 feature(s) (shape={frame.shape}) while a minimum of 1 is required.")
    if fitting and frame.shape[0] == 0:
        raise ValueError(f"the table has no rows (shape={frame.shape}); 0 sample(s) while a minimum of 1 is required.")
    return frame


def match_columns(frame: pd.DataFrame, columns: tuple[str, ...], named: bool, estimator: str) -> pd.DataFrame:
    """The fitted columns of a table: by name in a DataFrame, by position in an array."""
    if named:
        missing = [name for name in columns if name not in frame.columns]
        if missing:
            raise ValueError(f"the table has no column named {listed(missing)}, which the fitted one had")
        return frame[list(columns)]
    if frame.shape[1] != len(columns):
        raise ValueError(
            f"X has {frame.shape[1]} features, but {estimator} is expecting {len(columns)} features as input"
        )
    return frame.set_axis(list(columns), axis=1)


def read_column(values: pd.Series, name: str, kind: str | None = None) -> Column:
    """Read a column as the kind it had when fitted, or as the kind it looks like."""
    if holds_dates(values):
        raise ValueError(
            f"column {name!r} holds dates or times; turn it into numbers first, such as its year "
            "(rulelab.datasets.from_frame makes year, month, weekday and hour of it)"
        )
    fitting, kind = kind is None, kind or _kind(values, name)
    missing = values.isna().to_numpy(dtype=bool)
    if fitting and kind in ("category", "code") and (doubt := _doubt(values[~missing])):
        warnings.warn(f"column {name!r} {doubt}", UserWarning, stacklevel=2)
    if kind == "category":
        return Column(name, kind, as_text(values).astype(object).to_numpy(), missing)
    if kind != "boolean" and values.dtype.kind in "iu" and isinstance(values.dtype, np.dtype):
        data = values.to_numpy()
    else:
        data = np.full(len(values), np.nan)
        try:
            data[~missing] = (as_booleans if kind == "boolean" else as_numbers)(values, missing)
        except ValueError as error:
            held = "Booleans" if kind == "boolean" else "numbers"
            raise ValueError(f"column {name!r} held {held} when fitted, but {error}") from None
    infinite = np.flatnonzero(np.isinf(data))
    if infinite.size:
        raise ValueError(f"column {name!r} is infinite in row {infinite[0]} (rows count from 0); replace or remove it")
    return Column(name, kind, data, missing)


def _doubt(present: pd.Series) -> str:
    """What is not used of categories that might be numbers, and what to do if it should be; empty: nothing."""
    if isinstance(present.dtype, pd.CategoricalDtype) and present.dtype.ordered and len(present.dtype.categories) > 2:
        return "holds categories in an order, which is not used: give it as numbers (Series.cat.codes) to have it cut"
    if _writes_numbers(present):
        text = "holds numbers written as text, which are taken for categories: give it as numbers (pandas.to_numeric)"
        return f"{text} if they are some"
    return ""


def _writes_numbers(present: pd.Series) -> bool:
    """Whether most of the cells are texts that write numbers, none of them as codes are, with a zero in front."""
    texts = pd.Series(present.unique(), dtype=object)
    if isinstance(present.dtype, pd.CategoricalDtype) or not all(isinstance(text, str) for text in texts):
        return False
    n = int(pd.to_numeric(texts, errors="coerce").notna().sum())
    others = len(texts) - n  # words for missing cells are few, codes such as "A/5 21171" are many
    return 2 * n > max(4, len(texts)) and others <= max(3, n // 10) and not texts.str.match(r"\s*0\d").any()


def _kind(values: pd.Series, name: str) -> str:
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        kind = _kind(pd.Series(dtype.categories), name)
        return "code" if kind == "number" else kind
    if pd.api.types.is_bool_dtype(dtype):
        return "boolean"
    if isinstance(dtype, pd.StringDtype):
        return "category"
    if pd.api.types.is_complex_dtype(dtype):
        raise ValueError(f"Complex data not supported: column {name!r} holds complex numbers")
    if pd.api.types.is_numeric_dtype(dtype):
        return "number"
    inferred = pd.api.types.infer_dtype(values, skipna=True)
    if inferred == "boolean":
        return "boolean"
    return "number" if inferred in _NUMBERS else "category"


def read_weights(values: Any, n_rows: int, what: str = "sample_weight", some: bool = False) -> np.ndarray:
    """One weight >= 0 per row: int64 where all are whole numbers, else float64; raises ValueError, naming ``what``.

    ``some``: not all may be zero.
    """
    try:
        weight = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{what} must be numbers") from None
    if weight.shape != (n_rows,):
        raise ValueError(f"{what} has shape {weight.shape}, but there are {n_rows} rows; give one number per row")
    wrong = np.flatnonzero(~np.isfinite(weight) | (weight < 0))
    if len(wrong):
        raise ValueError(f"{what}, row {wrong[0]} is {weight[wrong[0]]}; weights must be finite and not negative")
    if some and not weight.any():
        raise ValueError(f"{what} is zero in every row; some row must count")
    whole = (weight == np.floor(weight)).all() and weight.sum() < _EXACT_INTEGERS
    return weight.astype(np.int64) if whole else weight


def listed(names: Iterable[str], limit: int = 10) -> str:
    names = [repr(name) for name in names]
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def distinct_values(column: Column, weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The sorted values of the cells that are present, and the number of rows (or the weight) of each."""
    present = column.data[~column.missing]
    if weight is None:
        return np.unique(present, return_counts=True)
    values, places = np.unique(present, return_inverse=True)
    counts = np.zeros(len(values), dtype=weight.dtype)
    np.add.at(counts, places, weight[~column.missing])
    return values, counts


def scaled(counts: np.ndarray, scale: Fraction | None) -> np.ndarray:
    """Sums of integers times the scale, each the nearest double; they are the same in every order of the rows."""
    if scale is None:
        return counts
    return np.array([int(n) * scale.numerator / scale.denominator for n in counts.tolist()], dtype=np.float64)


def quantile_cuts(distinct: np.ndarray, counts: np.ndarray, groups: int) -> list[float]:
    """Cuts at the inner quantiles of sorted values; where all of them are the maximum, the value below it."""
    where = quantile_positions(counts, groups)
    where = where[where < len(distinct) - 1]
    if not where.size:
        where = np.array([len(distinct) - 2])
    if all_whole(distinct):
        return [plain(distinct[k]) for k in where]
    return [_shortest_decimal(float(distinct[k]), float(distinct[k + 1])) for k in where]


def quantile_positions(counts: np.ndarray, groups: int) -> np.ndarray:
    """Positions of the values on which an inner quantile falls."""
    groups, upto, total = min(groups, _MOST_GROUPS), np.cumsum(counts), counts.sum()
    if counts.dtype.kind == "f":
        shift = ROUNDING * groups * total
        quantile = np.floor(((upto - counts) * groups + shift) / total) + 1
        return np.flatnonzero((quantile < groups) & (quantile * total - shift <= upto * groups))
    if int(total) * groups > _LARGEST_PRODUCT:  # Python's integers
        upto, counts, total = upto.astype(object), counts.astype(object), int(total)
    quantile = (upto - counts) * groups // total + 1
    return np.flatnonzero((quantile < groups) & (quantile * total <= upto * groups))


def _shortest_decimal(low: float, high: float) -> float:
    """The number of fewest decimals in [low, high), the smallest of them: it splits as ``low`` does."""
    for decimals in range(18):
        scale = 10.0**decimals
        for candidate in (round(low, decimals), float(np.ceil(low * scale)) / scale):
            if low <= candidate < high:
                return candidate + 0.0
    return low


def all_whole(values: np.ndarray) -> bool:
    return values.dtype.kind in "iu" or bool((values == np.floor(values)).all() and np.abs(values).max() < 2**53)


def plain(value: Any) -> Any:
    """A Python number, an int where it is whole."""
    number = value.item()
    return int(number) if isinstance(number, float) and number.is_integer() else number
