"""Many good models of one family, as the page speaks of them; nothing of Panel."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ...data.groups import Groups
from ...data.metrics import FEW
from ...models import RuleList, RuleSet
from ...rule_list.near_optimal.traits import Traits, group_masses
from ...snapshot import Snapshot
from ..cards.card import Card
from ..live.prepared import Prepared
from .offline import Labels, condition_names

_MOST_ASKED = 1000


@dataclass(frozen=True, eq=False)
class Good(abc.ABC):
    """Near-optimal models, best first.

    Attributes
    ----------
    result : NearOptimal or NearOptimalRuleSets
    prepared : Prepared
        The data, and the search for the optimum.
    snapshot : Snapshot
        The last state of the enumeration.
    base : Card
        The card of the optimum.
    ratio : float
        That was wanted.
    """

    result: Any
    prepared: Prepared
    snapshot: Snapshot
    base: Card
    ratio: float

    ways: ClassVar[str]
    """What a model stands for several of, in the plural."""
    part: ClassVar[str]
    """What a model is made of."""
    joined: ClassVar[str]
    """How the parts are joined, over a column of them."""

    @property
    @abc.abstractmethod
    def members(self) -> Sequence[Sequence[int]]:
        """The parts of each model, as places in ``names``."""

    @property
    @abc.abstractmethod
    def names(self) -> list[str]:
        """Every part in the words of cards."""

    @property
    @abc.abstractmethod
    def columns(self) -> dict[str, frozenset[int]]:
        """The parts that look at each column of the table; empty where they are not known to."""

    @property
    @abc.abstractmethod
    def reliance(self) -> pd.DataFrame:
        """By part: ``name``, ``models`` that have it, and the range of the share of rows, ``least`` to ``most``."""

    @property
    @abc.abstractmethod
    def shares(self) -> pd.DataFrame:
        """By part: ``share``, of all that is near-optimal, and the least ``objective`` with it."""

    @abc.abstractmethod
    def traits(self, attribute: str) -> Traits:
        """What the models do to the groups of an attribute, on the training rows."""

    @abc.abstractmethod
    def model(self, k: int) -> RuleList | RuleSet:
        """A model, as its cheapest list or set."""

    @cached_property
    def asked(self) -> list[RuleList | RuleSet]:
        """The models that are asked about one person, the best ones."""
        return [self.model(k) for k in range(min(self.result.count, _MOST_ASKED))]

    @abc.abstractmethod
    def card(self, k: int) -> Card:
        """The card of a model; the optimum's is that of its search."""

    def called(self, k: int) -> str:
        """What tells the card of a model from those of others, by the number that pictures and tables give it."""
        return f"Good model {k + 1}" + (f" of {self.prepared.name}" if self.prepared.name else "")

    @abc.abstractmethod
    def verdict(self) -> tuple[str, str]:
        """How complete it is: a tone and a sentence."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """Sensitive attributes that groups can be made of."""
        data = self.prepared.data
        if data is None or data.sensitive is None or self.result.problem.row_pattern is None:
            return ()
        return tuple(map(str, data.sensitive.columns))

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row per model: as that of the result, in the words of cards; accuracy and distance are in per cent."""
        frame = self.result.frame().rename(columns={"clauses": "antecedents", "sets": "lists"})
        frame["antecedents"] = [tuple(self.names[j] for j in members) for members in self.members]
        frame["accuracy"] = 100 * (1 - frame["errors"] / self.result.problem.total_weight)
        frame["above"] = 100 * frame["gap"] / self.result.optimum if self.result.optimum else 0.0
        return frame

    @cached_property
    def conditions(self) -> list[str]:
        """Every antecedent of the problem in the words of cards."""
        return condition_names(self.result.problem)

    @property
    def labels(self) -> Labels:
        """What the data and the classes are called."""
        negative, positive = self.prepared.labels or self.result.problem.classes
        return Labels(self.prepared.name, self.prepared.target, str(negative), str(positive))

    def masses(self, attribute: str) -> Groups:
        """The training rows of the groups of an attribute, by pattern."""
        data, problem = self.prepared.data, self.result.problem
        assert data is not None
        assert data.sensitive is not None
        assert problem.row_pattern is not None
        rows = np.arange(len(data.y))
        if self.prepared.test_rows is not None:
            rows = np.setdiff1d(rows, self.prepared.test_rows)
        groups = data.sensitive[attribute].iloc[rows]
        return group_masses(problem, groups, data.y.iloc[rows].to_numpy(dtype=bool), data.weight_of(rows))

    def gaps(self, attribute: str, criterion: str) -> np.ndarray:
        """The gap between the groups for each model, in per cent; groups with few rows are left out."""
        return 100 * self.traits(attribute).gaps(criterion, FEW)


def looking_at(problem: Any) -> dict[str, frozenset[int]]:
    """The antecedents of a problem that look at each column of the table; empty where they are not known to."""
    out: dict[str, set[int]] = {}
    for j, conditions in enumerate(problem.conditions or ()):
        for condition in conditions:
            out.setdefault(str(condition.column), set()).add(j)
    return {name: frozenset(out[name]) for name in sorted(out)}
