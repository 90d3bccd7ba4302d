"""Many good models, rule lists or rule sets: how they are found, and as the page speaks of them; nothing of Panel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ...data.metrics import FEW, confusion_from
from ...families import NAMING, record_of
from ...models import RuleList, RuleSet
from ...report import Near
from ...rule_list import NearOptimalSearch, RuleListSearch
from ...rule_list.near_optimal.prefix_graph import PrefixGraph
from ...rule_list.near_optimal.summary import Traits, reliance, traits_of
from ...rule_set import NearOptimalRuleSetSearch, RuleSetSearch
from ...snapshot import Snapshot, Status
from ...stepping import Search
from ..allowance import take_memory
from ..cards.card import Card, of_search
from ..live.job import Progress, run
from ..live.prepared import Prepared
from ..live.wording import counted, grouped
from .hand import of_other
from .offline import MOST_EDGES, Labels, condition_names, rule_names

_MOST_ASKED = 1000
_CHUNK = 1024


@dataclass(frozen=True, eq=False)
class Good:
    """Near-optimal rule lists or rule sets, best first."""

    result: Any  # a `NearOptimal` or `NearOptimalRuleSets`
    prepared: Prepared  # the data, and the search for the optimum
    snapshot: Snapshot  # the last state of the enumeration
    base: Card  # the card of the optimum
    ratio: float  # that was wanted
    graph: PrefixGraph | None = None  # the lists, to choose rule after rule; None: these are sets
    _gaps: dict[tuple[str, str], np.ndarray] = field(default_factory=dict, init=False)

    @property
    def ways(self) -> str:
        """What a model stands for several of, in the plural."""
        return "sets" if self.graph is None else "lists"

    @property
    def part(self) -> str:
        """What a model is made of."""
        return "rule" if self.graph is None else "antecedent"

    @property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """The parts of each model, as places in ``names``."""
        return self.result.sets if self.graph is None else self.result.lists

    @cached_property
    def names(self) -> list[str]:
        """Every part in the words of cards."""
        return rule_names(self.result) if self.graph is None else condition_names(self.result.problem)

    @property
    def columns(self) -> dict[str, frozenset[int]]:
        """The parts that look at each column of the table; empty where they are not known to."""
        problem, looking = self.result.problem, dict[str, set[int]]()
        if problem.conditions is None:
            return {}
        alone = ((j,) for j in range(problem.n_antecedents))
        for part, antecedents in enumerate(self.result.rules["conditions"] if self.graph is None else alone):
            for condition in (each for j in antecedents for each in problem.conditions[j]):
                looking.setdefault(str(condition.column), set()).add(part)
        return {name: frozenset(looking[name]) for name in sorted(looking)}

    @cached_property
    def reliance(self) -> pd.DataFrame:
        """By part: ``name``, ``models`` that have it, the range of the share of rows, ``least`` to ``most``, how many
        of all that is near-optimal have it, which ``share`` of them that is, and the least ``objective`` with it."""
        result = self.result
        if self.graph is None:
            table = result.rules[["models", "least", "most", "sets", "share", "objective"]].copy()
            table.insert(0, "name", self.names)
            return table
        table = reliance(result.problem, result.lists, traits_of(result.problem, result.lists).decided)
        named = table.assign(name=[self.names[j] for j in table.index])
        return named.join(result.antecedents[["lists", "share", "objective"]])

    def traits(self, attribute: str) -> Traits:
        """What the models do to the groups of an attribute, on the training rows."""
        masses, result = self.prepared.masses(attribute), self.result
        if self.graph is not None:
            return traits_of(result.problem, result.lists, masses)
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

    def model(self, k: int) -> RuleList | RuleSet:
        """A model, as its cheapest list or set."""
        result = self.result
        if self.graph is None:
            return RuleSet.from_problem(result.problem, result.clauses[k], result.form)
        return RuleList.from_problem(result.problem, result.lists[k])

    @cached_property
    def asked(self) -> list[RuleList | RuleSet]:
        """The models that are asked about one person, the best ones."""
        return [self.model(k) for k in range(min(self.result.count, _MOST_ASKED))]

    @cached_property
    def answer(self) -> int | None:
        """The place of the model that the search has found, which others may equal in cost; None: it is not listed."""
        alike = range(min(int(np.count_nonzero(self.frame["gap"] <= 0)), _MOST_ASKED))
        return next((k for k in alike if self._is_the_answer(k)), None)

    @property
    def optima(self) -> list[int]:
        """The places of those that cost least, that of the search before the others."""
        first = self.answer or 0
        return sorted(range(max(1, int(np.count_nonzero(self.frame["gap"] <= 0)))), key=lambda k: k != first)

    def _is_the_answer(self, k: int) -> bool:
        """Whether a model is that of the search, but for the way in which it is written."""
        own: Any = self.base.model
        problem = self.result.problem
        if self.graph is None:
            return np.array_equal(self.result.positive(k, k + 1)[0], own.predicts_positive(problem.matrix()))
        return sorted(problem.names[j] for j in self.result.lists[k]) == sorted(own.antecedent_names)

    def card(self, k: int) -> Card:
        """The card of a model, by the number that pictures and tables give it; the optimum's is that of its search."""
        if k == self.answer:
            return self.base
        of = f" of {self.prepared.name}" if self.prepared.name else ""
        return replace(self.card_of(self.model(k)), name=f"Good model {k + 1}{of}")

    def card_of(self, model: RuleList | RuleSet) -> Card:
        """The card of a near-optimal model."""
        loss, price = getattr(self.result, "loss", ""), self.result.regularization
        objective = model.objective(loss, price) if isinstance(model, RuleSet) else model.objective(price)
        return of_other(self.base, self.prepared, model, objective, self.result.optimum)

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


