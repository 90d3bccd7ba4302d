"""Many good models, rule lists or rule sets: how they are found, and as the page speaks of them; nothing of Panel."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ...data.metrics import FEW, confusion_from
from ...families import NAMING, record_of
from ...models import RuleList, RuleSet
from ...report import Near
from ...rule_list import NearOptimal, NearOptimalProgress, NearOptimalSearch, RuleListSearch
from ...rule_list.near_optimal.prefix_graph import PrefixGraph
from ...rule_list.near_optimal.summary import Traits, reliance, traits_of
from ...rule_set import NearOptimalRuleSetProgress, NearOptimalRuleSets, NearOptimalRuleSetSearch, RuleSetSearch
from ...search import Search
from ...snapshot import Snapshot, Status
from ..allowance import take_memory
from ..cards.card import Card, of_search
from ..live.job import Progress, run
from ..live.prepared import Prepared
from ..live.wording import count, counted, grouped
from .hand import of_other
from .offline import MOST_EDGES, Labels, condition_names, rule_names

_MOST_ASKED = 1000
_CHUNK = 1024


@dataclass(frozen=True, eq=False)
class Good(abc.ABC):
    """Near-optimal models, best first."""

    result: Any
    prepared: Prepared  # the data, and the search for the optimum
    snapshot: Snapshot  # the last state of the enumeration
    base: Card  # the card of the optimum
    ratio: float  # that was wanted
    _gaps: dict[tuple[str, str], np.ndarray] = field(default_factory=dict, init=False)

    ways: ClassVar[str]
    """What a model stands for several of, in the plural."""
    part: ClassVar[str]
    """What a model is made of."""

    @property
    @abc.abstractmethod
    def members(self) -> Sequence[Sequence[int]]:
        """The parts of each model, as places in ``names``."""

    @property
    @abc.abstractmethod
    def names(self) -> list[str]:
        """Every part in the words of cards."""

    @property
    def columns(self) -> dict[str, frozenset[int]]:
        """The parts that look at each column of the table; empty where they are not known to."""
        looking: dict[str, set[int]] = {}
        known = self.result.problem.conditions or ()
        for part, antecedents in self._made_of:
            for condition in (each for j in antecedents if known for each in known[j]):
                looking.setdefault(str(condition.column), set()).add(part)
        return {name: frozenset(looking[name]) for name in sorted(looking)}

    @property
    @abc.abstractmethod
    def _made_of(self) -> Iterable[tuple[int, Iterable[int]]]:
        """Every part, with its antecedents."""

    @property
    @abc.abstractmethod
    def reliance(self) -> pd.DataFrame:
        """By part: ``name``, ``models`` that have it, the range of the share of rows, ``least`` to ``most``, how many
        of all that is near-optimal have it, which ``share`` of them that is, and the least ``objective`` with it."""

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

    @cached_property
    def answer(self) -> int | None:
        """The place of the model that the search has found, which others may equal in cost; None: it is not listed."""
        own = self.base.model
        alike = range(min(int(np.count_nonzero(self.frame["gap"] <= 0)), _MOST_ASKED))
        return next((k for k in alike if self._stands_for(k, own)), None)

    @property
    def optima(self) -> list[int]:
        """The places of those that cost least, that of the search before the others."""
        first = self.answer or 0
        return sorted(range(max(1, int(np.count_nonzero(self.frame["gap"] <= 0)))), key=lambda k: k != first)

    @abc.abstractmethod
    def _stands_for(self, k: int, own: Any) -> bool:
        """Whether a model is this one but for the way in which it is written."""

    def card(self, k: int) -> Card:
        """The card of a model, by the number that pictures and tables give it; the optimum's is that of its search."""
        if k == self.answer:
            return self.base
        of = f" of {self.prepared.name}" if self.prepared.name else ""
        return replace(self.card_of(self.model(k)), name=f"Good model {k + 1}{of}")

    def card_of(self, model: RuleList | RuleSet) -> Card:
        """The card of a near-optimal model."""
        return of_other(self.base, self.prepared, model, self._objective(model), self.result.optimum)

    @abc.abstractmethod
    def _objective(self, model: Any) -> float:
        """What a model costs."""

    def verdict(self) -> tuple[str, str]:
        """How complete it is: a tone and a sentence."""
        known = Near(self.result, self.snapshot, ratio=self.ratio)
        return known.tone, grouped(known.headline)

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

    def gaps(self, attribute: str, criterion: str) -> np.ndarray:
        """The gap between the groups for each model, in per cent; groups with few rows are left out."""
        asked = (attribute, criterion)
        if asked not in self._gaps:
            self._gaps[asked] = 100 * self.traits(attribute).gaps(criterion, FEW)
        return self._gaps[asked]


