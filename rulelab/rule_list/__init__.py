"""Certifiably optimal rule lists: exact reduction, bounds, kernels and the step-wise searches."""

from .bounds import BOUNDS, RuleListBounds
from .corels.bounds import CORELS_BOUNDS, CorelsBounds
from .corels.search import CorelsSearch
from .exact.search import POLICIES, RuleListSearch
from .frontier.search import FrontierPoint, FrontierSearch
from .near_optimal.result import NearOptimal
from .near_optimal.search import NearOptimalProgress, NearOptimalSearch, near_optimal

__all__ = [
    "BOUNDS",
    "CORELS_BOUNDS",
    "POLICIES",
    "CorelsBounds",
    "CorelsSearch",
    "FrontierPoint",
    "FrontierSearch",
    "NearOptimal",
    "NearOptimalProgress",
    "NearOptimalSearch",
    "RuleListBounds",
    "RuleListSearch",
    "near_optimal",
]
