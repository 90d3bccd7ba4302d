"""What to search: from a data set to a search, in one frozen description that a worker can carry out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from ...data.binarize import Binarizer
from ...data.problem import Problem
from ...datasets import Dataset
from ...search import Search, Snapshot
from .session import Prepared
from .wording import count

MAX_CELLS = 10_000_000
"""Largest table on the page, in rows x columns."""
SPLIT_SEED = 0


@dataclass(frozen=True)
class Recipe(ABC):
    """A data set and all that is done with it; each family has its own.

    Attributes
    ----------
    load : callable
        Gives the Dataset.
    load_code : str
        Python that does the same, with ``rl`` for this package; empty: not known.
    test_share : float
        Fraction of the rows that are kept out of training, at random and by class.
    quantiles : int
        Groups of each numeric column.
    negations : bool
        Whether categories are negated too.
    memory_megabytes : float
    sensitive : str or None
        Column whose values are the groups that the search has to be fair to.
    weighted : bool
        Whether the data say how much each row counts.
    """

    load: Callable[[], Dataset]
    load_code: str = ""
    test_share: float = 0.0
    quantiles: int = 10
    negations: bool = True
    memory_megabytes: float = 1000.0
    sensitive: str | None = None
    weighted: bool = False

    @property
    @abstractmethod
    def look(self) -> str:
        """How the search is shown, see `rulelab.views.search.families.LOOKS`."""

    @abstractmethod
    def problem(
        self, features: pd.DataFrame, data: Dataset, training: np.ndarray, report: Callable[[str], None]
    ) -> tuple[Problem, tuple[str, ...]]:
        """The problem of the training rows, and what to say about it."""

    @abstractmethod
    def search(self, problem: Problem) -> Search:
        """The search; raises ValueError with a message for the user."""

    @abstractmethod
    def warm_up(self) -> None:
        """Let a tiny search go through all kernels, so that the clock of the real one counts no compilation."""

    def comparison(self, search: Search, report: Callable[[str], None]) -> Snapshot | None:
        """The same search without its fairness constraint, where it has one."""
        return None

    def __call__(self, report: Callable[[str], None]) -> Prepared:
        """Load, binarize and set up the search; raises ValueError with a message for the user."""
        report("reading the data")
        data = self.load()
        refuse_large(data)
        training, test = split(data.y, self.test_share)
        report(f"binarizing {count(data.X.shape[1])} columns")
        binarizer = Binarizer(thresholds=self.quantiles, negations=self.negations)
        weight = data.weight_of(training)
        features = binarizer.fit_transform(data.X.iloc[training], sample_weight=weight)
        problem, notes = self.problem(features, data, training, report)
        search = self.search(problem)
        if not search.compiled:
            report("compiling the search: once per machine, some seconds")
            self.warm_up()
        merged = f"{count(problem.n_rows)} rows merged into {count(problem.n_patterns)} patterns"
        return Prepared(
            search,
            labels=(data.negative, data.positive),
            target=str(data.target),
            name=data.name,
            notes=(_about(data), *_kept_out(test), *notes, merged),
            left_out=tuple(f"{what}: {why}" for what, why in binarizer.dropped_),
            data=data,
            test_rows=test if len(test) else None,
            recipe=self,
            unconstrained=self.comparison(search, report),
        )

    @property
    def memory_bytes(self) -> int:
        """The memory limit; raises ValueError when it is out of range."""
        if not 1 <= self.memory_megabytes < 1e9:
            raise ValueError(f"the memory limit must be at least 1 MB, not {self.memory_megabytes:g}")
        return int(self.memory_megabytes * 1e6)


def split(y: pd.Series, test_share: float) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the training rows and of the test rows, the same each time, both with the classes' proportions.

    Raises
    ------
    ValueError
        When the share is out of range, or a class has too few rows.
    """
    rows = np.arange(len(y))
    if not 0 <= test_share <= 0.9:
        raise ValueError(f"the test share must lie between 0 and 0.9, not {test_share:g}")
    if test_share == 0:
        return rows, rows[:0]
    training, test = train_test_split(rows, test_size=test_share, stratify=y, random_state=SPLIT_SEED)
    return training, test


def load_code(name: str) -> str:
    """Python that loads a data set by its name."""
    return f"rl.datasets.load({name!r})"


def refuse_large(data: Dataset) -> None:
    """Raise a ValueError for data that are too large for the page."""
    rows, columns = data.X.shape
    if rows * columns > MAX_CELLS:
        raise ValueError(
            f"{data.name} has {count(rows * columns)} cells ({count(rows)} rows x {count(columns)} columns), more than "
            f"the {count(MAX_CELLS)} that the page takes; use the library, which has no limit"
        )


def _about(data: Dataset) -> str:
    rows, columns = data.X.shape
    positive = int(data.y.sum())
    said = (
        f"{count(rows)} rows, {count(columns)} columns; {data.target} is {data.positive} "
        f"in {count(positive)} ({100 * positive / rows:.0f} %)"
    )
    return said if data.weight is None else f"{said}; rows weigh as {data.weight.name} says"


def _kept_out(test: np.ndarray) -> tuple[str, ...]:
    return (f"{count(len(test))} rows kept out of training, for the test",) if len(test) else ()
