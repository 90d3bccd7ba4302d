"""What a search for the least gap knows when it is proven, as a certificate that `rulelab.verify` checks without it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from ...certificate import Certificate, prove_least_gap_rule_set
from ...data.fairness import Criterion, groups_of
from ..generation import ColumnGeneration
from ..program import Program
from ..proof import dual_values, multipliers_of

if TYPE_CHECKING:
    from ...data.problem import Problem
    from ...models import RuleSet


def prove_least_gap(
    problem: Problem,
    model: RuleSet,
    program: Program,
    generation: ColumnGeneration | None,
    gap: Fraction,
    criterion: Criterion,
    conditions: int,
    min_accuracy: float,
    min_group_size: int,
) -> Certificate:
    """The certificate that no set of this accuracy has a smaller gap than the model.

    Parameters
    ----------
    problem, model
    program : Program
        Of the sets of a smaller gap.
    generation : ColumnGeneration, optional
        Which bounded their loss; None when the model's gap is 0.
    gap : Fraction
        The largest one that the program allows: the next smaller one than the model's, or 0.
    criterion : Criterion
        With the tolerance 0.
    conditions : int
        D.
    min_accuracy : float
    min_group_size : int

    Raises
    ------
    CertificateError
        When the numbers are too large for exact sums, or the proof would not be accepted.
    """
    n_groups = len(groups_of(problem, criterion).names)
    dual, price, grid, gamma = dual_values(problem, program, generation, n_groups)
    multipliers = multipliers_of(problem, model.form, program, criterion, gamma, min_group_size, gap)
    return prove_least_gap_rule_set(
        problem, model, dual, price, grid, program.max_complexity, conditions, min_accuracy, multipliers, min_group_size
    )
