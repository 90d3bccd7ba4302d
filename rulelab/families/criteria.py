"""The fairness criteria by name, in the words of people who choose one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..rule_set import Criterion


@dataclass(frozen=True)
class CriterionRecord:
    """A criterion that can be asked for by name."""

    name: str  # such as "equal_opportunity"; on the command line with hyphens
    class_name: str  # of its class in `rulelab`
    words: str  # what is compared between groups
    tolerances: tuple[str, ...] = ("tolerance",)  # what each of its tolerances bounds

    def make(self, *tolerances: float) -> Criterion:
        """The criterion with these tolerances; raises ValueError when one is out of range or there are too few."""
        from .. import rule_set

        if len(tolerances) != len(self.tolerances):
            raise ValueError(f"{self.name} takes {len(self.tolerances)} tolerances, not {len(tolerances)}")
        return getattr(rule_set, self.class_name)(*tolerances)

    def within(self, *tolerances: float) -> str:
        """What a constraint with these tolerances asks for, such as "equal opportunity within 0.05"."""
        if len(self.tolerances) == 1:
            return f"{self.short} within {tolerances[0]:g}"
        bounds = (f"{each:g} {what}" for each, what in zip(tolerances, self.tolerances, strict=True))
        return f"{self.short} within {' and '.join(bounds)}"

    @property
    def short(self) -> str:
        """Its name in words."""
        return self.words.partition(":")[0]


CRITERIA: dict[str, CriterionRecord] = {
    record.name: record
    for record in (
        CriterionRecord("equal_opportunity", "EqualOpportunity", "equal opportunity: missed positives"),
        CriterionRecord(
            "equalized_odds", "EqualizedOdds", "equalized odds: both errors", ("on positives", "on negatives")
        ),
        CriterionRecord("demographic_parity", "DemographicParity", "demographic parity: predicted positive"),
        CriterionRecord(
            "false_positive_rate_parity", "FalsePositiveRateParity", "false positive rate parity: false alarms"
        ),
        CriterionRecord("accuracy_parity", "AccuracyParity", "accuracy parity: all errors"),
    )
}
PREDICTIVE_PARITY = CriterionRecord("predictive_parity", "PredictiveParity", "predictive parity: right positives")
"""Of rule lists alone: its rate is no linear function of the errors."""

_ALONE = {"rule_list": (PREDICTIVE_PARITY,)}

EVERY = {**CRITERIA, PREDICTIVE_PARITY.name: PREDICTIVE_PARITY}
"""The criteria of all families."""


def criteria_of(family: str) -> dict[str, CriterionRecord]:
    """Those that models of a family can be asked to meet."""
    return CRITERIA | {record.name: record for record in _ALONE.get(family, ())}


def in_words(criterion: Criterion, attribute: str = "") -> str:
    """What a constraint asks for; ``attribute`` is the column whose values are the groups, where it is known."""
    record = next(record for record in EVERY.values() if record.class_name == type(criterion).__name__)
    said = record.within(*(rate.tolerance for rate in criterion.rates()))
    return f"{said} between groups{f' of {attribute}' if attribute else ''}"


def held(parameters: Mapping[str, Any]) -> str:
    """The constraint that models are held to, to be said after their objective; empty where there is none."""
    fairness = parameters.get("fairness")
    return "" if fairness is None else f"; {in_words(fairness)}"
