"""Counting the rows of a table by what conditions tell apart: one group-by, in the engine that holds the rows."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from ..arguments import TableError
from ..data.binarize import Binarizer
from ..data.columns import listed
from ..data.conditions import Condition
from ..datasets.guesses import positive_of, unknown_of
from .pattern_counts import COUNT, HEADS, PatternCounts
from .split import Split
from .table import Table
from .weighing import ROWS, Weighing, exact_floats

_SMALLEST = 127
"""What the smallest whole numbers can be."""
_DOUBLES, _LARGEST = 1 << 53, 1 << 63
"""From here on not every whole number is a double; from there on those of a column are doubles."""
MOST_PATTERNS = 5_000_000
_WORD_BITS = 62
_MOST_TRIED, _MOST_ADVISED = 8, 3
_WORD, _GROUP, _TEST = "word {}", "rulelab group {}", "rulelab test"


@dataclass(frozen=True)
class Cells:
    """The cells of a column that its ``marks`` tell apart: cuts in increasing order (``ordered``), or values."""

    column: str
    kind: str
    marks: tuple[Any, ...]
    ordered: bool

    @classmethod
    def of(cls, column: str, kind: str, conditions: Sequence[Condition]) -> Cells:
        """The cells that conditions on this column tell apart."""
        cuts = sorted({c.value for c in conditions if c.operator in ("<=", ">")})
        if cuts and any(c.operator in ("==", "!=") for c in conditions):
            raise TableError(f"column {column!r} is both cut and asked for single values; use one of the two")
        if kind != "number" and cuts:
            raise TableError(f"column {column!r} is cut at {cuts[0]!r} but holds no numbers")
        values = list(dict.fromkeys(c.value for c in conditions if c.operator in ("==", "!=")))
        return cls(column, kind, tuple(cuts or values), bool(cuts))

    @property
    def size(self) -> int:
        """How many cells there are: below and between the cuts and above, or each value and any other, and missing."""
        return len(self.marks) + 2

    @property
    def bits(self) -> int:
        """In which the numbers of the cells have room."""
        return max(1, (self.size - 1).bit_length())

    def number(self, dtype: Any) -> nw.Expr:
        """The number of the cell of a row, computed where the table lies."""
        cells = nw.col(self.column)
        missing = cells.is_null()
        if dtype.is_float():
            missing = missing | cells.is_nan()
        if self.kind == "category":
            cells = cells.cast(nw.String)
        elif self.kind == "number" and not dtype.is_integer():
            cells = cells.cast(nw.Float64)  # else a mark may be rounded to the type of the column
        small = nw.Int8 if self.size <= _SMALLEST else nw.Int64  # that some engines add up in an eighth of the time
        total: nw.Expr | None = None
        for k, mark in enumerate(self.marks):
            one = (
                _whole(self.column, cells, mark, self.ordered, dtype)
                if dtype.is_integer()
                else _told(cells, float(mark) if self.kind == "number" else mark, self.ordered)  # no whole 1e300
            )
            one = one.fill_null(False)
            part = one.cast(small) if self.ordered else one.cast(small) * nw.lit(k + 1, dtype=small)
            total = part if total is None else total + part
        inside = nw.lit(0, dtype=nw.Int64) if total is None else total.cast(small).cast(nw.Int64)
        return nw.when(missing).then(nw.lit(self.size - 1, dtype=nw.Int64)).otherwise(inside)

    def stand_ins(self) -> pd.Series:
        """For each cell a value that lies in it."""
        if self.ordered:
            return _numbers([*self.marks, _above(self.marks[-1]), None])
        if self.kind == "category":
            text = "other"
            while text in self.marks:
                text += "_"
            return pd.Series([text, *self.marks, None], dtype=object)
        if self.kind == "boolean":
            known = {bool(value) for value in self.marks}
            return pd.Series([True not in known, *map(bool, self.marks), None], dtype=object)
        return _numbers([_above(max(self.marks, default=0)), *self.marks, None])


def _told(cells: nw.Expr, mark: Any, above: bool) -> nw.Expr:
    return cells > mark if above else cells == mark


def _whole(column: str, cells: nw.Expr, mark: Any, above: bool, dtype: Any) -> nw.Expr:
    """Whole numbers above a mark, or equal to it; they are compared as whole numbers, which no engine rounds."""
    whole = math.floor(mark)
    if not above and whole != mark:
        return nw.lit(False)
    if dtype == nw.UInt64 and whole >= 1 << 63:
        raise TableError(
            f"column {column!r} is told apart at {whole}; not all engines compare whole numbers of 2^63 and above; "
            "leave it out (an identifier says nothing), or give it cuts below"
        )
    if not -(1 << 63) <= whole < 1 << 63:
        return nw.lit(above and whole < 0)
    if dtype == nw.UInt64:
        return _told(cells, nw.lit(whole, dtype=nw.UInt64), above) if whole >= 0 else nw.lit(above)
    return _told(cells, whole, above)


def _above(mark: Any) -> Any:
    """A number above it."""
    if isinstance(mark, int) and abs(mark) < _LARGEST:
        return mark + 1
    return max(mark + 1.0, float(np.nextafter(float(mark), np.inf)))


def _numbers(values: list[Any]) -> pd.Series:
    """As doubles, or as whole numbers of 64 bits where doubles would be the same for two of them."""
    known = [v for v in values if v is not None]
    if any(isinstance(v, int) and abs(v) >= _DOUBLES for v in known) and all(abs(v) < _LARGEST for v in known):
        whole = [None if v is None else math.floor(v) for v in values]
        return pd.Series(whole, dtype="Int64")
    return pd.Series(values, dtype=np.float64)


def count(
    table: Table,
    conditions: Binarizer | Sequence[Condition],
    target: str,
    positive: Any = None,
    sensitive: str | Sequence[str] = (),
    weight: str | None = None,
    split: Split | None = None,
    unknown: str = "leave out",
) -> PatternCounts:
    """Count the rows of each kind.

    Parameters
    ----------
    table : Table
    conditions : Binarizer or sequence of Condition
        Fitted on the features of the table: ``rl.Binarizer().fit(table.features(target))``.
    target : str
        Column with two labels, or more when `positive` names one.
    positive : label, optional
        Default: the one of two that means yes, such as ``"ja"``, ``1`` or ``"fraud"``, else the rarer one.
    sensitive : str or sequence of str
        Columns whose values are kept beside each pattern, for groups of people.
    weight : str, optional
        Column with numbers of at least 0 that say how much each row counts; they are summed without rounding.
    split : Split, optional
        Which rows are kept out of training; they are counted apart.
    unknown : str
        Rows whose target is a word such as ``"unknown"`` or ``"?"``, beside two other labels: ``"leave out"`` or
        ``"negative"``.

    Returns
    -------
    PatternCounts

    Raises
    ------
    TableError
        A column that is not there, a target without two classes, weights that are none, a split without rows on
        one side, or more than `MOST_PATTERNS` patterns.
    """
    started = time.perf_counter()
    sensitive = [sensitive] if isinstance(sensitive, str) else list(sensitive)
    conditions = conditions.conditions_ if isinstance(conditions, Binarizer) else tuple(conditions)
    table = table.with_parts([c.column for c in conditions])
    table.require([target, *sensitive, *([] if weight is None else [weight]), *(c.column for c in conditions)])
    frame, left_out = table.with_target(target, unknown, positive)
    labels, positive, without = _labels(table, target, positive, left_out)
    cells = _cells(table, conditions)
    schema = frame.collect_schema()
    weighing = ROWS if weight is None else Weighing.by(frame, weight, table.name)
    frame = weighing.cut(weighing.above_zero(frame))
    groups = [nw.col(name).alias(_GROUP.format(k)) for k, name in enumerate(sensitive)]
    sides = [nw.col(target) == positive, *([] if split is None else [split.of(table)])]
    words, places = _words(
        [*((each.number(schema[each.column]), each.bits) for each in cells), *((s, 1) for s in sides)]
    )
    named = [word.alias(_WORD.format(k)) for k, word in enumerate(words)]
    keys = [_WORD.format(k) for k in range(len(words))] + [_GROUP.format(k) for k in range(len(sensitive))]
    coded = frame.select(*named, *groups, *weighing.columns)
    found = coded.group_by(keys).agg(*weighing.totals()).head(MOST_PATTERNS + 1).collect()
    held = [found[key].to_numpy().astype(np.int64) for key in keys[: len(words)]]
    label, *tests = (_taken_out(held, place) for place in places[len(cells) :])
    if len(found) > MOST_PATTERNS:
        raise TableError(
            f"{table.name} has more than {MOST_PATTERNS} different rows under these {len(conditions)} "
            "conditions; " + _advice(cells, places, held)
        )
    heads, n = weighing.rows(found), weighing.sums(found)
    data = {}
    for each, (word, shift, bits) in zip(cells, places, strict=False):
        codes = (held[word] >> shift) & ((1 << bits) - 1)
        data[each.column] = _typed(each.stand_ins().iloc[codes].reset_index(drop=True))
    features = pd.DataFrame(data)
    people = {name: _cells_of(found[_GROUP.format(k)]) for k, name in enumerate(sensitive)}
    test = pd.Series(tests[0].astype(bool), name=_TEST) if tests else None
    if test is not None and (test.all() or not test.any()):
        side = "every row is" if test.all() else "no row is"
        raise TableError(f"{side} kept out of training: {split.in_words()}")  # type: ignore[union-attr]
    texts = (cells.map(lambda value: "" if value is None else f" {value}") for cells in people.values())
    ranks = [pd.factorize(each, sort=True)[0] for each in texts]
    order = np.lexsort([heads, label, *ranks, *tests, *held])[::-1]
    if not weighing.whole:
        n, of = exact_floats(n[order], weighing.unit)
        first = np.append(True, of[1:] != of[:-1])[: len(of)]
        order = order[of]
        heads = np.where(first, heads[order], 0)
    else:
        n, heads = n[order], heads[order]

    def sorted_(values: Any) -> Any:
        return values.iloc[order].reset_index(drop=True)

    return PatternCounts(
        features=sorted_(features),
        label=sorted_(pd.Series(label, name=target)),
        rows=pd.Series(n, name=COUNT),
        sensitive=sorted_(pd.DataFrame(people)) if people else None,
        test=None if test is None else sorted_(test),
        heads=None if weight is None else pd.Series(heads, name=HEADS),
        conditions=conditions,
        target=target,
        positive=positive,
        negative=next((each for each in labels if each != positive), None) if len(labels) == 2 else f"not {positive}",
        name=table.name,
        engine=table.engine,
        seconds=time.perf_counter() - started,
        without_target=without,
        split="" if split is None else split.in_words(),
    )


def _labels(table: Table, target: str, positive: Any, left_out: Sequence[Any]) -> tuple[list[Any], Any, int]:
    """The labels, the positive one as the table writes it, and how many rows have none."""
    found = table.values(target)
    rows = {label: n for label, n in zip(found["v"], found["n"], strict=True) if label is not None}
    without = int(found["n"].sum() - sum(rows.values()) + sum(rows.pop(label) for label in left_out))
    labels = sorted(rows, key=lambda v: (str(type(v)), v))
    if len(labels) < 2:
        said = f"; {without} rows are empty there, or have NA or the like, which missing='' keeps" if without else ""
        raise TableError(f"the target {target!r} has a single label, {listed(map(str, labels))}; two are needed{said}")
    if positive is not None:
        matching = [label for label in labels if label == positive or str(label) == str(positive)]
        if not matching:
            raise TableError(f"the target {target!r} has no label {positive!r}; it has {listed(map(str, labels))}")
        positive = matching[0]
    elif len(known := [label for label in labels if label not in unknown_of(labels)]) > 2:
        raise TableError(
            f"the target {target!r} has {len(labels)} labels ({listed(map(str, labels))}); name the positive one"
        )
    else:
        positive = positive_of({label: rows[label] for label in known})
    return labels, positive, without


def _cells(table: Table, conditions: Sequence[Condition]) -> list[Cells]:
    by_column: dict[str, list[Condition]] = {}
    for condition in conditions:
        by_column.setdefault(condition.column, []).append(condition)
    return [Cells.of(name, table.kind(name), asked) for name, asked in by_column.items()]


def _words(numbers: Sequence[tuple[nw.Expr, int]]) -> tuple[list[nw.Expr], list[tuple[int, int, int]]]:
    """Integers that hold numbers of some bits side by side, and for each number its word, its place and its bits."""
    words: list[nw.Expr] = []
    places, used = [], _WORD_BITS
    for number, bits in numbers:
        if used + bits > _WORD_BITS:
            words.append(nw.lit(0, dtype=nw.Int64))
            used = 0
        words[-1] = words[-1] + number.cast(nw.Int64) * (1 << used)
        places.append((len(words) - 1, used, bits))
        used += bits
    return words, places


def _taken_out(words: list[np.ndarray], place: tuple[int, int, int]) -> np.ndarray:
    """What stands at a place, which is empty afterwards."""
    word, shift, bits = place
    taken = (words[word] >> shift) & ((1 << bits) - 1)
    words[word] = words[word] - (taken << shift)
    return taken


def _cells_of(column: Any) -> pd.Series:
    """Cells of which the missing ones are None, whatever an engine has for them."""
    cells = pd.Series(column.to_list(), dtype=object)
    return cells.where(cells.notna(), None)


def _advice(cells: Sequence[Cells], places: Sequence[tuple[int, int, int]], words: Sequence[np.ndarray]) -> str:
    """Which of the finest columns to coarsen: those without which the fewest of the kinds that were found are left."""
    held = pd.DataFrame(dict(enumerate(words)))
    kinds, left = len(held.drop_duplicates()), dict[int, int]()
    for k in sorted(range(len(cells)), key=lambda k: -cells[k].size)[:_MOST_TRIED]:
        word, shift, bits = places[k]
        merged = held[word] & ~(((1 << bits) - 1) << shift)
        left[k] = len(held.assign(merged=merged).drop(columns=word).drop_duplicates())
    named = [
        f"{cells[k].column!r} ({cells[k].size - 2} cuts or values, "
        f"without which {left[k]} of the first {kinds} kinds are left)"
        for k in sorted(left, key=lambda k: left[k])[:_MOST_ADVISED]
    ]
    return f"coarsen the finest columns: {', '.join(named)}"


def _typed(values: pd.Series) -> pd.Series:
    """Booleans as such where none is missing."""
    known = values.dropna()
    return values.astype(bool) if len(known) == len(values) and known.map(type).eq(bool).all() else values
