"""Falling rule lists: the paper's Monte-Carlo search and exact searches, hard and soft."""

from .bounds import BOUNDS, FallingBounds
from .exact.search import ExactSearch
from .exact.soft_search import SoftSearch
from .monte_carlo.search import MonteCarloSearch
from .search import FallingRuleListSearch

__all__ = [
    "BOUNDS",
    "ExactSearch",
    "FallingBounds",
    "FallingRuleListSearch",
    "MonteCarloSearch",
    "SoftSearch",
]
