"""Falling rule lists on the page: hard, soft or fair, exact or by the paper's Monte-Carlo search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....falling_rule_list import FairFallingBounds, FallingBounds
from ..plots.bounds import BoundsPlot
from ..plots.considered import ConsideredPlot
from ..plots.curves import LENGTHS_QUEUED, REMAINING
from ..plots.pruned import PrunedPlot
from ..plots.queue import QueuePlot
from ..plots.remaining import RemainingPlot
from ..plots.strata import StrataPlot
from .family import Drawing, Look, Shown


def _look_of(parameters: Mapping[str, Any]) -> str:
    if parameters.get("fairness") is not None:
        return "fair_falling_rule_list"
    return "falling_rule_list" if parameters["method"] == "exact" else "falling_monte_carlo"


_GAP = Drawing(BoundsPlot, BoundsPlot)
_STRATA = Drawing(StrataPlot, lambda _: StrataPlot(), "Strata")
_QUEUE = Drawing(QueuePlot, QueuePlot, "Queue")
_CONSIDERED = Drawing(ConsideredPlot, lambda _: ConsideredPlot(), "Considered")
_CUT = Drawing(PrunedPlot, lambda _: PrunedPlot(), "Bounds")
_LOOKS_FOR = (
    "The search looks for a list of rules whose probability falls from rule to rule, so that the people at the highest "
    "risk come first. "
)
SHOWN = Shown(
    look_of=_look_of,
    looks={
        "falling_rule_list": Look(
            heading="Best falling rule list so far",
            looks_for=_LOOKS_FOR + "It proves that no such list has a smaller weighted loss.",
            columns=LENGTHS_QUEUED | REMAINING,
            plots=(_GAP, _STRATA, _QUEUE, _CUT, Drawing(RemainingPlot, RemainingPlot, "Remaining")),
            unit="lists, prefixes",
            family="falling_rule_list",
        ),
        "fair_falling_rule_list": Look(
            heading="Best fair falling rule list so far",
            looks_for=_LOOKS_FOR
            + "Of those that treat groups as much alike as is asked for, it finds the one of least "
            "weighted loss, and proves that there is no better one.",
            columns=LENGTHS_QUEUED,
            plots=(_GAP, _STRATA, _QUEUE, _CUT),
            unit="prefixes",
            no_tree="There is no tree to look at: of prefixes that capture the same rows this search keeps only some, "
            "and drops what can no longer become fair.",
        ),
        "falling_monte_carlo": Look(
            heading="Best falling rule list so far",
            looks_for=_LOOKS_FOR + "It draws lists at random, antecedents that promise much more often than others, "
            "and keeps the best one. That proves nothing: choose the exact method for a proof.",
            columns={},
            plots=(_GAP, _STRATA, _CONSIDERED, _CUT),
            unit="lists made",
            no_tree="There is no tree: this method draws whole lists at random and stores no beginnings of lists.",
        ),
    },
    bounds=FallingBounds,
    fair_bounds=FairFallingBounds,
    formerly={"quantiles": "thresholds", "falling_bounds": "bounds", "soft": ""},
)
