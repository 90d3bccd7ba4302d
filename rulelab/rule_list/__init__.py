"""Certifiably optimal rule lists: exact reduction, bounds, kernels and the step-wise searches."""

from .bounds import BOUNDS, RuleListBounds
from .frontier import FrontierPoint, FrontierSearch
from .near_optimal import NearOptimalProgress, NearOptimalSearch, near_optimal
from .near_optimal_result import NearOptimal
from .paper import CorelsSearch
from .paper_bounds import CORELS_BOUNDS, CorelsBounds
from .search import POLICIES, RuleListSearch

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
