"""Branch and bound inside data cubes: for every tuple of columns, one histogram of weights over their cells.

The rules that test just the columns of a tuple are the ways to choose one selector for each; all columns but the last
are contracted one after another, depth first, and the last is scanned. A conjunction on the columns that are left
cannot select more than the sum of the positive cells, as if it could choose them separately.

Most tuples hold no rule that is wanted. This is found out with weights that are rounded up to 32 bits, which takes half
the time: what gains with them is looked for again with the weights as they are. Where a tuple holds a rule that gains
the next one often does so too, and is searched with these at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...kernels.by_reference import by_reference
from ...kernels.jit import inlined, inner, kernel
from .selectors import Selectors, contract, cumulate, is_above

DONE, PAUSED = 0, 1

LARGEST_ROUNDED = 2**30  # no sum of rounded weights is larger in absolute value

# positions in Cubes.numbers
N_COLUMNS, N_TUPLES, N_POOL, IS_NEW, UPDATES, SHIFT, NEXT_IS_FILLED, GAINED = range(8)


@by_reference
class Cubes(NamedTuple):
    """The state of the search: the tuple of columns it is at, cell numbers, cubes, targets and the rules found.

    weight: (n_patterns,). tuple: (D,) columns, the first N_COLUMNS of them count. base: (D, n_patterns), the number of
    each pattern's cell in the cube of the first columns. cube: one buffer per depth, from cube_first on. target,
    charge: (D + 1,). rounded_*: the same in units of 2**SHIFT, weights rounded up, others down; the cubes with room for
    that of the next tuple. iterator, used, chosen: the path of selectors. best_*: the best rule of the tuple. pool_*:
    rules of different tuples, the least valuable is replaced.
    """

    weight: np.ndarray
    tuple: np.ndarray
    base: np.ndarray
    rounded_weight: np.ndarray
    rounded_cube: np.ndarray
    rounded_target: np.ndarray
    rounded_charge: np.ndarray
    cube: np.ndarray
    cube_first: np.ndarray
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

    shift = 0
    while np.abs(rounded_up(weight, shift)).sum() > LARGEST_ROUNDED:
        shift += 1

    def integers(*shape: int) -> np.ndarray:
        return np.zeros(shape, dtype=np.int64)

    return Cubes(
        weight=weight,
        tuple=integers(depth),
        base=np.zeros((depth, len(weight)), dtype=np.int32),
        rounded_weight=rounded_up(weight, shift).astype(np.int32),
        rounded_cube=np.zeros(sum(sizes) + sizes[0], dtype=np.int32),
        rounded_target=np.zeros(len(target), dtype=np.int32),
        rounded_charge=np.clip(charge >> shift, -LARGEST_ROUNDED, LARGEST_ROUNDED).astype(np.int32),
        cube=integers(sum(sizes)),
        cube_first=np.cumsum([0, *sizes]),
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
        numbers=np.array([1, 0, 0, 1, 0, shift, 0, 0], dtype=np.int64),
    )


def rounded_up(weight: np.ndarray, shift: int) -> np.ndarray:
    """Whole numbers in units of 2**shift."""
    return -(-weight >> shift)


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
        if numbers[GAINED] or _may_gain(parts, cubes, changed, k):
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
def _may_gain(parts, cubes, changed, k):
    """Whether a rule of the tuple may gain, as far as rounded weights tell."""
    numbers, columns = cubes.numbers, cubes.tuple
    for s in range(cubes.target.size):
        cubes.rounded_target[s] = min(cubes.target[s] >> numbers[SHIFT], LARGEST_ROUNDED)
    size = _size(parts, cubes, k)
    top = np.int64(0)
    if numbers[NEXT_IS_FILLED] and changed == k - 1:
        top = cubes.cube_first[-1]
        numbers[NEXT_IS_FILLED] = 0
    elif k > 1 and columns[k - 1] + 1 < parts.n_cells.size:
        _fill_two(parts, cubes, k, size)
        numbers[NEXT_IS_FILLED] = 1
    else:
        _fill(parts, cubes, cubes.rounded_cube, cubes.rounded_weight, k, size)
        numbers[NEXT_IS_FILLED] = 0
    return _search(parts, cubes, cubes.rounded_cube, top, cubes.rounded_target, k, False)


@inner
def _search_tuple(parts, cubes, k):
    """Find the best rule of the tuple."""
    cubes.numbers[NEXT_IS_FILLED] *= 1 - cubes.numbers[GAINED]
    cubes.best[0] = 0
    size = _size(parts, cubes, k)
    _fill(parts, cubes, cubes.cube, cubes.weight, k, size)
    _search(parts, cubes, cubes.cube, np.int64(0), cubes.target, k, True)
    cubes.numbers[GAINED] = cubes.best[0] > 0
    if cubes.best[0] > 0:
        _remember(cubes, k)


@inlined
def _size(parts, cubes, k):
    """Cells of the cube of the tuple."""
    size = np.int64(1)
    for j in range(k):
        size *= parts.n_cells[cubes.tuple[j]]
    return size


@inner
def _fill(parts, cubes, cube, weight, k, size):
    """The histogram of a tuple; an index without a sign is not asked whether it counts from the end."""
    code = parts.codes[cubes.tuple[k - 1]]
    for i in range(size):
        cube[i] = 0
    if k == 1:
        for i in range(weight.size):
            cube[np.uint64(code[i])] += weight[i]
    else:
        base, n = cubes.base[k - 2], np.uint64(parts.n_cells[cubes.tuple[k - 1]])
        for i in range(weight.size):
            cube[np.uint64(base[i]) * n + np.uint64(code[i])] += weight[i]
    cubes.numbers[UPDATES] += weight.size


@inner
def _fill_two(parts, cubes, k, size):
    """The histograms of a tuple and of the one after it."""
    last, weight, base = cubes.tuple[k - 1], cubes.rounded_weight, cubes.base[k - 2]
    code, next_code = parts.codes[last], parts.codes[last + 1]
    n, next_n = np.uint64(parts.n_cells[last]), np.uint64(parts.n_cells[last + 1])
    cube, next_cube = cubes.rounded_cube[:size], cubes.rounded_cube[cubes.cube_first[-1] :]
    for i in range(size):
        cube[i] = 0
    for i in range(size // parts.n_cells[last] * parts.n_cells[last + 1]):
        next_cube[i] = 0
    for i in range(weight.size):
        cell, value = np.uint64(base[i]), weight[i]
        cube[cell * n + np.uint64(code[i])] += value
        next_cube[cell * next_n + np.uint64(next_code[i])] += value
    cubes.numbers[UPDATES] += 2 * weight.size


@inner
def _search(parts, cubes, cube, top, target, k, exact):
    """Search the cube of a tuple, from ``top`` on; if not ``exact``, whether a rule gains, which ends the search."""
    columns, first = cubes.tuple, cubes.cube_first
    most = target.size - 1
    n = parts.n_cells[columns[0]]
    size = _size(parts, cubes, k) // n
    whole = cube[top : top + n * size]
    if not is_above(whole, np.int64(0), np.int64(1), n * size, target[k]):
        return False
    cumulate(whole, n, size)
    if k == 1:
        return _scan(parts, cubes, whole, k, np.int64(0), exact)  # literals would be compiled once more
    cubes.iterator[0] = parts.first[columns[0]]
    here, j = whole, 0
    while j >= 0:
        g = cubes.iterator[j]
        rest = k - 1 - j
        if g == parts.first[columns[j] + 1] or cubes.used[j] + parts.size[g] + rest > most:
            if j > 0:
                size *= parts.n_cells[columns[j]]
            j -= 1
            here = whole if j <= 0 else cube[first[j] : first[j + 1]]
            continue
        cubes.iterator[j] += 1
        used = cubes.used[j] + parts.size[g]
        n = parts.n_cells[columns[j + 1]]
        out = cube[first[j + 1] : first[j + 2]]
        if not contract(parts, here, out, g, n, size // n, target[used + rest]):
            continue
        cubes.chosen[j] = g
        if rest > 1:
            j += 1
            here = out
            size //= n
            cubes.iterator[j] = parts.first[columns[j]]
            cubes.used[j] = used
        elif _scan(parts, cubes, out, k, used, exact):
            return True
    return False


@inner
def _scan(parts, cubes, cells, k, used, exact):
    """Try all selectors of the last column, of which the running sums are given."""
    target, charge = cubes.target, cubes.charge
    column = cubes.tuple[k - 1]
    for g in range(parts.first[column], parts.first[column + 1]):
        s = used + parts.size[g]
        if s >= target.size:
            break
        total = np.int64(0)
        for r in range(parts.run_first[g], parts.run_first[g + 1]):
            low = parts.run_low[r]
            total += cells[parts.run_high[r] - 1] - (cells[low - 1] if low > 0 else 0)
        if not exact:
            if total > cubes.rounded_charge[s]:
                return True
            continue
        if total > charge[s] and total - charge[s] > cubes.best[0]:
            cubes.best[0] = total - charge[s]
            cubes.best[1] = total
            for j in range(k - 1):
                cubes.best_rule[j] = cubes.chosen[j]
            cubes.best_rule[k - 1] = g
        if total > target[s]:
            for longer in range(s, target.size):
                target[longer] = max(target[longer], total)
    return False


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
