"""All rule lists or rule sets near the optimum of a search, found; nothing of Panel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ...families import NAMING, record_of
from ...rule_list import NearOptimalProgress, NearOptimalSearch, RuleListSearch
from ...rule_set import NearOptimalRuleSetProgress, NearOptimalRuleSetSearch, RuleSetSearch
from ...search import Search
from ...snapshot import Status
from ..allowance import take_memory
from ..cards.card import of_search
from ..live.job import Progress, run
from ..live.prepared import Prepared
from ..live.wording import count, counted
from .good import Found, FoundSets, Good
from .offline import MOST_EDGES

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
