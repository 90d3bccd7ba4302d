"""How the model families are shown on the page, one module each; this is the list of them."""

from __future__ import annotations

from ....families import EVERY_FAMILY
from ....recording import Recording
from ....search import Search
from . import falling_rule_list, least_gap, rule_list, rule_set, several_classes
from .any_family import shown
from .family import Look, Shown

__all__ = ["LOOKS", "SHOWN", "Look", "Shown", "look_of", "look_of_recorded"]

_OWN = {
    "rule_list": rule_list.SHOWN,
    "falling_rule_list": falling_rule_list.SHOWN,
    "rule_set": rule_set.SHOWN,
    "least_gap": least_gap.SHOWN,
    "least_gap_of_sets": least_gap.SHOWN_OF_SETS,
    "multi_class_rule_list": several_classes.SHOWN,
}
SHOWN: dict[str, Shown] = {name: _OWN.get(name) or shown(family) for name, family in EVERY_FAMILY.items()}
LOOKS: dict[str, Look] = {key: look for family in SHOWN.values() for key, look in family.looks.items()}


def look_of_recorded(recording: Recording) -> str:
    """The same of a recorded search, which has no groups of people."""
    return SHOWN[recording.family].look_of({**recording.parameters, "fairness": None})


def look_of(search: Search) -> str:
    """Key in `LOOKS` of how a search is shown."""
    return SHOWN[search.kind if search.kind in SHOWN else search.family].look_of(search.parameters)
