"""Weights of sets of patterns by plain numpy, apart from the kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data.problem import Problem
from ..kernels import bits
from ..kernels.bit_words import transposed
from ..kernels.weight_planes import bit_planes


@dataclass(frozen=True)
class Weights:
    """The patterns of a problem with their weights, for sets that are packed like its antecedents' columns.

    Attributes
    ----------
    columns : uint64 array, shape (n_antecedents, bits.n_words(n_patterns))
        The patterns that satisfy each antecedent.
    everything : uint64 array, shape (bits.n_words(n_patterns),)
    planes : pair of uint64 arrays, shape (n_digits, bits.n_words(n_patterns))
        Of the positive and of the negative weights.
    """

    columns: np.ndarray
    everything: np.ndarray
    planes: tuple[np.ndarray, np.ndarray]

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
