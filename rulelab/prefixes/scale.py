"""The units of a search over prefixes, and the weights of what they capture, by plain numpy instead of kernels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..data.problem import Problem
from ..kernels import bits
from ..kernels.bit_words import bit_planes, transposed


@dataclass(frozen=True)
class Weights:
    """The patterns of a problem with their weights, for sets that are packed like its antecedents' columns."""

    columns: np.ndarray
    """uint64, shape (n_antecedents, bits.n_words(n_patterns)): the patterns that satisfy each antecedent."""
    everything: np.ndarray  # uint64, shape (bits.n_words(n_patterns),)
    planes: tuple[np.ndarray, np.ndarray]
    """Pair of uint64, shape (n_digits, bits.n_words(n_patterns)): of the positive and of the negative weights."""

    @classmethod
    def of(cls, problem: Problem, positives: np.ndarray, negatives: np.ndarray) -> Weights:
        """With these int64 weights of the patterns of a problem."""
        return cls(
            columns=transposed(problem.words, problem.n_antecedents),
            everything=bits.pack(np.ones((1, problem.n_patterns), dtype=bool))[0],
            planes=(bit_planes(positives), bit_planes(negatives)),
        )

    def of_set(self, chosen: np.ndarray) -> tuple[int, int]:
        """Positive and negative weight of a set."""
        positive, negative = self.of_sets(chosen[None, :])
        return int(positive[0]), int(negative[0])

    def of_sets(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positive and negative weights of sets, the rows of an array: int64 arrays, shape (len(chosen),)."""
        positive, negative = (self._sum(chosen, planes) for planes in self.planes)
        return positive, negative

    def of_columns(self, within: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positive and negative weight that each antecedent captures of a set: int64 arrays, shape (n_antecedents,)."""
        positive, negative = (self._sum(self.columns, planes & within) for planes in self.planes)
        return positive, negative

    @staticmethod
    def _sum(sets: np.ndarray, planes: np.ndarray) -> np.ndarray:
        total = np.zeros(len(sets), dtype=np.int64)
        for digit, plane in enumerate(planes):
            used = np.flatnonzero(plane)
            if len(used):
                counts = np.bitwise_count(sets[:, used] & plane[used]).sum(axis=1, dtype=np.int64)
                total += counts << digit
        return total


@dataclass(frozen=True)
class Scale:
    """Antecedents, bounds and costs of a search, in its own integers.

    A rule that captures p positives and q negatives of the grid costs ``min(per_positive * p, per_negative * q)``.
    """

    problem: Problem
    antecedents: np.ndarray  # int, shape (m,): those that the search tries, as indices of the problem's
    cuts: tuple[str, ...]  # the names of ``Snapshot.pruned``, in the order of the fates
    bounding: frozenset[str]  # those that say that no extension costs less than the incumbent
    costs: Any  # the grid: ``positives``, ``negatives``, ``per_rule``, ``unit`` and ``slack``
    per_positive: int
    per_negative: int

    @cached_property
    def weights(self) -> Weights:
        """The patterns with their weights on the grid."""
        return Weights.of(self.problem, self.costs.positives, self.costs.negatives)

    @cached_property
    def inevitable(self) -> Weights:
        """The patterns with what any list loses on each: rows that satisfy the same antecedents and differ in class."""
        costs = self.costs
        points = np.minimum(self.per_positive * costs.positives, self.per_negative * costs.negatives)
        return Weights.of(self.problem, points, np.zeros_like(points))

    def loss(self, positive: Any, negative: Any) -> Any:
        """What rules lose, in the objective's units."""
        return np.minimum(self.per_positive * positive, self.per_negative * negative) * self.costs.unit

    def price(self, rules: int) -> float:
        """What so many rules cost."""
        return float(rules * self.costs.per_rule * self.costs.unit)

    def bound(self, cost: Any) -> Any:
        """Lower bounds on the grid in the objective's units."""
        return np.maximum(0.0, np.asarray(cost) * self.costs.unit - self.costs.slack)

    @property
    def row(self) -> float:
        """What 1 of the grid's weights is in the weights of the rows."""
        return float(self.problem.total_weight) / int(self.costs.positives.sum() + self.costs.negatives.sum())

    def index(self, antecedent: Any) -> int:
        """The place of an antecedent, given by its name or as an index of the problem's, among those that are tried."""
        names = self.problem.names
        if isinstance(antecedent, str):
            if antecedent not in names:
                raise ValueError(f"prefix: the problem has no antecedent {antecedent!r}")
            antecedent = names.index(antecedent)
        elif not (isinstance(antecedent, (int, np.integer)) and 0 <= antecedent < len(names)):
            raise ValueError(f"prefix: antecedents are names, or indices below {len(names)}, not {antecedent!r}")
        found = np.flatnonzero(self.antecedents == antecedent)
        if not len(found):
            raise ValueError(
                f"prefix: the search does not try {names[antecedent]!r}: it is equal to another antecedent, holds for "
                "all rows, or cannot pay for a rule"
            )
        return int(found[0])
