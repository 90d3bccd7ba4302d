"""Antecedents: the conjunctions of a table's Boolean columns that hold on neither too few rows nor too many."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import is_number, is_whole
from ..kernels import bits
from ..kernels import mining as mk
from ..progress import bar, check
from ..shown import Fact, Shown, as_table
from .boolean_table import BooleanTable, read_boolean_table
from .columns import read_weights
from .conditions import Condition, NothingFound, column_name, unique_names
from .dataframes import in_pandas

Measure = tuple[np.ndarray, np.ndarray, np.ndarray]
"""What decides about a conjunction's support; see `mining_kernels`."""

_CHUNK = 1 << 16
_SHOWN = 8
_EFFORT = 1 << 26  # words that a kernel looks at between two moments at which Python can be interrupted
_ROUNDING = 1e-9  # of a fraction times a number of rows (absolute), and of sums of fractional weights (relative)


class TooManyAntecedents(ValueError):  # noqa: N818 - fewer conditions may do
    """There are more antecedents than ``max_antecedents``."""


@dataclass(frozen=True, eq=False, repr=False)
class Antecedents(Shown):
    """Mined conjunctions and the rows on which they hold, packed.

    Attributes
    ----------
    words : uint64 array, shape (n_antecedents, n_words(n_rows))
        Bit ``i`` of a row: whether the antecedent holds on row ``i``.
    n_rows : int
        Rows of the mined matrix.
    features : tuple of str
        Names of the mined columns, all of them.
    feature_conditions : tuple of Condition
        What each mined column says.
    parts : int32 array, shape (n_antecedents, 3)
        Column indices of each antecedent, in increasing order, then -1.
    support : int64 array, shape (n_antecedents,)
        Rows on which each antecedent holds; their weight when there were weights (float64 when not all are whole).
    dropped : dict of str to int
        Candidates left out, by reason: ``support below min`` (the conjunction, or a part of it), ``support above max``,
        ``contradiction`` (it, or a part of it, holds on no row), ``redundant`` (same rows as a part of it),
        ``duplicate`` (same rows as an earlier antecedent, or with a column that has the rows of an earlier one).
    complements : int64 array, shape (n_pairs, 2)
        Pairs of antecedents that are exact negations of each other. They are kept.
    counts : `rulelab.tables.PatternCounts` or None
        What they were mined from, where that were counts.
    """

    words: np.ndarray
    n_rows: int
    features: tuple[str, ...]
    feature_conditions: tuple[Condition, ...]
    parts: np.ndarray
    support: np.ndarray
    dropped: dict[str, int]
    complements: np.ndarray
    counts: Any = None

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"<Antecedents: {len(self)} on {self.n_rows} rows>"

    def _facts(self) -> Iterator[Fact]:
        lengths = (self.parts >= 0).sum(axis=1)
        yield "kept", len(self)
        yield from ((f"of {k} condition{'s'[: k > 1]}", int((lengths == k).sum())) for k in np.unique(lengths).tolist())
        yield "on rows", self.n_rows
        yield from ((f"left out, {reason}", n) for reason, n in self.dropped.items() if n)
        yield "pairs that are negations of each other", len(self.complements)

    def _below(self) -> str:
        first = zip(self.names[:_SHOWN], self.support[:_SHOWN].tolist(), strict=True)
        rows = [(name, f"{support:g}") for name, support in first]
        more = [("…", "")] if len(self) > _SHOWN else []
        return as_table(("antecedent", "support"), [*rows, *more], right=[1])

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """Column indices of each antecedent."""
        return tuple(tuple(j for j in row if j >= 0) for row in self.parts.tolist())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names such as ``age <= 23 and sex == Male``, all different."""
        return unique_names(" and ".join(self.features[j] for j in row) for row in self.members)

    @cached_property
    def conditions(self) -> tuple[tuple[Condition, ...], ...]:
        """The conditions of each antecedent."""
        return tuple(tuple(self.feature_conditions[j] for j in row) for row in self.members)

    @property
    def matrix(self) -> np.ndarray:
        """Unpacked: bool array of shape (n_rows, n_antecedents)."""
        return bits.unpack(self.words, self.n_rows).T

    @property
    def considered(self) -> int:
        """Candidates in all: kept and dropped."""
        return len(self) + sum(self.dropped.values())

    def to_frame(self) -> pd.DataFrame:
        """`matrix` as a DataFrame with the antecedents' names."""
        return pd.DataFrame(self.matrix, columns=list(self.names), copy=False)

    def transform(self, B: Any, packed: bool = False) -> np.ndarray:
        """Evaluate the same antecedents on other rows.

        Parameters
        ----------
        B : DataFrame or array of bool or 0/1
            The columns that were mined: matched by name in a DataFrame (other columns are ignored), by position in an
            array of shape (n_rows, n_columns).
        packed : bool
            Return uint64 words of shape (n_antecedents, n_words(n_rows)), as `words`.

        Returns
        -------
        bool array, shape (n_rows, n_antecedents)
        """
        B = in_pandas(B)
        if isinstance(B, pd.DataFrame):
            names = [column_name(c) for c in B.columns]
            missing = [name for name in self.features if name not in set(names)]
            if missing:
                shown = ", ".join(map(repr, missing[:10]))
                raise ValueError(f"{len(missing)} mined columns are not in the table: {shown}")
            where = {name: j for j, name in enumerate(names)}
            B = B.iloc[:, [where[name] for name in self.features]]
        table = read_boolean_table(B)
        if len(table.features) != len(self.features):
            raise ValueError(f"the array has {len(table.features)} columns; {len(self.features)} were mined")
        out = np.empty((len(self), table.words.shape[1]), dtype=np.uint64)
        _fill(table.words, self.parts, out)
        return out if packed else bits.unpack(out, table.n_rows).T

    def summary(self) -> str:
        """What was kept, what was dropped and why; a few lines of text."""
        lengths = (self.parts >= 0).sum(axis=1)
        by_length = ", ".join(f"{int((lengths == k).sum())} of {k}" for k in range(1, int(lengths.max()) + 1))
        megabytes = self.words.nbytes / 1e6
        lines = [
            f"{len(self)} antecedents ({by_length} conditions) from {len(self.features)} columns and {self.n_rows} rows"
            f", {megabytes:.1f} MB packed",
            f"dropped {sum(self.dropped.values())} of {self.considered} candidates:",
        ]
        width = len(str(max(self.dropped.values(), default=0)))
        lines += [f"  {count:>{width}}  {reason}" for reason, count in self.dropped.items() if count]
        lines.append(f"{len(self.complements)} pairs are exact negations of each other (kept)")
        return "\n".join(lines)


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
    support = _support(words, mask, measure[1])
    usable = _usable_columns(words, support, measure, max_conditions, dropped)

    words = words[usable]
    counts = bits.counts(words)
    kept = _Kept(words, max_antecedents)
    fits = np.flatnonzero(support[usable] <= measure[2][mk.MAX_SUPPORT])
    dropped[mk.ABOVE] += len(usable) - len(fits)
    kept.add_columns(fits, counts[fits])
    if max_conditions > 1:
        verdicts = np.zeros((len(usable),) * 2 if max_conditions > 2 else (0, 0), dtype=np.int32)

        def pairs(out: tuple, i: int = 0) -> tuple:
            return mk.mine_pairs(words, measure, kept.multipliers, counts, i, verdicts, out, dropped, _EFFORT)

        dropped[mk.DUPLICATE] += kept.drain(pairs, (0,), len(usable), verbose)
    if max_conditions > 2:
        prefix = np.empty(words.shape[1], dtype=np.uint64)

        def triples(out: tuple, i: int = 0, j: int = 1) -> tuple:
            return mk.mine_triples(words, measure, kept.multipliers, verdicts, i, j, prefix, out, dropped, _EFFORT)

        dropped[mk.DUPLICATE] += kept.drain(triples, (0, 1), len(usable) - 2, verbose)
    if not kept.size:
        total = table.n_rows if weight is None else weight.sum()
        by_class = y is not None
        raise NothingFound(_nothing_found(support / total, total, max_conditions, min_support, max_support, by_class))
    return replace(kept.finish(table, usable, dropped, mask, weight), counts=counts_given)


