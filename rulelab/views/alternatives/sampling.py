"""Random lists or sets of a complete count, to be seen beside the best ones; nothing of Panel."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from ...data.metrics import FEW
from ...rule_list import NearOptimalCount
from ...rule_list.near_optimal.traits import traits_of
from ...rule_set import NearOptimalRuleSets
from ..cards.card import Card
from ..live.job import Progress
from ..live.wording import count, counted
from .counting import Total
from .finding import Found
from .finding_sets import FoundSets
from .good import Good

SIZE = 2000
"""So many are drawn; where there are no more, all are taken."""
_AT_ONCE = 100


@dataclass(frozen=True, eq=False)
class Sample(abc.ABC):
    """Near-optimal lists, or sets, of which each is as likely to be here as any other.

    Attributes
    ----------
    found : Good
        What is shown, beside which they stand.
    frame : DataFrame
        One row each: ``rules``, and ``accuracy`` and ``above`` (the optimum) in per cent.
    number : int
        Of which they are drawn.
    """

    found: Good
    frame: pd.DataFrame
    number: int
    _gaps: dict[tuple[str, str], np.ndarray] = field(default_factory=dict, init=False)

    @property
    def whole(self) -> bool:
        """Whether these are all, once each."""
        return self.number <= SIZE and len(self.frame) == self.number

    @property
    def words(self) -> str:
        """What they are."""
        every = counted(self.number, self.found.ways)
        return f"all {every}" if self.whole else f"{count(len(self.frame))} of all {every}, drawn at random"

    @property
    @abc.abstractmethod
    def of(self) -> Good:
        """What knows the names of their parts."""

    @property
    @abc.abstractmethod
    def members(self) -> Sequence[Sequence[int]]:
        """The parts of each, as places in the names."""

    def gaps(self, attribute: str, criterion: str) -> np.ndarray:
        """The gap between the groups of an attribute for each, in per cent."""
        asked = (attribute, criterion)
        if asked not in self._gaps:
            self._gaps[asked] = self._measure(attribute, criterion)
        return self._gaps[asked]

    @abc.abstractmethod
    def place(self, k: int) -> int | None:
        """Which of the models that were found it is; None: another one."""

    @abc.abstractmethod
    def card(self, k: int) -> Card:
        """Its card."""

    @abc.abstractmethod
    def _measure(self, attribute: str, criterion: str) -> np.ndarray:
        """See `gaps`."""


@dataclass(frozen=True, eq=False)
class SampledLists(Sample):
    """Rule lists.

    Attributes
    ----------
    lists : tuple of tuple of int
        Antecedents, in order.
    """

    found: Found
    lists: tuple[tuple[int, ...], ...]

    @property
    def of(self) -> Found:
        return self.found

    @property
    def members(self) -> tuple[tuple[int, ...], ...]:
        return self.lists

    def place(self, k: int) -> int | None:
        lists = self.found.result.lists
        return lists.index(self.lists[k]) if self.lists[k] in lists else None

    def card(self, k: int) -> Card:
        return self.found.card_of(self.lists[k])

    def _measure(self, attribute: str, criterion: str) -> np.ndarray:
        return 100 * traits_of(self.found.result.problem, self.lists, self.found.masses(attribute)).gaps(criterion, FEW)


@dataclass(frozen=True, eq=False)
class SampledSets(Sample):
    """Rule sets, each as the model that it is.

    Attributes
    ----------
    every : FoundSets
        All models.
    models : int array
        Of each set that was drawn.
    """

    found: FoundSets
    every: FoundSets
    models: np.ndarray

    @property
    def of(self) -> FoundSets:
        return self.every

    @property
    def members(self) -> list[tuple[int, ...]]:
        return [self.every.members[k] for k in self.models.tolist()]

    def place(self, k: int) -> int | None:
        clauses, shown = self.every.result.clauses[self.models[k]], self.found.result.clauses
        return shown.index(clauses) if clauses in shown else None

    def card(self, k: int) -> Card:
        return self.every.card(int(self.models[k]))

    def _measure(self, attribute: str, criterion: str) -> np.ndarray:
        return self.every.gaps(attribute, criterion)[self.models]


def draw(found: Good, total: Total, progress: Progress, size: int | None = None) -> Sample:
    """Draw lists, or sets, from a complete count; a cancelled drawing gives those that were drawn by then.

    Parameters
    ----------
    found : Good
    total : Total
        A complete count within the same distance.
    progress : Progress
    size : int, optional
        How many to draw; by default `SIZE`.
    """
    size = SIZE if size is None else size
    if isinstance(total.result, NearOptimalRuleSets):
        assert isinstance(found, FoundSets)
        return _draw_sets(found, total.result, size)
    assert isinstance(found, Found)
    return _draw_lists(found, total.result, progress, size)


def _draw_sets(found: FoundSets, result: NearOptimalRuleSets, size: int) -> SampledSets:
    every = found if result is found.result else replace(found, result=result)
    models = np.repeat(np.arange(result.count), result.multiplicity) if result.n_sets <= size else None
    if models is None:
        ends = np.cumsum(result.multiplicity)
        models = np.searchsorted(ends, np.random.default_rng(0).integers(ends[-1], size=size), side="right")
    frame = every.frame[["rules", "accuracy", "above"]].iloc[models].reset_index(drop=True)
    return SampledSets(found, frame, result.n_sets, every, models)


def _draw_lists(found: Found, result: NearOptimalCount, progress: Progress, size: int) -> SampledLists:
    if result.n_lists <= size:
        frame = result.top(max(1, result.n_lists))
    else:
        parts = []
        for k in range(-(-size // _AT_ONCE)):
            parts.append(result.sample(min(_AT_ONCE, size - k * _AT_ONCE), random_state=k))
            progress.doing = f"drawing random lists: {count((k + 1) * _AT_ONCE)}"
            if progress.cancelled:
                break
        frame = pd.concat(parts, ignore_index=True)
    shown = pd.DataFrame(
        {
            "rules": frame["rules"],
            "accuracy": 100 * (1 - frame["errors"] / result.problem.total_weight),
            "above": 100 * frame["gap"] / result.optimum if result.optimum else 0.0,
        }
    )
    return SampledLists(found, shown, result.n_lists, tuple(map(tuple, frame["list"])))
