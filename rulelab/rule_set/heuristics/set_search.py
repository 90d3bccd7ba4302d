"""A greedy first rule set, then descents from the best set, kicked, or from one that the linear program suggests."""

from __future__ import annotations

import numpy as np

from ...kernels import bits
from ...kernels.jit import inlined, inner, kernel
from ..features import Features
from ..pool import Clause, Pool
from ..pricing.beam import beam
from ..program import Program, by_place
from . import local_search as local
from .local_search import MEET, change_of, choose, cover

_LARGEST_CHARGE = 1 << 56


class Greedy:
    """Adds the rule of most gain per complexity, found by the beam heuristic; all rules met go to the pool."""

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
        found, sums = beam(self.features, self._leave - self._cover, charge)
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


_MOST_POWER, _NOISE = 1.2, 0.15  # of what is filled in again
_STRENGTHS = (0, 1, 2, 3)
_KICKS = 3  # one round in so many begins from the best set, where the linear program has a use for columns
_MOST_DROPPED = 4  # columns, of a set that is built anew in part
_CHAIN = 24  # rounds of building anew, after which another set is drawn
_WORSE = 0.0005  # of the cost, times 0, 1 or 2 by the chain: what a set that is gone on with may cost more
_SLICES = 4  # calls of a descent, after which it ends
_DRAWS = 4  # per unit of complexity
_PENALTIES = (1.0, 4.0, 30.0)  # of exceeding a constraint, as multiples of its dual price; taken in turn


@inlined
def _random(walk):
    """64 random bits (xorshift)."""
    x = walk.random[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    walk.random[0] = x
    return x


@inlined
def _share(walk):
    """A random number from 0 to 1."""
    return np.float64(_random(walk) >> np.uint64(11)) / 2.0**53


@kernel
def draw(moves, walk, share, draws):
    """Begin with a random set: columns drawn by their share of a total of 1, while there is room."""
    n = walk.chosen.size
    for k in range(n):
        if walk.chosen[k] == 1:
            choose(moves, walk, k)
    for _ in range(draws):
        left = _share(walk)
        for k in range(n):
            left -= share[k]
            if left < 0.0:
                if walk.chosen[k] == 0 and walk.score[1] + moves.complexity[k] <= moves.room:
                    choose(moves, walk, k)
                break


@kernel
def kick(moves, walk, strength):
    """Go back to the best set, drop ``strength`` of its columns and let random ones in."""
    n = walk.chosen.size
    inside = _go_back(moves, walk, walk.best)
    for _ in range(strength):
        x = _random(walk)
        target = np.int64(x % np.uint64(n))
        inside -= _drop(moves, walk, inside, x >> np.uint64(20))
        if walk.chosen[target] == 0 and walk.score[1] + moves.complexity[target] <= moves.room:
            choose(moves, walk, target)
            inside += 1


@kernel
def rebuild(moves, walk, strength):
    """Go back to the kept set, drop ``strength`` of its columns and fill the room with those that gain most for their
    complexity to a random power of at most 1.2, where each gain is lessened by a random share of at most 0.15."""
    inside = _go_back(moves, walk, walk.kept)
    for _ in range(strength):
        inside -= _drop(moves, walk, inside, _random(walk))
    power = _MOST_POWER * _share(walk)
    while True:
        best, into = 0.0, -1
        for k in range(walk.chosen.size):
            if walk.chosen[k] == 0 and walk.score[1] + moves.complexity[k] <= moves.room:
                cover(moves, walk, k, 0)
                gain = -change_of(moves, walk, -1, k)
                if gain > moves.least_gain:
                    worth = gain / moves.complexity[k] ** power * (1.0 - _NOISE * _share(walk))
                    if worth > best:
                        best, into = worth, k
        if into < 0:
            break
        choose(moves, walk, into)


@inner
def _go_back(moves, walk, known):
    """Go back to a set; returns how many columns it has."""
    inside = 0
    for k in range(walk.chosen.size):
        if walk.chosen[k] != known[k]:
            choose(moves, walk, k)
        inside += walk.chosen[k]
    return inside


@inner
def _drop(moves, walk, inside, number):
    """Drop one of so many columns, a random number says which; returns how many are dropped."""
    if inside == 0:
        return 0
    seen = 0
    wanted = np.int64(number % np.uint64(inside))
    for k in range(walk.chosen.size):
        if walk.chosen[k] == 1:
            if seen == wanted:
                choose(moves, walk, k)
                break
            seen += 1
    return 1


class SetSearch:
    """One descent after another over some columns of the pool.

    Where it ``rebuilds``, a descent begins from the set before, of which a part is built anew, or from a drawn one now
    and then. ``found``: the best set of the last unit of work, when it is better than those before.
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
        rebuilds: bool = False,
    ) -> None:
        self._rules = [pool.rules[k] for k in chosen]
        self._moves = local.moves_of(program, pool.columns(chosen))
        self._walk = local.new_walk(program, self._moves, seed)
        self._share = use / max(float(use.sum()), 1e-9)
        self._price = max([0.05 * float(program.worst * program.scale) / program.max_complexity, *gamma.tolist()])
        self._rounds, self._most_rounds = 0, rounds
        self._rebuilds, self._kept = rebuilds, float("inf")
        self._penalties = _PENALTIES if len(self._walk.taken) else _PENALTIES[:1]
        self._descents = self._slices = 0  # of this round, of this descent
        self.found: list[Clause] | None = None
        self.done = not len(chosen)

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in (*self._moves, *self._walk) if isinstance(part, np.ndarray))

    def advance(self) -> None:
        """One unit of work: a start and its descents, or a part of them where they are long."""
        walk, looked = self._walk, 0
        before = walk.score[2]
        while looked < self._moves.most_work:
            moves = self._moves._replace(penalty=self._price * self._penalties[self._descents])
            if self._descents == self._slices == 0:
                self._start(moves)
            looked += local.descend(moves, walk)
            self._slices += 1
            if walk.score[3] and self._slices < _SLICES:
                continue
            self._slices = 0
            self._descents += 1
            if self._descents == len(self._penalties):
                self._descents = 0
                self._rounds += 1
                break
        self.found = None
        if walk.score[2] < before:
            self.found = [self._rules[k] for k in np.flatnonzero(walk.best)]
        self.done = self._rounds >= self._most_rounds

    def _start(self, moves: local.Moves) -> None:
        if self._rebuilds and self._rounds % _CHAIN:
            self._rebuild(moves)
        elif self._rebuilds or (self._rounds % _KICKS and self._share.any()):
            self._kept = float("inf")
            draw(moves, self._walk, self._share, _DRAWS * min(moves.room, int(moves.complexity.sum())))
        else:
            kick(moves, self._walk, _STRENGTHS[self._rounds // _KICKS % len(_STRENGTHS)])

    def _rebuild(self, moves: local.Moves) -> None:
        """Build a part anew of the last set, or of the one before where the last one costs too much."""
        most = self._kept
        if most < float("inf"):
            most += _WORSE * abs(most) * (self._rounds // _CHAIN % 3)
        walk = self._walk
        if walk.score[0] <= most and (walk.taken <= MEET).all():
            walk.kept[:] = walk.chosen
            self._kept = float(walk.score[0])
        rebuild(moves, self._walk, 1 + self._rounds % _MOST_DROPPED)