class _Kept:
    """The distinct conjunctions found so far; their packed rows are formed only at the end."""

    def __init__(self, words: np.ndarray, limit: int | None) -> None:
        self.words = words
        self.limit = limit
        self.size = 0
        self.multipliers = np.random.default_rng(0).integers(0, 2**64, size=2 * words.shape[1], dtype=np.uint64)
        self.table = np.full(16, -1, dtype=np.int64)
        self.kept = _conjunctions(0)

    def add_columns(self, columns: np.ndarray, counts: np.ndarray) -> None:
        parts, out_counts, hashes = _conjunctions(len(columns))
        parts[:, 0] = columns
        out_counts[:] = counts
        for r, j in enumerate(columns):
            hashes[r] = mk.hash_both(self.words[j], self.words[j], self.multipliers)
        self._add((parts, out_counts, hashes), len(columns))

    def drain(self, mine: Callable[..., tuple], cursor: tuple[int, ...], end: int, verbose: bool) -> int:
        """Mine chunk after chunk from `cursor` until its first index reaches `end`; the number of duplicates."""
        chunk = _conjunctions(max(min(_CHUNK, _EFFORT // self.words.shape[1]), 2 * len(self.words)))
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
        _fill(self.words, parts, words)
        partner = np.empty(self.size, dtype=np.int64)
        hash_of_ones = np.uint64(mk.hash_both(mask, mask, self.multipliers))
        for start, stop in _slices(words):
            mk.find_complements(words, mask, hash_of_ones, hashes, self.table, partner, start, stop)
        first = np.flatnonzero(partner >= 0)
        if weight is not None:
            support = _support(words, mask, weight.astype(np.float64)).astype(weight.dtype)
            _fill(table.words[usable], parts, words)
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
            larger = _conjunctions(max(2 * len(self.kept[0]), needed))
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


def check_limits(
    max_conditions: int, min_support: float, max_support: float, max_antecedents: int | None = None
) -> None:
    """Refuse unusable limits of `mine_antecedents` with a ValueError."""
    if not (is_whole(max_conditions, 1) and max_conditions <= 3):
        raise ValueError(f"max_conditions must be 1, 2 or 3, not {max_conditions!r}")
    if not (is_number(min_support) and is_number(max_support) and 0 <= min_support <= max_support <= 1):
        raise ValueError(f"need 0 <= min_support <= max_support <= 1, not {min_support!r} and {max_support!r}")
    if max_antecedents is not None and not is_whole(max_antecedents, 1):
        raise ValueError(f"max_antecedents must be an integer of at least 1 or None, not {max_antecedents!r}")


def _measure(n_rows: int, min_support: float, max_support: float, y: Any, weight: np.ndarray | None) -> Measure:
    counting = np.ones(n_rows, dtype=np.int64) if weight is None else weight
    total = counting.sum().item()
    limits = np.zeros(5)
    limits[mk.MIN_SUPPORT] = _at_least(min_support, total)
    limits[mk.MAX_SUPPORT] = max_support * total + _ROUNDING * (1 if isinstance(total, int) else total)
    positive = np.zeros(n_rows, dtype=bool)
    if y is not None:
        positive[counting > 0] = _positives(y, n_rows, counting > 0)
        limits[mk.BY_CLASS] = 1
        limits[mk.MIN_POSITIVES] = _at_least(min_support, counting[positive].sum().item())
        limits[mk.MIN_NEGATIVES] = _at_least(min_support, counting[~positive].sum().item())
    weights = np.zeros(0) if weight is None else weight.astype(np.float64)
    return bits.pack(positive[None])[0], weights, limits


def _at_least(fraction: float, total: int | float) -> float:
    if isinstance(total, int):
        return max(1, math.ceil(fraction * total - _ROUNDING))
    return fraction * total * (1 - _ROUNDING)


def _positives(y: Any, n_rows: int, counting: np.ndarray) -> np.ndarray:
    """Which of the rows that count have the larger of two labels."""
    labels = pd.Series(np.asarray(y).ravel())
    if len(labels) != n_rows:
        raise ValueError(f"y has {len(labels)} labels; the matrix has {n_rows} rows")
    labels = labels[counting]
    if labels.isna().any():
        raise ValueError(f"y is missing in row {labels.index[labels.isna()][0]}")
    classes = sorted(labels.unique())
    if len(classes) != 2:
        raise ValueError(f"y must have two classes, found {len(classes)}: {', '.join(map(repr, classes[:5]))}")
    return (labels == classes[1]).to_numpy(dtype=bool)


def _support(words: np.ndarray, mask: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Rows of each packed row within the mask, or their weight."""
    if not weights.size:
        return bits.counts(words & mask)
    out = np.empty(len(words))
    for start, stop in _slices(words, factor=32):
        mk.weigh_each(words[start:stop], mask, weights, out[start:stop])
    return out


def _usable_columns(
    words: np.ndarray, support: np.ndarray, measure: Measure, max_conditions: int, dropped: np.ndarray
) -> np.ndarray:
    """Columns a conjunction may contain: support enough, and not the rows of an earlier column.

    The candidates that contain another column are entered in `dropped` here.
    """
    positives, weights, limits = measure
    enough = support >= limits[mk.MIN_SUPPORT]
    if limits[mk.BY_CLASS]:
        positive = _support(words, positives, weights)
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


def _slices(words: np.ndarray, factor: int = 1) -> Iterator[tuple[int, int]]:
    """Ranges of packed rows of which each takes a kernel well below half a second."""
    size = max(1, _EFFORT // (factor * max(1, words.shape[1])))
    return ((start, min(start + size, len(words))) for start in range(0, len(words), size))


def _fill(words: np.ndarray, parts: np.ndarray, out: np.ndarray) -> None:
    """Write the packed rows of the conjunctions."""
    for start, stop in _slices(out, factor=16):
        mk.fill(words, parts[start:stop], out[start:stop])


def _conjunctions(capacity: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Parts, counts and hashes of conjunctions."""
    parts = np.full((capacity, 3), -1, dtype=np.int32)
    return parts, np.empty(capacity, dtype=np.int64), np.empty(capacity, dtype=np.uint64)


def _nothing_found(
    seen: np.ndarray, total: int | float, max_conditions: int, low: float, high: float, by_class: bool
) -> str:
    nearest = seen[np.argmin(np.maximum(low - seen, seen - high))]
    return (
        f"no conjunction of up to {max_conditions} of the {len(seen)} columns holds on at least {low:.3g} "
        f"{'of the rows of a class' if by_class else 'of the rows'} and at most {high:.3g} of all {total}; "
        f"the columns' supports range from {seen.min():.3g} to {seen.max():.3g}, the nearest is {nearest:.3g}: "
        "lower min_support, raise max_support, or use other columns"
    )
