"""Boolean rule sets (DNF and CNF) by column generation: certified, with fairness constraints."""

from .fairness import (
    AccuracyParity,
    Criterion,
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    FalsePositiveRateParity,
)
from .search import RuleSetSearch

__all__ = [
    "AccuracyParity",
    "Criterion",
    "DemographicParity",
    "EqualOpportunity",
    "EqualizedOdds",
    "FalsePositiveRateParity",
    "RuleSetSearch",
]
