"""Rule sets of the least gap between groups among those of some accuracy and complexity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .family import Family
from .least_gap import ASKED, GRID
from .least_gap_list import LEAST_GAP
from .rule_set import RULE_SET

if TYPE_CHECKING:
    from ..search import Search

_TAKEN = ("max_complexity", "max_conditions", "loss", "form", "min_group_size", "column_limit")


def _rehearsal() -> Search:
    from ..rehearsal import grouped_problem
    from ..rule_set import LeastGapRuleSetSearch

    return LeastGapRuleSetSearch(grouped_problem(), min_accuracy=0.5, max_complexity=4)


LEAST_GAP_OF_SETS = Family(
    name="least_gap_of_sets",
    noun=RULE_SET.noun,
    title="rule set of least gap",
    model=RULE_SET.name,
    unit=LEAST_GAP.unit,
    mined=False,
    own=(*ASKED, *(each for each in RULE_SET.own if each.name in _TAKEN)),
    make_model=RULE_SET.make_model,
    without_rules=RULE_SET.without_rules,
    objective=RULE_SET.objective,
    rehearsal=_rehearsal,
    grid=GRID,
)
