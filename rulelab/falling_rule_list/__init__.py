"""Falling rule lists: the paper's Monte-Carlo search and exact searches, hard and soft."""

from .bounds import BOUNDS, FallingBounds
from .exact_search import ExactSearch
from .monte_carlo_search import MonteCarloSearch
from .search import FallingRuleListSearch
from .soft_search import SoftSearch

__all__ = [
    "BOUNDS",
    "ExactSearch",
    "FallingBounds",
    "FallingRuleListSearch",
    "MonteCarloSearch",
    "SoftSearch",
]
