"""Rule lists of several classes on the page."""

from __future__ import annotations

from ..plots.base import Plot
from ..plots.bounds import BoundsPlot
from ..plots.curves import LENGTHS_QUEUED, Curves
from ..plots.incumbents import FrontierPlot
from ..plots.pruned import PrunedPlot
from ..plots.queue import QueuePlot
from .family import Drawing, Look, Shown


def _frontier(_curves: Curves) -> Plot:
    return FrontierPlot("rules in the list")


_NAME = "multi_class_rule_list"
_LOOK = Look(
    heading="Best rule list of several classes so far",
    looks_for=(
        "The search looks for the one list whose rules each predict one of all classes, with the fewest errors of all "
        "classes together, where each rule costs as much as a fixed share of the rows, and proves that there is no "
        "better one. The best list found so far appears here and changes as the search improves it."
    ),
    columns=LENGTHS_QUEUED,
    plots=(
        Drawing(BoundsPlot, BoundsPlot),
        Drawing(QueuePlot, QueuePlot, "Queue"),
        Drawing(PrunedPlot, lambda _: PrunedPlot(), "Bounds"),
        Drawing(FrontierPlot, _frontier, "Models"),
    ),
    unit="prefixes",
    no_tree="There is no tree to look at: of prefixes that leave the same rows this search keeps only the cheapest.",
    several=True,
)
SHOWN = Shown(look_of=lambda parameters: _NAME, looks={_NAME: _LOOK})
