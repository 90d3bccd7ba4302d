"""All rule lists near the optimum of a search, with what they do to groups of people; nothing of Panel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import pandas as pd

from ...families import FAMILIES, NAMING, record_of
from ...models import RuleList
from ...rule_list import NearOptimal, NearOptimalProgress, NearOptimalSearch, RuleListSearch
from ...rule_list.near_optimal.prefix_graph import PrefixGraph
from ...rule_list.near_optimal.traits import Traits, reliance, traits_of
from ...rule_set import RuleSetSearch
from ...search import Search
from ...snapshot import Status
from ..allowance import take_memory
from ..cards import snippet
from ..cards.card import Card, Proof, in_words, of_search
from ..live.job import Progress, run
from ..live.prepared import Prepared
from ..live.wording import count, counted
from .finding_sets import find_sets, uncertified
from .good import Good, looking_at
from .offline import MOST_EDGES

MEMORY_BYTES = 1_000_000_000
"""What an enumeration may take where the settings do not say it."""
LISTED = "Good models are found of rule lists and rule sets of two classes, without a fairness constraint or demands"


@dataclass(frozen=True)
class Wanted:
    """What is looked for.

    Attributes
    ----------
    ratio : float
        Models with an objective of at most the optimum's * (1 + ratio).
    most : int
        Most models.
    seconds : float
        Time limit, of the optimum and the enumeration together.
    memory : int
        Bytes, at most, besides what the settings say.
    """

    ratio: float = 0.05
    most: int = 10_000
    seconds: float = 60.0
    memory: int = MEMORY_BYTES


@dataclass(frozen=True, eq=False)
class Found(Good):
    """Near-optimal rule lists, best first.

    Attributes
    ----------
    result : NearOptimal
    snapshot : NearOptimalProgress
        The last state of the enumeration.
    graph : PrefixGraph
        The lists, to choose rule after rule.
    """

    result: NearOptimal
    snapshot: NearOptimalProgress
    graph: PrefixGraph

    ways: ClassVar[str] = "lists"
    part: ClassVar[str] = "antecedent"
    joined: ClassVar[str] = "if … else if …"

    @property
    def members(self) -> tuple[tuple[int, ...], ...]:
        return self.result.lists

    @property
    def names(self) -> list[str]:
        return self.conditions

    @property
    def columns(self) -> dict[str, frozenset[int]]:
        return looking_at(self.result.problem)

    @cached_property
    def reliance(self) -> pd.DataFrame:
        """The range of the share of rows that each antecedent decides."""
        table = reliance(self.result.problem, self.result.lists, self._alone.decided)
        return table.assign(name=[self.names[j] for j in table.index])

    @property
    def shares(self) -> pd.DataFrame:
        return self.result.antecedents[["lists", "share", "objective"]]

    @cached_property
    def _alone(self) -> Traits:
        return traits_of(self.result.problem, self.result.lists)

    def traits(self, attribute: str) -> Traits:
        return traits_of(self.result.problem, self.result.lists, self.masses(attribute))

    def model(self, k: int) -> RuleList:
        return RuleList.from_problem(self.result.problem, self.result.lists[k])

    def card(self, k: int) -> Card:
        return self.base if k == 0 else replace(self.card_of(self.result.lists[k]), name=self.called(k))

    def card_of(self, antecedents: Sequence[int]) -> Card:
        """The card of a near-optimal list."""
        result = self.result
        model = RuleList.from_problem(result.problem, antecedents)
        family = FAMILIES["rule_list"]
        return replace(
            self.base,
            model=model,
            proof=Proof(
                objective=model.objective(result.regularization),
                lower_bound=result.optimum,
                proven=False,
                scope="",
                equation=family.objective(model, self.prepared.search.parameters, result.problem.n_rows),
            ),
            search=None,
            code=snippet.of_model(in_words(model, self.prepared.labels)),
        )

    def verdict(self) -> tuple[str, str]:
        result, snapshot = self.result, self.snapshot
        share = 100 * self.ratio
        have = "has" if result.count == 1 else "have"
        what = f"{counted(result.count, 'models')}{_lists(result)}"
        if snapshot.status is Status.OPTIMAL:
            return "proven", f"certified complete: {what} {have} an objective within {share:.4g} % of the optimum"
        if result.complete:
            return "proven", f"complete but for the rounding of the weights: {what} within {share:.4g} % of the optimum"
        why = {
            "limit": "as many models as were asked for",
            "memory": "the memory limit",
            "time": "the time limit",
        }.get(result.truncated or "", "it was stopped")
        reach = max(0.0, 100 * (result.covered / result.optimum - 1)) if result.optimum else 0.0
        return (
            "limit",
            f"not complete ({why}): {what}; every list closer than {reach:.3g} % to the optimum is among them; "
            "“Count all” counts without listing",
        )


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

    Raises
    ------
    ValueError
        When there is nothing to enumerate, in the words of the page.
    """
    take_memory()
    prepared = source(progress.report)
    search = prepared.search
    if refused := refusal(search):
        raise ValueError(refused)
    if isinstance(search, RuleSetSearch):
        return find_sets(prepared, wanted, progress)
    assert type(search) is RuleListSearch
    if not search.certified:  # another thread may run this one
        progress.report("searching for the optimum")
        search = RuleListSearch(search.problem, **search.parameters)
        prepared = replace(prepared, search=search)
    memory = min(search.memory_limit or wanted.memory, wanted.memory)
    near = NearOptimalSearch(search, ratio=wanted.ratio, limit=wanted.most, memory_limit=memory)
    snapshot = run(near, wanted.seconds, progress, _said, "the enumeration")
    assert isinstance(snapshot, NearOptimalProgress)
    if not search.certified or snapshot.incumbent is None:
        raise ValueError(uncertified(snapshot, progress.cancelled))
    progress.doing = "counting what the models do"
    while near.phase == "preparing":
        near.advance(1)
    result = near.result()
    best = replace(search.advance(1), seconds=snapshot.seconds)
    base = of_search(search, best, prepared)
    found = Found(result, prepared, snapshot, base, wanted.ratio, near.prefixes(MOST_EDGES))
    _ = found.frame, found.reliance, found.asked
    return found


def _said(snapshot: NearOptimalProgress) -> str:
    if snapshot.phase == "optimum":
        return "searching for the optimum"
    return f"{counted(snapshot.count, 'models')} so far"


def _lists(result: NearOptimal) -> str:
    from ...rule_list.near_optimal.state import MOST_LISTS

    if result.n_lists <= result.count:
        return ""
    more = "at least " if result.n_lists >= MOST_LISTS else ""
    return f" ({more}{count(result.n_lists)} lists, as their order may differ)"
