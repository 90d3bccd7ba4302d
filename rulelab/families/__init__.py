"""The families of models: one record each, which the estimators, the command line, sweeps and the page read.

A new family is a record in `records`, a name in `FAMILIES`, and an estimator with its parameters as arguments.
"""

from collections import ChainMap
from collections.abc import Mapping

from ..parameters import BINARIZING, DEMANDS, MEMORY, MINING, MONOTONE, MUST_NOT_USE, NAMING, TIME, Parameter
from .criteria import CRITERIA, EVERY, PREDICTIVE_PARITY, criteria_of
from .family import Family
from .records import FALLING_RULE_LIST, LEAST_GAP, LEAST_GAP_OF_SETS, RULE_LIST, RULE_SET, SEVERAL_CLASSES

FAMILIES: dict[str, Family] = {family.name: family for family in (RULE_LIST, FALLING_RULE_LIST, RULE_SET)}

_GAPS = {family.name: family for family in (LEAST_GAP, LEAST_GAP_OF_SETS)}
OFFERED: Mapping[str, Family] = ChainMap(_GAPS, FAMILIES)
"""The families, and the other questions about their models that the page offers: what a search finds, by name."""
OF_SEVERAL: dict[str, Family] = {SEVERAL_CLASSES.name: SEVERAL_CLASSES}
"""The families whose models tell more than two classes apart: they have data of their own."""
EVERY_FAMILY: Mapping[str, Family] = ChainMap(OF_SEVERAL, _GAPS, FAMILIES)
"""All that the page can search for, by name."""


def record_of(kind: str, family: str) -> Family:
    """The record of a search of this kind and family."""
    own = (FAMILIES | OF_SEVERAL)[family]
    asked = _GAPS.values() if kind in _GAPS else ()
    return next((each for each in asked if each.noun == own.noun), own)
