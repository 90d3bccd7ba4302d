"""The training problem every search works on: weighted patterns of antecedents, frozen and checked once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import short
from ..kernels import bits
from ..sharing import Shared
from ..shown import Fact, Shown
from .conditions import in_pandas
from .directions import Directions, as_directions, opposing
from .exact_weights import Masses, Weights, as_given, masses_of, summed_by_place
from .groups import Groups, weights_of_groups
from .naming import as_names, used_by
from .problem_arguments import (
    Conditions,
    ProblemError,
    as_conditions,
    as_weights,
    boolean_matrix,
    names_of,
    refuse_extreme,
    refuse_single_class,
    two_classes,
)

if TYPE_CHECKING:  # it needs numba, without which models and proofs are read and checked
    from .antecedents import Antecedents


@dataclass(frozen=True, eq=False, repr=False)
class Problem(Shown, Shared):
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
    directions : tuple of (str, str)
        Columns with the direction that all conditions on them have, see `monotone`; what is proven is proven of these.
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
    directions: Directions = ()

    def __post_init__(self) -> None:
        for array in (self.words, self.positives, self.negatives, self.row_pattern):
            if array is not None:
                array.setflags(write=False)

    def __repr__(self) -> str:
        return (
            f"Problem({self.n_rows} rows, {self.n_patterns} patterns, {self.n_antecedents} antecedents, "
            f"{self.total_positive:g} of {self.total_weight:g} positive)"
        )

    def _facts(self) -> Iterator[Fact]:
        yield "rows", self.n_rows
        yield "patterns (rows that satisfy the same antecedents)", self.n_patterns
        yield "antecedents", self.n_antecedents
        yield "such as", self.names[:3]
        yield f"weight of {self.classes[-1]}", self.total_positive
        yield f"weight of {self.classes[0]}", self.total_negative
        yield "errors that no model avoids", np.minimum(self.positives, self.negatives).sum().item()
        yield "groups", None if self.groups is None else tuple(map(str, self.groups.names))
        yield "not to be used", self.left_out
        yield "directions", tuple(f"{column} {way}" for column, way in self.directions)

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
        return replace(self._some(kept), left_out=tuple(dict.fromkeys((*self.left_out, *given))))

    def monotone(self, directions: Mapping[str, str]) -> Problem:
        """The problem of which rule sets are monotone, noted in ``directions``: without conditions that point back.

        Parameters
        ----------
        directions : mapping of str to {"increasing", "decreasing"}
            Columns of numbers or Booleans of which more can only help a positive prediction, or only hinder it,
            whatever the others hold. No condition that is left points the other way, see `rulelab.data.directions`. Of
            lists nothing follows from it: their rules predict both classes.

        Raises
        ------
        ProblemError
            When antecedents join several conditions or none are known, a column has no condition or no order, or
            nothing is left.
        """
        if self.conditions is None or any(len(joined) != 1 for joined in self.conditions):
            raise ProblemError("monotone needs antecedents of one condition each, as those of rule sets")
        try:
            given = as_directions(directions)
            gone = opposing(given, [joined[0] for joined in self.conditions], self.matrix())
        except ValueError as error:
            raise ProblemError(str(error)) from None
        if gone.all():
            raise ProblemError(f"no condition is {' or '.join(f'{way} in {column!r}' for column, way in given)}")
        noted = {**dict(self.directions), **dict(given)}
        return replace(self._some(np.flatnonzero(~gone)), directions=tuple(noted.items()))

    def _some(self, kept: np.ndarray) -> Problem:
        """The problem of some of the antecedents."""
        words = bits.pack(self.matrix()[:, kept])
        group, first = bits.group_equal_rows(words)
        conditions = None if self.conditions is None else tuple(self.conditions[j] for j in kept)
        names = tuple(self.names[j] for j in kept)
        return replace(self._merged(words[first], group), names=names, conditions=conditions)

    def in_order(self) -> Problem:
        """The same problem with its patterns sorted by their words: in an order that no order of the rows changes."""
        order = bits.order(self.words)
        place = np.empty(self.n_patterns, dtype=np.int64)
        place[order] = np.arange(self.n_patterns)
        return self._merged(self.words[order], place)

    def _merged(self, words: np.ndarray, group: np.ndarray) -> Problem:
        """The problem with these patterns, of which ``group`` says which one each pattern becomes."""
        positives, negatives, exactly = as_given(self.masses.merged(group, len(words)), self.positives)
        of_rows = self.row_pattern
        return replace(
            self,
            words=words,
            positives=positives,
            negatives=negatives,
            row_pattern=None if of_rows is None else np.where(of_rows < 0, -1, group[of_rows]),
            groups=None if self.groups is None else self.groups.merged(group, len(words)),
            summed=exactly,
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
        cls, A: Any, y: Any, names: Sequence[str] | None = None, sample_weight: Any = None, groups: Any = None
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
            Weights >= 0, from 1e-50 to 1e50, summed without rounding: where all print as decimals of few digits, as
            these (`rulelab.data.exact_weights`), else as the doubles that they are. Rows of weight zero are left out.
        groups : array, shape (n_rows,), or DataFrame, optional
            Group of each row; several columns make intersections.

        Raises
        ------
        ProblemError
            When the data are unusable; the message names the column and row.
        """
        A = in_pandas(A)
        matrix = boolean_matrix(A)
        words, names = bits.pack(matrix), names_of(names, matrix.shape[1], A)
        return cls._merge(words, names, y, sample_weight, groups, as_conditions(A))

    @classmethod
    def from_antecedents(
        cls, ants: Antecedents, y: Any = None, sample_weight: Any = None, groups: Any = None
    ) -> Problem:
        """As `from_arrays`, from mined antecedents, which stay packed and carry their conditions along.

        Those that were mined from counts need nothing else: labels, weights and groups are those of the counts.

        Parameters
        ----------
        ants : Antecedents
            From `rulelab.mine_antecedents`.
        y, sample_weight, groups : array, optional
            As in `from_arrays`.
        """
        if not hasattr(ants, "words"):
            said = "Problem.from_arrays takes a table of 0 and 1"
            raise ProblemError(f"antecedents must be what mine_antecedents gives, not {short(ants)}; {said}")
        if y is None:
            if ants.counts is None:
                raise ProblemError("y is missing: one label per row")
            if sample_weight is not None or groups is not None:
                raise ProblemError("sample_weight and groups go with y; counts have their own")
            made: Problem = ants.counts.problem(ants)
            return made
        words = bits.transpose(ants.words, ants.n_rows)
        return cls._merge(words, names_of(ants.names, len(ants.names), None), y, sample_weight, groups, ants.conditions)

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
        patterns = in_pandas(patterns)
        matrix = boolean_matrix(patterns)
        n = len(matrix)
        pos, neg = as_weights(positives, n, "positives"), as_weights(negatives, n, "negatives")
        if pos.dtype != neg.dtype:
            pos, neg = pos.astype(np.float64), neg.astype(np.float64)
        refuse_single_class(pos.sum(), neg.sum(), "positives and negatives")
        group, first = bits.group_equal_rows(bits.pack(matrix))
        summed = summed_by_place(group, pos, neg, len(first))
        keep = np.asarray(summed.positives + summed.negatives > 0, dtype=bool)
        summed = Masses(summed.positives[keep], summed.negatives[keep], summed.unit)
        pos, neg, exactly = as_given(summed, pos)
        return cls(
            words=bits.pack(matrix[first[keep]]),
            positives=pos,
            negatives=neg,
            names=names_of(names, matrix.shape[1], patterns),
            n_rows=int(pos.sum() + neg.sum()),
            conditions=as_conditions(patterns),
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
        positive, classes = two_classes(y, n)
        unit = Fraction(1)
        if isinstance(sample_weight, Weights):
            weight, unit = sample_weight.units, sample_weight.unit
            refuse_extreme(sample_weight.floats(), "sample_weight")
        else:
            weight = (
                np.ones(n, dtype=np.int64) if sample_weight is None else as_weights(sample_weight, n, "sample_weight")
            )
        kept = np.flatnonzero(weight > 0)
        refuse_single_class(weight[positive].sum(), weight[~positive].sum(), "the rows of positive weight")
        group, first = bits.group_equal_rows(words[kept])
        row_pattern = np.full(n, -1, dtype=np.int64)
        row_pattern[kept] = group
        w, is_positive, k = weight[kept], positive[kept], len(first)
        summed = summed_by_place(group, np.where(is_positive, w, 0), np.where(is_positive, 0, w), k, unit)
        positives, negatives, exactly = as_given(summed, w)
        return cls(
            words=words[kept][first],
            positives=positives,
            negatives=negatives,
            names=names,
            classes=classes,
            n_rows=n,
            row_pattern=row_pattern,
            conditions=conditions,
            groups=None if groups is None else weights_of_groups(groups, n, kept, group, w, is_positive, k, unit),
            summed=exactly,
        )
