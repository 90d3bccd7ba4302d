"""What all rule sets near the optimum have in common, found without listing them; nothing of Panel."""

from __future__ import annotations

from typing import Any

from ...data.gaps import CONSTRAINED, CRITERIA
from ...data.metrics import FEW
from ...rule_set import RuleSetRanges, RuleSetSearch, rule_set_ranges
from ..allowance import take_memory
from ..live.job import Progress
from .counting import have_enough
from .finding_sets import FoundSets


def columns_of(found: FoundSets, seconds: float, progress: Progress) -> RuleSetRanges:
    """Who uses each column, and how often; when it is cancelled, what is proven by then."""
    return _ranges(found, seconds, progress, graded=True)


def gaps_of(found: FoundSets, attribute: str, criterion: str, seconds: float, progress: Progress) -> RuleSetRanges:
    """The least gap between the groups of an attribute, and the ranges of their differences.

    Raises
    ------
    ValueError
        In the words of the page, where that cannot be said.
    """
    if found.result.loss != "hamming":
        raise ValueError("Gaps are proven of sets near the optimum of the Hamming loss: choose it in the tab Search.")
    groups = found.masses(attribute)
    of_rates = [have_enough(groups, rate) for rate in CRITERIA[criterion]]
    enough = [g for g, each in enumerate(zip(*of_rates, strict=True)) if all(each)]
    if len(enough) < 2:
        raise ValueError(f"Fewer than two groups have {FEW} rows of the kind that counts: none can be compared.")
    return _ranges(
        found,
        seconds,
        progress,
        columns=(),
        groups=groups.some(enough),
        criteria=(CONSTRAINED.get(criterion, criterion),),
    )


def _ranges(found: FoundSets, seconds: float, progress: Progress, **asked: Any) -> RuleSetRanges:
    take_memory()
    search = found.prepared.search
    assert isinstance(search, RuleSetSearch)

    def report(doing: str) -> None:
        progress.doing = doing

    return rule_set_ranges(
        search,
        ratio=found.ratio,
        time_limit=seconds,
        stop=lambda: progress.cancelled,
        report=report,
        **asked,
    )
