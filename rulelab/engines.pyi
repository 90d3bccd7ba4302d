"""Searches for one question each, which `rulelab.search` makes, and the bounds of searches; imported when used."""

from .falling_rule_list import FairFallingBounds as FairFallingBounds
from .falling_rule_list import FallingBounds as FallingBounds
from .multiclass import MultiClassRuleListSearch as MultiClassRuleListSearch
from .rule_list import ConstrainedRuleListSearch as ConstrainedRuleListSearch
from .rule_list import CorelsBounds as CorelsBounds
from .rule_list import FairRuleListBounds as FairRuleListBounds
from .rule_list import FairRuleListSearch as FairRuleListSearch
from .rule_list import PredictiveParitySearch as PredictiveParitySearch
from .rule_list import RuleListBounds as RuleListBounds
from .rule_set import LeastGapRuleSetSearch as LeastGapRuleSetSearch
from .rule_set import NearOptimalRuleSetSearch as NearOptimalRuleSetSearch

__all__: list[str]
