"""A table of numbers, categories and Booleans turned into named Boolean conditions."""

from __future__ import annotations

import numbers
from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..arguments import ParameterError, Text, is_whole, short
from ..parameters import MAX_CATEGORIES, PARAMETERS
from .columns import (
    ROUNDING,
    Column,
    all_whole,
    as_frame,
    distinct_values,
    listed,
    match_columns,
    plain,
    quantile_cuts,
    read_column,
    read_weights,
    scaled,
)
from .conditions import Condition, NothingFound, attach_conditions, column_name, confusable, in_pandas, unique_names
from .exact_weights import in_units

GROUPS: int = PARAMETERS["thresholds"].default
_COMPARE = {"<=": np.less_equal, ">": np.greater, "==": np.equal, "!=": np.not_equal}


class Binarizer(TransformerMixin, BaseEstimator):
    """Describe every column of a table by Boolean conditions such as ``age <= 23`` and ``sex == Male``.

    Parameters
    ----------
    thresholds : int or dict, default 5
        Number of quantile groups of a numeric column: 10 cuts at the inner deciles. A dict gives the cuts of a column,
        ``{"age": [18, 25, 45]}``, or its number of groups; columns that it does not name get 5.
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

    *Weights.* Whole numbers count as repeated rows, in the quantiles and in the frequencies of categories; other
    weights are first scaled to a mean of 1. Rows of weight zero do not count at all.

    The result is always a DataFrame of bool with the index of the input. It carries its conditions along, through the
    selection of rows and columns and through Parquet files; read them with `rulelab.data.conditions.conditions_of`.
    """

    def __init__(
        self, thresholds: int | Mapping[Any, Any] = GROUPS, negations: bool = True, max_categories: int = 20
    ) -> None:
        self.thresholds = thresholds
        self.negations = negations
        self.max_categories = max_categories

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose the conditions.

        Parameters
        ----------
        X : DataFrame (of pandas, Polars, PyArrow, ...), array, or `rulelab.tables.Table`, shape (n_rows, n_columns)
        y : ignored
        sample_weight : array, shape (n_rows,), optional
            Weights >= 0.

        Raises
        ------
        NothingFound
            No column gives a condition. It is a ValueError, too.
        ValueError
            Infinite numbers, dates, repeated column names, fewer than two rows, unusable weights.
        """
        if hasattr(X, "summaries"):
            if sample_weight is not None:
                raise ValueError(
                    "a table that is counted where it lies takes no sample_weight: name the column of the weights, as "
                    'in table.features("y", weight="w")'
                )
            self._choose(X.columns, X.summaries(partial(self._groups, self.check_parameters(X.columns))), True, X.scale)
        else:
            X = in_pandas(X)
            self._fit(as_frame(X), _has_own_names(X), sample_weight)
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> pd.DataFrame:  # type: ignore[override]
        """`fit`, then `transform` of the same rows.

        Parameters
        ----------
        X : DataFrame or array, shape (n_rows, n_columns)
        y : ignored
        sample_weight : array, shape (n_rows,), optional
        """
        X = in_pandas(X)
        frame = as_frame(X)
        columns = self._fit(frame, _has_own_names(X), sample_weight)
        every_row = len(columns[0].data) == len(frame)
        return self._evaluate(columns, frame.index) if every_row else self._transform(X)

    def transform(self, X: Any) -> pd.DataFrame:
        """Evaluate the conditions: DataFrame of bool, shape (n_rows, n_conditions).

        The columns of a DataFrame are matched by name, in any order; other columns of it are ignored.

        Parameters
        ----------
        X : DataFrame or array, shape (n_rows, n_columns)
            With the columns that were fitted.
        """
        check_is_fitted(self, "conditions_")
        return self._transform(in_pandas(X))

    def _transform(self, X: Any) -> pd.DataFrame:
        frame = match_columns(
            as_frame(X, fitting=False), self.columns_, isinstance(X, pd.DataFrame), type(self).__name__
        )
        columns = [
            read_column(frame.iloc[:, self.columns_.index(name)], name, kind) for name, kind in self._kinds.items()
        ]
        for c in self.conditions_:
            if c.operator == "==" and isinstance(c.value, str) and confusable(c.value):
                c.evaluate(frame[c.column])  # refuses cells that may be this text in another writing
        return self._evaluate(columns, frame.index)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the output columns, object array of shape (n_conditions,).

        Parameters
        ----------
        input_features : sequence of str, optional
            Must be the names of the columns that were fitted, where it is given.
        """
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

    def _fit(self, frame: pd.DataFrame, named: bool, sample_weight: Any) -> list[Column]:
        """Choose the conditions; returns the columns that have some, read on the rows of positive weight."""
        self.check_parameters(frame.columns)
        weight, scale, n_rows = None, None, len(frame)
        if sample_weight is not None:
            weight = read_weights(sample_weight, len(frame), some=True)
            counting = np.flatnonzero(weight)
            frame, weight = frame.iloc[counting], weight[counting]
            n_rows = len(weight)
            if weight.dtype.kind == "f":
                (weight,), _ = in_units([weight])
                scale = Fraction(n_rows, int(weight.sum()))
            else:
                n_rows = int(weight.sum())
        if n_rows < 2:
            raise ValueError(f"the table has n_samples={n_rows}; conditions need at least 2 rows that differ")
        read = ((read_column(frame.iloc[:, k], name), weight) for k, name in enumerate(frame.columns))
        return self._choose(frame.columns, read, named, scale, n_rows)

    def _groups(self, thresholds: Mapping[str, Any], name: str) -> int:
        """In how many groups a column of numbers is cut."""
        wanted = thresholds.get(name)
        if isinstance(wanted, list):
            return 2  # its cuts are given
        return int(wanted or (GROUPS if isinstance(self.thresholds, Mapping) else self.thresholds))

    def _choose(
        self,
        names: Collection[str],
        read: Iterable[tuple[Column, np.ndarray | None]],
        named: bool,
        scale: Fraction | None = None,
        n_rows: int | None = None,
    ) -> list[Column]:
        """Choose the conditions of columns that were read, each with the weights of its cells.

        With a scale the weights are integers of a unit, and sums of them times the scale have a mean of 1.
        """
        thresholds = self.check_parameters(names)
        self.dropped_: list[tuple[str, str]] = []
        self._kinds: dict[str, str] = {}
        found: list[Condition] = []
        columns = []
        for column, weight in read:
            name = column.name
            if name in thresholds and column.kind != "number":
                held = "Booleans" if column.kind == "boolean" else "categories"
                text = Text("{thresholds} names the column {!r}, which holds {}, not numbers", name, held)
                raise ParameterError("thresholds", name, "a column of numbers", text)
            if column.kind == "category":
                conditions = self._of_categories(column, weight, scale)
            else:
                conditions = self._of_numbers(column, weight, scale, thresholds)
            conditions += self._of_missing(column)
            if conditions:
                found += conditions
                columns.append(column)
                self._kinds[name] = column.kind
        if not found:
            reasons = "; ".join(f"{what}: {why}" for what, why in self.dropped_[:5])
            rows = "these rows" if n_rows is None else f"these {n_rows} rows"
            raise NothingFound(f"no column gives a condition on {rows} ({reasons})")
        self.conditions_ = tuple(found)
        self.columns_ = tuple(names)
        self.n_features_in_ = len(self.columns_)
        if named:
            self.feature_names_in_ = np.array(self.columns_, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return columns

    def check_parameters(self, columns: Collection[str]) -> dict[str, Any]:
        """Groups or cuts by column name; a parameter that is unusable for a table of these columns is a ValueError.

        Parameters
        ----------
        columns : collection of str
            Names of the columns of the table.
        """
        MAX_CATEGORIES.check(self.max_categories)
        if not isinstance(self.thresholds, Mapping):
            _check_groups(self.thresholds)
            return {}
        given = {column_name(key): value for key, value in self.thresholds.items()}
        unknown = [name for name in given if name not in columns]
        if unknown:
            text = Text("{thresholds} names columns that the table does not have: {}", listed(unknown))
            raise ParameterError("thresholds", self.thresholds, "groups or cuts of columns of the table", text)
        out: dict[str, Any] = {}
        for name, value in given.items():
            if isinstance(value, numbers.Number):
                _check_groups(value, f"[{name!r}]")
                out[name] = int(value)  # type: ignore[call-overload]
                continue
            cuts = np.asarray(value, dtype=np.float64)
            if isinstance(value, str) or cuts.ndim != 1 or not np.isfinite(cuts).all():
                wanted = "a list of finite numbers"
                text = Text("{thresholds}[{!r}] must be {}, not {}", name, wanted, short(value))
                raise ParameterError("thresholds", value, wanted, text)
            out[name] = [int(cut) if float(cut).is_integer() else float(cut) for cut in np.unique(cuts)]
        return out

    def _of_numbers(
        self, column: Column, weight: np.ndarray | None, scale: Fraction | None, thresholds: Mapping[str, Any]
    ) -> list[Condition]:
        name = column.name
        wanted = thresholds.get(name)
        distinct, counts = distinct_values(column, weight)
        counts = scaled(counts, scale)
        if not self._varies(column, len(distinct)):
            return []
        if column.kind == "boolean":
            values = [bool(value) for value in distinct[::-1]]
            return [Condition(name, "==", value) for value in (values if self.negations else values[:1])]
        if column.kind == "code":
            return self._equalities(name, [plain(v) for v in distinct], counts)
        if len(distinct) == 1 or (wanted is None and len(distinct) == 2 and all_whole(distinct)):
            return [Condition(name, "==", plain(value)) for value in distinct]
        groups = self._groups(thresholds, name)
        cuts = wanted if isinstance(wanted, list) else quantile_cuts(distinct, counts, groups)
        out = []
        for cut in cuts:
            if distinct[0] <= cut < distinct[-1]:
                out += [Condition(name, "<=", cut), Condition(name, ">", cut)]
            else:
                self.dropped_.append((str(Condition(name, "<=", cut)), "the cut has all rows on one side"))
        return out

    def _of_categories(self, column: Column, weight: np.ndarray | None, scale: Fraction | None) -> list[Condition]:
        codes, values = pd.factorize(column.data)
        counts = np.zeros(len(values), dtype=np.int64 if weight is None else weight.dtype)
        present = codes >= 0
        np.add.at(counts, codes[present], 1 if weight is None else weight[present])
        counts = scaled(counts, scale)
        if not self._varies(column, len(values)):
            return []
        n_present = counts.sum()
        if len(values) > self.max_categories and len(values) > n_present / 2 * (1 + ROUNDING):
            why = f"{len(values)} different values on {_count(n_present)} rows: it looks like an identifier"
            self.dropped_.append((column.name, why))
            return []
        order = sorted(range(len(values)), key=lambda k: values[k])
        return self._equalities(column.name, [str(values[k]) for k in order], counts[order])

    def _equalities(self, name: str, values: list[Any], counts: np.ndarray) -> list[Condition]:
        """Conditions on sorted categories; the rarest ones beyond the limit get none."""
        rank = counts if counts.dtype.kind == "i" else np.round(counts / counts.sum() / ROUNDING)  # else none are equal
        kept = np.sort(np.argsort(-rank, kind="stable")[: self.max_categories])
        if len(kept) < len(values):
            rare = len(values) - len(kept)
            rows = counts.sum() - counts[kept].sum()
            why = f"the {rare} rarest of {len(values)} categories ({_count(rows)} rows) get no condition of their own"
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

    def _varies(self, column: Column, n_values: int) -> bool:
        """Whether the column tells rows apart, by its values or by which are missing; if not, it is reported."""
        if n_values == 0:
            self.dropped_.append((column.name, "every cell is missing"))
        elif n_values == 1 and not column.missing.any():
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
        attach_conditions(frame, self.conditions_)
        return frame


def _has_own_names(X: Any) -> bool:
    return isinstance(X, pd.DataFrame) and all(isinstance(label, str) for label in X.columns)


def _count(rows: Any) -> str:
    """Whole numbers in full, weights with six digits."""
    return str(rows) if isinstance(rows, np.integer) else f"{rows:.6g}"


def _check_groups(value: Any, of: str = "") -> None:
    if not is_whole(value, 2):
        wanted = "a whole number of quantile groups of at least 2, or cuts"
        text = Text("{thresholds}{} must be {}; not {}", of, wanted, short(value))
        raise ParameterError("thresholds", value, wanted, text)
