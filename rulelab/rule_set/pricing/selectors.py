"""The columns of a table as cells, the sets of cells that few conditions of one column select, and sums over cubes.

A *cumulated* cube holds running sums along its first axis, so that a run of slices is the difference of two of them.
"""

from __future__ import annotations

from re import finditer
from typing import NamedTuple

import numpy as np

from ...kernels import bits
from ...kernels.by_reference import by_reference
from ...kernels.jit import inlined
from ..features import Features

MOST_CELLS = 250
MOST_SELECTORS = 20_000
BLOCK = 256  # cells that are looked at before it is asked whether they suffice


@by_reference
class Selectors(NamedTuple):
    """Cells and selectors of every column (a source of `Features`), columns of few cells first.

    A *cell* is what the column's conditions cannot tell apart. A *selector* is a set of cells that a conjunction of
    the column's conditions selects, given as runs of cells.

    codes : uint8 array, shape (n_columns, n_patterns), the cell of each pattern
    n_cells : int64 array, shape (n_columns,)
    first : int64 array, shape (n_columns + 1,), where each column's selectors begin, those of few conditions first
    size : int64 array, shape (n_selectors,), conditions that it takes
    run_first : int64 array, shape (n_selectors + 1,); run_low, run_high : the runs, [low, high)
    conditions : int32 array, shape (n_selectors, D), used conditions, -1 where there are fewer
    """

    codes: np.ndarray
    n_cells: np.ndarray
    first: np.ndarray
    size: np.ndarray
    run_first: np.ndarray
    run_low: np.ndarray
    run_high: np.ndarray
    conditions: np.ndarray


def selectors(features: Features, max_conditions: int) -> Selectors | None:
    """All selectors of at most so many conditions; None where a column has too many of them, or too many cells."""
    matrix = bits.unpack(features.columns, features.n_patterns)
    columns = []
    for source in np.unique(features.sources):
        members = np.flatnonzero(features.sources == source)
        if len(members) > 2 * MOST_CELLS:
            return None
        codes, first = bits.group_equal_rows(bits.pack(matrix[members].T))
        if len(first) > MOST_CELLS:
            return None
        patterns = matrix[np.ix_(members, first)].T
        order = _order(patterns)
        place = np.empty(len(order), dtype=np.uint8)
        place[order] = np.arange(len(order))
        found = _closure(patterns[order], max_conditions)
        if found is None:
            return None
        columns.append((len(patterns), place[codes], {cells: members[list(c)] for cells, c in found.items()}))
    columns.sort(key=lambda column: column[0])
    runs = [_runs(cells, n) for n, _, found in columns for cells in found]
    chosen = [conditions for _, _, found in columns for conditions in found.values()]
    table = np.full((len(chosen), max_conditions), -1, dtype=np.int32)
    for k, conditions in enumerate(chosen):
        table[k, : len(conditions)] = conditions

    def starts(lengths: list[int]) -> np.ndarray:
        return np.cumsum([0, *lengths]).astype(np.int64)

    return Selectors(
        codes=np.array([codes for _, codes, _ in columns], dtype=np.uint8).reshape(len(columns), features.n_patterns),
        n_cells=np.array([n for n, _, _ in columns], dtype=np.int64),
        first=starts([len(found) for _, _, found in columns]),
        size=np.array([len(c) for c in chosen], dtype=np.int64),
        run_first=starts([len(r) for r in runs]),
        run_low=np.array([low for r in runs for low, _ in r], dtype=np.int64),
        run_high=np.array([high for r in runs for _, high in r], dtype=np.int64),
        conditions=table,
    )


def _order(patterns: np.ndarray) -> np.ndarray:
    """An order of the cells in which nested conditions select few runs: by the longest chain of them."""
    sizes = patterns.sum(axis=0)
    chain: list[int] = []
    for j in np.argsort(-sizes, kind="stable"):
        if not chain or not (patterns[:, j] & ~patterns[:, chain[-1]]).any():
            chain.append(int(j))
    return np.lexsort((-patterns.sum(axis=1), -patterns[:, chain].sum(axis=1)))


