"""The families of models: one record each, which the estimators, the command line, sweeps and the page read.

A new family is a module here, a line in `FAMILIES`, and an estimator with its parameters as arguments.
"""

from .criteria import CRITERIA
from .falling_rule_list import FALLING_RULE_LIST
from .family import Family
from .parameter import BINARIZING, DEMANDS, MEMORY, MINING, MUST_NOT_USE, NAMING, TIME, Parameter
from .rule_list import RULE_LIST
from .rule_set import RULE_SET

__all__ = [
    "BINARIZING",
    "CRITERIA",
    "DEMANDS",
    "FAMILIES",
    "MEMORY",
    "MINING",
    "MUST_NOT_USE",
    "NAMING",
    "TIME",
    "Family",
    "Parameter",
]

FAMILIES: dict[str, Family] = {family.name: family for family in (RULE_LIST, FALLING_RULE_LIST, RULE_SET)}
