"""All rule lists near the optimum of a search, with what they do to groups of people; nothing of Panel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ...data.metrics import FEW
from ...families import FAMILIES
from ...models import RuleList
from ...rule_list import NearOptimal, NearOptimalProgress, NearOptimalSearch, RuleListSearch
from ...rule_list.near_optimal.prefix_graph import PrefixGraph
from ...rule_list.near_optimal.traits import GroupMasses, Traits, group_masses, reliance, traits_of
from ...search import Status
from ..cards import snippet
from ..cards.card import Card, Proof, in_words, of_search
from ..live.job import Progress
from ..live.session import Prepared
from ..live.wording import count, counted
from .packing import MOST_EDGES, Labels, condition_names

MEMORY_BYTES = 1_000_000_000
"""What an enumeration may take where the settings do not say it."""
_TOO_SLOW = "of another kind: Explore finds rule lists without a fairness constraint; choose them in the tab Search"


@dataclass(frozen=True)
class Wanted:
    """What is looked for.

    Attributes
    ----------
    ratio : float
        Lists with an objective of at most the optimum's * (1 + ratio).
    most : int
        Most models.
    seconds : float
        Time limit, of the optimum and the enumeration together.
    """

    ratio: float = 0.05
    most: int = 10_000
    seconds: float = 60.0


@dataclass(frozen=True, eq=False)
class Found:
    """Near-optimal models, best first.

    Attributes
    ----------
    result : NearOptimal
    prepared : Prepared
        The data, and the search for the optimum.
    snapshot : NearOptimalProgress
        The last state of the enumeration.
    base : Card
        The card of the optimum.
    ratio : float
        That was wanted.
    graph : PrefixGraph
        The lists, to choose rule after rule.
    """

    result: NearOptimal
    prepared: Prepared
    snapshot: NearOptimalProgress
    base: Card
    ratio: float
    graph: PrefixGraph

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
        frame = self.result.frame()
        frame["antecedents"] = [tuple(self.names[j] for j in antecedents) for antecedents in self.result.lists]
        frame["accuracy"] = 100 * (1 - frame["errors"] / self.result.problem.total_weight)
        frame["above"] = 100 * frame["gap"] / self.result.optimum if self.result.optimum else 0.0
        return frame

    @cached_property
    def reliance(self) -> pd.DataFrame:
        """The range of the share of rows that each antecedent decides."""
        table = reliance(self.result.problem, self.result.lists, self._alone.decided)
        return table.assign(name=[self.names[j] for j in table.index])

    @cached_property
    def names(self) -> list[str]:
        """Every antecedent of the problem in the words of cards."""
        return condition_names(self.result.problem)

    @property
    def columns(self) -> dict[str, frozenset[int]]:
        """The antecedents that look at each column of the table; empty where they are not known to."""
        known = self.result.problem.conditions or ()
        out: dict[str, set[int]] = {}
        for j, conditions in enumerate(known):
            for condition in conditions:
                out.setdefault(str(condition.column), set()).add(j)
        return {name: frozenset(out[name]) for name in sorted(out)}

    @property
    def labels(self) -> Labels:
        """What the data and the classes are called."""
        negative, positive = self.prepared.labels or self.result.problem.classes
        return Labels(self.prepared.name, self.prepared.target, str(negative), str(positive))

    @cached_property
    def _alone(self) -> Traits:
        return traits_of(self.result.problem, self.result.lists)

    def masses(self, attribute: str) -> GroupMasses:
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

    def traits(self, attribute: str) -> Traits:
        """What the models do to the groups of an attribute, on the training rows."""
        return traits_of(self.result.problem, self.result.lists, self.masses(attribute))

    def gaps(self, attribute: str, criterion: str) -> np.ndarray:
        """The gap between the groups for each model, in per cent; groups with few rows are left out."""
        return 100 * self.traits(attribute).gaps(criterion, FEW)

    def card(self, k: int) -> Card:
        """The card of a model; the optimum's is that of its search."""
        return self.base if k == 0 else self.card_of(self.result.lists[k])

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
                equation=family.objective(model, self.prepared.search.parameters),
            ),
            search=None,
            code=snippet.of_model(in_words(model, self.prepared.labels)),
        )


def find(source: Callable[[Callable[[str], None]], Prepared], wanted: Wanted, progress: Progress) -> Found:
    """Certify the optimum where that is not done, and enumerate; a cancelled enumeration gives what it has found.

    Raises
    ------
    ValueError
        When there is nothing to enumerate, in the words of the page.
    """
    prepared = source(progress.report)
    search = prepared.search
    if type(search) is not RuleListSearch:
        raise ValueError(f"the settings of the tab Search are {_TOO_SLOW}")
    if not search.certified:  # another thread may run this one
        progress.report("searching for the optimum")
        search = RuleListSearch(search.problem, **search.parameters)
        prepared = replace(prepared, search=search)
    memory = search.memory_limit or MEMORY_BYTES
    near = NearOptimalSearch(search, ratio=wanted.ratio, limit=wanted.most, memory_limit=memory)
    if not near.compiled:
        progress.report("compiling the enumeration: once per machine, some seconds")
        near.compile()
    snapshot: Any = None
    for snapshot in near.steps(time_limit=wanted.seconds):
        progress.doing = _said(snapshot)
        if progress.cancelled:
            break
    assert isinstance(snapshot, NearOptimalProgress)
    if not search.certified or snapshot.incumbent is None:
        raise ValueError(
            f"the optimum is not certified after {wanted.seconds:g} s, so that nobody knows which lists are near it; "
            "raise “Time limit (s)”, or make the problem smaller in the tab Search"
        )
    progress.doing = "counting what the models do"
    while near.phase == "preparing":
        near.advance(1)
    result = near.result()
    best = replace(search.advance(1), seconds=snapshot.seconds)
    base = of_search(search, best, prepared)
    found = Found(result, prepared, snapshot, base, wanted.ratio, near.prefixes(MOST_EDGES))
    _ = found.frame, found.reliance
    return found


def _said(snapshot: NearOptimalProgress) -> str:
    if snapshot.phase == "optimum":
        return "searching for the optimum"
    return f"{counted(snapshot.count, 'models')} so far"


def verdict(found: Found) -> tuple[str, str]:
    """How complete it is: a tone and a sentence."""
    result, snapshot = found.result, found.snapshot
    share = 100 * found.ratio
    what = f"{counted(result.count, 'models')} ({_lists(result)})"
    if snapshot.status is Status.OPTIMAL:
        return "proven", f"certified complete: {what} have an objective within {share:.4g} % of the optimum"
    if result.complete:
        return "proven", f"complete but for the rounding of the weights: {what} within {share:.4g} % of the optimum"
    why = {
        "limit": "as many models as were asked for",
        "memory": "the memory limit",
        "time": "the time limit",
    }.get(result.truncated or "", "it was stopped")
    reach = max(0.0, 100 * (result.covered / result.optimum - 1)) if result.optimum else 0.0
    return "limit", f"not complete ({why}): {what}; every list closer than {reach:.3g} % to the optimum is among them"


def _lists(result: NearOptimal) -> str:
    from ...rule_list.near_optimal.state import MOST_LISTS

    more = "at least " if result.n_lists >= MOST_LISTS else ""
    return f"{more}{count(result.n_lists)} lists, as their order may differ"
