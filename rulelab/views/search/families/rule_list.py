"""Rule lists on the page, of two classes and of several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ....families.parameter import DEMANDS, MONOTONE
from ....rule_list import FairRuleListBounds, RuleListBounds
from ..plots.base import Plot
from ..plots.bounds import BoundsPlot
from ..plots.curves import LENGTHS_QUEUED, REMAINING, Curves
from ..plots.incumbents import FrontierPlot
from ..plots.pruned import PrunedPlot
from ..plots.queue import QueuePlot
from ..plots.remaining import RemainingPlot
from .family import Drawing, Look, Shown


def _look_of(parameters: Mapping[str, Any]) -> str:
    asked = any(parameters.get(each.name) for each in (*DEMANDS, MONOTONE))
    if parameters.get("fairness") is not None:
        best_first = asked or parameters.get("max_length") is not None
        return "fair_demanding_rule_list" if best_first else "fair_rule_list"
    return "demanding_rule_list" if asked else "rule_list"


def _frontier(_curves: Curves) -> Plot:
    return FrontierPlot("rules in the list")


_LOOKS_FOR = (
    "The search looks for the rule list with the fewest errors, where each rule costs as much as a fixed share of the "
    "rows, and proves that there is no better one."
)
_KEPT_BY_USE = (
    "There is no tree to look at: of prefixes that leave the same rows this search keeps only those that are cheaper, "
    "or have used more of what they must."
)
_BOUNDS = Drawing(BoundsPlot, BoundsPlot)
_QUEUE = Drawing(QueuePlot, QueuePlot, "Queue")
_CUT = Drawing(PrunedPlot, lambda _: PrunedPlot(), "Bounds")
_MODELS = Drawing(FrontierPlot, _frontier, "Models")
_PLAIN = Look(
    heading="Best rule list so far",
    looks_for=_LOOKS_FOR,
    columns=LENGTHS_QUEUED | REMAINING,
    plots=(_BOUNDS, _QUEUE, _CUT, _MODELS, Drawing(RemainingPlot, RemainingPlot, "Remaining")),
    unit="prefixes",
    family="rule_list",
)
_OBEYING = replace(
    _PLAIN,
    looks_for=f"{_LOOKS_FOR} Only lists count that obey what is asked of them.",
    columns={},
    plots=(_BOUNDS, _CUT, _MODELS),
    family="",
    no_tree=_KEPT_BY_USE,
)
SHOWN = Shown(
    look_of=_look_of,
    looks={
        "rule_list": replace(_PLAIN, claim=1),
        "fair_rule_list": replace(
            _PLAIN,
            heading="Best fair rule list so far",
            looks_for=f"{_LOOKS_FOR} Only lists count that treat groups as much alike as is asked for.",
            columns={},
            plots=(_BOUNDS, _CUT, _MODELS),
            unit="units of work",
            family="",
            no_tree="There is no tree to look at: this search goes through the prefixes in passes, each up to a higher "
            "bound, and keeps of those that leave the same rows only what can still become fair.",
        ),
        "fair_demanding_rule_list": replace(
            _OBEYING,
            heading="Best fair rule list so far",
            looks_for=f"{_LOOKS_FOR} Only lists count that are as fair as is asked for, and obey all else.",
        ),
        "demanding_rule_list": _OBEYING,
    },
    bounds=RuleListBounds,
    fair_bounds=FairRuleListBounds,
    formerly={"quantiles": "thresholds", "beam": ""},
)


_SEVERAL = "multi_class_rule_list"
_OF_SEVERAL = Look(
    heading="Best rule list of several classes so far",
    looks_for=(
        "The search looks for the list whose rules each predict one of all classes, with the fewest errors of all "
        "together, where each rule costs as much as a fixed share of the rows, and proves that there is no better one."
    ),
    columns=LENGTHS_QUEUED,
    plots=(_BOUNDS, _QUEUE, _CUT, _MODELS),
    unit="prefixes",
    no_tree="There is no tree to look at: of prefixes that leave the same rows this search keeps only the cheapest.",
    several=True,
)
SHOWN_OF_SEVERAL = Shown(look_of=lambda parameters: _SEVERAL, looks={_SEVERAL: _OF_SEVERAL})
