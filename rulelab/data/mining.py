"""Mining: which conjunctions of Boolean columns hold on neither too few rows nor too many."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..arguments import ParameterError, Text, is_number, short
from ..kernels import bits
from ..kernels import mining as mk
from ..parameters import JOINED, MOST_ANTECEDENTS
from ..progress import bar, check
from .antecedents import (
    EFFORT,
    Antecedents,
    BooleanTable,
    TooManyAntecedents,
    fill,
    read_boolean_table,
    slices,
    supports,
)
from .columns import read_weights
from .conditions import NothingFound
from .problem_arguments import two_classes

CHUNK = 1 << 16  # conjunctions mined at once
Measure = tuple[np.ndarray, np.ndarray, np.ndarray]
"""What decides about a conjunction's support; see `rulelab.kernels.mining`."""
_ROUNDING = 1e-9  # of a fraction times a number of rows (absolute), and of sums of fractional weights (relative)
_BYTES_PER_PACKED = 64  # that a search takes for a byte of packed antecedents; measured: 46 to 60 (Adult)


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
        chunk = conjunctions(max(min(CHUNK, EFFORT // self.words.shape[1]), 2 * len(self.words)))
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


def mine_antecedents(
    B: Any,
    max_conditions: int = 2,
    min_support: float = 0.01,
    max_support: float = 0.99,
    y: Any = None,
    max_antecedents: int | None = None,
    sample_weight: Any = None,
    verbose: bool = False,
) -> Antecedents:
    """Mine the conjunctions of 1 to `max_conditions` columns by their support.

    Parameters
    ----------
    B : DataFrame or array of bool or 0/1, shape (n_rows, n_columns), or `rulelab.tables.PatternCounts`
        The frame of a `Binarizer` carries its conditions; a column of any other frame is a condition of its own. Counts
        bring the weights of their rows along; `Problem.from_antecedents` takes labels and groups from them.
    max_conditions : 1, 2 or 3
    min_support, max_support : float
        Fractions of the rows, both included: an antecedent holds on at least ``min_support * n_rows`` rows.
    y : array of two classes, shape (n_rows,), optional
        With it, `min_support` counts within a class: an antecedent holds on that fraction of the positives (the
        larger label) or of the negatives, as in Chen and Rudin, AISTATS 2018, section 6. Every antecedent kept
        without `y` is kept with it. `max_support` stays a fraction of all rows.
    max_antecedents : int, optional
        Stop with an error when there are more, before memory is taken for them. No limit by default; an antecedent
        takes ``n_rows / 8`` bytes.
    sample_weight : array, shape (n_rows,), optional
        Weights >= 0 that count as repeated rows: supports are then fractions of the total weight, and rows of weight
        zero do not count when antecedents are compared with each other.
    verbose : bool
        Show the progress as tqdm does, in columns whose conjunctions with others are all done.

    Returns
    -------
    Antecedents
        By number of conditions, then by column order. Of antecedents with the same rows the first is kept.

    Raises
    ------
    NothingFound
        No antecedent is within the limits. It is a ValueError, too.
    TooManyAntecedents
        There are more than ``max_antecedents``. It is a ValueError, too.
    ValueError
        Columns that are not Boolean, limits out of range, unusable weights or labels.
    """
    check_limits(max_conditions, min_support, max_support, max_antecedents)
    check(verbose)
    counts_given = None
    if hasattr(type(B), "weighted_patterns"):
        if sample_weight is not None:
            raise ValueError("sample_weight cannot be given with counts, whose rows have weights already")
        counts_given, (B, sample_weight) = B, B.weighted_patterns()
    table = read_boolean_table(B)
    weight = None if sample_weight is None else read_weights(sample_weight, table.n_rows, some=True)
    measure = _measure(table.n_rows, min_support, max_support, y, weight)
    mask = bits.pack(np.ones((1, table.n_rows), dtype=bool) if weight is None else weight[None] > 0)[0]
    words = table.words if weight is None else table.words & mask
    dropped = np.zeros(len(mk.REASONS), dtype=np.int64)
    support = supports(words, mask, measure[1])
    usable = _usable_columns(words, support, measure, max_conditions, dropped)

    words = words[usable]
    counts = bits.counts(words)
    kept = Conjunctions(words, max_antecedents)
    fits = np.flatnonzero(support[usable] <= measure[2][mk.MAX_SUPPORT])
    dropped[mk.ABOVE] += len(usable) - len(fits)
    kept.add_columns(fits, counts[fits])
    if max_conditions > 1:
        verdicts = np.zeros((len(usable),) * 2 if max_conditions > 2 else (0, 0), dtype=np.int32)

        def pairs(out: tuple, i: int = 0) -> tuple:
            return mk.mine_pairs(words, measure, kept.multipliers, counts, i, verdicts, out, dropped, EFFORT)

        dropped[mk.DUPLICATE] += kept.drain(pairs, (0,), len(usable), verbose)
    if max_conditions > 2:
        prefix = np.empty(words.shape[1], dtype=np.uint64)

        def triples(out: tuple, i: int = 0, j: int = 1) -> tuple:
            return mk.mine_triples(words, measure, kept.multipliers, verdicts, i, j, prefix, out, dropped, EFFORT)

        dropped[mk.DUPLICATE] += kept.drain(triples, (0, 1), len(usable) - 2, verbose)
    if not kept.size:
        total = table.n_rows if weight is None else weight.sum()
        by_class = y is not None
        raise NothingFound(_nothing_found(support / total, total, max_conditions, min_support, max_support, by_class))
    return replace(kept.finish(table, usable, dropped, mask, weight), counts=counts_given)


def check_limits(
    max_conditions: int, min_support: float, max_support: float, max_antecedents: int | None = None
) -> None:
    """Refuse unusable limits of `mine_antecedents` with a ValueError."""
    JOINED.check(max_conditions)
    supports = {"min_support": min_support, "max_support": max_support}
    wrong = [name for name, value in supports.items() if not (is_number(value) and 0 <= value <= 1)]
    if wrong or min_support > max_support:
        name, wanted = (*wrong, "min_support")[0], "0 <= {min_support} <= {max_support} <= 1"
        text = Text(f"need {wanted}, not {{}} and {{}}", *map(short, supports.values()))
        raise ParameterError(name, supports[name], Text(wanted), text)
    MOST_ANTECEDENTS.check(max_antecedents)


def _measure(n_rows: int, min_support: float, max_support: float, y: Any, weight: np.ndarray | None) -> Measure:
    counting = np.ones(n_rows, dtype=np.int64) if weight is None else weight
    total = counting.sum().item()
    limits = np.zeros(5)
    limits[mk.MIN_SUPPORT] = _at_least(min_support, total)
    limits[mk.MAX_SUPPORT] = max_support * total + _ROUNDING * (1 if isinstance(total, int) else total)
    positive = np.zeros(n_rows, dtype=bool)
    if y is not None:
        positive[counting > 0] = two_classes(y, n_rows, counting > 0)[0]
        limits[mk.BY_CLASS] = 1
        limits[mk.MIN_POSITIVES] = _at_least(min_support, counting[positive].sum().item())
        limits[mk.MIN_NEGATIVES] = _at_least(min_support, counting[~positive].sum().item())
    weights = np.zeros(0) if weight is None else weight.astype(np.float64)
    return bits.pack(positive[None])[0], weights, limits


def _at_least(fraction: float, total: int | float) -> float:
    if isinstance(total, int):
        return max(1, math.ceil(fraction * total - _ROUNDING))
    return fraction * total * (1 - _ROUNDING)


def _usable_columns(
    words: np.ndarray, support: np.ndarray, measure: Measure, max_conditions: int, dropped: np.ndarray
) -> np.ndarray:
    """Columns a conjunction may contain: support enough, and not the rows of an earlier column.

    The candidates that contain another column are entered in `dropped` here.
    """
    positives, weights, limits = measure
    enough = support >= limits[mk.MIN_SUPPORT]
    if limits[mk.BY_CLASS]:
        positive = supports(words, positives, weights)
        enough |= (positive >= limits[mk.MIN_POSITIVES]) | (support - positive >= limits[mk.MIN_NEGATIVES])
    enough &= support > 0
    supported = np.flatnonzero(enough)
    _, first = bits.group_equal_rows(words[supported])
    usable = supported[first]
    sizes = range(1, max_conditions + 1)
    of_all, of_supported, of_usable = (
        sum(math.comb(n, k) for k in sizes) for n in (len(words), len(supported), len(usable))
    )
    dropped[mk.BELOW] += of_all - of_supported
    dropped[mk.DUPLICATE] += of_supported - of_usable
    return usable


def _nothing_found(
    seen: np.ndarray, total: int | float, max_conditions: int, low: float, high: float, by_class: bool
) -> str:
    nearest = seen[np.argmin(np.maximum(low - seen, seen - high))]
    return Text(
        f"no conjunction of up to {max_conditions} of the {len(seen)} columns holds on at least {low:.3g} "
        f"{'of the rows of a class' if by_class else 'of the rows'} and at most {high:.3g} of all {total}; "
        f"the columns' supports range from {seen.min():.3g} to {seen.max():.3g}, the nearest is {nearest:.3g}: "
        "lower {min_support}, raise {max_support}, or use other columns"
    )


def mine_within(
    B: Any,
    max_conditions: int = 2,
    min_support: float = 0.01,
    max_support: float = 0.99,
    y: Any = None,
    max_antecedents: int | None = None,
    sample_weight: Any = None,
    memory_limit: int | None = None,
    verbose: bool = False,
) -> tuple[Antecedents, str]:
    """As `mine_antecedents`, of fewer conditions where antecedents would be too many, with a note that says so.

    Single conditions are taken however many they are. ``memory_limit``: bytes that the search may take, with the arrays
    that it makes of the antecedents.
    """
    arguments: dict[str, Any] = {"y": y, "sample_weight": sample_weight, "verbose": verbose}
    most, name = max_antecedents, "max_antecedents"
    if memory_limit is not None:
        affordable = max(1, memory_limit // (_BYTES_PER_PACKED * (len(B) // 8 + 1)))
        if most is None or affordable < most:
            most, name = affordable, "memory_limit"
    for conditions in range(max_conditions, 1, -1):
        try:
            found = mine_antecedents(B, conditions, min_support, max_support, max_antecedents=most, **arguments)
        except TooManyAntecedents:
            continue
        return found, _note(conditions, max_conditions, most, name)
    found = mine_antecedents(B, min(max_conditions, 1), min_support, max_support, **arguments)
    return found, _note(1, max_conditions, most, name)


def _note(taken: int, wanted: int, most: int | None, name: str) -> str:
    if taken >= wanted:
        return ""
    return Text(
        f"rules have at most {taken} condition{'s' if taken > 1 else ''}, not {wanted}: there are more than {most} "
        f"conjunctions of up to {taken + 1}, which {{{name}}} does not allow; raise it or {{min_support}}, or lower "
        "{thresholds}"
    )
