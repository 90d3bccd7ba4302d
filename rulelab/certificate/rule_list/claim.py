"""What a certificate of fair rule lists claims: that its model is the best, or a bound on all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ...data.problem import Problem
from ...models import RuleList
from ..certificate import CertificateError
from ..outcome import LOWER_BOUND, Outcome, bounded, cost_to_prove
from .checker import check_rules, recompute
from .states import Grid


@dataclass(frozen=True, eq=False)
class Claim:
    """No fair list costs less than ``cost`` units; ``bound`` is what that is in the objective.

    Attributes
    ----------
    costs : Grid
    objective : Fraction
        Of the model.
    cost : int
    bound : float
    optimal : bool
        Whether that is the model's cost.
    """

    costs: Grid
    objective: Fraction
    cost: int
    bound: float
    optimal: bool

    def holds(self, checked: dict[str, int]) -> Outcome:
        """The answer of a check in which nothing cheaper was met."""
        found = float(self.objective)
        if not self.optimal:
            return bounded(self.bound, {"objective": found}, checked)
        reason = f"no fair rule list has an objective below {self.bound:.10g}"
        return Outcome(True, reason, objective=found, lower_bound=self.bound, resolution=0.0, checked=checked)


def check_majority(problem: Problem, model: RuleList, costs: Grid) -> None:
    """Refuse a model that predicts otherwise than most of what a rule captures; the negative class where both tie."""
    every = (*model.rules, model.default)
    for i, (rule, captured) in enumerate(zip(every, check_rules(problem, model), strict=True)):
        more = int(costs.positives[captured].sum()) > int(costs.negatives[captured].sum())
        if captured.any() and more != (rule.prediction == problem.classes[1]):
            raise CertificateError(f"rule {i + 1} of the model does not predict the majority of what it captures")


def read_claim(problem: Problem, model: RuleList, parameters: Mapping[str, float]) -> Claim:
    """What the parameters claim of a model, which is checked rule by rule.

    Parameters
    ----------
    problem : Problem
    model : RuleList
    parameters : mapping of str to float
        ``regularization``, of fair lists ``majority``, and maybe ``lower_bound``.

    Raises
    ------
    CertificateError
        When the model is not what it says, or the claim is none.
    """
    majority = parameters.get("majority", 0)
    if majority not in (0, 1):
        raise CertificateError("the certificate does not say for which labels it speaks")
    costs, objective, _ = recompute(problem, model, parameters["regularization"], problem.n_antecedents)
    cost = costs.cost(objective, len(model))
    if majority == 1:
        check_majority(problem, model, costs)
    least = cost_to_prove(parameters, cost, costs.unit, costs.overestimate)
    optimal = LOWER_BOUND not in parameters
    return Claim(
        costs, objective, least, float(objective if optimal else least * costs.unit - costs.overestimate), optimal
    )
