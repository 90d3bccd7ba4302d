"""A first rule set: the best rule for what is not covered yet, again and again."""

from __future__ import annotations

import numpy as np

from ...kernels import bits
from ..features import Features
from ..pool import Clause, Pool
from ..pricing.beam import beam
from ..program import Program, by_place

_LARGEST_CHARGE = 1 << 56


class Greedy:
    """Adds the rule of most gain per complexity, found by the beam heuristic; all rules met go to the pool.

    Attributes
    ----------
    rules : list of rules
    done : bool
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
