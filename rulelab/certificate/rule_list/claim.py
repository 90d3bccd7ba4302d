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

    ``objective``: of the model. ``optimal``: whether that is the model's cost, less what rounding can hide.
    """

    costs: Grid
    objective: Fraction
    cost: int
    bound: Fraction
    optimal: bool

    def holds(self, checked: dict[str, int], lists: str = "fair rule list", among: str = "") -> Outcome:
        """The answer of a check in which nothing cheaper was met."""
        objective, bound = float(self.objective), float(self.bound)
        if not self.optimal:
            return bounded(bound, {"objective": objective}, checked, among)
        reason = f"no {lists}{among and f' that {among}'} has an objective below {bound:.10g}"
        resolution = float(self.objective - self.bound)
        return Outcome(True, reason, False, among, objective, bound, resolution, checked)


def check_majority(problem: Problem, model: RuleList) -> None:
    """Refuse a model that predicts otherwise than most of what a rule captures; the negative class where both tie."""
    every = (*model.rules, model.default)
    for i, (rule, captured) in enumerate(zip(every, check_rules(problem, model), strict=True)):
        more = int(problem.masses.positives[captured].sum()) > int(problem.masses.negatives[captured].sum())
        if captured.any() and more != (rule.prediction == problem.classes[1]):
            raise CertificateError(f"rule {i + 1} of the model does not predict the majority of what it captures")


def read_claim(problem: Problem, model: RuleList, parameters: Mapping[str, float]) -> Claim:
    """What the parameters claim of a model, which is checked rule by rule.

    ``parameters``: ``regularization``, of fair lists ``majority``, and maybe ``lower_bound``. Raises CertificateError
    when the model is not what it says, or the claim is none.
    """
    majority = parameters.get("majority", 0)
    if majority not in (0, 1):
        raise CertificateError("the certificate does not say for which labels it speaks")
    costs, objective, _, cost = recompute(problem, model, parameters["regularization"], problem.n_antecedents)
    if majority == 1:
        check_majority(problem, model)
    optimal = LOWER_BOUND not in parameters
    least = cost_to_prove(parameters, cost, costs.unit, costs.overestimate, costs.hidden)
    bound = objective if optimal and costs.exact else max(Fraction(0), least * costs.unit - costs.overestimate)
    return Claim(costs, objective, least, bound, optimal)
