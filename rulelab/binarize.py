"""A table of numbers, categories and Booleans turned into named Boolean conditions."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .columns import Column, as_frame, listed, match_columns, read_column
from .conditions import Condition, column_name, unique_names

DEFAULT_GROUPS = 10
_COMPARE = {"<=": np.less_equal, ">": np.greater, "==": np.equal, "!=": np.not_equal}


class Binarizer(TransformerMixin, BaseEstimator):
    """Describe every column of a table by Boolean conditions such as ``age <= 23`` and ``sex == Male``.

    Parameters
    ----------
    thresholds : int or dict, default 10
        Number of quantile groups of a numeric column: 10 cuts at the inner deciles. A dict gives the cuts of a column,
        ``{"age": [18, 25, 45]}``, or its number of groups; columns that it does not name get 10.
    negations : bool, default True
        Also give the negation of each category (``!=``), of each Boolean column (``not``) and of ``is missing``
        (``is present``). Numeric cuts always come in both directions: a rule cannot say ``age > 45`` otherwise.
    max_categories : int, default 20
        Only this many categories of a column, the most frequent ones, get conditions.

    Attributes
    ----------
    conditions_ : tuple of Condition
        One per output column.
    columns_ : tuple of str
        Names of the input columns; those of an array are ``x0``, ``x1``, ...
    dropped_ : list of (str, str)
        What got no condition (a column, a cut, the rarer categories), and why.

    Notes
    -----
    *Numeric columns.* Cuts are observed values (integers in an integer column); in a column with decimals, the shortest
    decimal number that splits the rows in the same way. A column of two integers (0 and 1) gives two equalities.

    *Categories* are texts, columns of pandas' category type, and objects. Where a column has two values, the negation
    of one is the other and is not repeated. A category first seen in `transform` satisfies every ``!=`` and no ``==``.
    A text column with more categories than `max_categories`, most of them on one row, is dropped as an identifier.

    *Missing cells* satisfy ``is missing`` only, a condition that is given where the column had missing cells in `fit`.

    The result is always a DataFrame of bool with the index of the input. Its ``attrs["conditions"]`` holds the tuple of
    conditions, which survives the selection of rows and columns; read it with `rulelab.conditions.conditions_of`.
    """

    def __init__(
        self,
        thresholds: int | Mapping[Any, Any] = DEFAULT_GROUPS,
        negations: bool = True,
        max_categories: int = 20,
    ) -> None:
        self.thresholds = thresholds
        self.negations = negations
        self.max_categories = max_categories

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the conditions. X: DataFrame or array of shape (n_rows, n_columns); y is ignored.

        Raises
        ------
        ValueError
            Infinite numbers, dates, repeated column names, fewer than two rows, or no column that gives a condition.
        """
        self._fit(as_frame(X))
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> pd.DataFrame:
        """`fit`, then `transform` of the same rows."""
        frame = as_frame(X)
        columns = self._fit(frame)
        return self._evaluate(columns, frame.index)

    def transform(self, X: Any) -> pd.DataFrame:
        """Evaluate the conditions: DataFrame of bool, shape (n_rows, n_conditions).

        The columns of a DataFrame are matched by name, in any order; other columns of it are ignored.
        """
        check_is_fitted(self, "conditions_")
        frame = match_columns(as_frame(X), self.columns_, isinstance(X, pd.DataFrame), type(self).__name__)
        columns = [
            read_column(frame.iloc[:, self.columns_.index(name)], name, kind) for name, kind in self._kinds.items()
        ]
        return self._evaluate(columns, frame.index)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the output columns, object array of shape (n_conditions,)."""
        check_is_fitted(self, "conditions_")
        named = getattr(self, "feature_names_in_", None)
        if input_features is not None:
            if named is not None and not np.array_equal(named, np.asarray(input_features, dtype=object)):
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(input_features) != self.n_features_in_:
                raise ValueError(
                    f"input_features should have length equal to number of features ({self.n_features_in_})"
                )
        return np.array(unique_names(map(str, self.conditions_)), dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _fit(self, frame: pd.DataFrame) -> list[Column]:
        thresholds = self._checked_thresholds(frame)
        if len(frame) < 2:
            raise ValueError(f"the table has n_samples={len(frame)}; conditions need at least 2 rows that differ")
        self.dropped_: list[tuple[str, str]] = []
        self._kinds: dict[str, str] = {}
        found: list[Condition] = []
        columns = []
        for position, name in enumerate(frame.columns):
            column = read_column(frame.iloc[:, position], name)
            if name in thresholds and column.kind != "number":
                held = "Booleans" if column.kind == "boolean" else "categories"
                raise ValueError(f"thresholds names the column {name!r}, which holds {held}, not numbers")
            if column.kind == "category":
                conditions = self._of_categories(column)
            else:
                conditions = self._of_numbers(column, thresholds.get(name))
            conditions += self._of_missing(column)
            if conditions:
                found += conditions
                columns.append(column)
                self._kinds[name] = column.kind
        if not found:
            reasons = "; ".join(f"{what}: {why}" for what, why in self.dropped_[:5])
            raise ValueError(f"no column gives a condition on these {len(frame)} rows ({reasons})")
        self.conditions_ = tuple(found)
        self.columns_ = tuple(frame.columns)
        self.n_features_in_ = frame.shape[1]
        if frame.attrs.get("named"):
            self.feature_names_in_ = np.array(self.columns_, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return columns

    def _checked_thresholds(self, frame: pd.DataFrame) -> dict[str, Any]:
        """Groups or cuts by column name; the parameters are checked here."""
        if not _is_integer(self.max_categories) or self.max_categories < 1:
            raise ValueError(f"max_categories must be a whole number of at least 1, not {self.max_categories!r}")
        if not isinstance(self.thresholds, Mapping):
            _check_groups(self.thresholds, "thresholds")
            return {}
        given = {column_name(key): value for key, value in self.thresholds.items()}
        unknown = [name for name in given if name not in frame.columns]
        if unknown:
            raise ValueError(f"thresholds names columns that the table does not have: {listed(unknown)}")
        out: dict[str, Any] = {}
        for name, value in given.items():
            if isinstance(value, numbers.Number):
                _check_groups(value, f"thresholds[{name!r}]")
                out[name] = int(value)  # type: ignore[call-overload]
                continue
            cuts = np.asarray(value, dtype=np.float64)
            if isinstance(value, str) or cuts.ndim != 1 or not np.isfinite(cuts).all():
                raise ValueError(f"thresholds[{name!r}] must be a list of finite numbers, not {value!r}")
            out[name] = [int(cut) if float(cut).is_integer() else float(cut) for cut in np.unique(cuts)]
        return out

    def _of_numbers(self, column: Column, wanted: int | list[float] | None) -> list[Condition]:
        name = column.name
        present = np.sort(column.data[~column.missing])
        if not self._varies(column, len(present) and present[0] != present[-1], len(present)):
            return []
        distinct = present[np.concatenate(([True], present[1:] != present[:-1]))]
        if column.kind == "boolean":
            values = [bool(value) for value in distinct[::-1]]
            return [Condition(name, "==", value) for value in (values if self.negations else values[:1])]
        if column.kind == "code":
            return self._equalities(name, [_plain(v) for v in distinct], _run_lengths(present, distinct))
        if len(distinct) == 1 or (wanted is None and len(distinct) == 2 and _all_whole(distinct)):
            return [Condition(name, "==", _plain(value)) for value in distinct]
        if isinstance(wanted, list):
            cuts = wanted
        else:
            groups = wanted or (DEFAULT_GROUPS if isinstance(self.thresholds, Mapping) else self.thresholds)
            cuts = _quantile_cuts(present, distinct, int(groups))  # type: ignore[arg-type]
        out = []
        for cut in cuts:
            if distinct[0] <= cut < distinct[-1]:
                out += [Condition(name, "<=", cut), Condition(name, ">", cut)]
            else:
                self.dropped_.append((str(Condition(name, "<=", cut)), "the cut has all rows on one side"))
        return out

    def _of_categories(self, column: Column) -> list[Condition]:
        codes, values = pd.factorize(column.data)
        counts = np.bincount(codes[codes >= 0], minlength=len(values))
        n_present = int(counts.sum())
        if not self._varies(column, len(values) > 1, n_present):
            return []
        if len(values) > self.max_categories and len(values) > n_present / 2:
            why = f"{len(values)} different values on {n_present} rows: it looks like an identifier"
            self.dropped_.append((column.name, why))
            return []
        order = sorted(range(len(values)), key=lambda k: values[k])
        return self._equalities(column.name, [str(values[k]) for k in order], counts[order])

    def _equalities(self, name: str, values: list[Any], counts: np.ndarray) -> list[Condition]:
        """Conditions on sorted categories; the rarest ones beyond the limit get none."""
        kept = np.sort(np.argsort(-counts, kind="stable")[: self.max_categories])
        if len(kept) < len(values):
            rare = len(values) - len(kept)
            rows = int(counts.sum() - counts[kept].sum())
            why = f"the {rare} rarest of {len(values)} categories ({rows} rows) get no condition of their own"
            self.dropped_.append((name, f"{why}; max_categories is {self.max_categories}"))
        complete = len(kept) == len(values) == 2  # the negation of one is the other
        operators = ("==", "!=") if self.negations and len(values) > 1 and not complete else ("==",)
        return [Condition(name, operator, values[k]) for k in kept for operator in operators]

    def _of_missing(self, column: Column) -> list[Condition]:
        if not column.missing.any() or column.missing.all():
            return []
        present = column.data[~column.missing]
        repeated = bool((present == present[0]).all())  # "is present" would be the one equality again
        negation = [Condition(column.name, "is present")] if self.negations and not repeated else []
        return [Condition(column.name, "is missing"), *negation]

    def _varies(self, column: Column, differs: Any, n_present: int) -> bool:
        """Whether the column tells rows apart, by its values or by which are missing; if not, it is reported."""
        if n_present == 0:
            self.dropped_.append((column.name, "every cell is missing"))
        elif not differs and n_present == len(column.missing):
            self.dropped_.append((column.name, "constant"))
        else:
            return True
        return False

    def _evaluate(self, columns: list[Column], index: pd.Index) -> pd.DataFrame:
        by_name = {column.name: column for column in columns}
        categories: dict[str, list[str]] = {}
        for c in self.conditions_:
            if isinstance(c.value, str) and c.operator == "==":
                categories.setdefault(c.column, []).append(c.value)
        codes = {name: pd.Index(values).get_indexer(by_name[name].data) for name, values in categories.items()}
        out = np.empty((len(self.conditions_), len(index)), dtype=bool)
        for row, c in zip(out, self.conditions_, strict=True):
            column = by_name[c.column]
            if c.operator == "is missing":
                row[:] = column.missing
            elif c.operator == "is present":
                np.logical_not(column.missing, out=row)
            else:
                text = column.kind == "category"
                data = codes[c.column] if text else column.data
                _COMPARE[c.operator](data, categories[c.column].index(c.value) if text else c.value, out=row)
                if c.operator == "!=" and column.missing.any():
                    row &= ~column.missing
        frame = pd.DataFrame(out.T, index=index, columns=unique_names(map(str, self.conditions_)), copy=False)
        frame.attrs["conditions"] = self.conditions_
        return frame


def _quantile_cuts(present: np.ndarray, distinct: np.ndarray, groups: int) -> list[float]:
    """Cuts at the inner quantiles of sorted values; where all of them are the maximum, the value below it."""
    ranks = np.ceil(np.arange(1, groups) * len(present) / groups - 1e-9).astype(np.int64) - 1
    where = np.unique(np.searchsorted(distinct, present[np.maximum(ranks, 0)]))
    where = where[where < len(distinct) - 1]
    if not where.size:
        where = np.array([len(distinct) - 2])
    if _all_whole(distinct):
        return [_plain(distinct[k]) for k in where]
    return [_shortest_decimal(float(distinct[k]), float(distinct[k + 1])) for k in where]


def _shortest_decimal(low: float, high: float) -> float:
    """The number of fewest decimals in [low, high), the smallest of them: it splits as ``low`` does."""
    for decimals in range(18):
        scale = 10.0**decimals
        for candidate in (round(low, decimals), float(np.ceil(low * scale)) / scale):
            if low <= candidate < high:
                return candidate + 0.0
    return low


def _run_lengths(present: np.ndarray, distinct: np.ndarray) -> np.ndarray:
    return np.diff(np.append(np.searchsorted(present, distinct), len(present)))


def _all_whole(values: np.ndarray) -> bool:
    return values.dtype.kind in "iu" or bool((values == np.floor(values)).all() and np.abs(values).max() < 2**53)


def _plain(value: Any) -> Any:
    """A Python number, an int where it is whole."""
    number = value.item()
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _is_integer(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _check_groups(value: Any, what: str) -> None:
    if not _is_integer(value) or value < 2:
        raise ValueError(f"{what} must be a whole number of quantile groups of at least 2, or cuts; not {value!r}")
