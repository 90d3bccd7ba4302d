"""Optimal rule lists on the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....rule_list import RuleListBounds
from ..plots.base import Plot
from ..plots.bounds import BoundsPlot
from ..plots.curves import LENGTHS_QUEUED, Curves
from ..plots.incumbents import FrontierPlot
from ..plots.pruned import PrunedPlot
from ..plots.queue import QueuePlot
from .family import Drawing, Look, Shown


def _look_of(_parameters: Mapping[str, Any]) -> str:
    return "rule_list"


def _frontier(_curves: Curves) -> Plot:
    return FrontierPlot("rules in the list")


SHOWN = Shown(
    look_of=_look_of,
    looks={
        "rule_list": Look(
            heading="Best rule list so far",
            looks_for=(
                "The search looks for the rule list with the fewest errors, where each rule costs as much as a fixed "
                "share of the rows, and proves that there is no better one. The best list found so far appears here "
                "and changes as the search improves it."
            ),
            columns=LENGTHS_QUEUED,
            plots=(
                Drawing(BoundsPlot, BoundsPlot),
                Drawing(QueuePlot, QueuePlot, "Queue"),
                Drawing(PrunedPlot, lambda _: PrunedPlot(), "Bounds"),
                Drawing(FrontierPlot, _frontier, "Models"),
            ),
            unit="prefixes expanded",
            family="rule_list",
        )
    },
    bounds=RuleListBounds,
    formerly={"quantiles": "thresholds", "beam": ""},
)
