"""Which rows of a table are kept out of training: by a hash of a key that every engine computes, or by a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from ..arguments import TableError, is_whole
from .table import Table

_PRIME = (1 << 31) - 1
_SIDES = {"test": True, "train": False, "training": False, "true": True, "false": False, "1": True, "0": False}


@dataclass(frozen=True)
class Split:
    """A split that is the same on every engine and in every order of the rows.

    Attributes
    ----------
    column : str
        With a share: a key of whole numbers; rows of one key stay together. Without: what says it itself, by true
        and false, 1 and 0, or "test" and "train".
    share : float or None
        Of the keys, above 0 and below 1.
    seed : int
        Another one deals the keys anew.

    Examples
    --------
    >>> import pandas as pd, rulelab as rl
    >>> table = rl.tables.open(pd.DataFrame({"id": range(1000), "a": [0, 1] * 500, "y": [0, 1, 1, 1] * 250}))
    >>> split = rl.tables.Split("id", 0.3)
    >>> conditions = rl.Binarizer().fit(table.features("y", "id", split=split))
    >>> counts = rl.tables.count(table, conditions, "y", split=split)
    >>> counts.training.n_rows + counts.held_out.n_rows
    1000
    """

    column: str
    share: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.share is not None and not 0 < self.share < 1:
            raise TableError(f"the share of the test rows must be above 0 and below 1, not {self.share!r}")
        if not is_whole(self.seed, 0):
            raise TableError(f"the seed of the split must be a whole number of at least 0, not {self.seed!r}")

    def of(self, table: Table) -> nw.Expr:
        """Whether a row is kept out; raises TableError where the column cannot say."""
        table.require([self.column])
        return self._marked(table) if self.share is None else self._hashed(table)

    def in_words(self) -> str:
        """How it is done, for people to read."""
        if self.share is None:
            return f"column {self.column!r} says which rows are kept out for the test"
        kept = f"{100 * self.share:g} % of the keys in {self.column!r} are kept out for the test, by a hash"
        return kept + (f" with seed {self.seed}" if self.seed else "")

    def _marked(self, table: Table) -> nw.Expr:
        found = table.values(self.column)["v"]
        side = {value: _side(value) for value in found}
        odd = [value for value, known in side.items() if known is None]
        if odd:
            what = "has rows without a value" if None in odd else f"holds {odd[0]!r}"
            raise TableError(
                f"column {self.column!r} {what}; to split by it, it must be true for test rows and false for the "
                "others (or 1 and 0, or 'test' and 'train')"
            )
        cells = nw.col(self.column)
        if table.kind(self.column) == "boolean":
            return cells
        if table.kind(self.column) == "category":
            cells = cells.cast(nw.String)
        out = nw.lit(False)
        for value in (value for value, test in side.items() if test):
            out = out | (cells == value)
        return out

    def _hashed(self, table: Table) -> nw.Expr:
        """Squares and products modulo a prime: whole numbers below 2^62, so that no engine overflows or rounds."""
        dtype = table.frame.collect_schema()[self.column]
        if not dtype.is_integer():
            raise TableError(
                f"column {self.column!r} holds {dtype}, which engines do not hash alike; give a key of whole numbers, "
                "or a column that says itself which rows are for the test"
            )
        if table.frame.filter(nw.col(self.column).is_null()).head(1).select(nw.len()).collect().item():
            raise TableError(f"column {self.column!r} has rows without a key; give each row one, or leave them out")
        key = nw.col(self.column)
        wide = dtype in (nw.UInt64, nw.Int128, nw.UInt128)
        key = ((key if wide else key.cast(nw.Int64)) % _PRIME).cast(nw.Int64)
        key = (key + _PRIME) % _PRIME  # of a negative number engines give either remainder
        rng = np.random.default_rng(self.seed)
        for factor, more in rng.integers(1 << 20, _PRIME, (3, 2)).tolist():
            key = (key * factor + more) % _PRIME
            key = key * key % _PRIME
        assert self.share is not None
        return key < int(self.share * _PRIME)


def _side(value: Any) -> bool | None:
    """Whether a value says that a row is for the test; None: it says nothing."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, str):
        return _SIDES.get(value.strip().lower())
    return None if value is None or value not in (0, 1) else bool(value)
