"""What an enumeration of near-optimal rule lists found."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from ...arguments import is_whole
from ...data.problem import Problem
from ...kernels import bits
from ...models import RuleList

_CHUNK = 1024


@dataclass(frozen=True, eq=False, repr=False)
class NearOptimal:
    """The near-optimal models, best first. A model stands for all lists that predict alike on the training patterns.

    Attributes
    ----------
    problem : Problem
    regularization : float
    optimum, threshold : float
        The least objective, and the largest that counts as near-optimal.
    lists : tuple of tuple of int
        For each model the antecedents of its cheapest list, in order.
    objectives : float array
        Of these lists, ascending.
    errors : int or float array
        Training errors of these lists.
    multiplicity : int array
        Near-optimal lists that are this model.
    count : int
        Models found.
    n_lists : int
        Near-optimal lists found; 2^62 stands for that many or more.
    complete : bool
        Whether everything up to the threshold was found; otherwise the numbers are of what was found.
    truncated : str or None
        Why not: "limit", "time" or "memory"; "stopped" when the enumeration was left early.
    covered : float
        All lists with a smaller objective were found.
    antecedents : DataFrame
        The antecedents that occur, by index: ``name``, ``models`` (whose shown list has it), ``lists`` (that have it),
        ``share`` of all near-optimal lists, ``objective`` (the least of a list that has it), ``aliases`` (indices of
        antecedents that hold for the same training rows, and could take its place).
    by_gap : DataFrame
        Histogram of objective - optimum: ``gap_from``, ``gap_to``, ``models``, ``lists``, ``complete``.
    work : int
        Prefixes expanded, by the search for the optimum and by the enumeration.
    """

    problem: Problem
    regularization: float
    optimum: float
    threshold: float
    lists: tuple[tuple[int, ...], ...]
    objectives: np.ndarray
    errors: np.ndarray
    multiplicity: np.ndarray
    n_lists: int
    complete: bool
    truncated: str | None
    covered: float
    antecedents: pd.DataFrame
    by_gap: pd.DataFrame
    work: int
    _predictions: np.ndarray = field(repr=False)
    _weights: np.ndarray = field(repr=False)

    def __repr__(self) -> str:
        found = "all" if self.complete else "the first"
        return (
            f"NearOptimal({found} {self.count} models, {self.n_lists} lists, "
            f"objectives {self.optimum:.6g} to {self.threshold:.6g})"
        )

    def __len__(self) -> int:
        return self.count

    @property
    def count(self) -> int:
        """Models found."""
        return len(self.lists)

    @cached_property
    def models(self) -> tuple[RuleList, ...]:
        """The models, best first, each as its cheapest list; built when first asked for."""
        return tuple(RuleList.from_problem(self.problem, antecedents) for antecedents in self.lists)

    @property
    def gaps(self) -> np.ndarray:
        """Objective - optimum of each model."""
        return np.maximum(self.objectives - self.optimum, 0.0)

    def frame(self) -> pd.DataFrame:
        """One row per model: rules, errors, objective, gap, multiplicity, the names of the rules' antecedents."""
        names = self.problem.names
        return pd.DataFrame(
            {
                "rules": [len(antecedents) for antecedents in self.lists],
                "errors": self.errors,
                "objective": self.objectives,
                "gap": self.gaps,
                "lists": self.multiplicity,
                "antecedents": [tuple(names[j] for j in antecedents) for antecedents in self.lists],
            }
        )

    def disagreement(self, model: int) -> np.ndarray:
        """Fraction of the training weight for which each model predicts otherwise than this one.

        Parameters
        ----------
        model : int
            Index into `models`.

        Returns
        -------
        float array, shape (count,)
        """
        out = np.zeros(self.count)
        for begin in range(0, self.count, _CHUNK):
            differ = self._predictions[begin : begin + _CHUNK] ^ self._predictions[model]
            out[begin : begin + _CHUNK] = bits.unpack(differ, len(self._weights)) @ self._weights
        return out / self._weights.sum()

    def diverse(self, n: int = 5) -> tuple[int, ...]:
        """Models that differ most in what they predict, as indices into `models`.

        The first is the optimum; each next one has the largest least `disagreement` with those chosen before, the
        better one among equals (farthest-first traversal: the least disagreement within the selection is at least half
        of the largest possible for as many models that include the optimum).

        Raises
        ------
        ValueError
            When ``n`` is not a positive integer.
        """
        if not is_whole(n, 1):
            raise ValueError(f"n must be an integer >= 1, not {n!r}")
        chosen: list[int] = []
        nearest = np.full(self.count, np.inf)
        while len(chosen) < min(n, self.count):
            chosen.append(int(np.argmax(nearest)))
            nearest = np.minimum(nearest, self.disagreement(chosen[-1]))
            nearest[chosen] = -1.0
        return tuple(chosen)
