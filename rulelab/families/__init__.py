"""The families of models: one record each, which the estimators, the command line, sweeps and the page read.

A new family is a module here, a line in `FAMILIES`, and an estimator with its parameters as arguments.
"""

from collections import ChainMap
from collections.abc import Mapping

from .criteria import CRITERIA, PREDICTIVE_PARITY
from .falling_rule_list import FALLING_RULE_LIST
from .family import Family
from .least_gap_list import LEAST_GAP
from .parameter import BINARIZING, DEMANDS, MEMORY, MINING, MONOTONE, MUST_NOT_USE, NAMING, TIME, Parameter
from .rule_list import RULE_LIST
from .rule_set import RULE_SET

__all__ = [
    "BINARIZING",
    "CRITERIA",
    "DEMANDS",
    "FAMILIES",
    "MEMORY",
    "MINING",
    "MONOTONE",
    "MUST_NOT_USE",
    "NAMING",
    "OFFERED",
    "PREDICTIVE_PARITY",
    "TIME",
    "Family",
    "Parameter",
    "record_of",
]

FAMILIES: dict[str, Family] = {family.name: family for family in (RULE_LIST, FALLING_RULE_LIST, RULE_SET)}

OFFERED: Mapping[str, Family] = ChainMap({LEAST_GAP.name: LEAST_GAP}, FAMILIES)
"""The families, and the other questions about their models that the page offers: what a search finds, by name."""


def record_of(kind: str, family: str) -> Family:
    """The record of a search of this kind and family."""
    found = OFFERED.get(kind)
    return found if found is not None and FAMILIES[family].noun == found.noun else FAMILIES[family]
