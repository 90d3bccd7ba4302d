"""The rows behind a list of several classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ...datasets import Dataset


@dataclass(frozen=True, eq=False)
class ClassRows:
    """All rows, with their labels."""

    data: Dataset  # whose columns count, and whose classes do not
    labels: pd.Series  # of each row
    test: np.ndarray  # positions of the rows that were kept out of training; may be empty

    @property
    def training(self) -> np.ndarray:
        """Positions of the others."""
        return np.setdiff1d(np.arange(len(self.labels)), self.test)
