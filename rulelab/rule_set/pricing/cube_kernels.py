"""Branch and bound inside data cubes: for every tuple of columns, one histogram of weights over their cells.

The rules that test just the columns of a tuple are the ways to choose one selector for each; all columns but the last
are contracted one after another, depth first, and the last is scanned. A conjunction on the columns that are left
cannot select more than the sum of the positive cells, as if it could choose them separately.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...kernels.by_reference import by_reference
from ...kernels.jit import inlined, inner, kernel
from .selectors import Selectors

DONE, PAUSED = 0, 1

# positions in Cubes.numbers
N_COLUMNS, N_TUPLES, N_POOL, IS_NEW, UPDATES = range(5)


@by_reference
class Cubes(NamedTuple):
    """The state of the search: the tuple of columns it is at, cell numbers, cubes, targets and the rules found.

    weight: (n_patterns,). tuple: (D,) columns, the first N_COLUMNS of them count. base: (D, n_patterns), the number of
    each pattern's cell in the cube of the first columns. cube: one buffer per depth, from cube_first on. target,
    charge: (D + 1,). iterator, used, chosen: the path of selectors. best_*: the best rule of the tuple. pool_*: rules
    of different tuples, the least valuable is replaced.
    """

    weight: np.ndarray
    tuple: np.ndarray
    base: np.ndarray
    cube: np.ndarray
    cube_first: np.ndarray
    prefix: np.ndarray
    target: np.ndarray
    charge: np.ndarray
    iterator: np.ndarray
    used: np.ndarray
    chosen: np.ndarray
    best_rule: np.ndarray
    best: np.ndarray
    pool_rule: np.ndarray
    pool_value: np.ndarray
    pool_sum: np.ndarray
    numbers: np.ndarray


def new_cubes(parts: Selectors, weight: np.ndarray, target: np.ndarray, charge: np.ndarray, room: int) -> Cubes:
    """The state before the first tuple; ``room`` is the number of rules that are remembered."""
    depth = min(len(target) - 1, len(parts.n_cells))
    largest = np.sort(parts.n_cells)[::-1]

    sizes = [int(np.prod(largest[:k])) for k in range(depth, 0, -1)]

    def integers(*shape: int) -> np.ndarray:
        return np.zeros(shape, dtype=np.int64)

    return Cubes(
        weight=weight,
        tuple=integers(depth),
        base=np.zeros((depth, len(weight)), dtype=np.int32),
        cube=integers(sum(sizes)),
        cube_first=np.cumsum([0, *sizes]),
        prefix=integers(int(largest[0]) + 1),
        target=target.copy(),
        charge=charge,
        iterator=integers(depth),
        used=integers(depth + 1),
        chosen=integers(depth),
        best_rule=integers(depth),
        best=integers(2),
        pool_rule=np.full((room, depth), -1, dtype=np.int64),
        pool_value=integers(room),
        pool_sum=integers(room),
        numbers=np.array([1, 0, 0, 1, 0], dtype=np.int64),
    )


@kernel
def advance(parts, cubes, max_tuples):
    """Search at most ``max_tuples`` tuples of columns; returns DONE or PAUSED."""
    numbers, columns = cubes.numbers, cubes.tuple
    p, most = parts.n_cells.size, columns.size
    done = 0
    while numbers[N_COLUMNS] <= most:
        if done >= max_tuples:
            return PAUSED
        k = numbers[N_COLUMNS]
        changed = k - 1
        if numbers[IS_NEW]:
            for j in range(k):
                columns[j] = j
            numbers[IS_NEW] = 0
            changed = 0
        else:
            while changed >= 0 and columns[changed] == p - k + changed:
                changed -= 1
            if changed < 0:
                numbers[N_COLUMNS] += 1
                numbers[IS_NEW] = 1
                continue
            columns[changed] += 1
            for j in range(changed + 1, k):
                columns[j] = columns[j - 1] + 1
        _number_cells(parts, cubes, changed, k)
        _search_tuple(parts, cubes, k)
        numbers[N_TUPLES] += 1
        done += 1
    return DONE


@inner
def _number_cells(parts, cubes, changed, k):
    """Update the cell numbers from the first changed column on; the last column is left to `_fill`."""
    for j in range(changed, k - 1):
        code, out, n = parts.codes[cubes.tuple[j]], cubes.base[j], parts.n_cells[cubes.tuple[j]]
        if j == 0:
            for i in range(out.size):
                out[i] = code[i]
        else:
            before = cubes.base[j - 1]
            for i in range(out.size):
                out[i] = before[i] * n + code[i]


@inner
def _fill(parts, cubes, k):
    """The histogram of a tuple; returns its number of cells."""
    size = np.int64(1)
    for j in range(k):
        size *= parts.n_cells[cubes.tuple[j]]
    cube, weight, code = cubes.cube, cubes.weight, parts.codes[cubes.tuple[k - 1]]
    for i in range(size):
        cube[i] = 0
    if k == 1:
        for i in range(weight.size):
            cube[code[i]] += weight[i]
    else:
        base, n = cubes.base[k - 2], parts.n_cells[cubes.tuple[k - 1]]
        for i in range(weight.size):
            cube[np.int64(base[i]) * n + code[i]] += weight[i]
    cubes.numbers[UPDATES] += weight.size
    return size


@inner
def _search_tuple(parts, cubes, k):
    size = _fill(parts, cubes, k)
    target = cubes.target
    most = target.size - 1
    bound = np.int64(0)
    for i in range(size):
        bound += max(cubes.cube[i], 0)
    if bound <= target[k]:
        return
    cubes.best[0] = 0
    if k == 1:
        _scan(parts, cubes, np.int64(0), k, np.int64(0))  # literals would be compiled once more
    else:
        size //= parts.n_cells[cubes.tuple[0]]
        _cumulate(cubes.cube, parts.n_cells[cubes.tuple[0]], size)
        cubes.iterator[0] = parts.first[cubes.tuple[0]]
    j = 0
    while j >= 0 and k > 1:
        column = cubes.tuple[j]
        g = cubes.iterator[j]
        rest = k - 1 - j
        if g == parts.first[column + 1] or cubes.used[j] + parts.size[g] + rest > most:
            if j > 0:
                size *= parts.n_cells[column]
            j -= 1
            continue
        cubes.iterator[j] += 1
        used = cubes.used[j] + parts.size[g]
        bound = _contract(parts, _cube(cubes, j), _cube(cubes, j + 1), g, size)
        if bound <= target[used + rest]:
            continue
        cubes.chosen[j] = g
        if rest == 1:
            _scan(parts, cubes, j + 1, k, used)
        else:
            j += 1
            size //= parts.n_cells[cubes.tuple[j]]
            _cumulate(_cube(cubes, j), parts.n_cells[cubes.tuple[j]], size)
            cubes.iterator[j] = parts.first[cubes.tuple[j]]
            cubes.used[j] = used
    if cubes.best[0] > 0:
        _remember(cubes, k)


@inlined
def _cube(cubes, depth):
    """The buffer of a depth."""
    return cubes.cube[cubes.cube_first[depth] : cubes.cube_first[depth + 1]]


@inlined
def _cumulate(cube, n, size):
    """Running sums along the first axis of a cube of n slices."""
    for c in range(1, n):
        before, here = cube[(c - 1) * size : c * size], cube[c * size : (c + 1) * size]
        for i in range(size):
            here[i] += before[i]


@inlined
def _contract(parts, cube, out, selector, size):
    """Sum the selected slices of a cumulated cube; returns the sum of the positive cells of the result."""
    first, last = parts.run_first[selector], parts.run_first[selector + 1]
    bound = np.int64(0)
    for r in range(first, last):
        low, high = parts.run_low[r], parts.run_high[r]
        upper = cube[(high - 1) * size : high * size]
        lower = cube[(low - 1) * size : low * size] if low > 0 else upper
        sign = np.int64(1) if low > 0 else np.int64(0)
        if r == first:
            for i in range(size):
                out[i] = upper[i] - sign * lower[i]
        else:
            for i in range(size):
                out[i] += upper[i] - sign * lower[i]
    for i in range(size):
        bound += max(out[i], 0)
    return bound


@inner
def _scan(parts, cubes, depth, k, used):
    """Try all selectors of the last column."""
    cells, prefix, target = _cube(cubes, depth), cubes.prefix, cubes.target
    column = cubes.tuple[k - 1]
    total = np.int64(0)
    for c in range(parts.n_cells[column]):
        total += cells[c]
        prefix[c + 1] = total
    for g in range(parts.first[column], parts.first[column + 1]):
        s = used + parts.size[g]
        if s >= target.size:
            break
        total = np.int64(0)
        for r in range(parts.run_first[g], parts.run_first[g + 1]):
            total += prefix[parts.run_high[r]] - prefix[parts.run_low[r]]
        if total > cubes.charge[s] and total - cubes.charge[s] > cubes.best[0]:
            cubes.best[0] = total - cubes.charge[s]
            cubes.best[1] = total
            for j in range(k - 1):
                cubes.best_rule[j] = cubes.chosen[j]
            cubes.best_rule[k - 1] = g
        if total > target[s]:
            for longer in range(s, target.size):
                target[longer] = max(target[longer], total)


@inner
def _remember(cubes, k):
    """Put the best rule of the tuple into the pool, in the place of the worst one when there is no room."""
    at = cubes.numbers[N_POOL]
    if at < cubes.pool_value.size:
        cubes.numbers[N_POOL] += 1
    else:
        at = 0
        for i in range(1, cubes.pool_value.size):
            if cubes.pool_value[i] < cubes.pool_value[at]:
                at = i
        if cubes.pool_value[at] >= cubes.best[0]:
            return
    cubes.pool_value[at] = cubes.best[0]
    cubes.pool_sum[at] = cubes.best[1]
    for j in range(cubes.pool_rule.shape[1]):
        cubes.pool_rule[at, j] = cubes.best_rule[j] if j < k else -1
