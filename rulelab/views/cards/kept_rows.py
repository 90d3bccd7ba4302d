"""What the store of this process keeps behind model cards: rows of data without a name by their hash, and proofs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from ...datasets import Dataset
from ...store import data_hash

MOST_CELLS = 200_000
"""Of data whose hash is taken on the page."""


class KeptRows:
    """Data sets by the hash of their rows.

    Attributes
    ----------
    find : callable or None
        Gives the data set of a hash, or raises ValueError that says why there is none; None: nothing is kept.
    proof : callable or None
        Gives what checks the proof that is kept of a card's model, or None.
    """

    def __init__(self) -> None:
        self.find: Callable[[str], Dataset] | None = None
        self.proof: Callable[[Any], Callable[..., str] | None] | None = None
        self._hashes: WeakKeyDictionary[Dataset, str] = WeakKeyDictionary()
        self._at_hand: WeakValueDictionary[str, Dataset] = WeakValueDictionary()

    def hash(self, data: Dataset) -> str:
        """What to find the rows by on another day; empty where nothing is kept, or they are too many."""
        if self.find is None or data.heads is not None or data.X.size > MOST_CELLS:
            return ""
        if data not in self._hashes:
            self._hashes[data] = data_hash(data)
        self._at_hand[self._hashes[data]] = data
        return self._hashes[data]

    def at_hand(self, hash: str) -> Dataset | None:
        """The data set of a hash that was given, as long as something on the page has it."""
        return self._at_hand.get(hash)


KEPT_ROWS = KeptRows()
"""Of this process."""
