"""Certifiably optimal rule lists: exact reduction, bounds, kernels and the step-wise search."""

from .bounds import BOUNDS, RuleListBounds
from .search import POLICIES, RuleListSearch

__all__ = ["BOUNDS", "POLICIES", "RuleListBounds", "RuleListSearch"]
