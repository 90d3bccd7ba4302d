"""Local search over sets of given columns: add, drop and swap. A heuristic."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...kernels.by_reference import by_reference
from ...kernels.jit import inlined, inner, kernel
from ..features import sparse_rows
from ..master.linear_program import shares
from ..pool import Columns
from ..program import Program

MEET = 1e-12  # how far a constraint may be exceeded here; exact arithmetic decides afterwards
_RELATIVE = 1e-11  # of the score that a move must gain: more than its rounding errors, so that no set comes again
_MOST_WORK = 20_000_000  # of a call: about a tenth of a second


@by_reference
class Moves(NamedTuple):
    """Columns over classes of entities that they do not tell apart; flat arrays."""

    # start, entity (int64): classes covered by each column, in compressed rows
    start: np.ndarray
    entity: np.ndarray
    leave: np.ndarray  # float64, shape (n_classes,): cost of leaving a class uncovered
    mass: np.ndarray  # float64, shape (n_classes,)
    kind: np.ndarray  # int64, shape (n_classes,)
    cost: np.ndarray  # float64, shape (n_columns,): what a column costs by itself
    complexity: np.ndarray  # int64, shape (n_columns,)
    used: np.ndarray
    """float64, shape (n_columns, n_constraints): what a column takes of each constraint's bound by itself."""
    leave_used: np.ndarray  # float64, shape (n_constraints, n_kinds): what a unit of uncovered mass takes
    room: int
    least_gain: float  # what a move must gain: less than any two sets of different cost differ
    most_work: int  # entities looked at in one call of `descend`
    penalty: float  # of exceeding a constraint by 1


@by_reference
class Walk(NamedTuple):
    """Where the search stands."""

    chosen: np.ndarray  # int8, shape (n_columns,)
    times: np.ndarray  # int32, shape (n_classes,): chosen columns that cover each class
    owner: np.ndarray
    """int64, shape (n_classes,): sum of the indices of these columns: the column itself, where there is one."""
    taken: np.ndarray  # float64, shape (n_constraints,): left-hand side minus bound of each constraint
    change: np.ndarray  # float64, shape (1 + n_constraints,)
    freed: np.ndarray  # float64, shape (2, n_columns, 1 + n_constraints)
    inside: np.ndarray  # int64, shape (n_columns,): room for the kernels
    best: np.ndarray  # int8, shape (n_columns,)
    kept: np.ndarray  # int8, shape (n_columns,): the set that `rebuild` goes back to
    score: np.ndarray
    """float64, shape (4,): present cost, complexity, cost of the best; 1 where the descent was cut short."""
    random: np.ndarray  # uint64, shape (1,)


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
        owner=np.zeros(len(moves.leave), dtype=np.int64),
        taken=np.array([-float(c.bound) for c in program.constraints]),
        change=np.zeros(1 + len(program.constraints)),
        freed=np.zeros((2, n, 1 + len(program.constraints))),
        inside=np.zeros(n, dtype=np.int64),
        best=np.zeros(n, dtype=np.int8),
        kept=np.zeros(n, dtype=np.int8),
        score=np.array([0.0, 0.0, np.inf, 0.0]),
        random=np.array([(2 * int(seed) + 1) % (1 << 64)], dtype=np.uint64),
    )
    walk.taken[:] += moves.leave_used @ np.bincount(moves.kind, weights=moves.mass, minlength=program.n_kinds)
    walk.score[0] = float(program.constant * program.scale) + moves.leave.sum()
    if (walk.taken <= MEET).all():
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
        walk.owner[q] += step * k
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


@inner
def _alone(moves, walk):
    """What the score and the constraints change by when each column that is in goes out; returns how many are in."""
    n_constraints, count = walk.taken.size, 0
    for d in range(walk.chosen.size):
        if walk.chosen[d] == 0:
            continue
        walk.inside[count] = d
        count += 1
        freed = walk.freed[0, d]
        freed[0] = -moves.cost[d]
        for r in range(n_constraints):
            freed[1 + r] = -moves.used[d, r]
        for e in range(moves.start[d], moves.start[d + 1]):
            q = moves.entity[e]
            if walk.times[q] == 1:
                freed[0] += moves.leave[q]
                for r in range(n_constraints):
                    freed[1 + r] += moves.mass[q] * moves.leave_used[r, moves.kind[q]]
    return count


