"""A step-wise enumeration of all models within a distance of the optimum."""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..arguments import check_arguments
from ..models import Model
from ..search import Search
from ..snapshot import Snapshot
from .found import NearModels


@dataclass(frozen=True)
class NearProgress(Snapshot):
    """An enumeration at one moment: a `rulelab.Snapshot` of the best model, and how far the others are found.

    Attributes
    ----------
    count : int
        Different classifiers so far.
    optimum, covered, threshold : float
        The optimum's objective (of the incumbent in the first phase); how far all models have been found; up to which
        objective they are looked for.
    """

    count: int = 0
    optimum: float = math.nan
    covered: float = math.nan
    threshold: float = math.nan

    @property
    def truncated(self) -> str | None:
        """Why it ended early: "limit" (of the number of models), "memory", "time", "work", "gap" or another of the
        search's own; None when it is complete."""
        return None if self.phase == "finished" else self.limit


class NearEnumeration(Search):
    """A search that certifies the optimum, then finds all models near it, and is "finished" as its last phase."""

    phase: str
    _stuck: str | None

    @abc.abstractmethod
    def result(self) -> NearModels:
        """What has been found so far."""

    @property
    def truncated(self) -> str | None:
        """Why it has ended early, as in its snapshots."""
        return None if self.phase == "finished" else self._stuck or self.stopped_by

    @property
    def frame(self) -> pd.DataFrame:
        """What has been found so far, best first: a row for each model, as in the result's own ``frame``."""
        return self.result().frame()

    def _models(self) -> list[Model | None]:
        return list(self.result().models)


def check_distance(within: Any, ratio: Any, memory_limit: Any, limit: Any = 1) -> None:
    """Refuse what is no distance from the optimum, and limits that are none.

    Raises
    ------
    ValueError
        When one is out of range, or both distances are given.
    """
    if within is not None and ratio is not None:
        raise ValueError(
            "give only one of within (absolute, in the objective's units) and ratio (relative to the optimum)"
        )
    check_arguments(within=within, ratio=ratio, limit=limit, memory_limit=memory_limit)
