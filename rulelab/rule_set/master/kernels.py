"""Kernels of the proximal masters: small systems, on which a threaded BLAS would only wait, and prices of constraints.

The prices, at a given use of the columns: with y the prices, an entity's dual value x is the point of [0, L_k] next to
its wish v, where L_k is the limit of its kind. Above ``f_k = l_k + sum_r a_rk y_r`` a limit costs ``s_k`` per unit,
which pays up to a floor. What is left is a concave function of few prices:

    maximise    p y - sum_r n_r (y_r - y'_r)^2 / 2 - sum_k (s_k (L_k - f_k) + mu/2 sum m (v - L_k)+^2)
    subject to  y >= 0,  L_k = max(floor_k, f_k),

quadratic in pieces, and once differentiable but where f_k = 0 = floor_k: there it has an edge, at which the best y
often lies. Edges are rounded off by a multiplier method (Hestenes, J. Optim. Theory Appl. 4, 1969), which is exact at
its end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...kernels.jit import kernel


@kernel
def add_use(start, entity, rules, use, out):
    """Add the use of some rules to what they cover."""
    for i in range(rules.size):
        k = rules[i]
        for e in range(start[k], start[k + 1]):
            out[entity[e]] += use[k]


@kernel
def covered_sums(start, entity, rules, weight, out):
    """The sum of weights over what each of some rules covers."""
    for i in range(rules.size):
        total = 0.0
        for e in range(start[rules[i]], start[rules[i] + 1]):
            total += weight[entity[e]]
        out[i] = total


@kernel
def cross_products(start, entity, rules, place, value, first, member, out):
    """For each two rules the sum of values over what both cover, where the entities have a place.

    ``first``, of two more than there are places, and ``member``, of as many as the rules cover, are room to work in.
    """
    n_places = first.size - 2
    for i in range(rules.size):
        for e in range(start[rules[i]], start[rules[i] + 1]):
            q = place[entity[e]]
            if q >= 0:
                first[q + 2] += 1
    for q in range(n_places):
        first[q + 2] += first[q + 1]
    for i in range(rules.size):
        for e in range(start[rules[i]], start[rules[i] + 1]):
            q = place[entity[e]]
            if q >= 0:
                member[first[q + 1]] = i
                first[q + 1] += 1
    for q in range(n_places):
        for a in range(first[q], first[q + 1]):
            row = out[member[a]]
            for b in range(first[q], a + 1):
                row[member[b]] += value[q]
    for i in range(rules.size):
        for j in range(i):
            out[j, i] = out[i, j]


@kernel
def quadratic(matrix, vector):
    """vector' matrix vector."""
    total = 0.0
    for i in range(vector.size):
        part = 0.0
        for j in range(vector.size):
            part += matrix[i, j] * vector[j]
        total += vector[i] * part
    return total


@kernel
def solve(matrix, right):
    """Solve a positive definite system in place, by Cholesky's method; ``right`` becomes the solution."""
    n = right.size
    for k in range(n):
        pivot = max(matrix[k, k], 1e-12) ** 0.5
        above = matrix[k]
        above[k] = pivot
        for j in range(k + 1, n):
            above[j] /= pivot
        for i in range(k + 1, n):
            row = matrix[i]
            factor = above[i]
            for j in range(i, n):
                row[j] -= factor * above[j]
        right[k] /= pivot
        for j in range(k + 1, n):
            right[j] -= above[j] * right[k]
    for k in range(n - 1, -1, -1):
        total = right[k]
        row = matrix[k]
        for j in range(k + 1, n):
            total -= row[j] * right[j]
        right[k] = total / row[k]


_STEPS = 60  # of Newton's method
_HALVINGS = 40
_ROUNDS = 100  # of the floors
_UPDATES = 12  # of the multipliers
_ACCURACY = 1e-10
_ROUNDING = 1e-14


class Prices(NamedTuple):
    """What the kernels read, and the arrays that they fill."""

    kind: np.ndarray  # int32, shape (n_entities,)
    mass: np.ndarray  # float, shape (n_entities,)
    wish: np.ndarray  # float, shape (n_entities,)
    # own, full, floor (float, shape (n_kinds,)): l_k, s_k and floor_k
    own: np.ndarray
    full: np.ndarray
    floor: np.ndarray
    left: np.ndarray  # float, shape (n_constraints, n_kinds): a_rk
    # pull, near, stiffness, y (float, shape (n_constraints,)): p_r, y'_r, n_r and y_r
    pull: np.ndarray
    near: np.ndarray
    stiffness: np.ndarray
    y: np.ndarray
    # edge, most (float, shape (n_kinds,)): the multipliers of edges, from 0 to ``most``, the height of the edge
    edge: np.ndarray
    most: np.ndarray
    # at, limit (float, shape (n_kinds,)): f_k and L_k
    at: np.ndarray
    limit: np.ndarray
    # first, above, square (float, shape (n_kinds,)): of the entities that wish for more than the limit: mass times how
    # much more, mass, and mass times its square
    first: np.ndarray
    above: np.ndarray
    square: np.ndarray
    # step, trial (float, shape (n_constraints,)): room to work in, as is ``system``, of shape (n_constraints,
    # n_constraints)
    step: np.ndarray
    trial: np.ndarray
    system: np.ndarray


