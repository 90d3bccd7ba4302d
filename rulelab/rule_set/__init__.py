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
from .least_gap.search import LeastGapRuleSetSearch
from .near_optimal.result import NearOptimalRuleSets
from .near_optimal.search import NearOptimalRuleSetProgress, NearOptimalRuleSetSearch
from .search import RuleSetSearch
