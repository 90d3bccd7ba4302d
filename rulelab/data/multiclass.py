"""Rows of several classes, merged by the antecedents that they satisfy."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels import bits
from ..sharing import Shared
from ..shown import Fact, Shown
from .problem_arguments import (
    Conditions,
    ProblemError,
    as_conditions,
    as_weights,
    boolean_matrix,
    classes_of,
    names_of,
    read_labels,
)

if TYPE_CHECKING:  # it needs numba, without which models and proofs are read and checked
    from .antecedents import Antecedents

LARGEST_WEIGHT = 1 << 50
"""In all: sums are exact in floating point numbers, with room to spare."""


@dataclass(frozen=True, eq=False, repr=False)
class MultiClassProblem(Shown, Shared):
    """Weighted patterns of antecedents with a count for each of several classes.

    Build one with `from_arrays` or `from_antecedents`.

    Attributes
    ----------
    matrix : bool array, shape (n_patterns, n_antecedents)
        The distinct patterns, in an order that is that of no rows, so that proofs can be saved.
    counts : int64 array, shape (n_patterns, n_classes)
        Weight of each pattern's rows by class.
    names : tuple of str
        Of the antecedents.
    classes : tuple
        The labels, sorted.
    n_rows : int
    conditions : tuple of tuples of Condition, or None
        The conditions that each antecedent joins, where they are known.
    left_out : tuple of str
        As of `rulelab.Problem`.
    directions : tuple of pairs of str
        As of `rulelab.Problem`.
    """

    matrix: np.ndarray
    counts: np.ndarray
    names: tuple[str, ...]
    classes: tuple[Any, ...]
    n_rows: int
    conditions: Conditions | None = field(default=None, repr=False)
    left_out: tuple[str, ...] = ()
    directions: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        for array in (self.matrix, self.counts):
            array.setflags(write=False)

    def _facts(self) -> Iterator[Fact]:
        yield "rows", self.n_rows
        yield "patterns (rows that satisfy the same antecedents)", len(self.matrix)
        yield "antecedents", self.n_antecedents
        yield from ((f"weight of {label}", int(n)) for label, n in zip(self.classes, self.counts.sum(0), strict=True))
        yield "errors that no model avoids", int((self.counts.sum(axis=1) - self.counts.max(axis=1)).sum())

    @property
    def n_antecedents(self) -> int:
        return len(self.names)

    @property
    def total_weight(self) -> int:
        return int(self.counts.sum())

    @property
    def total_positive(self) -> None:
        """There is no positive class."""

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the weighted patterns, the names and the labels; the order of the patterns does not matter."""
        packed = np.packbits(self.matrix, axis=1)
        order = np.lexsort(packed.T[::-1])
        digest = hashlib.sha256(packed[order].tobytes() + self.counts[order].astype("<i8").tobytes())
        digest.update("\x1f".join([*self.names, *map(repr, self.classes)]).encode())
        return digest.hexdigest()

    @classmethod
    def from_arrays(
        cls, A: Any, y: Any, names: Sequence[str] | None = None, sample_weight: Any = None
    ) -> MultiClassProblem:
        """Merge the rows of a Boolean matrix.

        Parameters
        ----------
        A, names
            As of `rulelab.Problem.from_arrays`.
        y : array, shape (n_rows,)
            Labels of two classes or more.
        sample_weight : array of whole numbers, shape (n_rows,), optional
            Rows of weight zero are left out.

        Raises
        ------
        ProblemError
            When the data are unusable.
        """
        matrix = boolean_matrix(A)
        return cls._merged(matrix, names_of(names, matrix.shape[1], A), y, sample_weight, as_conditions(A))

    @classmethod
    def from_antecedents(cls, ants: Antecedents, y: Any, sample_weight: Any = None) -> MultiClassProblem:
        """As `from_arrays`, from mined antecedents, which carry their conditions along.

        Parameters
        ----------
        ants : Antecedents
        y : array, shape (n_rows,)
            Labels.
        sample_weight : array, shape (n_rows,), optional
        """
        return cls._merged(ants.matrix, names_of(ants.names, len(ants.names), None), y, sample_weight, ants.conditions)

    @classmethod
    def _merged(
        cls, matrix: np.ndarray, names: tuple[str, ...], y: Any, sample_weight: Any, conditions: Conditions | None
    ) -> MultiClassProblem:
        n = len(matrix)
        weight = np.ones(n, dtype=np.int64)
        if sample_weight is not None:
            weight = as_weights(sample_weight, n, "sample_weight")
            if weight.dtype.kind != "i":
                raise ProblemError("a list of several classes takes whole numbers as sample_weight")
        if int(weight.sum()) > LARGEST_WEIGHT:
            raise ProblemError(f"the weights sum to {int(weight.sum())}, which is more than 2^50")
        kept = np.flatnonzero(weight > 0)
        classes, codes = classes_of(read_labels(y, n, weight > 0))
        if len(classes) < 2:
            raise ProblemError("y has a single class on the rows of positive weight; two are needed")
        words = bits.pack(matrix[kept])
        group, first = bits.group_equal_rows(words)
        counts = np.zeros((len(first), len(classes)), dtype=np.int64)
        np.add.at(counts, (group, codes), weight[kept])
        sorted_ = bits.order(words[first])
        return cls(matrix[kept][first[sorted_]], counts[sorted_], names, tuple(classes.tolist()), n, conditions)
