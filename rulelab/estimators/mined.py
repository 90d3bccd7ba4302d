"""What the classifiers of rule lists share: their rules are mined antecedents."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from ..data.antecedents import Antecedents, check_limits
from ..data.mining import mine_within
from ..data.problem import Problem
from .base import CertifiedClassifier


class MinedClassifier(CertifiedClassifier):
    """A classifier whose rules are conjunctions mined by support.

    Attributes
    ----------
    antecedents_ : Antecedents or None
        None when there was nothing to search.
    """

    max_conditions: int
    min_support: float
    max_support: float
    by_class: bool
    max_antecedents: int | None
    memory_limit: int | None

    def _check_features(self) -> None:
        check_limits(self.max_conditions, self.min_support, self.max_support, self.max_antecedents)
        if not isinstance(self.by_class, bool | np.bool_):
            raise ValueError(f"by_class must be True or False, not {self.by_class!r}")

    def _clear(self) -> None:
        super()._clear()
        self.antecedents_: Antecedents | None = None

    def _features(self, table: pd.DataFrame, y: np.ndarray, weight: np.ndarray | None) -> Antecedents:
        if self.by_class and len(self.classes_) > 2:
            raise ValueError(
                f"by_class=True counts supports within one of two classes, but y has {len(self.classes_)}; leave it "
                "out, or fit each class against the rest"
            )
        conditions = self._conditions_in(table, weight)
        labels = y if self.by_class else None
        self.antecedents_, note = mine_within(
            conditions,
            self.max_conditions,
            self.min_support,
            self.max_support,
            labels,
            sample_weight=weight,
            max_antecedents=self.max_antecedents,
            memory_limit=self.memory_limit,
        )
        if note:
            warnings.warn(note, UserWarning, stacklevel=4)
        return self.antecedents_

    def _problem(self, features: Antecedents, y: np.ndarray, weight: Any, groups: Any) -> Problem:
        return Problem.from_antecedents(features, y, sample_weight=weight)
