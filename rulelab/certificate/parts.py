"""Large tables in parts: between two, Ctrl-C and limits get through, and what is in between needs little memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property

import numpy as np

CELLS = 1 << 22  # cells that one call makes or copies
PRODUCTS = 1 << 28  # multiplications of one product of matrices
_AT_ONCE, _BYTES = 1 << 20, 1 << 28  # numbers, and bytes of what rules leave, of a chunk of sets

_WATCH: ContextVar[Callable[[], None] | None] = ContextVar("watch", default=None)


@contextmanager
def watched(watch: Callable[[], None]) -> Iterator[None]:
    """Call ``watch`` before each part of what is proven or checked in the block; what it raises ends that."""
    before = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(before)


@contextmanager
def within(seconds: float | None, doing: str) -> Iterator[None]:
    """Let what is proven or checked in the block take so many seconds; None: any.

    Raises
    ------
    TimeoutError
        At the first part that begins later; ``doing`` says what was not done.
    """
    began, outer = time.monotonic(), _WATCH.get()

    def watch() -> None:
        if seconds is not None and time.monotonic() - began > seconds:
            raise TimeoutError(f"{doing} was not done in {seconds:g} s; raise time_limit")
        if outer is not None:
            outer()

    with watched(watch):
        watch()
        yield


def look() -> None:
    """A part begins."""
    watch = _WATCH.get()
    if watch is not None:
        watch()


def parts(n: int, width: int, most: int | None = None) -> Iterator[slice]:
    """Slices of n rows of that many cells each, with at most so many cells (default: `CELLS`) unless it is one row."""
    step = max(1, (CELLS if most is None else most) // max(1, width))
    for start in range(0, n, step):
        look()
        yield slice(start, min(n, start + step))


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a @ b``, of types in which the sums are exact, so that their order does not matter."""
    n, m = len(a), b.shape[1]
    out = np.zeros((n, m), dtype=np.result_type(a, b))
    for rows in parts(n, m, 1 << 22):
        height = rows.stop - rows.start
        for inner in parts(len(b), height * m, PRODUCTS):
            out[rows] += a[rows, inner] @ b[inner]
    return out


def weighted(matrix: np.ndarray, beside: np.ndarray, weights: np.ndarray, dtype: type) -> np.ndarray:
    """The rows of two Boolean matrices side by side, times a weight each."""
    n, m = matrix.shape
    out: np.ndarray = np.empty((n, m + beside.shape[1]), dtype=dtype)
    for part in parts(n, out.shape[1]):
        weight: np.ndarray = weights[part, None].astype(dtype)
        np.multiply(matrix[part], weight, out=out[part, :m])
        np.multiply(beside[part], weight, out=out[part, m:])
    return out


def column_sums(matrix: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """``weights @ matrix`` for integer weights of the rows of a Boolean matrix."""
    exact = np.float64 if sum(map(abs, weights.tolist())) < 1 << 53 else np.int64  # floats are much faster
    out = np.zeros(matrix.shape[1], dtype=np.int64)
    for part in parts(len(matrix), matrix.shape[1], CELLS >> 2):
        out += (weights[part].astype(exact) @ matrix[part].astype(exact)).astype(np.int64)
    return out


def packed_outside(inside: np.ndarray) -> np.ndarray:
    """For each column of a Boolean matrix the rows where it does not hold, packed: the rows of a uint8 array."""
    n, m = inside.shape
    out = np.empty((m, -(-n // 8)), dtype=np.uint8)
    for part in parts(m, n):
        out[part] = np.packbits(~inside[:, part].T, axis=1)
    return out


class PatternSets:
    """Patterns over antecedents, whose sets are packed: uint8, shape (n_sets, n_bytes).

    A subclass has ``inside`` (bool, shape (n_patterns, n_antecedents)), and the ``total`` weight of the patterns.
    """

    inside: np.ndarray
    total: int

    @property
    def n_bytes(self) -> int:
        """Bytes of a packed set of patterns."""
        return -(-len(self.inside) // 8)

    @cached_property
    def dtype(self) -> type:
        """A type in which sums of weights are exact; of floats, in which products of matrices are faster, if it can."""
        return np.float32 if self.total < 1 << 24 else np.float64 if self.total < 1 << 53 else np.int64

    @cached_property
    def outside(self) -> np.ndarray:
        """Packed patterns that each antecedent leaves."""
        return packed_outside(self.inside)

    @cached_property
    def everything(self) -> np.ndarray:
        """The packed set of all patterns, shape (1, n_bytes)."""
        return self.pack(np.ones((1, len(self.inside)), dtype=bool))

    def pack(self, sets: np.ndarray) -> np.ndarray:
        return np.packbits(sets, axis=1)

    def unpack(self, sets: np.ndarray) -> np.ndarray:
        return np.unpackbits(sets, axis=1, count=len(self.inside)).astype(bool)

    def chunks(self, n: int, beside: int = 0) -> Iterator[slice]:
        """Slices of n sets that are small enough to be worked on at once, with so many numbers more for each set."""
        n_patterns, m = self.inside.shape
        return parts(n, 1, max(1, min(_AT_ONCE // (n_patterns + m + beside + 1), _BYTES // (1 + m * self.n_bytes))))


def select(matrix: np.ndarray, rows: np.ndarray, columns: np.ndarray | slice = slice(None)) -> np.ndarray:
    """``matrix[rows][:, columns]`` for indices."""
    width = matrix.shape[1] if isinstance(columns, slice) else len(columns)
    out = np.empty((len(rows), width), dtype=matrix.dtype)
    for part in parts(len(rows), matrix.shape[1]):
        out[part] = matrix[rows[part]][:, columns]
    return out


def unique_rows(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`numpy.unique` of the rows of a Boolean matrix, with first indices and groups; a row may be empty."""
    n, m = matrix.shape
    padded = np.empty((n, m // 8 + 1), dtype=np.uint8)
    for part in parts(n, m):
        ended = np.ones((part.stop - part.start, m + 1), dtype=bool)  # the last bit: none ends with a zero byte
        ended[:, :-1] = matrix[part]
        padded[part] = np.packbits(ended, axis=1)
    return np.unique(padded.view(f"S{padded.shape[1]}").ravel(), return_index=True, return_inverse=True)
