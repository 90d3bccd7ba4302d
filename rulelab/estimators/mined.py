"""What the classifiers of rule lists share: their rules are mined antecedents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..antecedents import Antecedents, check_limits, mine_antecedents
from ..problem import Problem
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

    def _check_features(self) -> None:
        check_limits(self.max_conditions, self.min_support, self.max_support)

    def _clear(self) -> None:
        super()._clear()
        self.antecedents_: Antecedents | None = None

    def _features(self, table: pd.DataFrame, weight: np.ndarray | None) -> Antecedents:
        conditions = self._conditions_in(table, weight)
        self.antecedents_ = mine_antecedents(
            conditions, self.max_conditions, self.min_support, self.max_support, sample_weight=weight
        )
        return self.antecedents_

    def _problem(self, features: Antecedents, y: np.ndarray, weight: np.ndarray | None, groups: Any) -> Problem:
        return Problem.from_antecedents(features, y, sample_weight=weight)
