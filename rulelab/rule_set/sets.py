"""The set search as a phase: descents from the best set, kicked, or from one that the linear program suggests."""

from __future__ import annotations

import numpy as np

from . import local
from .pool import Clause, Pool
from .program import Program

_STRENGTHS = (0, 1, 2, 3)
_KICKS = 3  # one round in so many begins from the best set, where the linear program has a use for columns
_DRAWS = 4  # per unit of complexity
_PENALTIES = (1.0, 4.0, 30.0)
"""Of exceeding a constraint, as multiples of its dual price; taken in turn."""


class SetSearch:
    """One descent after another over some columns of the pool.

    Attributes
    ----------
    found : list of rules or None
        The best set of the last unit of work, when it is better than those before.
    done : bool
    """

    def __init__(
        self,
        program: Program,
        pool: Pool,
        chosen: np.ndarray,
        use: np.ndarray,
        gamma: np.ndarray,
        seed: int,
        rounds: int,
    ) -> None:
        self._rules = [pool.rules[k] for k in chosen]
        self._moves = local.moves_of(program, pool.columns(chosen))
        self._walk = local.new_walk(program, self._moves, seed)
        self._share = use / max(float(use.sum()), 1e-9)
        self._price = max([0.05 * float(program.worst * program.scale) / program.max_complexity, *gamma.tolist()])
        self._rounds, self._most_rounds = 0, rounds
        self.found: list[Clause] | None = None
        self.done = not len(chosen)

    def advance(self) -> None:
        """One unit of work: a start and a descent."""
        walk = self._walk
        before = walk.score[2]
        for factor in _PENALTIES if len(walk.taken) else _PENALTIES[:1]:
            moves = self._moves._replace(penalty=self._price * factor)
            if factor == _PENALTIES[0] and self._rounds % _KICKS and self._share.any():
                local.draw(moves, walk, self._share, _DRAWS * min(moves.room, int(moves.complexity.sum())))
            elif factor == _PENALTIES[0]:
                local.kick(moves, walk, _STRENGTHS[self._rounds // _KICKS % len(_STRENGTHS)])
            local.descend(moves, walk)
        self.found = None
        if walk.score[2] < before:
            self.found = [self._rules[k] for k in np.flatnonzero(walk.best)]
        self._rounds += 1
        self.done = self._rounds >= self._most_rounds
