"""Checks a proof that no rule list of some accuracy, of at most so many rules, has a smaller gap between groups.

The proof is that of a fair rule list in which a list costs its number of rules, and the constraints are the accuracy
and a gap that is smaller than the model's: then it says that no list of at most so many rules meets them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from ....data.problem import Problem
from ....models import RuleList
from ...certificate import Certificate, CertificateError, certificate_of, check_arrays, check_parameters
from ...demands import counted
from ...outcome import Outcome, divided
from ...rule_set.parity import GAP, check_gaps, most_wrong, parities, read_gaps, read_sides
from ..checker import check_rules
from .prefixes import meets_nothing_cheaper
from .space import FairSpace, check_table, kept, linear_row, read_sizes, rows_of, space_of

_NEEDED = ("min_accuracy", "max_length")


def check(
    problem: Problem, model: RuleList, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray], found: Outcome
) -> None:
    """Check the table and the multipliers against the problem and the model."""
    check_parameters(parameters, _NEEDED, "lists of least gap", ("min_group_size", "shift"), GAP)
    check_arrays(arrays, ("multipliers", "sets", "values"))
    space, gap = _space(problem, model, parameters, arrays["multipliers"])
    found.objective, longest = float(gap), int(parameters["max_length"])
    if gap:
        through = partial(meets_nothing_cheaper, space, None, longest + 1, False)
        found.checked.update(check_table(space, through, arrays["sets"], arrays["values"]))
    found.lower_bound, found.resolution = found.objective, 0.0
    found.prove(
        f"no rule list of at most {counted(longest, 'rule')} with an accuracy of at least "
        f"{parameters['min_accuracy']!r} has a gap below {float(gap):.10g}"
    )


def prove_least_gap(
    problem: Problem,
    model: RuleList,
    parameters: Mapping[str, float],
    multipliers: np.ndarray,
    bounds: Mapping[bytes, int],
) -> Certificate:
    """A proof from multipliers and bounds on completions that a search met, of which the needed ones are kept.

    ``parameters``: ``min_accuracy``, ``max_length``, ``min_group_size``, ``shift`` and the model's gaps in the rates.
    ``multipliers`` (float64 array): of the errors, and of each rate and pair of groups. ``bounds``: packed sets of the
    problem's patterns. Raises CertificateError when the bounds do not prove it, or weights have too many digits.
    """
    space, gap = _space(problem, model, parameters, multipliers)
    through = partial(meets_nothing_cheaper, space, None, int(parameters["max_length"]) + 1, False)
    arrays = kept(problem, space, through if gap else None, bounds)
    return certificate_of(problem, model.family, parameters, {**arrays, "multipliers": multipliers}, in_order=True)


def _space(
    problem: Problem, model: RuleList, parameters: Mapping[str, float], multipliers: np.ndarray
) -> tuple[FairSpace, Fraction]:
    """The space of lists of a smaller gap than the model's, and that gap; the model is what the parameters say."""
    accuracy, longest = (parameters[name] for name in _NEEDED)
    if not 0 <= accuracy <= 1 or longest != int(longest) or not 0 <= longest <= problem.n_antecedents:
        raise CertificateError(
            "the accuracy of the certificate must be from 0 to 1, and its rules a number of antecedents"
        )
    smallest, shift = read_sizes(parameters)
    claimed = read_gaps(parameters)
    check_rules(problem, model)
    if len(model) > longest:
        raise CertificateError(f"the model has {len(model)} rules, more than the {longest:g} of the certificate")
    whole, _ = divided(problem, True, any_size=True)
    sides = read_sides(whole, "dnf", True)
    positive = model.predicts_positive(whole.matrix())
    gap = check_gaps(sides, "dnf", claimed, smallest, positive.astype(np.int64))
    total = int(whole.positives.sum()) + int(whole.negatives.sum())
    most = most_wrong(accuracy, total)
    errors = int(whole.positives[~positive].sum()) + int(whole.negatives[positive].sum())
    if errors > most:
        raise CertificateError(f"the model's accuracy is {float(1 - Fraction(errors, total))!r}, below {accuracy!r}")
    constraints = parities(sides, "dnf", dict.fromkeys(claimed, gap), smallest)
    allowed = linear_row(
        (whole.negatives - whole.positives).tolist(), None, Fraction(most - int(whole.positives.sum()))
    )
    rows = [allowed, *rows_of(sides, constraints, strictly=True)]
    free = np.zeros((2, whole.n_patterns), dtype=np.int64)
    space = space_of(whole, free, 1, rows, multipliers, shift, sides, constraints)
    return replace(space, better="has a smaller gap than the model"), gap
