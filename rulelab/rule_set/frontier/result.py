"""One cell of a frontier of fair rule sets, as it was left."""

from __future__ import annotations

from dataclasses import dataclass

from ...data.fairness import Criterion
from ...models import RuleSet


@dataclass(frozen=True)
class FairCell:
    """One cell of a frontier, as it was left.

    Attributes
    ----------
    criterion : Criterion
        With its tolerances.
    max_complexity : int
        C.
    status : str
        "proven": no set that meets the criterion costs less, for rules of at most ``conditions`` conditions.
        "gap": ``lower_bound`` is certified and below the objective. "heuristic": nothing but the trivial bound is
        known. "infeasible": proven that no set meets the criterion.
    model : RuleSet or None
        The best set found.
    objective, lower_bound : float
        Training loss; with status "infeasible" and no model, the objective is infinite.
    conditions : int
        D: the most conditions of a rule that the bound speaks of.
    errors : int or float or None
        Training errors of the model.
    proxy_gaps, true_gaps : dict of str to float
        The largest difference between two groups in each rate on the training data: as the criterion's constraints
        count it (with the Hamming loss a negative counts once for every rule that covers it), and as the model
        predicts.
    emptied : str
        Why the rates are equal and yet of no use, such as "equal because nearly everyone is missed: true positive
        rates 3 %"; else empty.
    selected : RuleSet or None
        Of the sets met that meet the criterion, one of fewest training errors ("pool select").
    """

    criterion: Criterion
    max_complexity: int
    status: str
    model: RuleSet | None
    objective: float
    lower_bound: float
    conditions: int
    errors: int | float | None
    proxy_gaps: dict[str, float]
    true_gaps: dict[str, float]
    emptied: str
    selected: RuleSet | None

    @property
    def gap(self) -> float:
        """Objective minus lower bound."""
        return self.objective - self.lower_bound
