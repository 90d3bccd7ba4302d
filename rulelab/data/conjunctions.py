"""The distinct conjunctions that mining has found so far."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..kernels import mining as mk
from ..progress import bar
from .antecedents import EFFORT, Antecedents, TooManyAntecedents, fill, slices, supports
from .boolean_table import BooleanTable

_CHUNK = 1 << 16


class Conjunctions:
    """Those of packed columns, of which the packed rows are formed only at the end."""

    def __init__(self, words: np.ndarray, limit: int | None) -> None:
        self.words = words
        self.limit = limit
        self.size = 0
        self.multipliers = np.random.default_rng(0).integers(0, 2**64, size=2 * words.shape[1], dtype=np.uint64)
        self.table = np.full(16, -1, dtype=np.int64)
        self.kept = conjunctions(0)

    def add_columns(self, columns: np.ndarray, counts: np.ndarray) -> None:
        parts, out_counts, hashes = conjunctions(len(columns))
        parts[:, 0] = columns
        out_counts[:] = counts
        for r, j in enumerate(columns):
            hashes[r] = mk.hash_both(self.words[j], self.words[j], self.multipliers)
        self._add((parts, out_counts, hashes), len(columns))

    def drain(self, mine: Callable[..., tuple], cursor: tuple[int, ...], end: int, verbose: bool) -> int:
        """Mine chunk after chunk from `cursor` until its first index reaches `end`; the number of duplicates."""
        chunk = conjunctions(max(min(_CHUNK, EFFORT // self.words.shape[1]), 2 * len(self.words)))
        duplicates = 0
        with bar(verbose, f"mining {mine.__name__}", total=max(end, 0), unit=" columns") as shown:
            while cursor[0] < end:
                *cursor, written = mine(chunk, *cursor)  # type: ignore[assignment]
                duplicates += written - self._add(chunk, written)
                if shown is not None:
                    shown.set_postfix_str(f"{self.size} kept", refresh=False)
                    shown.update(min(cursor[0], end) - shown.n)
        return duplicates

    def finish(
        self, table: BooleanTable, usable: np.ndarray, dropped: np.ndarray, mask: np.ndarray, weight: np.ndarray | None
    ) -> Antecedents:
        """The antecedents on all rows of the table; `mask` has those of positive weight."""
        parts, support, hashes = (array[: self.size] for array in self.kept)
        words = np.empty((self.size, self.words.shape[1]), dtype=np.uint64)
        fill(self.words, parts, words)
        partner = np.empty(self.size, dtype=np.int64)
        hash_of_ones = np.uint64(mk.hash_both(mask, mask, self.multipliers))
        for start, stop in slices(words):
            mk.find_complements(words, mask, hash_of_ones, hashes, self.table, partner, start, stop)
        first = np.flatnonzero(partner >= 0)
        if weight is not None:
            support = supports(words, mask, weight.astype(np.float64)).astype(weight.dtype)
            fill(table.words[usable], parts, words)
        return Antecedents(
            words=words,
            n_rows=table.n_rows,
            features=table.features,
            feature_conditions=table.conditions,
            parts=np.where(parts >= 0, usable[parts], -1).astype(np.int32),
            support=support.copy(),
            dropped={reason: int(n) for reason, n in zip(mk.REASONS, dropped, strict=True) if reason},
            complements=np.column_stack([first, partner[first]]),
        )

    def _add(self, new: tuple, n_new: int) -> int:
        """Keep what is distinct; returns how many of the `n_new` were."""
        needed = self.size + n_new
        if needed > len(self.kept[0]):
            larger = conjunctions(max(2 * len(self.kept[0]), needed))
            for old, grown in zip(self.kept, larger, strict=True):
                grown[: self.size] = old[: self.size]
            self.kept = larger
        if 2 * needed > self.table.size:
            self.table = np.full(1 << (4 * needed - 1).bit_length(), -1, dtype=np.int64)
            mk.rebuild(self.table, self.kept[2], self.size)
        before = self.size
        self.size = int(mk.keep_distinct(self.words, new, n_new, self.table, self.kept, self.size))
        if self.limit is not None and self.size > self.limit:
            gigabytes = self.size * self.words.shape[1] * 8 / 1e9
            raise TooManyAntecedents(
                f"more than max_antecedents = {self.limit} antecedents: {self.size} so far "
                f"({gigabytes:.3g} GB packed); raise min_support, or mine fewer columns or conditions"
            )
        return self.size - before


def conjunctions(capacity: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Parts, counts and hashes of conjunctions."""
    parts = np.full((capacity, 3), -1, dtype=np.int32)
    return parts, np.empty(capacity, dtype=np.int64), np.empty(capacity, dtype=np.uint64)
