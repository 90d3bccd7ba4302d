"""The units of a search over prefixes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..data.problem import Problem
from .weights import Weights


@dataclass(frozen=True)
class Scale:
    """Antecedents, bounds and costs of a search, in its own integers.

    A rule that captures p positives and q negatives of the grid costs ``min(per_positive * p, per_negative * q)``.

    Attributes
    ----------
    problem : Problem
    antecedents : int array, shape (m,)
        Those that the search tries, as indices of the problem's.
    cuts : tuple of str
        The names of ``Snapshot.pruned``, in the order of the fates.
    bounding : frozenset of str
        Those that say that no extension costs less than the incumbent.
    costs : Costs
        The grid: ``positives``, ``negatives``, ``per_rule``, ``unit`` and ``slack``.
    per_positive, per_negative : int
    """

    problem: Problem
    antecedents: np.ndarray
    cuts: tuple[str, ...]
    bounding: frozenset[str]
    costs: Any
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
