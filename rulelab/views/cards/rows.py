"""The rows behind a model card: which were for training, which were kept out, and how to find them again."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, Self
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np
import pandas as pd

from ... import datasets
from ...datasets import Dataset
from ...store import data_hash
from ..live.prepared import TrainingRows
from ..live.recipe import split as random_split

MOST_CELLS = 200_000  # of data whose hash is taken on the page


class KeptRows:
    """Data sets by the hash of their rows."""

    def __init__(self) -> None:
        # gives the data set of a hash, or raises ValueError that says why there is none; None: nothing is kept
        self.find: Callable[[str], Dataset] | None = None
        # gives what checks the proof that is kept of a card's model, or None
        self.proof: Callable[[Any], Callable[..., str] | None] | None = None
        # gives the kept runs of a card's data and target: how many were alike, the latest, and so on
        self.tried: Callable[[Any], list[tuple[Any, ...]]] | None = None
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


KEPT_ROWS = KeptRows()  # of this process
_HASH = re.compile("[0-9a-f]{64}")
_OF_FOLDS = ("folds", "fold", "seed")  # written beside a share by versions that also kept models of folds


@dataclass(frozen=True)
class Split:
    """How the rows of a data set that can be found again were dealt: all that is needed to deal them again."""

    data: str  # name of the data set, or of the file
    n_rows: int  # how many it has
    test_share: float = 0.0  # share that was kept out of training at random; 0: none
    # hash of the rows that the store keeps, see `rulelab.store.data_hash`; empty: the data set has a name
    kept: str = ""

    @classmethod
    def of(cls, data: Dataset, named: bool, **dealt: Any) -> Self | None:
        """How they were dealt, see the attributes; None where they are not found again: neither ``named`` nor kept."""
        kept = "" if named else KEPT_ROWS.hash(data)
        return cls(data.name, len(data.y), kept=kept, **dealt) if named or kept else None

    @classmethod
    def read(cls, entry: Any) -> Self | None:
        """From an entry that may come from anywhere; None where it is none, or of data that are not on this machine."""
        known = {f.name for f in fields(cls)}
        if isinstance(entry, dict) and entry.get("folds") == 0:
            entry = {name: value for name, value in entry.items() if name not in _OF_FOLDS}
        if not isinstance(entry, dict) or not entry.keys() <= known or not {"data", "n_rows"} <= entry.keys():
            return None
        data, share, kept = entry["data"], entry.get("test_share", 0.0), entry.get("kept", "")
        if not isinstance(data, str) or not isinstance(kept, str):
            return None
        if not (_HASH.fullmatch(kept) if kept else datasets.names().get(data) in ("embedded", "cached")):
            return None
        if kept and KEPT_ROWS.find is None:
            return None
        if type(share) not in (int, float) or type(entry["n_rows"]) is not int:
            return None
        return cls(**entry)

    def rows(self) -> Rows:
        """The rows; ValueError when the data set is another one now, or cannot be dealt like this."""
        data = self._load()
        if len(data.y) != self.n_rows:
            raise ValueError(f"{self.data} has {len(data.y)} rows now, not {self.n_rows}")
        _, test = random_split(data.y, self.test_share)
        return Rows(data, test if len(test) else None, self)

    def _load(self) -> Dataset:
        if not self.kept:
            return datasets.load(self.data)
        assert KEPT_ROWS.find is not None
        return KEPT_ROWS.find(self.kept)


@dataclass(frozen=True, eq=False)
class Rows:
    """The data that a model was trained on, and those it was not."""

    data: Dataset
    # positions of the rows that were kept out of training, in order: who dealt them equally has equal ones
    test: np.ndarray | None = None
    split: Split | None = None  # the same in few words; None where the data have no name
    weight: np.ndarray | None = None  # of every row; None: as the data say

    def __post_init__(self) -> None:
        if self.test is not None:
            object.__setattr__(self, "test", np.sort(self.test))

    @property
    def weighted(self) -> Dataset:
        """The data with the weights that count."""
        return self.data if self.weight is None else replace(self.data, weight=pd.Series(self.weight))

    @property
    def training(self) -> np.ndarray:
        """Positions of the training rows."""
        everything = np.arange(len(self.data.y))
        return everything if self.test is None else np.setdiff1d(everything, self.test)

    @property
    def training_rows(self) -> TrainingRows:
        return TrainingRows.of(self.weighted, self.training)

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for the same split of the same data."""
        kept_out = () if self.test is None else (self.test.tobytes(),)
        return (self.data.name, self.data.target, str(self.data.positive), self.data.X.shape, *kept_out)
