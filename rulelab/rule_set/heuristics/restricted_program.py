"""The best set of the columns of least reduced cost by branch and bound: a heuristic, so it is cut short."""

from __future__ import annotations

import numpy as np

from ..closing.branching import BranchAndBound
from ..pool import Clause, Pool
from ..program import Cost, Program

COLUMNS = 400
_FIRST = 100  # columns that the first linear program starts with
_NODES = 150


class Restricted:
    """One node after another.

    Attributes
    ----------
    upper : int or Fraction
        Cost of the best set known.
    found : list of rules or None
        The set that the last unit of work has found.
    done : bool
    """

    def __init__(self, program: Program, pool: Pool, chosen: np.ndarray, upper: Cost, lower: Cost) -> None:
        self._pool = pool
        columns = pool.columns(chosen).merged()
        self._search = BranchAndBound(program, columns, upper, lower, np.arange(len(columns))[:_FIRST])
        self.found: list[Clause] | None = None
        self.done = False

    @property
    def nbytes(self) -> int:
        return self._search.nbytes

    @property
    def upper(self) -> Cost:
        return self._search.upper

    def advance(self) -> None:
        """One unit of work: a node, or a part of it."""
        search, before, self.found = self._search, self._search.upper, None
        if search.open:
            search.advance()
        if search.upper < before:
            assert search.best is not None
            self.found = [self._pool.rules[k] for k in search.columns.rules[list(search.best)]]
        self.done = not search.open or (search.nodes >= _NODES and search.is_between)
