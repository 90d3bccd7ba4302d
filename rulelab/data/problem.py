"""The training problem every search works on: weighted patterns of antecedents, frozen and checked once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..kernels import bits
from .columns import read_weights
from .conditions import Condition, conditions_of
from .exact_weights import Masses, Weights, in_units, masses_of
from .metrics import group_labels
from .naming import as_names, used_by

if TYPE_CHECKING:
    from .antecedents import Antecedents

Conditions = tuple[tuple[Condition, ...], ...]


class ProblemError(ValueError):
    """The data cannot be made into a problem; the message says what was found, where, and what to do."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Weights of the positives and negatives of each pattern within each group of people.

    Attributes
    ----------
    names : tuple of str
    positives, negatives : int64 or float64 array, shape (n_groups, n_patterns)
    summed : Masses or None
        Weights that are not integers, summed over the rows without rounding; see `masses`.
    rows : int64 array, shape (2, n_groups), or None
        How many positive and how many negative rows of positive weight each group has; None: as many as they weigh.
    """

    names: tuple[str, ...]
    positives: np.ndarray
    negatives: np.ndarray
    summed: Masses | None = field(default=None, repr=False)
    rows: np.ndarray | None = field(default=None, repr=False)

    @cached_property
    def masses(self) -> Masses:
        """The weights in integers, exactly as the rows had them."""
        return self.summed or masses_of(self.positives, self.negatives)

    @property
    def sizes(self) -> dict[str, list[int]]:
        """How many "positives", "negatives" and "rows" each group has: rows, whatever they weigh."""
        rows = self.rows
        if rows is None:
            rows = np.stack([self.positives.sum(axis=1), self.negatives.sum(axis=1)])
        return {"positives": rows[0].tolist(), "negatives": rows[1].tolist(), "rows": rows.sum(axis=0).tolist()}

    def some(self, chosen: Sequence[int]) -> Groups:
        """A selection of the groups."""
        taken, masses = list(chosen), self.masses
        return Groups(
            tuple(self.names[g] for g in taken),
            self.positives[taken],
            self.negatives[taken],
            None if self.summed is None else Masses(masses.positives[taken], masses.negatives[taken], masses.unit),
            None if self.rows is None else self.rows[:, taken],
        )

    def merged(self, group: np.ndarray, n_patterns: int) -> Groups:
        """Over fewer patterns: those of the same number in ``group`` become one."""
        summed = self.masses.merged(group, n_patterns)
        return Groups(self.names, *_as_given(summed, self.positives), self.rows)


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows merged by the antecedents they satisfy.

    Build one with `from_arrays`, `from_counts` or `from_antecedents`.

    Attributes
    ----------
    words : uint64 array, shape (n_patterns, bits.n_words(n_antecedents))
        Packed distinct patterns; bit ``j`` of row ``u`` says whether pattern ``u`` satisfies antecedent ``j``.
    positives, negatives : array, shape (n_patterns,)
        Total weight of each pattern's positive and negative rows: int64, or float64 when a weight is not an integer.
    names : tuple of str, length n_antecedents
    classes : tuple
        The negative and the positive label (the larger one).
    n_rows : int
        Rows the problem was made from (for `from_counts`, the sum of the counts).
    row_pattern : int64 array, shape (n_rows,), or None
        The pattern of each row, -1 for a row of weight zero; None when only counts were given.
    conditions : tuple of tuples of Condition, or None
        The conditions that each antecedent joins; None when the problem was made from an array.
    groups : Groups or None
    summed : Masses or None
        Weights that are not integers, summed over the rows without rounding; see `masses`.
    left_out : tuple of str
        Columns, conditions and antecedents that rules must not use; what is proven is proven without them.
    """

    words: np.ndarray
    positives: np.ndarray
    negatives: np.ndarray
    names: tuple[str, ...]
    classes: tuple[Any, Any] = (0, 1)
    n_rows: int = 0
    row_pattern: np.ndarray | None = field(default=None, repr=False)
    conditions: Conditions | None = field(default=None, repr=False)
    groups: Groups | None = field(default=None, repr=False)
    summed: Masses | None = field(default=None, repr=False)
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.words, self.positives, self.negatives, self.row_pattern):
            if array is not None:
                array.setflags(write=False)

    def __repr__(self) -> str:
        return (
            f"Problem({self.n_rows} rows, {self.n_patterns} patterns, {self.n_antecedents} antecedents, "
            f"{self.total_positive:g} of {self.total_weight:g} positive)"
        )

    @property
    def n_antecedents(self) -> int:
        return len(self.names)

    @property
    def n_patterns(self) -> int:
        return len(self.words)

    @cached_property
    def total_positive(self) -> int | float:
        return self.positives.sum().item()

    @cached_property
    def total_negative(self) -> int | float:
        return self.negatives.sum().item()

    @property
    def total_weight(self) -> int | float:
        return self.total_positive + self.total_negative

    @property
    def integral(self) -> bool:
        """Whether all weights are integers, so that errors are counted exactly."""
        return self.positives.dtype.kind == "i"

    @cached_property
    def masses(self) -> Masses:
        """The weights of the patterns in integers, exactly as the rows had them."""
        return self.summed or masses_of(self.positives, self.negatives)

    def matrix(self) -> np.ndarray:
        """The patterns unpacked: bool array, shape (n_patterns, n_antecedents)."""
        return bits.unpack(self.words, self.n_antecedents)

    def without(self, names: str | Sequence[str]) -> Problem:
        """The problem without what rules must not use, noted in ``left_out``.

        Parameters
        ----------
        names : str or sequence of str
            A column: no antecedent with a condition on it is left. A condition, or an antecedent: none that has all its
            conditions.

        Raises
        ------
        ProblemError
            When no antecedent uses what a name says, or none is left.
        """
        given = as_names(names, "without")
        try:
            gone = used_by(given, self.names, self.conditions, "without")
        except ValueError as error:
            raise ProblemError(str(error)) from None
        kept = np.flatnonzero(~np.any(gone, axis=0)) if gone else np.arange(self.n_antecedents)
        if not len(kept):
            raise ProblemError(f"without {', '.join(map(repr, given))} no antecedent is left; leave out less")
        words = bits.pack(self.matrix()[:, kept])
        group, first = bits.group_equal_rows(words)
        positives, negatives, exactly = _as_given(self.masses.merged(group, len(first)), self.positives)
        of_rows = self.row_pattern
        return replace(
            self,
            words=words[first],
            positives=positives,
            negatives=negatives,
            names=tuple(self.names[j] for j in kept),
            row_pattern=None if of_rows is None else np.where(of_rows < 0, -1, group[of_rows]),
            conditions=None if self.conditions is None else tuple(self.conditions[j] for j in kept),
            groups=None if self.groups is None else self.groups.merged(group, len(first)),
            summed=exactly,
            left_out=tuple(dict.fromkeys((*self.left_out, *given))),
        )

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the weighted patterns, the names and the labels; the order of the patterns does not matter."""
        order = bits.order(self.words)
        digest = hashlib.sha256()
        for part in (self.words[order], self.positives[order], self.negatives[order]):
            digest.update(np.ascontiguousarray(part).astype(part.dtype.newbyteorder("<")).tobytes())
        digest.update("\x1f".join([*self.names, *map(repr, self.classes)]).encode())
        return digest.hexdigest()

    @classmethod
    def from_arrays(
        cls,
        A: Any,
        y: Any,
        names: Sequence[str] | None = None,
        sample_weight: Any = None,
        groups: Any = None,
    ) -> Problem:
        """Merge the rows of a Boolean matrix.

        Parameters
        ----------
        A : array or DataFrame, shape (n_rows, n_antecedents)
            Booleans, or numbers that are all 0 or 1.
        y : array, shape (n_rows,)
            Two classes; the larger label is the positive one.
        names : sequence of str, optional
            Names of the antecedents; default the columns of a DataFrame, else ``antecedent 0`` and so on.
        sample_weight : array, shape (n_rows,), or `rulelab.data.exact_weights.Weights`, optional
            Weights >= 0, taken as they are, without rounding; rows of weight zero are left out.
        groups : array, shape (n_rows,), or DataFrame, optional
            Group of each row; several columns make intersections.

        Raises
        ------
        ProblemError
            When the data are unusable; the message names the column and row.
        """
        matrix = _boolean_matrix(A)
        words, names = bits.pack(matrix), _names(names, matrix.shape[1], A)
        return cls._merge(words, names, y, sample_weight, groups, _conditions(A))

    @classmethod
    def from_antecedents(cls, ants: Antecedents, y: Any, sample_weight: Any = None, groups: Any = None) -> Problem:
        """As `from_arrays`, from mined antecedents, which stay packed and carry their conditions along."""
        words = bits.transpose(ants.words, ants.n_rows)
        return cls._merge(words, _names(ants.names, len(ants.names), None), y, sample_weight, groups, ants.conditions)

    @classmethod
    def from_counts(cls, patterns: Any, positives: Any, negatives: Any, names: Sequence[str] | None = None) -> Problem:
        """Use rows that were counted elsewhere (a database, Dask, Spark).

        Parameters
        ----------
        patterns : array or DataFrame, shape (n_patterns, n_antecedents)
            Booleans or 0/1; equal patterns are merged.
        positives, negatives : array, shape (n_patterns,)
            Weight of each pattern's positive and negative rows.
        names : sequence of str, optional

        Raises
        ------
        ProblemError
        """
        matrix = _boolean_matrix(patterns)
        n = len(matrix)
        pos, neg = _weights(positives, n, "positives"), _weights(negatives, n, "negatives")
        if pos.dtype != neg.dtype:
            pos, neg = pos.astype(np.float64), neg.astype(np.float64)
        _refuse_single_class(pos.sum(), neg.sum(), "positives and negatives")
        group, first = bits.group_equal_rows(bits.pack(matrix))
        summed = _summed(group, pos, neg, len(first))
        keep = np.asarray(summed.positives + summed.negatives > 0, dtype=bool)
        summed = Masses(summed.positives[keep], summed.negatives[keep], summed.unit)
        pos, neg, exactly = _as_given(summed, pos)
        return cls(
            words=bits.pack(matrix[first[keep]]),
            positives=pos,
            negatives=neg,
            names=_names(names, matrix.shape[1], patterns),
            n_rows=int(pos.sum() + neg.sum()),
            conditions=_conditions(patterns),
            summed=exactly,
        )

    @classmethod
    def _merge(
        cls,
        words: np.ndarray,
        names: tuple[str, ...],
        y: Any,
        sample_weight: Any,
        groups: Any,
        conditions: Conditions | None,
    ) -> Problem:
        n = len(words)
        positive, classes = _two_classes(y, n)
        unit = Fraction(1)
        if isinstance(sample_weight, Weights):
            weight, unit = sample_weight.units, sample_weight.unit
        else:
            weight = (
                np.ones(n, dtype=np.int64) if sample_weight is None else _weights(sample_weight, n, "sample_weight")
            )
        kept = np.flatnonzero(weight > 0)
        _refuse_single_class(weight[positive].sum(), weight[~positive].sum(), "the rows of positive weight")
        group, first = bits.group_equal_rows(words[kept])
        row_pattern = np.full(n, -1, dtype=np.int64)
        row_pattern[kept] = group
        w, is_positive, k = weight[kept], positive[kept], len(first)
        summed = _summed(group, np.where(is_positive, w, 0), np.where(is_positive, 0, w), k, unit)
        positives, negatives, exactly = _as_given(summed, w)
        return cls(
            words=words[kept][first],
            positives=positives,
            negatives=negatives,
            names=names,
            classes=classes,
            n_rows=n,
            row_pattern=row_pattern,
            conditions=conditions,
            groups=None if groups is None else _groups(groups, n, kept, group, w, is_positive, k, unit),
            summed=exactly,
        )


def _summed(
    place: Any,
    positives: np.ndarray,
    negatives: np.ndarray,
    shape: int | tuple[int, int],
    worth: Fraction = Fraction(1),
) -> Masses:
    """Sums of weights, in units of this worth, by place, an index of an array of this shape, without rounding."""
    weights, unit = in_units([positives, negatives])
    sums = [np.zeros(shape, dtype=weight.dtype) for weight in weights]
    for out, weight in zip(sums, weights, strict=True):
        np.add.at(out, place, weight)
    return Masses(sums[0], sums[1], unit * worth)


def _as_given(summed: Masses, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, Masses | None]:
    """Sums as the rows' weights are, int64 or the nearest float64, and without rounding where that is not the same."""
    if weight.dtype.kind == "i" and summed.unit == 1:
        return summed.positives, summed.negatives, None
    return *summed.floats(), summed