MEMORY_BYTES = 1_000_000_000  # what an enumeration may take where the settings do not say it
LISTED = "Good models are found of rule lists and rule sets of two classes, without a fairness constraint or demands"

_OPTIMUM = "searching for the optimum"


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


def find(
    source: Callable[[Callable[[str], None]], Prepared],
    progress: Progress,
    ratio: float = 0.05,  # models with an objective of at most the optimum's * (1 + ratio)
    most: int = 10_000,  # models, at most
    seconds: float = 60.0,  # time limit, of the optimum and the enumeration together
    memory: int = MEMORY_BYTES,  # at most, besides what the settings say
) -> Good:
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
    memory = min(search.memory_limit or memory, memory)
    kind: Any = NearOptimalRuleSetSearch if isinstance(search, RuleSetSearch) else NearOptimalSearch
    near = kind(search, ratio=ratio, limit=most, memory_limit=memory)
    snapshot = run(near, seconds, progress, found_so_far, "the enumeration")
    if near.phase == "optimum" or snapshot.incumbent is None:
        after = f"the optimum was not certified after {snapshot.seconds:.0f} s"
        why = "stopped" if progress.cancelled else f"{snapshot.limit} limit reached"
        raise ValueError(f"{why}: {after}, so that nobody knows which models are near it")
    progress.doing = "counting what the models do"
    while near.phase == "preparing":
        near.advance(1)
    base = of_search(search, replace(search.advance(1), seconds=snapshot.seconds), prepared)
    graph = None if isinstance(search, RuleSetSearch) else near.prefixes(MOST_EDGES)
    found = Good(near.result(), prepared, snapshot, base, ratio, graph)
    _ = found.frame, found.reliance, found.asked
    return found


def _own(search: RuleListSearch | RuleSetSearch) -> RuleListSearch | RuleSetSearch:
    """A search that has its proof, or another one in its place, as another thread may run this one."""
    if isinstance(search, RuleListSearch):
        return search if search.certified else RuleListSearch(search.problem, **search.parameters)
    if search.frame["status"].tolist() == [str(Status.OPTIMAL)]:
        return search
    return RuleSetSearch(search.problem, **{**search.parameters, "warm_start": search.columns or None})


def found_so_far(snapshot: Any) -> str:
    """What an enumeration is doing."""
    if snapshot.phase == "optimum":
        return _OPTIMUM
    if snapshot.phase in ("pricing", "rules", "table"):
        return "finding the rules that such sets can hold"
    return f"{counted(snapshot.count, 'models')} so far"
