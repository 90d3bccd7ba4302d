"""Enumerations of models near the optimum, of any family: their arguments, their steps and what they found."""

from __future__ import annotations

import abc
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from .arguments import ParameterError, is_whole
from .data.problem import Problem
from .kernels import bits
from .models import Model
from .parameters import check_arguments
from .shown import Fact, Shown, rows_below
from .snapshot import Snapshot
from .stepping import Search


@dataclass(frozen=True)
class NearProgress(Snapshot):
    """An enumeration at one moment: a `Snapshot` of the best model, and how far the others are found."""

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

    Raises ValueError when one is out of range, or both distances are given.
    """
    if within is not None and ratio is not None:
        raise ValueError(
            "give only one of within (absolute, in the objective's units) and ratio (relative to the optimum)"
        )
    check_arguments(within=within, ratio=ratio, limit=limit, memory_limit=memory_limit)


CHUNK = 1024
"""Models that are unpacked at a time."""


@dataclass(frozen=True, eq=False, repr=False)
class NearModels(Shown, abc.ABC):
    """Near-optimal models, best first; each stands for all that predict alike on the training patterns."""

    problem: Problem
    optimum: float
    threshold: float
    objectives: np.ndarray
    errors: np.ndarray
    multiplicity: np.ndarray
    complete: bool
    truncated: str | None
    covered: float
    by_gap: pd.DataFrame
    work: int
    _predictions: np.ndarray = field(repr=False)
    """A packed row for each model; a bit set or not says which of the two labels it gives."""
    _weights: np.ndarray = field(repr=False)  # training weight of each bit of a row, as floats

    def __repr__(self) -> str:
        found = "all" if self.complete else "the first"
        return (
            f"{type(self).__name__}({found} {self.count} models, {self._forms}, "
            f"objectives {self.optimum:.6g} to {self.threshold:.6g})"
        )

    def _facts(self) -> Iterator[Fact]:
        yield "models", f"{self.count}, {self._forms}"
        yield "complete", "none is missing" if self.complete else f"no: {self.truncated}"
        yield "optimum", self.optimum
        yield "up to", self.threshold

    def _below(self) -> str:
        return rows_below(self.top())

    def __len__(self) -> int:
        return self.count

    @property
    @abc.abstractmethod
    def _forms(self) -> str:
        """How many lists or sets the models are, with the noun."""

    @property
    @abc.abstractmethod
    def models(self) -> Sequence[Model]:
        """The models, best first, each in its cheapest form."""

    @abc.abstractmethod
    def frame(self) -> pd.DataFrame:
        """One row per model."""

    @property
    def count(self) -> int:
        """Models found."""
        return len(self.objectives)

    @property
    def gaps(self) -> np.ndarray:
        """Objective - optimum of each model."""
        return np.maximum(self.objectives - self.optimum, 0.0)

    def top(self, n: int = 10) -> pd.DataFrame:
        """The best models, as in `frame`.

        Parameters
        ----------
        n : int
            How many.
        """
        return self.frame().head(at_least_one(n))

    def sample(self, n: int = 10, random_state: int | None = None) -> pd.DataFrame:
        """Random models, each of all near-optimal ones as likely as any other, with replacement; as in `frame`.

        Parameters
        ----------
        n : int
            How many.
        random_state : int, optional
            Seed; another draw each time by default.

        Raises
        ------
        ValueError
            When the enumeration is not complete: what was not found could not be drawn.
        """
        self._needs_all()
        drawn = np.random.default_rng(random_state).integers(self.count, size=at_least_one(n))
        return self.frame().iloc[drawn]

    def disagreement(self, model: int) -> np.ndarray:
        """Fraction of the training weight for which each model predicts otherwise than this one.

        Parameters
        ----------
        model : int
            Index into `models`.

        Returns
        -------
        float array, shape (count,)
        """
        out = np.zeros(self.count)
        for begin in range(0, self.count, CHUNK):
            differ = self._predictions[begin : begin + CHUNK] ^ self._predictions[model]
            out[begin : begin + CHUNK] = bits.unpack(differ, len(self._weights)) @ self._weights
        return out / self._weights.sum()

    def diverse(self, n: int = 5) -> tuple[int, ...]:
        """Models that differ most in what they predict, as indices into `models`.

        The first is the optimum; each next one has the largest least `disagreement` with those chosen before, the
        better one among equals (farthest-first traversal: the least disagreement within the selection is at least half
        of the largest possible for as many models that include the optimum).

        Parameters
        ----------
        n : int
            How many.

        Raises
        ------
        ValueError
            When ``n`` is not a positive integer.
        """
        chosen: list[int] = []
        nearest = np.full(self.count, np.inf)
        while len(chosen) < min(at_least_one(n), self.count):
            chosen.append(int(np.argmax(nearest)))
            nearest = np.minimum(nearest, self.disagreement(chosen[-1]))
            nearest[chosen] = -1.0
        return tuple(chosen)

    def _needs_all(self) -> None:
        if not self.complete:
            raise ValueError(f"the enumeration is not complete ({self.truncated}): let it go on to its end first")


def at_least_one(n: object) -> int:
    """The number of models that are asked for. Raises ValueError when it is no positive integer."""
    if not is_whole(n, 1):
        raise ParameterError("n", n, "an integer >= 1")
    return int(n)
