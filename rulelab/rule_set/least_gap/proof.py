"""What a search for the least gap knows when it is proven, as a certificate that `rulelab.verify` checks without it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...certificate import Certificate, prove_least_gap_rule_set, prove_least_gap_rule_set_in_parts
from ...certificate.rule_set.least_gap import smaller_gaps
from ...data.fairness import Criterion, groups_of
from ..generation import ColumnGeneration
from ..partition_proof import arrays_of_parts
from ..program import Program
from ..proof import counted, dual_values, multipliers_of
from ..rate_parts import Part

if TYPE_CHECKING:
    from ...data.problem import Problem
    from ...models import RuleSet


class Proven(NamedTuple):
    """What has shown that no set of a program costs less than some number.

    Attributes
    ----------
    program : Program
    generation : ColumnGeneration or None
        Which bounded their cost; None where nothing had to.
    parts : tuple of Part, or None
        Where rates were searched part by part; the program is that of the last one then.
    """

    program: Program
    generation: ColumnGeneration | None = None
    parts: tuple[Part, ...] | None = None


def prove_least_gap(
    problem: Problem,
    model: RuleSet,
    proven: Proven,
    gap: Fraction,
    criterion: Criterion,
    conditions: int,
    min_accuracy: float,
    min_group_size: int,
    zero_one: bool,
    rounded: Problem | None = None,
) -> Certificate:
    """The certificate that no set of this accuracy has a smaller gap than the model.

    Parameters
    ----------
    problem, model
    proven : Proven
        That all sets of a smaller gap lose more; nothing when the model's gap is 0.
    gap : Fraction
        The largest one that the program allows: the next smaller one than the model's, or 0.
    criterion : Criterion
        With the tolerance 0.
    conditions : int
        D.
    min_accuracy : float
    min_group_size : int
    zero_one : bool
        Whether accuracy and rates are those of the predictions.
    rounded : Problem, optional
        The one that ``proven`` speaks of, where not this one: in weights of fewer digits.

    Raises
    ------
    CertificateError
        When there are too many parts, the numbers are too large for exact sums, or the proof would not be accepted.
    """
    parts = proven.parts
    whole, program = counted(rounded or problem, proven.program, True)
    limits = program.max_complexity, conditions, min_accuracy
    if parts is not None:
        names = [rate.name for rate in criterion.rates()]

        def certificate(arrays: dict[str, np.ndarray]) -> Certificate:
            return prove_least_gap_rule_set_in_parts(problem, model, arrays, *limits, names, min_group_size, zero_one)

        case = smaller_gaps(problem, model, *limits, names, min_group_size, zero_one)
        return certificate(arrays_of_parts(rounded or problem, model, case, parts, criterion, min_group_size, gap))
    n_groups = len(groups_of(problem, criterion).names)
    dual, price, grid, gamma = dual_values(whole, program, proven.generation, n_groups)
    multipliers = multipliers_of(whole, model.form, program, criterion, gamma, min_group_size, gap)
    return prove_least_gap_rule_set(problem, model, dual, price, grid, *limits, multipliers, min_group_size, zero_one)
