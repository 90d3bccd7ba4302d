"""An uploaded table of which all classes are predicted, by one list whose rules each predict one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ...datasets import Dataset, DatasetError
from ..live.wording import count
from ..widgets.esc import plain
from .data import Labelled

FEWEST = 3
"""Classes; of two one is told from the other."""
ALL_CLASSES = "all classes, in one list"
ELSEWHERE = (
    "all classes of {} are predicted by one list, which the tab Search finds; this is of two classes: choose a "
    "positive class in the tab Search, under Roles of columns"
)


@dataclass(frozen=True, eq=False)
class AllClasses(Labelled):
    """The table, of which no class is told from the rest."""

    def dataset(self) -> Dataset:
        """There is none, for it would have two classes."""
        raise DatasetError(ELSEWHERE.format(plain(self.target, 60)))

    def check(self) -> None:
        """Refuse roles that cannot be; raises ValueError."""
        data, _ = self.labelled()
        weights = None if data.weight is None else data.weight.to_numpy()
        if weights is not None and not (np.mod(weights, 1) == 0).all():
            raise DatasetError(
                f"the weights in {plain(self.weight, 60)} are not all whole numbers, as one list of all classes needs"
            )

    def labelled(self) -> tuple[Dataset, pd.Series]:
        """The columns as conditions are made of them, and the label of each row; raises DatasetError."""
        labels = self.sheet.frame[self.target].dropna().reset_index(drop=True)
        roles = {**self._roles, "positive": labels.iloc[0], "unknown": "negative"}
        data = self.sheet.dataset(roles.pop("target"), roles.pop("positive"), **roles)
        return data, labels

    @property
    def predicted(self) -> str:
        classes = self.sheet.frame[self.target].nunique()
        return f"{plain(self.target, 60)}, all {count(classes)} classes in one list"

    def code(self) -> str:
        """A data set of two classes would be another one."""
        return ""

    @property
    def grouping(self) -> list[str]:
        """Groups are compared by rates of one class."""
        return []

    @property
    def _roles(self) -> dict[str, Any]:
        return {name: value for name, value in super()._roles.items() if name != "positive"}
