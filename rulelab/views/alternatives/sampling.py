"""Random lists or sets of a complete count, to be seen beside the best ones; nothing of Panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ...rule_list import NearOptimalCount
from ...rule_set import NearOptimalRuleSets
from ..cards.card import Card
from ..live.job import Progress
from ..live.wording import count, counted
from .counting import Total
from .good import Found, FoundSets, Good

SIZE = 2000
"""So many are drawn; where there are no more, all are taken."""
_AT_ONCE = 100


@dataclass(frozen=True, eq=False)
class Sample:
    """Near-optimal lists, or sets, of which each is as likely to be here as any other.

    Attributes
    ----------
    found : Good
        What is shown, beside which they stand.
    every : Good
        All that they are of: the lists that were drawn, or all models of sets.
    models : int array
        Which of these each is.
    frame : DataFrame
        One row each: ``rules``, and ``accuracy`` and ``above`` (the optimum) in per cent.
    number : int
        Of which they are drawn.
    """

    found: Good
    every: Good
    models: np.ndarray
    frame: pd.DataFrame
    number: int

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
    def members(self) -> list[Sequence[int]]:
        """The parts of each, as places in the names."""
        members = self.every.members
        return [members[k] for k in self.models.tolist()]

    def gaps(self, attribute: str, criterion: str) -> np.ndarray:
        """The gap between the groups of an attribute for each, in per cent."""
        return self.every.gaps(attribute, criterion)[self.models]

    def place(self, k: int) -> int | None:
        """Which of the models that were found it is; None: another one."""
        own, shown = self.every.antecedents[self.models[k]], self.found.antecedents
        return shown.index(own) if own in shown else None

    def card(self, k: int) -> Card:
        """Its card."""
        return self.every.card_of(self.every.model(int(self.models[k])))


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


def _draw_sets(found: FoundSets, result: NearOptimalRuleSets, size: int) -> Sample:
    every = found if result is found.result else replace(found, result=result)
    models = np.repeat(np.arange(result.count), result.multiplicity) if result.n_sets <= size else None
    if models is None:
        ends = np.cumsum(result.multiplicity)
        models = np.searchsorted(ends, np.random.default_rng(0).integers(ends[-1], size=size), side="right")
    frame = every.frame[["rules", "accuracy", "above"]].iloc[models].reset_index(drop=True)
    return Sample(found, every, models, frame, result.n_sets)


def _draw_lists(found: Found, result: NearOptimalCount, progress: Progress, size: int) -> Sample:
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
    every = replace(found, result=replace(found.result, lists=tuple(map(tuple, frame["list"]))))
    return Sample(found, every, np.arange(len(frame)), shown, result.n_lists)