@kernel
def _excesses(p, limit):
    for k in range(limit.size):
        p.first[k] = p.above[k] = p.square[k] = 0.0
    for q in range(p.kind.size):
        k = p.kind[q]
        over = p.wish[q] - limit[k]
        if over > 0.0:
            p.above[k] += p.mass[q]
            p.first[k] += p.mass[q] * over
            p.square[k] += p.mass[q] * over * over


@kernel
def _find_floors(p, weight):
    """The limits up to which a higher one is worth what it costs, and the edges where that is none."""
    for k in range(p.floor.size):
        p.floor[k] = 0.0
    for _ in range(_ROUNDS):  # zeros of convex functions, from the left
        _excesses(p, p.floor)
        moved = False
        for k in range(p.floor.size):
            lacking = weight * p.first[k] - p.full[k]
            if lacking > _ACCURACY * (1.0 + p.full[k]):
                p.floor[k] += lacking / (weight * p.above[k])
                moved = True
        if not moved:
            break
    for k in range(p.floor.size):
        p.most[k] = max(0.0, p.full[k] - weight * p.first[k]) if p.floor[k] <= 0.0 else 0.0
        p.edge[k] = min(p.edge[k], p.most[k])


@kernel
def _value(p, weight, steep, y):
    """The rounded function at y, but for a constant; sets what belongs to it."""
    total = 0.0
    for r in range(y.size):
        away = y[r] - p.near[r]
        total += y[r] * p.pull[r] - 0.5 * p.stiffness[r] * away * away
    for k in range(p.at.size):
        f = p.own[k]
        for r in range(y.size):
            f += p.left[r, k] * y[r]
        p.at[k] = f
        p.limit[k] = max(f, p.floor[k])
        total -= (p.full[k] - p.most[k]) * (p.limit[k] - f)
        multiplier = p.edge[k] - steep * f
        if multiplier >= p.most[k]:
            total -= p.most[k] * (2.0 * multiplier - p.most[k]) / (2.0 * steep)
        elif multiplier > 0.0:
            total -= multiplier * multiplier / (2.0 * steep)
    _excesses(p, p.limit)
    for k in range(p.at.size):
        total -= 0.5 * weight * p.square[k]
    return total


@kernel
def _newton(p, weight, steep, enough):
    """Maximise the rounded function over y from where it is, by projected steps."""
    n, kinds = p.y.size, p.at.size
    value = _value(p, weight, steep, p.y)
    for _ in range(_STEPS):
        largest = 0.0
        for r in range(n):
            gradient = p.pull[r] - p.stiffness[r] * (p.y[r] - p.near[r])
            for k in range(kinds):
                slope = p.full[k] - p.most[k] if p.at[k] < p.floor[k] else weight * p.first[k]
                gradient += p.left[r, k] * (slope + min(max(p.edge[k] - steep * p.at[k], 0.0), p.most[k]))
            held = p.y[r] <= 0.0 and gradient <= 0.0
            p.trial[r] = 0.0 if held else 1.0
            p.step[r] = 0.0 if held else gradient
            largest = max(largest, abs(p.step[r]))
        if largest <= enough:
            return
        for r in range(n):
            for s in range(r, n):
                entry = 0.0
                if p.trial[r] > 0.0 and p.trial[s] > 0.0:
                    for k in range(kinds):
                        bend = weight * p.above[k] if p.at[k] > p.floor[k] else 0.0
                        if 0.0 < p.edge[k] - steep * p.at[k] < p.most[k]:
                            bend += steep
                        entry += bend * p.left[r, k] * p.left[s, k]
                if r == s:
                    entry += p.stiffness[r] if p.trial[r] > 0.0 else 1.0
                p.system[r, s] = entry
        solve(p.system, p.step)
        size, found = 1.0, value
        for _ in range(_HALVINGS):
            for r in range(n):
                p.trial[r] = max(0.0, p.y[r] + size * p.step[r])
            found = _value(p, weight, steep, p.trial)
            if found >= value - _ROUNDING * abs(value):
                break
            size *= 0.5
        if found < value - _ROUNDING * abs(value):
            _value(p, weight, steep, p.y)
            return
        for r in range(n):
            p.y[r] = p.trial[r]
        value = found


@kernel
def find_prices(p, weight, steep):
    """Floors, prices and limits; ``edge`` becomes 0 < edge < most where the prices lie on an edge.

    ``p`` (Prices). ``weight`` (float): mu. ``steep`` (float): how steep a rounded edge is: the steeper, the fewer
    multipliers.
    """
    total = 0.0
    for q in range(p.mass.size):
        total += p.mass[q]
    _find_floors(p, weight)
    for _ in range(_UPDATES):
        _newton(p, weight, steep, _ACCURACY * total)
        away = 0.0
        for k in range(p.at.size):
            multiplier = min(max(p.edge[k] - steep * p.at[k], 0.0), p.most[k])
            away = max(away, abs(multiplier - p.edge[k]))
            p.edge[k] = multiplier
        if away <= _ACCURACY * (1.0 + total):
            break
    for k in range(p.at.size):
        if 0.0 < p.edge[k] < p.most[k]:
            p.at[k] = p.limit[k] = 0.0


@kernel
def at_limits(start, entity, rules, kind, mass, out):
    """Per rule and kind the sum of masses over what the rule covers; ``mass`` is 0 for entities below their limit."""
    for i in range(rules.size):
        row = out[i]
        for k in range(row.size):
            row[k] = 0.0
        for e in range(start[rules[i]], start[rules[i] + 1]):
            q = entity[e]
            row[kind[q]] += mass[q]
