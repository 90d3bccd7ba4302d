"""Local search over sets of given columns: add, drop, swap, and a kick when nothing helps. A heuristic."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...kernels.by_reference import by_reference
from ...kernels.jit import inlined, kernel
from ..master.linear_program import shares
from ..pool import Columns
from ..program import Program
from ..sparse import sparse_rows

_MEET = 1e-12  # how far a constraint may be exceeded here; exact arithmetic decides afterwards
_RELATIVE = 1e-11  # of the score that a move must gain: more than its rounding errors, so that no set comes again
_MOST_WORK = 50_000_000  # of a call: about a tenth of a second


@by_reference
class Moves(NamedTuple):
    """Columns over classes of entities that they do not tell apart; flat arrays.

    Attributes
    ----------
    start, entity : int64 array
        Classes covered by each column, in compressed rows.
    leave : float64 array, shape (n_classes,)
        Cost of leaving a class uncovered.
    mass : float64 array, shape (n_classes,)
    kind : int64 array, shape (n_classes,)
    cost : float64 array, shape (n_columns,)
        What a column costs by itself.
    complexity : int64 array, shape (n_columns,)
    used : float64 array, shape (n_columns, n_constraints)
        What a column takes of each constraint's bound by itself.
    leave_used : float64 array, shape (n_constraints, n_kinds)
        What a unit of uncovered mass takes.
    room : int
    least_gain : float
        What a move must gain: less than any two sets of different cost differ.
    most_work : int
        Entities looked at in one call of `descend`.
    penalty : float
        Of exceeding a constraint by 1.
    """

    start: np.ndarray
    entity: np.ndarray
    leave: np.ndarray
    mass: np.ndarray
    kind: np.ndarray
    cost: np.ndarray
    complexity: np.ndarray
    used: np.ndarray
    leave_used: np.ndarray
    room: int
    least_gain: float
    most_work: int
    penalty: float


@by_reference
class Walk(NamedTuple):
    """Where the search stands.

    Attributes
    ----------
    chosen : int8 array, shape (n_columns,)
    times : int32 array, shape (n_classes,)
        Chosen columns that cover each class.
    taken : float64 array, shape (n_constraints,)
        Left-hand side minus bound of each constraint.
    change : float64 array, shape (n_constraints,)
        Room for the kernel.
    best : int8 array, shape (n_columns,)
    score : float64 array, shape (4,)
        Present cost, complexity, cost of the best; 1 where the descent was cut short.
    random : uint64 array, shape (1,)
    """

    chosen: np.ndarray
    times: np.ndarray
    taken: np.ndarray
    change: np.ndarray
    best: np.ndarray
    score: np.ndarray
    random: np.ndarray


def moves_of(program: Program, columns: Columns) -> Moves:
    """What the search chooses from; the columns are merged here."""
    columns = columns.merged()
    start, entity = sparse_rows(columns.hits)
    leave_used, cover_used = shares(program)
    own = columns.kind_mass @ program.cover + program.scaled_penalty * columns.complexity
    return Moves(
        start=start,
        entity=entity,
        leave=(program.leave[columns.kind] * columns.mass).astype(float),
        mass=columns.mass.astype(float),
        kind=columns.kind,
        cost=own.astype(float),
        complexity=columns.complexity,
        used=columns.kind_mass @ cover_used.T,
        leave_used=leave_used,
        room=program.max_complexity,
        least_gain=1e-6 * min(1.0, program.fine),
        most_work=_MOST_WORK // max(1, len(program.constraints)),
        penalty=0.0,
    )


def new_walk(program: Program, moves: Moves, seed: int) -> Walk:
    """Begin with no column."""
    n = len(moves.cost)
    walk = Walk(
        chosen=np.zeros(n, dtype=np.int8),
        times=np.zeros(len(moves.leave), dtype=np.int32),
        taken=np.array([-float(c.bound) for c in program.constraints]),
        change=np.zeros(len(program.constraints)),
        best=np.zeros(n, dtype=np.int8),
        score=np.array([0.0, 0.0, np.inf, 0.0]),
        random=np.array([(2 * int(seed) + 1) % (1 << 64)], dtype=np.uint64),
    )
    walk.taken[:] += moves.leave_used @ np.bincount(moves.kind, weights=moves.mass, minlength=program.n_kinds)
    walk.score[0] = float(program.constant * program.scale) + moves.leave.sum()
    if (walk.taken <= _MEET).all():
        walk.score[2] = walk.score[0]
    return walk


@kernel
def choose(moves, walk, k):
    """Take column ``k`` in, or out when it is in."""
    inside = walk.chosen[k] == 1
    sign = -1.0 if inside else 1.0
    step = -1 if inside else 1
    n_constraints = walk.taken.size
    for e in range(moves.start[k], moves.start[k + 1]):
        q = moves.entity[e]
        if walk.times[q] == (1 if inside else 0):
            walk.score[0] -= sign * moves.leave[q]
            for r in range(n_constraints):
                walk.taken[r] -= sign * moves.mass[q] * moves.leave_used[r, moves.kind[q]]
        walk.times[q] += step
    for r in range(n_constraints):
        walk.taken[r] += sign * moves.used[k, r]
    walk.score[0] += sign * moves.cost[k]
    walk.score[1] += sign * moves.complexity[k]
    walk.chosen[k] = 0 if inside else 1


@inlined
def _excess(walk):
    total = 0.0
    for r in range(walk.taken.size):
        if walk.taken[r] > 0.0:
            total += walk.taken[r]
    return total


@inlined
def _gain(moves, walk, k):
    """Change of the score when column ``k``, which is not in, comes in."""
    out = moves.cost[k]
    n_constraints = walk.taken.size
    if n_constraints == 0:
        for e in range(moves.start[k], moves.start[k + 1]):
            q = moves.entity[e]
            if walk.times[q] == 0:
                out -= moves.leave[q]
        return out
    for r in range(n_constraints):
        walk.change[r] = moves.used[k, r]
    for e in range(moves.start[k], moves.start[k + 1]):
        q = moves.entity[e]
        if walk.times[q] == 0:
            out -= moves.leave[q]
            for r in range(n_constraints):
                walk.change[r] -= moves.mass[q] * moves.leave_used[r, moves.kind[q]]
    for r in range(n_constraints):
        now = walk.taken[r] + walk.change[r]
        out += moves.penalty * (max(now, 0.0) - max(walk.taken[r], 0.0))
    return out


@kernel
def descend(moves, walk):
    """Take the best move until none improves the score, then keep the set if it is the best one that is allowed.

    A descent that has looked at ``most_work`` entities takes the best move seen and can be continued.

    Returns
    -------
    int
        Entities looked at.
    """
    n = walk.chosen.size
    looked = 0
    walk.score[3] = 1.0
    while looked < moves.most_work:
        before = walk.score[0] + moves.penalty * _excess(walk)
        gain = -max(moves.least_gain, _RELATIVE * abs(before))
        out, into = -1, -1
        for k in range(n):
            if walk.chosen[k] == 0 and walk.score[1] + moves.complexity[k] <= moves.room:
                looked += 1 + moves.start[k + 1] - moves.start[k]
                change = _gain(moves, walk, k)
                if change < gain:
                    gain, out, into = change, -1, k
        for d in range(n):
            if walk.chosen[d] == 0 or looked >= moves.most_work:
                continue
            choose(moves, walk, d)
            base = walk.score[0] + moves.penalty * _excess(walk) - before
            if base < gain:
                gain, out, into = base, d, -1
            for k in range(n):
                if walk.chosen[k] == 0 and k != d and walk.score[1] + moves.complexity[k] <= moves.room:
                    looked += 1 + moves.start[k + 1] - moves.start[k]
                    change = base + _gain(moves, walk, k)
                    if change < gain:
                        gain, out, into = change, d, k
            choose(moves, walk, d)
        if out < 0 and into < 0:
            walk.score[3] = 0.0
            break
        if out >= 0:
            choose(moves, walk, out)
        if into >= 0:
            choose(moves, walk, into)
    allowed = True
    for r in range(walk.taken.size):
        if walk.taken[r] > _MEET:
            allowed = False
    if allowed and walk.score[0] + max(moves.least_gain, _RELATIVE * abs(walk.score[0])) < walk.score[2]:
        walk.score[2] = walk.score[0]
        for k in range(n):
            walk.best[k] = walk.chosen[k]
    return looked


@inlined
def _random(walk):
    """64 random bits (xorshift)."""
    x = walk.random[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    walk.random[0] = x
    return x


@kernel
def draw(moves, walk, share, draws):
    """Begin with a random set: columns drawn by their share of a total of 1, while there is room."""
    n = walk.chosen.size
    for k in range(n):
        if walk.chosen[k] == 1:
            choose(moves, walk, k)
    for _ in range(draws):
        left = np.float64(_random(walk) >> np.uint64(11)) / 2.0**53
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
    inside = 0
    for k in range(n):
        if walk.chosen[k] != walk.best[k]:
            choose(moves, walk, k)
        inside += walk.chosen[k]
    for _ in range(strength):
        x = _random(walk)
        target = np.int64(x % np.uint64(n))
        if inside > 0:
            seen = 0
            wanted = np.int64((x >> np.uint64(20)) % np.uint64(inside))
            for k in range(n):
                if walk.chosen[k] == 1:
                    if seen == wanted:
                        choose(moves, walk, k)
                        inside -= 1
                        break
                    seen += 1
        if walk.chosen[target] == 0 and walk.score[1] + moves.complexity[target] <= moves.room:
            choose(moves, walk, target)
            inside += 1
