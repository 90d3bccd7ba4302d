"""Tables of this server in sweeps: under which conditions their rows are counted, and which rows are for the test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...data.binarize import Binarizer
from ...tables import PatternCounts, Split
from ..forms.tables import Counted
from ..live.recipe import SPLIT_SEED


@dataclass(frozen=True)
class Counting:
    """How a table is counted for a sweep.

    Attributes
    ----------
    table : Counted
        With the roles of its columns.
    thresholds : int
        Quantile groups per number.
    share : float
        Of the rows, for the test.
    key : str or None
        Column of whole numbers whose hash says which rows these are; None: they are drawn at random.
    """

    table: Counted
    thresholds: int
    share: float
    key: str | None = None

    def __call__(self, report: Callable[[str], None]) -> PatternCounts:
        """Count; raises ValueError with a message for the user."""
        binarizer = Binarizer(thresholds=self.thresholds)
        return self.table.count(binarizer, self.share, SPLIT_SEED, report, self._split)

    def code(self) -> str:
        """Python that does the same, as ``data``, with ``rl`` for this package."""
        split, count = self._split, self.table.count_code()
        lines = [f"table = {self.table.code()}"]
        if split is not None:
            lines += [f"split = rl.tables.Split({split.column!r}, {split.share!r})"]
        lines += [f"conditions = rl.Binarizer(thresholds={self.thresholds}).fit({self.table.features_code(split)})"]
        more = f".split_at_random({self.share!r}, {SPLIT_SEED})" if split is None else ""
        by = "" if split is None else ", split=split"
        lines += [f"data = rl.tables.count(table, conditions, {count}{by}){more}"]
        return "\n".join(lines) + "\n"

    @property
    def _split(self) -> Split | None:
        return None if self.key is None else Split(self.key, self.share)
