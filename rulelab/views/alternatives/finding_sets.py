"""All rule sets near the optimum of a search, with what they do to groups of people; nothing of Panel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ...data.metrics import confusion_from
from ...families import FAMILIES
from ...models import RuleSet
from ...rule_list.near_optimal.traits import Traits
from ...rule_set import NearOptimalRuleSetProgress, NearOptimalRuleSets, NearOptimalRuleSetSearch, RuleSetSearch
from ...snapshot import Snapshot, Status
from ..cards import snippet
from ..cards.card import Card, Proof, in_words, of_search
from ..live.job import Progress, run
from ..live.prepared import Prepared
from ..live.wording import count, counted
from .good import Good, looking_at

_CHUNK = 1024


@dataclass(frozen=True, eq=False)
class FoundSets(Good):
    """Near-optimal rule sets, best first.

    Attributes
    ----------
    result : NearOptimalRuleSets
    """

    result: NearOptimalRuleSets

    ways: ClassVar[str] = "sets"
    part: ClassVar[str] = "rule"

    @property
    def joined(self) -> str:  # type: ignore[override]
        return "any of" if self.result.form == "dnf" else "all of"

    @property
    def members(self) -> tuple[tuple[int, ...], ...]:
        return self.result.sets

    @cached_property
    def names(self) -> list[str]:
        between = " and " if self.result.form == "dnf" else " or "
        return [between.join(self.conditions[j] for j in clause) for clause in self.result.rules["conditions"]]

    @property
    def columns(self) -> dict[str, frozenset[int]]:
        rules = self.result.rules["conditions"].tolist()
        out = {}
        for name, antecedents in looking_at(self.result.problem).items():
            looking = frozenset(k for k, clause in enumerate(rules) if not antecedents.isdisjoint(clause))
            if looking:
                out[name] = looking
        return out

    @cached_property
    def reliance(self) -> pd.DataFrame:
        table = self.result.rules[["models", "least", "most"]].copy()
        table.insert(0, "name", self.names)
        return table

    @property
    def shares(self) -> pd.DataFrame:
        return self.result.rules[["sets", "share", "objective"]]

    def traits(self, attribute: str) -> Traits:
        masses, result = self.masses(attribute), self.result
        hits, alarms = (np.zeros((result.count, len(masses.names))) for _ in range(2))
        for begin in range(0, result.count, _CHUNK):
            positive = result.positive(begin, begin + _CHUNK)
            hits[begin : begin + _CHUNK] = positive @ masses.positives.T
            alarms[begin : begin + _CHUNK] = positive @ masses.negatives.T
        counted_ = tuple(
            confusion_from(hits[:, g], alarms[:, g], masses.positives[g].sum(), masses.negatives[g].sum())
            for g in range(len(masses.names))
        )
        return Traits(tuple(np.zeros(0) for _ in range(result.count)), masses.names, counted_, masses.by_class)

    def model(self, k: int) -> RuleSet:
        return RuleSet.from_problem(self.result.problem, self.result.clauses[k], self.result.form)

    def card(self, k: int) -> Card:
        if k == 0:
            return self.base
        result, model = self.result, self.model(k)
        parameters = self.prepared.search.parameters
        return replace(
            self.base,
            name=self.called(k),
            model=model,
            proof=Proof(
                objective=model.objective(result.loss, result.regularization),
                lower_bound=result.optimum,
                proven=False,
                scope="",
                equation=FAMILIES["rule_set"].objective(model, parameters, result.problem.n_rows),
            ),
            search=None,
            unconstrained=None,
            code=snippet.of_model(in_words(model, self.prepared.labels)),
        )

    def verdict(self) -> tuple[str, str]:
        result, share = self.result, 100 * self.ratio
        over = f"over rules of at most {counted(result.max_conditions, 'conditions')}"
        have = "has" if result.count == 1 else "have"
        what = f"{counted(result.count, 'models')} ({counted(result.n_sets, 'sets')})"
        if result.complete:
            said = f"certified complete, {over}: {what} {have} an objective within {share:.4g} % of the optimum"
            return "proven", said
        why = {
            "limit": "as many models as were asked for",
            "columns": "too many rules can be in such a set; raise “Rules in the proof, at most”",
            "memory": "the memory limit",
            "time": "the time limit",
        }.get(result.truncated or "", "it was stopped")
        if result.covered != result.covered:
            return "limit", f"not complete ({why}): {what}; which other sets are near the optimum is not known"
        reach = 100 * (result.covered / result.optimum - 1) if result.optimum else 0.0
        return "limit", f"not complete ({why}): {what}; every set within {reach:.3g} % is among them, {over}"


def find_sets(prepared: Prepared, wanted: Any, progress: Progress) -> FoundSets:
    """Certify the optimum where that is not done, and enumerate; a cancelled enumeration gives what it has found.

    Parameters
    ----------
    prepared : Prepared
        Of a `RuleSetSearch` without a fairness constraint.
    wanted : Wanted
    progress : Progress

    Raises
    ------
    ValueError
        When there is nothing to enumerate, in the words of the page.
    """
    given = prepared.search
    assert isinstance(given, RuleSetSearch)
    progress.report("searching for the optimum")
    search = given
    if given.frame["status"].tolist() != [str(Status.OPTIMAL)]:  # another thread may run this one
        search = RuleSetSearch(given.problem, **{**given.parameters, "warm_start": given.columns or None})
    memory = min(given.memory_limit or wanted.memory, wanted.memory)
    near = NearOptimalRuleSetSearch(search, ratio=wanted.ratio, limit=wanted.most, memory_limit=memory)
    snapshot = run(near, wanted.seconds, progress, said_of_sets, "the enumeration")
    assert isinstance(snapshot, NearOptimalRuleSetProgress)
    if snapshot.phase == "optimum" or snapshot.incumbent is None:
        raise ValueError(uncertified(snapshot, progress.cancelled))
    progress.doing = "counting what the models do"
    result = near.result()
    best = replace(search.advance(1), seconds=snapshot.seconds)
    base = of_search(search, best, replace(prepared, search=search))
    found = FoundSets(result, replace(prepared, search=search), snapshot, base, wanted.ratio)
    _ = found.frame, found.reliance, found.asked
    return found


def uncertified(snapshot: Snapshot, stopped: bool) -> str:
    """Why there are no good models: the search for the optimum was stopped, or met a limit."""
    after = f"the optimum was not certified after {snapshot.seconds:.0f} s"
    unknown = "so that nobody knows which models are near it"
    if stopped:
        return f"stopped: {after}, {unknown}"
    return f"{snapshot.limit} limit reached: {after}, {unknown}"


def said_of_sets(snapshot: NearOptimalRuleSetProgress) -> str:
    """What an enumeration of sets is doing."""
    if snapshot.phase == "optimum":
        return "searching for the optimum"
    if snapshot.status is Status.OPTIMAL or snapshot.phase == "enumerating":
        return f"{counted(snapshot.count, 'models')} so far, of {count(snapshot.rules)} rules"
    return "finding the rules that such sets can hold"