@dataclass(frozen=True, eq=False)
class Found(Good):
    """Near-optimal rule lists, best first."""

    result: NearOptimal
    graph: PrefixGraph  # the lists, to choose rule after rule

    ways: ClassVar[str] = "lists"
    part: ClassVar[str] = "antecedent"

    @property
    def members(self) -> tuple[tuple[int, ...], ...]:
        return self.result.lists

    @property
    def names(self) -> list[str]:
        return self.conditions

    @property
    def _made_of(self) -> list[tuple[int, tuple[int]]]:
        return [(j, (j,)) for j in range(self.result.problem.n_antecedents)]

    @cached_property
    def reliance(self) -> pd.DataFrame:
        """The range of the share of rows that each antecedent decides."""
        problem, lists = self.result.problem, self.result.lists
        table = reliance(problem, lists, traits_of(problem, lists).decided)
        shares = self.result.antecedents[["lists", "share", "objective"]]
        return table.assign(name=[self.names[j] for j in table.index]).join(shares)

    def traits(self, attribute: str) -> Traits:
        return traits_of(self.result.problem, self.result.lists, self.prepared.masses(attribute))

    def model(self, k: int) -> RuleList:
        return RuleList.from_problem(self.result.problem, self.result.lists[k])

    def _stands_for(self, k: int, own: RuleList) -> bool:
        names = self.result.problem.names
        return sorted(names[j] for j in self.result.lists[k]) == sorted(own.antecedent_names)

    def _objective(self, model: RuleList) -> float:
        return model.objective(self.result.regularization)


@dataclass(frozen=True, eq=False)
class FoundSets(Good):
    """Near-optimal rule sets, best first."""

    result: NearOptimalRuleSets

    ways: ClassVar[str] = "sets"
    part: ClassVar[str] = "rule"

    @property
    def members(self) -> tuple[tuple[int, ...], ...]:
        return self.result.sets

    @cached_property
    def names(self) -> list[str]:
        return rule_names(self.result)

    @property
    def _made_of(self) -> Iterable[tuple[int, Iterable[int]]]:
        return enumerate(self.result.rules["conditions"])

    @cached_property
    def reliance(self) -> pd.DataFrame:
        table = self.result.rules[["models", "least", "most", "sets", "share", "objective"]].copy()
        table.insert(0, "name", self.names)
        return table

    def traits(self, attribute: str) -> Traits:
        masses, result = self.prepared.masses(attribute), self.result
        hits, alarms = (np.zeros((result.count, len(masses.names))) for _ in range(2))
        for begin in range(0, result.count, _CHUNK):
            positive = result.positive(begin, begin + _CHUNK)
            hits[begin : begin + _CHUNK] = positive @ masses.positives.T
            alarms[begin : begin + _CHUNK] = positive @ masses.negatives.T
        confusions = tuple(
            confusion_from(hits[:, g], alarms[:, g], masses.positives[g].sum(), masses.negatives[g].sum())
            for g in range(len(masses.names))
        )
        return Traits(tuple(np.zeros(0) for _ in range(result.count)), masses.names, confusions, masses.by_class)

    def model(self, k: int) -> RuleSet:
        return RuleSet.from_problem(self.result.problem, self.result.clauses[k], self.result.form)

    def _stands_for(self, k: int, own: RuleSet) -> bool:
        return np.array_equal(self.result.positive(k, k + 1)[0], own.predicts_positive(self.result.problem.matrix()))

    def _objective(self, model: RuleSet) -> float:
        return model.objective(self.result.loss, self.result.regularization)


MEMORY_BYTES = 1_000_000_000
"""What an enumeration may take where the settings do not say it."""
LISTED = "Good models are found of rule lists and rule sets of two classes, without a fairness constraint or demands"

