"""Boolean rule sets (DNF and CNF) by column generation: certified, with fairness constraints."""

from ..data.fairness import (
    AccuracyParity,
    Criterion,
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    FalsePositiveRateParity,
    PredictiveParity,
    confusions,
)
from .frontier.result import FairCell
from .frontier.search import FairFrontierSearch, fair_frontier
from .least_gap.frontier import GapFrontierRuleSetSearch
from .least_gap.search import LeastGapRuleSetSearch
from .near_optimal.result import NearOptimalRuleSets
from .near_optimal.search import NearOptimalRuleSetProgress, NearOptimalRuleSetSearch, near_optimal_rule_sets
from .search import RuleSetSearch

__all__ = [
    "AccuracyParity",
    "Criterion",
    "DemographicParity",
    "EqualOpportunity",
    "EqualizedOdds",
    "FairCell",
    "FairFrontierSearch",
    "FalsePositiveRateParity",
    "GapFrontierRuleSetSearch",
    "LeastGapRuleSetSearch",
    "NearOptimalRuleSetProgress",
    "NearOptimalRuleSetSearch",
    "NearOptimalRuleSets",
    "PredictiveParity",
    "RuleSetSearch",
    "confusions",
    "fair_frontier",
    "near_optimal_rule_sets",
]
