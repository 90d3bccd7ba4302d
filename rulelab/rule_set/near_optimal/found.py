"""Sets as they are found, grouped by what they predict; nothing is kept of a set that is no model's cheapest."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

_BYTES = 400  # of a model beside what it covers, about


@dataclass(eq=False)
class Models:
    """Models, each with its cheapest set, of the sets up to some cost.

    Attributes
    ----------
    most : int
        Cost on the grid up to which sets were looked for.
    n_rules : int
        Rules that sets are made of.
    best : tuple of int
        Rules of the best set known.
    cost, sets : dict of bytes
        For each covered set of patterns the cost of its cheapest set, and that set.
    multiplicity : dict of bytes to int
        Sets that cover it.
    through : int64 array, shape (n_rules,)
        Sets that have each rule.
    cheapest : int64 array, shape (n_rules,)
        The least cost of a set that has it.
    without : dict of int to int
        For the rules of the best set: the least cost of a set that does without.
    n_sets : int
    """

    most: int
    n_rules: int
    best: tuple[int, ...]
    cost: dict[bytes, int] = field(default_factory=dict)
    sets: dict[bytes, tuple[int, ...]] = field(default_factory=dict)
    multiplicity: dict[bytes, int] = field(default_factory=dict)
    without: dict[int, int] = field(default_factory=dict)
    n_sets: int = 0
    n_words: int = 1

    def __post_init__(self) -> None:
        self.through = np.zeros(self.n_rules, dtype=np.int64)
        self.cheapest = np.full(self.n_rules, np.iinfo(np.int64).max)

    def __len__(self) -> int:
        return len(self.cost)

    @property
    def nbytes(self) -> int:
        """Bytes, about."""
        return len(self.cost) * (_BYTES + 8 * self.n_words) + self.through.nbytes + self.cheapest.nbytes

    def take(self, sets: np.ndarray, costs: np.ndarray, covered: np.ndarray) -> None:
        """Take sets in.

        Parameters
        ----------
        sets : int64 array, shape (n, n_levels)
            Rules, filled up with -1.
        costs : int64 array, shape (n,)
        covered : uint64 array, shape (n, n_words)
        """
        self.n_sets += len(sets)
        self.n_words = covered.shape[1]
        held = sets >= 0
        rule = sets[held]
        np.add.at(self.through, rule, 1)
        np.minimum.at(self.cheapest, rule, np.repeat(costs, held.sum(axis=1)))
        for k in self.best:
            lacking = costs[~(sets == k).any(axis=1)]
            if len(lacking):
                self.without[k] = min(int(lacking.min()), self.without.get(k, int(lacking.min())))
        size = covered.shape[1] * 8
        blob = np.ascontiguousarray(covered).tobytes()
        lengths = held.sum(axis=1).tolist()
        for i, (cost, n) in enumerate(zip(costs.tolist(), lengths, strict=True)):
            key = blob[i * size : (i + 1) * size]
            known = self.cost.get(key)
            if known is None:
                self.multiplicity[key] = 1
            else:
                self.multiplicity[key] += 1
            if known is None or (cost, n) < (known, len(self.sets[key])):
                self.cost[key], self.sets[key] = cost, tuple(sets[i, :n].tolist())

    def ordered(self) -> list[bytes]:
        """What the models cover, the cheapest first, then those of fewer rules."""
        return sorted(self.cost, key=lambda key: (self.cost[key], len(self.sets[key]), self.sets[key]))