@inner
def cover(moves, walk, k, count):
    """What they change by when column ``k`` comes in, and what of it would be new only without each that is in."""
    n_constraints, change = walk.taken.size, walk.change
    change[0] = moves.cost[k]
    for r in range(n_constraints):
        change[1 + r] = moves.used[k, r]
    for i in range(count):
        for r in range(1 + n_constraints):
            walk.freed[1, walk.inside[i], r] = 0.0
    if n_constraints == 0:
        for e in range(moves.start[k], moves.start[k + 1]):
            q = moves.entity[e]
            if walk.times[q] == 0:
                change[0] -= moves.leave[q]
            elif walk.times[q] == 1:
                walk.freed[1, walk.owner[q], 0] -= moves.leave[q]
        return
    for e in range(moves.start[k], moves.start[k + 1]):
        q = moves.entity[e]
        if walk.times[q] > 1:
            continue
        into = change if walk.times[q] == 0 else walk.freed[1, walk.owner[q]]
        into[0] -= moves.leave[q]
        for r in range(n_constraints):
            into[1 + r] -= moves.mass[q] * moves.leave_used[r, moves.kind[q]]


@inner
def change_of(moves, walk, out, into):
    """Change of the score when column ``out`` goes out and ``into``, which has been looked at, comes in; or one."""
    total = 0.0
    for r in range(1 + walk.taken.size):
        part = 0.0
        if out >= 0:
            part += walk.freed[0, out, r]
        if into >= 0:
            part += walk.change[r]
        if out >= 0 and into >= 0:
            part += walk.freed[1, out, r]
        if r == 0:
            total += part
        else:
            total += moves.penalty * (max(walk.taken[r - 1] + part, 0.0) - max(walk.taken[r - 1], 0.0))
    return total


@kernel
def descend(moves, walk):
    """Take the best move until none improves the score, then keep the set if it is the best one that is allowed.

    A descent that has looked at ``most_work`` entities takes the best move seen and can be continued.

    Returns int: entities looked at.
    """
    n = walk.chosen.size
    looked = 0
    walk.score[3] = 1.0
    while looked < moves.most_work:
        before = walk.score[0] + moves.penalty * _excess(walk)
        gain = -max(moves.least_gain, _RELATIVE * abs(before))
        out, into = -1, -1
        count = _alone(moves, walk)
        for i in range(count):
            d = walk.inside[i]
            change = change_of(moves, walk, d, -1)
            if change < gain:
                gain, out = change, d
        for k in range(n):
            over = walk.score[1] + moves.complexity[k] - moves.room
            if walk.chosen[k] == 1:
                continue
            if looked >= moves.most_work:
                break
            looked += 1 + moves.start[k + 1] - moves.start[k]
            cover(moves, walk, k, count)
            if over <= 0:
                change = change_of(moves, walk, -1, k)
                if change < gain or (change == gain and out >= 0):
                    gain, out, into = change, -1, k
            for i in range(count):
                d = walk.inside[i]
                if over <= moves.complexity[d]:
                    change = change_of(moves, walk, d, k)
                    if change < gain or (change == gain and d < out):
                        gain, out, into = change, d, k
        if out < 0 and into < 0:
            walk.score[3] = 0.0
            break
        if out >= 0:
            choose(moves, walk, out)
        if into >= 0:
            choose(moves, walk, into)
    allowed = True
    for r in range(walk.taken.size):
        if walk.taken[r] > MEET:
            allowed = False
    if allowed and walk.score[0] + max(moves.least_gain, _RELATIVE * abs(walk.score[0])) < walk.score[2]:
        walk.score[2] = walk.score[0]
        for k in range(n):
            walk.best[k] = walk.chosen[k]
    return looked
