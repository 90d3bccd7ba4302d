"""All near-optimal lists or sets counted, what is certain of all of them, and that in tables; nothing of Panel."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ...data.gaps import CRITERIA
from ...data.groups import Groups
from ...data.metrics import FEW, Confusion
from ...rule_list import NearOptimalCount, NearOptimalCounter
from ...rule_set import NearOptimalRuleSets, NearOptimalRuleSetSearch
from ...snapshot import Snapshot
from ..allowance import take_memory
from ..cards.templates import filled
from ..live.job import Progress, run
from ..live.wording import count, counted
from ..widgets.style import sheet
from .finding import MEMORY_BYTES, said_of_sets
from .good import FoundSets, Good

_MOST = 20
RATES = {
    "true_positive_rate": "true positive rate",
    "false_positive_rate": "false positive rate",
    "selection_rate": "selection rate",
    "accuracy": "accuracy",
}
COUNT_CSS = sheet("models.css", "counts.css")

MOST_SETS = 300_000
"""So many models of rule sets are found to be counted, at most: they are listed, beyond those that are shown."""
_OTHERWISE = (10, 4, 2)
"""One in so many, at most, predicts otherwise than most of them: rows are counted by that."""


@dataclass(frozen=True, eq=False)
class Total:
    """A count as it stands.

    Attributes
    ----------
    result : NearOptimalCount or NearOptimalRuleSets
    snapshot : Snapshot
        The last one of the count, or of the enumeration of sets.
    ratio : float
        What has an objective of at most the optimum's * (1 + ratio) is counted.
    """

    result: NearOptimalCount | NearOptimalRuleSets
    snapshot: Snapshot
    ratio: float

    @property
    def of_sets(self) -> bool:
        """Whether sets are counted; otherwise lists."""
        return isinstance(self.result, NearOptimalRuleSets)

    @property
    def number(self) -> int:
        """Lists or sets; at least so many where the count is not complete."""
        return self.result.n_sets if isinstance(self.result, NearOptimalRuleSets) else self.result.n_lists

    @property
    def by_rules(self) -> pd.DataFrame:
        """By number of rules: ``rules``, ``lists`` or, of sets, ``models``, ``share``, the least ``objective``."""
        if not isinstance(self.result, NearOptimalRuleSets):
            return self.result.by_rules
        frame = self.result.frame().groupby("rules").agg(models=("errors", "size"), objective=("objective", "min"))
        frame.insert(1, "share", frame["models"] / frame["models"].sum())
        return frame.reset_index()


@dataclass(frozen=True, eq=False)
class Ranges:
    """What is certain of all lists, or sets.

    Attributes
    ----------
    columns : DataFrame
        See `NearOptimalCount.column_ranges` and `NearOptimalRuleSets.column_ranges`.
    gaps : DataFrame or None
        See their ``gap_ranges``; pairs with a group of few rows are left out. None without groups.
    people : DataFrame
        ``above`` and ``most``, shares of all that predict otherwise than most of them, and ``rows``, the share of the
        training weight of which that many do.
    """

    columns: pd.DataFrame
    gaps: pd.DataFrame | None
    people: pd.DataFrame


def count_all(found: Good, seconds: float, progress: Progress) -> Total:
    """Count all within the distance of what was found; a cancelled count gives what is certain by then.

    Sets are counted already where all of them were found, and where there are too many rules for more.
    """
    if isinstance(found, FoundSets) and (found.result.complete or found.result.truncated == "columns"):
        return Total(found.result, found.snapshot, found.ratio)
    take_memory()
    search: Any = found.prepared.search
    memory = search.memory_limit or MEMORY_BYTES
    counter: NearOptimalCounter | NearOptimalRuleSetSearch
    if isinstance(found, FoundSets):
        counter = NearOptimalRuleSetSearch(search, ratio=found.ratio, limit=MOST_SETS, memory_limit=memory)
        snapshot = run(counter, seconds, progress, said_of_sets, "the enumeration")
    else:
        counter = NearOptimalCounter(search, ratio=found.ratio, memory_limit=memory)
        snapshot = run(counter, seconds, progress, _counted, "the count")
    return Total(counter.result(), snapshot, found.ratio)


def _counted(snapshot: Any) -> str:
    return f"at least {counted(snapshot.n_lists, 'lists')}, {count(snapshot.states)} sets of rows"


def ranges_of(found: Good | None, total: Total, attribute: str, criterion: str) -> Ranges:
    """The ranges over all of a complete count; those between groups need what was found, with its data."""
    gaps = None
    if attribute and found is not None:
        groups = found.prepared.masses(attribute)
        problem = replace(total.result.problem, groups=groups)
        gaps = _with_enough(replace(total.result, problem=problem).gap_ranges(criterion), groups)
    return Ranges(total.result.column_ranges(), gaps, _people(total))


def _people(total: Total) -> pd.DataFrame:
    """See `Ranges.people`."""
    result = total.result
    if isinstance(result, NearOptimalRuleSets):
        patterns = result.patterns()
        positive = patterns["sets"].tolist()
    else:
        patterns = result.disagreement()
        positive = patterns["lists"].tolist()
    weight = (patterns["positives"] + patterns["negatives"]).to_numpy(dtype=np.float64)
    ends = [0, *(total.number // k for k in _OTHERWISE)]  # in whole numbers: one of very many is not none
    place = [bisect_left(ends, min(n, total.number - n)) for n in positive]
    rows = np.bincount(place, weight / weight.sum(), minlength=len(ends))
    most = [0.0, *(1 / k for k in _OTHERWISE)]
    return pd.DataFrame({"above": [0.0, *most[:-1]], "most": most, "rows": rows})


def have_enough(groups: Groups, rate: str) -> list[bool]:
    """Whether each group has enough rows of the kind that a rate counts."""
    return [Confusion(p, 0, n, 0).rows_of(rate) >= FEW for p, n in groups.by_class.T]


def _with_enough(gaps: pd.DataFrame, groups: Groups) -> pd.DataFrame:
    """The pairs whose groups both have enough rows of the kind that a rate counts."""
    known = {rate: dict(zip(groups.names, have_enough(groups, rate), strict=True)) for rate in set(gaps["rate"])}
    enough = [known[row.rate][row.group] and known[row.rate][row.other] for row in gaps.itertuples(index=False)]
    return gaps[np.array(enough, dtype=bool)].reset_index(drop=True)


def verdict(total: Total) -> tuple[str, str]:
    """How many there are: a tone and a sentence."""
    result = total.result
    within = f"within {100 * total.ratio:.4g} % of the optimum"
    if not result.optimum:  # there is no per cent of nothing
        within = f"of an objective of at most {result.threshold:.10g}"
    if isinstance(result, NearOptimalRuleSets):
        sets = (
            f"{counted(result.n_sets, 'rule sets')} of rules of at most {counted(result.max_conditions, 'conditions')}"
        )
        if result.complete:
            return "proven", f"certified: exactly {sets} {'is' if result.n_sets == 1 else 'are'} {within}"
        known = ""
        if result.covered == result.covered:
            of = f"within {100 * max(result.covered / result.optimum - 1, 0):.3g} %" if result.optimum else ""
            known = f"; every one {of or f'of at most {result.covered:.10g}'} is among them"
        return "limit", f"not complete: at least {sets} are {within}{known}"
    if result.complete:
        rounding = "" if total.snapshot.limit is None else ", but for the rounding of the weights"
        return (
            "proven",
            f"certified{rounding}: exactly {counted(result.n_lists, 'rule lists')} of any length are {within}",
        )
    why = {"memory": "the memory limit", "time": "the time limit"}.get(result.truncated or "", "it was stopped")
    return "limit", f"not complete ({why}): at least {counted(result.n_lists, 'rule lists')} are {within}"


def facts(total: Total | None, ranges: Ranges | None, busy: bool, criterion: str, ways: str) -> str:
    """Everything that is known; HTML.

    Parameters
    ----------
    total : Total or None
    ranges : Ranges or None
    busy : bool
        Whether more is being found.
    criterion : str
        Of the ranges between groups; unused without them.
    ways : str
        "lists" or "sets".
    """
    more: dict[str, Any] = {"used": (), "idle": (), "pairs": None, "several": False}
    if ranges is not None:
        used = ranges.columns["most"] > 0
        more["used"], more["idle"] = list(ranges.columns[used].itertuples()), list(ranges.columns.index[~used])
        if ranges.gaps is not None:
            pairs = list(ranges.gaps.itertuples(index=False))
            more |= {"pairs": pairs, "several": len(CRITERIA[criterion]) > 1}
    return filled("counts.html", total=total, ranges=ranges, busy=busy, ways=ways, MOST=_MOST, RATES=RATES, **more)
