"""The records of searches for the least gap between groups among lists, or sets, of some accuracy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .family import Family
from .least_gap import ASKED, GRID
from .parameter import FAIRNESS, FREE_RULES, Parameter
from .rule_list import RULE_LIST
from .rule_set import RULE_SET

if TYPE_CHECKING:
    from ..search import Search


def _list_rehearsal() -> Search:
    from ..rehearsal import grouped_problem
    from ..rule_list import LeastGapSearch

    return LeastGapSearch(grouped_problem(), min_accuracy=0.5, max_length=2, beam_width=2)


LEAST_GAP = Family(
    name="least_gap",
    noun=RULE_LIST.noun,
    title="rule list of least gap",
    model=RULE_LIST.name,
    unit="difference of rates",
    mined=True,
    own=(
        *ASKED,
        Parameter(
            "max_length",
            3,
            "most rules, not counting the default",
            "whole",
            lifted=True,
            label="Rules, at most",
            none="any number",
            clause="at most {} rules",
            named=True,
        ),
        *(each for each in FAIRNESS if each.name == "min_group_size"),
        FREE_RULES,
        Parameter(
            "beam_width",
            400,
            "width of the beam searches for the first lists",
            "whole",
            most=10_000,
            label="Width of the beam search",
        ),
    ),
    make_model=RULE_LIST.make_model,
    without_rules=RULE_LIST.without_rules,
    objective=RULE_LIST.objective,
    rehearsal=_list_rehearsal,
    grid=GRID,
)


_OF_SETS = ("max_complexity", "max_conditions", "loss", "form", "min_group_size", "column_limit")


def _set_rehearsal() -> Search:
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
    own=(*ASKED, *(each for each in RULE_SET.own if each.name in _OF_SETS)),
    make_model=RULE_SET.make_model,
    without_rules=RULE_SET.without_rules,
    objective=RULE_SET.objective,
    rehearsal=_set_rehearsal,
    grid=GRID,
)