def _closure(patterns: np.ndarray, max_conditions: int) -> dict[int, tuple[int, ...]] | None:
    """Sets of cells (as bit masks) that conjunctions select, each with the first shortest conjunction found."""
    single: dict[int, tuple[int, ...]] = {}
    for j in range(patterns.shape[1]):
        single.setdefault(sum(1 << int(cell) for cell in np.flatnonzero(patterns[:, j])), (j,))
    found, last = dict(single), dict(single)
    for _ in range(1, max_conditions):
        longer: dict[int, tuple[int, ...]] = {}
        for cells, conditions in last.items():
            for other, (j,) in single.items():
                both = cells & other
                if both and both not in found and both not in longer:
                    longer[both] = tuple(sorted((*conditions, j)))
        if len(found) + len(longer) > MOST_SELECTORS:
            return None
        found |= longer
        last = longer
    return found


def _runs(cells: int, n_cells: int) -> list[tuple[int, int]]:
    """The maximal runs of set bits, as half-open intervals."""
    return [run.span() for run in finditer("1+", f"{cells:0{n_cells}b}"[::-1])]


@inlined
def cumulate(cube, n, size):
    """Running sums along the first axis of a cube of n slices."""
    for c in range(1, n):
        before, here = cube[(c - 1) * size : c * size], cube[c * size : (c + 1) * size]
        for i in range(size):
            here[i] += before[i]


@inlined
def contract(parts, cube, out, selector, n, size, target):
    """Sum the selected slices, of n * size cells, of a cumulated cube, where their positive cells exceed the target:
    whether they do, and if so their running sums along the next axis, of n slices."""
    first, last = parts.run_first[selector], parts.run_first[selector + 1]
    low, high = parts.run_low[first], parts.run_high[first]
    if last - first > 1:
        _add_runs(parts, cube, out, first, last, n * size)
        above = is_above(out, np.int64(0), np.int64(1), n * size, target)
        if above:
            cumulate(out, n, size)
    else:
        above = is_above(cube, low, high, n * size, target)
        if above:
            _cumulate_run(cube, out, low, high, n, size)
    return above


@inlined
def is_above(cube, low, high, size, target):
    """Whether the positive cells of a run of slices of a cumulated cube sum to more than the target; they are looked at
    as far as need be."""
    kind = cube.dtype.type
    bound, zero, done = kind(0), kind(0), np.int64(0)
    while done < size and bound <= target:
        more = min(size - done, np.int64(BLOCK))
        at = (high - 1) * size + done
        upper = cube[at : at + more]
        if low > 0:
            at = (low - 1) * size + done
            lower = cube[at : at + more]
            for i in range(more):
                bound = kind(bound + max(kind(upper[i] - lower[i]), zero))
        else:
            for i in range(more):
                bound = kind(bound + max(upper[i], zero))
        done += more
    return bound > target


@inlined
def _cumulate_run(cube, out, low, high, n, size):
    """The sum of a run of slices of a cumulated cube, and of that the running sums along the next axis."""
    for c in range(n):
        at = ((high - 1) * n + c) * size
        upper, here = cube[at : at + size], out[c * size : (c + 1) * size]
        if low > 0:
            at = ((low - 1) * n + c) * size
            lower = cube[at : at + size]
            for i in range(size):
                here[i] = upper[i] - lower[i]
        else:
            for i in range(size):
                here[i] = upper[i]
        if c > 0:
            before = out[(c - 1) * size : c * size]
            for i in range(size):
                here[i] += before[i]


@inlined
def _add_runs(parts, cube, out, first, last, size):
    """The sum of several runs of slices of a cumulated cube."""
    for r in range(first, last):
        low, high = parts.run_low[r], parts.run_high[r]
        upper = cube[(high - 1) * size : high * size]
        lower = cube[(low - 1) * size : low * size] if low > 0 else upper
        sign = cube.dtype.type(1) if low > 0 else cube.dtype.type(0)
        if r == first:
            for i in range(size):
                out[i] = upper[i] - sign * lower[i]
        else:
            for i in range(size):
                out[i] += upper[i] - sign * lower[i]
