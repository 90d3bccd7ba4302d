"""A data set with one binary target, checked once when it is made."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..dates import found_parts, is_time, with_parts
from ..lazy import as_pandas
from ..shown import Fact, Shown, figure, percent, rows_below
from .guesses import UNKNOWNS, closest, in_which_rows, is_sensitive, listing, positive_of, quote, unknown_of
from .leaks import leak

DATES = ("parts", "ignore")
"""What becomes of columns of dates."""


class DatasetError(ValueError):
    """A data set cannot be found, read or used; the message says where and what to do."""


class SeveralClassesError(DatasetError):
    """The target has more than two classes, ``found`` says which, and none is said to be the positive one."""

    def __init__(self, found: str) -> None:
        self.found = found
        asked = "say which one is to be predicted (positive=...), the others then count as one class"
        super().__init__(f"{found}; {asked}")


class FetchError(DatasetError):
    """A data set is not on this machine, and its source cannot be reached."""


@dataclass(frozen=True, eq=False)
class Dataset(Shown):
    """A table of features, a binary target and, where known, sensitive attributes.

    Attributes
    ----------
    X : DataFrame, shape (n_rows, n_features)
        The features, indexed 0 .. n_rows - 1. Missing cells are allowed, infinite ones are not.
    y : Series of int64, shape (n_rows,)
        1 for the positive class, 0 for the other; named after the target.
    sensitive : DataFrame or None
        Sensitive attributes, same rows. They are features too only where X has the same columns.
    name : str
        Name of the data set.
    target : str
        Name of the target column.
    positive : object
        The original label that ``y == 1`` stands for.
    description, source : str
        What the data are and where they come from.
    negative : object
        The original label that ``y == 0`` stands for; ``"not <positive>"`` when it stands for several.
    extra : DataFrame or None
        Columns that are no features: scores to compare with, bookkeeping, labels derived from the target.
    notes : str
        What to know before using the data.
    weight : Series or None
        How much each row counts, shape (n_rows,): numbers of at least 0.
    heads : Series of int or None
        Where rows were counted beforehand: for how many rows each row stands.
    forms : dict of str to Form
        How the columns of a text file were read that were not read as they are, for exports of models to its own cells.
    """

    X: pd.DataFrame
    y: pd.Series
    sensitive: pd.DataFrame | None
    name: str
    target: str
    positive: Any
    description: str = ""
    source: str = ""
    negative: Any = None
    extra: pd.DataFrame | None = None
    notes: str = ""
    weight: pd.Series | None = None
    heads: pd.Series | None = None
    forms: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        n_rows, n_features = self.X.shape
        n_positive = int(self.y.sum())
        positives = f"{n_positive} positive ({percent(n_positive / n_rows)} %)"
        return f"Dataset({self.name!r}: {n_rows} rows, {n_features} features, {positives})"

    def _title(self) -> str:
        return f"Dataset {self.name}"

    def _facts(self) -> Iterator[Fact]:
        yield "rows", len(self.X)
        yield "features", self.X.shape[1]
        yield "target", f"{self.target} = {self.positive} in {int(self.y.sum())} of {len(self.y)} rows"
        yield "negative class", self.negative
        people = () if self.sensitive is None else self.sensitive.columns
        yield "sensitive", tuple(f"{name} ({'also' if name in self.X else 'not'} a feature)" for name in people)
        yield "weighted by", None if self.weight is None else str(self.weight.name)
        yield "not features", () if self.extra is None else tuple(map(str, self.extra))
        yield "missing cells", int(self.X.isna().to_numpy().sum()) or None
        yield "what", self.description or None
        yield "from", self.source or None
        yield "to know", self.notes or None

    def _below(self) -> str:
        return rows_below(self.X, most=5)

    def count(self, rows: np.ndarray) -> int:
        """How many rows these are, by their positions, as they were before they were counted."""
        return len(rows) if self.heads is None else int(self.heads.iloc[rows].sum())

    @property
    def share(self) -> float:
        """That of the rows that are of the positive class, from 0 to 1."""
        heads = None if self.heads is None else self.heads.to_numpy()
        return float(np.average(self.y.to_numpy(), weights=heads))

    def leaks(self) -> dict[str, str]:
        """The features that alone tell the class of nearly all rows, with the evidence; are they known beforehand?"""
        heads = None if self.heads is None else self.heads.to_numpy()
        found = {str(name): leak(self.X[name], self.y.to_numpy(), heads) for name in self.X.columns}
        return {name: evidence for name, evidence in found.items() if evidence}

    def weight_of(self, rows: np.ndarray) -> pd.Series | None:
        """How much rows count, by their positions; None where all count alike."""
        return None if self.weight is None else self.weight.iloc[rows]

    def summary(self) -> str:
        """What the data are, their size, the target, the sensitive attributes, the source: a line each."""
        known = ((name, value) for name, value in self._facts() if value not in (None, ()))
        return "\n".join([self.name, *(f"{name}: {figure(value)}" for name, value in known)])


def from_frame(
    frame: pd.DataFrame,
    target: str,
    positive: Any = None,
    sensitive: Sequence[str] | str | None = None,
    *,
    keep_sensitive: bool | Sequence[str] | str = False,
    excluded: Sequence[str] = (),
    weight: str | None = None,
    dates: str = "parts",
    drop_missing_target: bool = False,
    unknown: str = "leave out",
    name: str = "data",
    description: str = "",
    source: str = "",
    notes: str = "",
) -> Dataset:
    """Make a `Dataset` of a table.

    Parameters
    ----------
    frame : DataFrame
        Of pandas, or of a library that narwhals knows, in memory. One row per case. Not changed.
    target, positive, sensitive, keep_sensitive, weight, drop_missing_target, unknown
        As for `read`.
    excluded : sequence of str
        Columns that are no features; they go to ``Dataset.extra``.
    dates : str
        Columns of dates, times and durations (of such types; texts stay texts) are features as "parts", their year,
        month, weekday and hour, or not at all: "ignore".
    name, description, source, notes : str
        Carried over.

    Raises
    ------
    DatasetError
        Duplicate or missing columns, no rows, no features, missing or infinite values where none may be, a target
        without exactly two classes. Rows are counted from 1, without the header.
    """
    frame = _in_pandas(frame).reset_index(drop=True)
    frame.columns = [str(column) for column in frame.columns]
    check_names(list(frame.columns))
    excluded = _listed(excluded)
    guessed = sensitive is None
    sensitive = _by_name(frame, target, weight, excluded) if sensitive is None else _listed(sensitive)
    _check_roles(
        list(frame.columns),
        {"target": [target], "weight": _listed(weight or ()), "sensitive": sensitive, "excluded": excluded},
    )
    if not len(frame):
        raise DatasetError("there is a header but no row of data below it")
    said = [notes]
    frame = _with_dates(frame, dates, {target, weight, *sensitive, *excluded}, said)
    if drop_missing_target:
        frame = _with_target(frame, target, said)
    frame = _with_known_target(frame, target, positive, unknown, said)
    _check_finite(frame.drop(columns=list(excluded)))
    weights = None if weight is None else _weights(frame[weight])
    positive, negative, y = _binary(frame[target], positive)
    kept = sensitive if keep_sensitive is True else _listed(keep_sensitive or ())
    strangers = [c for c in kept if c not in sensitive]
    if strangers:
        raise DatasetError(f"column {quote(strangers[0])} is to be kept but is no sensitive attribute")
    out = {target, weight, *excluded, *(c for c in sensitive if c not in kept)}
    features = [c for c in frame.columns if c not in out]
    if guessed and sensitive:
        said.append(f"sensitive by name: {listing(sensitive)}" + ("" if kept else ", not for rules unless kept"))
    if not features:
        raise DatasetError(
            f"no column is left as a feature besides the target {quote(target)} and the columns set aside"
        )
    return Dataset(
        X=frame[features].copy(),
        y=y,
        sensitive=frame[sensitive].copy() if sensitive else None,
        name=name,
        target=target,
        positive=positive,
        description=description,
        source=source,
        negative=negative,
        extra=frame[list(excluded)].copy() if excluded else None,
        notes="; ".join(filter(None, said)),
        weight=weights,
    )


def _with_dates(frame: pd.DataFrame, dates: str, others: Collection[str | None], said: list[str]) -> pd.DataFrame:
    """The table with parts in place of columns of dates, and of categories in an order, but the others; said."""
    if dates not in DATES:
        raise DatasetError(f"dates must be one of {', '.join(map(repr, DATES))}, not {quote(dates)}")
    columns = ((str(name), values) for name, values in frame.items())
    found = {name: parts for name, values in columns if name not in others and (parts := found_parts(name, values))}
    orders = [name for name, parts in found.items() if parts.levels]
    hours = [name for name in found if is_time(frame[name])]
    days = [name for name in found if name not in (*orders, *hours)]
    if orders:
        said.append(f"categories in an order ({listing(orders)}) are given by the levels that a cell is at most")
    given = ", ".join(dict.fromkeys(part.removeprefix(f"{name}: ") for name in days for part in found[name].names))
    ways = [(f"dates ({listing(days)})", f"as {given}"), (f"times ({listing(hours)})", "in hours")]
    used = zip(ways, (days, hours), strict=True)
    said += [f"{w} are {f'given {how}' if dates == 'parts' else 'left out'}" for (w, how), names in used if names]
    if dates != "parts":
        frame = frame.drop(columns=[*days, *hours])
    try:
        return with_parts(frame, found)
    except ValueError as error:
        raise DatasetError(f"{error}, or ignore dates") from None


def _by_name(frame: pd.DataFrame, target: str, weight: str | None, excluded: Sequence[str]) -> list[str]:
    """The columns that are sensitive by their names; none where no other would be left as a feature."""
    others = [c for c in frame.columns if c not in (target, weight, *excluded)]
    found = [c for c in others if is_sensitive(c, frame[c].nunique(), not pd.api.types.is_numeric_dtype(frame[c]))]
    return found if len(found) < len(others) else []


def check_names(columns: Sequence[str]) -> None:
    """Refuse column names that are empty or occur twice."""
    seen: dict[str, int] = {}
    for position, column in enumerate(columns, start=1):
        if not column.strip():
            why = "a saved row index?" if position == 1 else "if names stand in a row below, skip those above"
            raise DatasetError(f"column {position} has no name ({why}); name it or remove it")
        if column in seen:
            raise DatasetError(
                f"columns {seen[column]} and {position} have the same name {quote(column)}; rename or remove one"
            )
        seen[column] = position


def _in_pandas(frame: Any) -> pd.DataFrame:
    if isinstance(frame, pd.DataFrame):
        return frame
    import narwhals as nw

    kind = type(frame).__name__
    try:
        return as_pandas(nw.from_native(frame, eager_only=True), f"a {kind}", DatasetError)
    except TypeError:
        raise DatasetError(
            f"a data set is made of a dataframe in memory, of pandas, Polars or PyArrow, not of this {kind}; "
            "rulelab.tables.open takes one that is not in memory"
        ) from None


def _listed(columns: Iterable[str] | str) -> list[str]:
    return [columns] if isinstance(columns, str) else list(columns)


_ALONE = {"target": "is the target", "weight": "holds the weights"}  # roles beside which a column can have no other one


def _check_roles(columns: Sequence[str], roles: Mapping[str, Sequence[str]]) -> None:
    """Refuse columns that are not there, or that have a role beside one of `_ALONE`."""
    taken: dict[str, str] = {}
    for role, named in roles.items():
        for column in named:
            if column not in columns:
                hint = f"{closest(str(column), columns)} The columns are {listing(columns, 20)}"
                raise DatasetError(f"there is no {role} column {quote(column)}{hint}")
            if column in taken:
                raise DatasetError(f"column {quote(column)} {taken[column]}; it cannot be {role}, too")
        taken |= {column: _ALONE[role] for column in named if role in _ALONE}


def _check_finite(frame: pd.DataFrame) -> None:
    for column, values in frame.items():
        if not pd.api.types.is_float_dtype(values):
            continue
        infinite = np.isinf(values.to_numpy(dtype=float, na_value=np.nan))
        if infinite.any():
            where, advice = in_which_rows(infinite), "replace it by a number or leave it empty"
            raise DatasetError(f"column {quote(column)} has an infinite value in {where}; {advice}")


def _with_target(frame: pd.DataFrame, target: str, said: list[str]) -> pd.DataFrame:
    """The rows that have a target."""
    missing = frame[target].isna().to_numpy(dtype=bool)
    if missing.all():
        raise DatasetError(f"target {quote(target)} is missing in every row")
    return _without(frame, missing, " have no target and", said)


def _with_known_target(frame: pd.DataFrame, target: str, positive: Any, unknown: str, said: list[str]) -> pd.DataFrame:
    """The rows whose target does not say that it is not known."""
    if unknown not in UNKNOWNS:
        raise DatasetError(f"unknown must be one of {', '.join(map(repr, UNKNOWNS))}, not {quote(unknown)}")
    found = [label for label in unknown_of([*map(scalar, frame[target].dropna().unique())]) if label != positive]
    found = found if unknown == "leave out" else []
    return _without(frame, frame[target].isin(found).to_numpy(bool), f", whose {target} is {listing(found)},", said)


def _without(frame: pd.DataFrame, rows: np.ndarray, which: str, said: list[str]) -> pd.DataFrame:
    """The table without some rows, whose number is said."""
    if not rows.any():
        return frame
    said.append(f"{rows.sum()} of {len(rows)} rows{which} are left out")
    return frame[~rows].reset_index(drop=True)


def _weights(values: pd.Series) -> pd.Series:
    """The column of weights; refuses what is no number of at least 0."""
    what = f"column {quote(values.name)} holds the weights, but"
    if not pd.api.types.is_numeric_dtype(values) or pd.api.types.is_bool_dtype(values):
        raise DatasetError(f"{what} has no numbers: {listing(pd.unique(values)[:3])}")
    numbers = values.to_numpy(dtype=float, na_value=np.nan)
    wrong = ~(numbers >= 0)
    if wrong.any():
        raise DatasetError(
            f"{what} is missing or negative in {in_which_rows(wrong)}; fill it in, or leave these rows out"
        )
    if not numbers.any():
        raise DatasetError(f"{what} is 0 in every row; some row must count")
    return values.copy()


def _binary(values: pd.Series, positive: Any) -> tuple[Any, Any, pd.Series]:
    """Positive label, negative label and the target as 0 and 1; a label that means unknown is never guessed."""
    target = quote(values.name)
    missing = values.isna().to_numpy(dtype=bool)
    if missing.any():
        raise DatasetError(
            f"target {target} is missing in {in_which_rows(missing)}; fill it in, or leave these rows out "
            "(drop_missing_target)"
        )
    values = values.astype(object)
    labels = sorted((scalar(v) for v in pd.unique(values)), key=_order)
    if len(labels) == 1:
        raise DatasetError(f"target {target} has one class only: {quote(labels[0])} in every row; two are needed")
    if positive is not None:
        positive = _find_label(positive, labels, target)
    elif len(known := [label for label in labels if label not in unknown_of(labels)]) > 2:
        raise SeveralClassesError(f"target {target} has {len(labels)} classes: {listing(labels)}")
    else:
        positive = positive_of({label: int((values == label).sum()) for label in known})
    others = [label for label in labels if label != positive]
    negative = others[0] if len(others) == 1 else f"not {positive}"
    y = pd.Series((values == positive).to_numpy(dtype=np.int64), name=values.name)
    return positive, negative, y


def scalar(value: Any) -> Any:
    """A numpy scalar as the Python one, anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def _order(label: Any) -> tuple[int, float, str]:
    """Numbers by value, then everything else by its text."""
    return (0, float(label), "") if isinstance(label, (bool, int, float)) else (1, 0.0, str(label))


def _find_label(positive: Any, labels: Sequence[Any], target: str) -> Any:
    """The label that equals the wanted one, or else is written the same or is the same number."""
    wanted = scalar(positive)
    for same in (
        lambda label: type(label) is type(wanted) and label == wanted,
        lambda label: str(label) == str(wanted) or _number(label) == _number(wanted),
    ):
        if found := [label for label in labels if same(label)]:
            return found[0]
    raise DatasetError(
        f"positive label {quote(positive)} is not among the values of target {target}: {listing(labels)}"
    )


def _number(value: Any) -> float:
    """NaN, which is equal to nothing, for what is none."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan
