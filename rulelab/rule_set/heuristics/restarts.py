"""Where the local search begins: a drawn set, the best one kicked, a set of which a part is built anew."""

from __future__ import annotations

import numpy as np

from ...kernels.jit import inlined, inner, kernel
from .local_search import MEET, Walk, change_of, choose, cover

_MOST_POWER, _NOISE = 1.2, 0.15  # of what is filled in again


def keep(walk: Walk, most: float) -> bool:
    """Have `rebuild` go back to the present set, if it is allowed and costs at most this much."""
    kept = bool(walk.score[0] <= most) and bool((walk.taken <= MEET).all())
    if kept:
        walk.kept[:] = walk.chosen
    return kept


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
