"""Sums of slices of a data cube, of whole numbers of any kind.

A *cumulated* cube holds running sums along its first axis, so that a run of slices is the difference of two of them.
"""

from __future__ import annotations

import numpy as np

from ...kernels.jit import inlined

BLOCK = 256
"""Cells that are looked at before it is asked whether they suffice."""


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
