"""The least gap between groups on the page: of rule lists, and of rule sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..plots.base import Plot
from ..plots.bounds import BoundsPlot
from ..plots.curves import Curves
from ..plots.incumbents import IncumbentsPlot
from ..plots.pruned import PrunedPlot
from .family import Drawing, Look, Shown


def _look_of(parameters: Mapping[str, Any]) -> str:
    return "least_gap_of_sets" if "max_complexity" in parameters else "least_gap"


def _bounds(curves: Curves) -> Plot:
    return BoundsPlot(curves, "gap between groups")


def _lists(_curves: Curves) -> Plot:
    return IncumbentsPlot("rules in the list")


def _sets(_curves: Curves) -> Plot:
    return IncumbentsPlot("complexity of the set")


_LISTS = Look(
    heading="Rule list of least gap so far",
    looks_for=(
        "The search looks for the rule list that treats the groups most alike among all that are as accurate as you "
        "ask for, and proves that none has a smaller gap."
    ),
    columns={},
    plots=(
        Drawing(BoundsPlot, _bounds),
        Drawing(PrunedPlot, lambda _: PrunedPlot(), "Bounds"),
        Drawing(IncumbentsPlot, _lists, "Models"),
    ),
    unit="units of work",
    no_tree="There is no tree of prefixes: the search asks again and again whether any list has a smaller gap.",
    claim=3,
)
_SETS = replace(
    _LISTS,
    heading="Rule set of least gap so far",
    looks_for=_LISTS.looks_for.replace("list", "set"),
    plots=(Drawing(BoundsPlot, _bounds), Drawing(IncumbentsPlot, _sets, "Models")),
    no_tree=_LISTS.no_tree.replace("list", "set"),
)
SHOWN = Shown(look_of=_look_of, looks={"least_gap": _LISTS, "least_gap_of_sets": _SETS})
SHOWN_OF_SETS = Shown(look_of=_look_of, looks={"least_gap_of_sets": _SETS})
