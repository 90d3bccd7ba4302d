"""Falling rule lists: the paper's Monte-Carlo search and exact searches, hard, soft and fair."""

from .bounds import BOUNDS, FallingBounds
from .exact.search import ExactSearch
from .exact.soft_search import SoftSearch
from .fair.bounds import FairFallingBounds
from .fair.search import FairFallingSearch
from .monte_carlo.search import MonteCarloSearch
from .search import FallingRuleListSearch

__all__ = [
    "BOUNDS",
    "ExactSearch",
    "FairFallingBounds",
    "FairFallingSearch",
    "FallingBounds",
    "FallingRuleListSearch",
    "MonteCarloSearch",
    "SoftSearch",
]
