"""Antecedents: the conjunctions of a table's Boolean columns that hold on neither too few rows nor too many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..kernels import bits
from ..kernels import mining as mk
from ..sharing import Shared
from ..shown import Fact, Shown, as_table
from .conditions import Condition, column_name, conditions_of, in_pandas, unique_names
from .problem_arguments import boolean_matrix

_SHOWN = 8
EFFORT = 1 << 26
"""Words that a kernel looks at between two moments at which Python can be interrupted."""


@dataclass(frozen=True, eq=False)
class BooleanTable:
    """The mined columns: words (n_columns, n_words(n_rows)), packed along the rows."""

    words: np.ndarray
    n_rows: int
    features: tuple[str, ...]
    conditions: tuple[Condition, ...]


def read_boolean_table(B: Any) -> BooleanTable:
    """Read a DataFrame or array of bool or 0/1, shape (n_rows, n_columns); raises ProblemError for other cells."""
    B = in_pandas(B)
    matrix = boolean_matrix(B)
    if isinstance(B, pd.DataFrame):
        features = tuple(column_name(c) for c in B.columns)
        if len(set(features)) < len(features):
            name = next(name for name in features if features.count(name) > 1)
            raise ValueError(f"repeated column name {name!r}; every column needs a name of its own")
        conditions = conditions_of(B.set_axis(list(features), axis=1))
    else:
        features = tuple(f"x{j}" for j in range(matrix.shape[1]))
        conditions = tuple(Condition(name, "==", True) for name in features)
    return BooleanTable(bits.pack(matrix.T), len(matrix), features, conditions)


class TooManyAntecedents(ValueError):  # noqa: N818 - fewer conditions may do
    """There are more antecedents than ``max_antecedents``."""


@dataclass(frozen=True, eq=False, repr=False)
class Antecedents(Shown, Shared):
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
        fill(table.words, self.parts, out)
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


def supports(words: np.ndarray, mask: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Rows of each packed row within the mask, or their weight."""
    if not weights.size:
        return bits.counts(words & mask)
    out = np.empty(len(words))
    for start, stop in slices(words, factor=32):
        mk.weigh_each(words[start:stop], mask, weights, out[start:stop])
    return out


def slices(words: np.ndarray, factor: int = 1) -> Iterator[tuple[int, int]]:
    """Ranges of packed rows of which each takes a kernel well below half a second."""
    size = max(1, EFFORT // (factor * max(1, words.shape[1])))
    return ((start, min(start + size, len(words))) for start in range(0, len(words), size))


def fill(words: np.ndarray, parts: np.ndarray, out: np.ndarray) -> None:
    """Write the packed rows of the conjunctions."""
    for start, stop in slices(out, factor=16):
        mk.fill(words, parts[start:stop], out[start:stop])
