"""Falling rule lists: the paper's Monte-Carlo search and exact searches, hard, soft and fair."""

from .bounds import BOUNDS, FairFallingBounds, FallingBounds
from .exact.search import FallingRuleListSearch
from .exact.soft_search import SoftSearch
from .fair.search import FairFallingSearch
from .monte_carlo.search import MonteCarloSearch
from .search import FallingSearch
