"""How the model families are shown on the page; this is the list of them, also of those known by their record alone."""

from __future__ import annotations

from ....families import EVERY_FAMILY, Family
from ....recording import Recording
from ....search import Search
from ..plots.base import Plot
from ..plots.bounds import BoundsPlot
from ..plots.curves import Curves
from ..plots.incumbents import IncumbentsPlot
from . import falling_rule_list, least_gap, rule_list, rule_set
from .family import Drawing, Look, Shown


def shown(family: Family) -> Shown:
    """Objective and bound, and the models found."""
    look = Look(
        heading=f"Best {family.noun} so far",
        looks_for=f"The search looks for the {family.noun} of least objective.",
        columns={},
        plots=(Drawing(BoundsPlot, BoundsPlot), Drawing(IncumbentsPlot, _incumbents, "Models")),
        unit="units of work",
        no_tree="The page does not know the tree of this kind of search.",
    )
    return Shown(look_of=lambda parameters: family.name, looks={family.name: look})


def _incumbents(_curves: Curves) -> Plot:
    return IncumbentsPlot("complexity of the model")


__all__ = ["LOOKS", "SHOWN", "Look", "Shown", "look_of", "look_of_recorded"]

_OWN = {
    "rule_list": rule_list.SHOWN,
    "falling_rule_list": falling_rule_list.SHOWN,
    "rule_set": rule_set.SHOWN,
    "least_gap": least_gap.SHOWN,
    "least_gap_of_sets": least_gap.SHOWN_OF_SETS,
    "multi_class_rule_list": rule_list.SHOWN_OF_SEVERAL,
}
SHOWN: dict[str, Shown] = {name: _OWN.get(name) or shown(family) for name, family in EVERY_FAMILY.items()}
LOOKS: dict[str, Look] = {key: look for family in SHOWN.values() for key, look in family.looks.items()}


def look_of_recorded(recording: Recording) -> str:
    """The same of a recorded search, which has no groups of people."""
    return SHOWN[recording.family].look_of({**recording.parameters, "fairness": None})


def look_of(search: Search) -> str:
    """Key in `LOOKS` of how a search is shown."""
    return SHOWN[search.kind if search.kind in SHOWN else search.family].look_of(search.parameters)