_OPTIMUM = "searching for the optimum"


@dataclass(frozen=True)
class Wanted:
    """What is looked for."""

    ratio: float = 0.05  # models with an objective of at most the optimum's * (1 + ratio)
    most: int = 10_000  # most models
    seconds: float = 60.0  # time limit, of the optimum and the enumeration together
    memory: int = MEMORY_BYTES  # bytes, at most, besides what the settings say


def refusal(search: Search) -> str:
    """Why no good models of a search are found, and what to do; empty: they are."""
    family, parameters = record_of(search.kind, search.family), search.parameters
    if family.name not in ("rule_list", "rule_set"):
        return f"{LISTED}, not of a {family.called}."
    if parameters.get("fairness") is not None:
        return f"{LISTED}. Without the constraint, “Groups by” shows the gaps of all of them here."
    asked = [f"“{each.title}”" for each in family.own if each.kind in NAMING and parameters.get(each.name)]
    if asked:
        return f"{LISTED}. Without {' and '.join(asked)}, “Using the column” shows those that use one."
    return ""


def find(source: Callable[[Callable[[str], None]], Prepared], wanted: Wanted, progress: Progress) -> Good:
    """Certify the optimum where that is not done, and enumerate; a cancelled enumeration gives what it has found.

    ValueError when there is nothing to enumerate, in the words of the page.
    """
    take_memory()
    prepared = source(progress.report)
    given = prepared.search
    if refused := refusal(given):
        raise ValueError(refused)
    assert isinstance(given, RuleListSearch | RuleSetSearch)
    progress.report(_OPTIMUM)
    search = _own(given)
    if search is not given:
        prepared = replace(prepared, search=search)
    memory = min(search.memory_limit or wanted.memory, wanted.memory)
    kind, said = _KINDS[type(search)]
    near = kind(search, ratio=wanted.ratio, limit=wanted.most, memory_limit=memory)
    snapshot = run(near, wanted.seconds, progress, said, "the enumeration")
    if near.phase == "optimum" or snapshot.incumbent is None:
        after = f"the optimum was not certified after {snapshot.seconds:.0f} s"
        why = "stopped" if progress.cancelled else f"{snapshot.limit} limit reached"
        raise ValueError(f"{why}: {after}, so that nobody knows which models are near it")
    progress.doing = "counting what the models do"
    while near.phase == "preparing":
        near.advance(1)
    base = of_search(search, replace(search.advance(1), seconds=snapshot.seconds), prepared)
    common = (near.result(), prepared, snapshot, base, wanted.ratio)
    found = FoundSets(*common) if isinstance(search, RuleSetSearch) else Found(*common, near.prefixes(MOST_EDGES))
    _ = found.frame, found.reliance, found.asked
    return found


def _own(search: RuleListSearch | RuleSetSearch) -> RuleListSearch | RuleSetSearch:
    """A search that has its proof, or another one in its place, as another thread may run this one."""
    if isinstance(search, RuleListSearch):
        return search if search.certified else RuleListSearch(search.problem, **search.parameters)
    if search.frame["status"].tolist() == [str(Status.OPTIMAL)]:
        return search
    return RuleSetSearch(search.problem, **{**search.parameters, "warm_start": search.columns or None})


def _said(snapshot: NearOptimalProgress) -> str:
    return _OPTIMUM if snapshot.phase == "optimum" else f"{counted(snapshot.count, 'models')} so far"


def said_of_sets(snapshot: NearOptimalRuleSetProgress) -> str:
    """What an enumeration of sets is doing."""
    if snapshot.phase == "optimum":
        return _OPTIMUM
    if snapshot.status is Status.OPTIMAL or snapshot.phase == "enumerating":
        return f"{counted(snapshot.count, 'models')} so far, of {count(snapshot.rules)} rules"
    return "finding the rules that such sets can hold"


_KINDS: dict[type, tuple[Any, Callable[[Any], str]]] = {
    RuleListSearch: (NearOptimalSearch, _said),
    RuleSetSearch: (NearOptimalRuleSetSearch, said_of_sets),
}
"""What finds the models near the optimum of a search, and what says how far it is."""