def _boolean_matrix(A: Any) -> np.ndarray:
    columns = [str(c) for c in A.columns] if isinstance(A, pd.DataFrame) else None
    values = A.to_numpy() if isinstance(A, pd.DataFrame) else np.asarray(A)
    if values.ndim != 2:
        raise ProblemError(
            f"the antecedents must be a table of shape (rows, antecedents), but have {values.ndim} dimension(s)"
        )
    if values.shape[0] == 0 or values.shape[1] == 0:
        raise ProblemError(f"the antecedents are empty: {values.shape[0]} rows and {values.shape[1]} columns")
    if values.dtype == bool:
        return values
    if values.dtype.kind not in "iufO":
        raise ProblemError(f"the antecedents must be Boolean or 0/1, not of dtype {values.dtype}; binarize them first")
    with np.errstate(invalid="ignore"):
        missing = pd.isna(values)
        known = np.where(missing, -1, values) if missing.any() else values  # pandas.NA is equal to nothing, nor unequal
        wrong = np.argwhere(~np.asarray((known == 0) | (known == 1), dtype=bool))
    if len(wrong):
        i, j = wrong[0]
        column, cell = columns[j] if columns else f"column {j}", values[i, j]
        others = f"; so it is with {len(wrong) - 1} more cells" if len(wrong) > 1 else ""
        raise ProblemError(
            f"{column!r}, row {i} holds {cell.item() if isinstance(cell, np.generic) else cell!r}, which is neither 0 "
            f"nor 1{others}; binarize the table first (rulelab.Binarizer)"
        )
    return values.astype(bool)


