"""Linear algebra of the proximal master in kernels: small systems, on which a threaded BLAS would only wait."""

from __future__ import annotations

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
