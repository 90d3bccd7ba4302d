"""Certifiably optimal rule lists: exact reduction, bounds, kernels and the step-wise searches."""

from .bounds import BOUNDS, RuleListBounds
from .frontier import FrontierPoint, FrontierSearch
from .near_optimal import NearOptimalProgress, NearOptimalSearch, near_optimal
from .near_optimal_result import NearOptimal
from .search import POLICIES, RuleListSearch

__all__ = [
    "BOUNDS",
    "POLICIES",
    "FrontierPoint",
    "FrontierSearch",
    "NearOptimal",
    "NearOptimalProgress",
    "NearOptimalSearch",
    "RuleListBounds",
    "RuleListSearch",
    "near_optimal",
]
