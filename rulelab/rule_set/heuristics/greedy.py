"""First rule sets: the best rule for what is left, again and again; then the best set of a few columns."""

from __future__ import annotations

import numpy as np

from ...kernels import bits
from ..closing.branching import BranchAndBound
from ..features import Features
from ..pool import Clause, Pool
from ..pricing.beam import beam
from ..program import Cost, Program, by_place

_LARGEST_CHARGE = 1 << 56


class Greedy:
    """Adds the rule of most gain per complexity, found by the beam heuristic; all rules met go to the pool.

    ``rules`` (list of rules). ``done`` (bool).
    """

    def __init__(self, program: Program, features: Features, pool: Pool, max_conditions: int) -> None:
        self.program, self.features, self.pool = program, features, pool
        self.max_conditions = max_conditions
        self.rules: list[Clause] = []
        self.done = False
        self._room = program.max_complexity
        self._leave, self._cover = (
            np.rint(by_place(side[program.kind] * program.mass, program.pattern, program.n_patterns)).astype(np.int64)
            for side in (program.leave, program.cover)
        )

    def advance(self) -> None:
        """One unit of work: one rule more."""
        widest = min(self.max_conditions, self._room - 1)
        if widest < 1:
            self.done = True
            return
        each = min(round(self.program.scaled_penalty), _LARGEST_CHARGE // (widest + 1))
        charge = each * (1 + np.arange(widest + 1, dtype=np.int64))
        found, sums = beam(self.features, self._leave - self._cover, charge, widest)
        if not len(found):
            self.done = True
            return
        self.pool.add(found)
        ratios = [(float(v) - charge[len(rule)]) / (1 + len(rule)) for rule, v in zip(found, sums, strict=True)]
        rule = tuple(found[int(np.argmax(ratios))])
        self.rules.append(rule)
        self._room -= 1 + len(rule)
        hit = bits.unpack(self.features.covers([rule]), self.program.n_patterns)[0]
        self._leave[hit] = 0


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