def _conditions(A: Any) -> Conditions | None:
    return tuple((c,) for c in conditions_of(A)) if isinstance(A, pd.DataFrame) else None


def _names(names: Sequence[str] | None, n: int, A: Any) -> tuple[str, ...]:
    if names is None and isinstance(A, pd.DataFrame):
        names = [str(c) for c in A.columns]
    if names is None:
        return tuple(f"antecedent {j}" for j in range(n))
    try:
        out = tuple(str(name) for name in names)
    except TypeError:
        raise ProblemError(f"names must be a sequence of texts, one per antecedent, not {names!r}") from None
    if len(out) != n:
        raise ProblemError(f"{len(out)} names were given for {n} antecedents; give one name per column")
    if len(set(out)) < n:
        seen: set[str] = set()
        twice = next(name for name in out if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ProblemError(f"two antecedents are named {twice!r}; give every column a name of its own")
    return out


def _weights(values: Any, n: int, what: str) -> np.ndarray:
    try:
        return read_weights(values, n, what)
    except ValueError as error:
        raise ProblemError(str(error)) from None


def _two_classes(y: Any, n: int) -> tuple[np.ndarray, tuple[Any, Any]]:
    if isinstance(y, pd.DataFrame):
        y = y.iloc[:, 0] if y.shape[1] == 1 else y.to_numpy()
    labels = np.asarray(y)
    if labels.shape != (n,):
        raise ProblemError(f"y has shape {labels.shape}, but there are {n} rows; give one label per row")
    missing = np.flatnonzero(pd.isna(labels))
    if len(missing):
        raise ProblemError(f"y, row {missing[0]} is missing ({len(missing)} in all); drop these rows or fill them in")
    try:
        found = np.unique(labels)
    except TypeError:
        raise ProblemError("y mixes labels of several types; use numbers or strings throughout") from None
    if len(found) != 2:
        shown = ", ".join(repr(v) for v in found[:5].tolist()) + (", ..." if len(found) > 5 else "")
        advice = "there is nothing to learn from one class" if len(found) == 1 else "choose one class against the rest"
        raise ProblemError(f"y must hold two classes, but holds {len(found)} ({shown}); {advice}")
    return labels == found[1], tuple(found.tolist())  # type: ignore[return-value]


def _refuse_single_class(positive: Any, negative: Any, where: str) -> None:
    if not (positive > 0 and negative > 0):
        only = "positive" if positive > 0 else "negative" if negative > 0 else "no"
        raise ProblemError(f"{where} hold {only} weight only; both classes must have some")


def _groups(
    groups: Any,
    n: int,
    kept: np.ndarray,
    pattern: np.ndarray,
    weight: np.ndarray,
    is_positive: np.ndarray,
    n_patterns: int,
    unit: Fraction,
) -> Groups:
    try:
        labels = group_labels(groups, n)[kept]
    except (ValueError, TypeError) as error:
        raise ProblemError(f"groups: {error}") from None
    codes, names = pd.factorize(labels, sort=True)
    summed = _summed(
        (codes, pattern),
        np.where(is_positive, weight, 0),
        np.where(is_positive, 0, weight),
        (len(names), n_patterns),
        unit,
    )
    rows = np.stack([np.bincount(codes[side], minlength=len(names)) for side in (is_positive, ~is_positive)])
    return Groups(tuple(map(str, names)), *_as_given(summed, weight), rows)
