"""Boolean rule sets (DNF and CNF) by column generation: certified, with fairness constraints."""

from .fairness import (
    AccuracyParity,
    Criterion,
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    FalsePositiveRateParity,
    confusions,
)
from .frontier.search import FairCell, fair_frontier
from .search import RuleSetSearch
from .stability.search import RuleSetStability, rule_set_stability

__all__ = [
    "AccuracyParity",
    "Criterion",
    "DemographicParity",
    "EqualOpportunity",
    "EqualizedOdds",
    "FairCell",
    "FalsePositiveRateParity",
    "RuleSetSearch",
    "RuleSetStability",
    "confusions",
    "fair_frontier",
    "rule_set_stability",
]
