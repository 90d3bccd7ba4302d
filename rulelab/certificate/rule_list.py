"""Checks a proof that a rule list is optimal: a table of lower bounds that bear each other out.

Let f(S) be the least further cost once exactly the set S of patterns is uncaptured: the default rule's errors on S, or
a rule's errors on what it captures, plus the rule, plus f of what it leaves. A table gives values V(S) for some sets. If

    V(S) <= errors of the default rule on S,    and for every antecedent a that captures part of S
    V(S) <= errors of a on S + rule + V'(S minus a),    V'(T) the larger of V(T), if in the table, and h(T) <= f(T),

then V <= f on the table, by induction on the size of S, and V(all patterns) = cost of the model proves it optimal.
An antecedent whose majority weight in S does not pay for a rule is skipped: some optimal list has no such rule
(Thm 11, in context). The bound h is computed here, see `_completions_below`. All sums are exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..models import RuleList
from ..problem import Problem
from .certificate import CertificateError
from .rule_list_states import Grid, States, exact_sum, grid, states

_CELLS = 1 << 21
_LONGEST = 12
"""Completions of more rules than this are bounded by their rules alone."""


@dataclass(frozen=True)
class Outcome:
    """What a checker found; see `Verification`."""

    valid: bool
    reason: str
    objective: float | None = None
    lower_bound: float | None = None
    resolution: float | None = None
    checked: dict[str, int] = field(default_factory=dict)


class Children(NamedTuple):
    """Sets left by one more rule whose f the bound h does not show to be large enough.

    Attributes
    ----------
    parent : int64 array
        Position of the parent in the chunk.
    antecedent : int64 array
    sets : uint8 array, shape (n, n_bytes)
    required : int64 array
        What f of the set must be at least.
    """

    parent: np.ndarray
    antecedent: np.ndarray
    sets: np.ndarray
    required: np.ndarray


def check(problem: Problem, model: RuleList, regularization: float, arrays: Mapping[str, np.ndarray]) -> Outcome:
    """Check the table against the problem and the model."""
    try:
        costs, objective, value = recompute(problem, model, regularization)
        space = states(problem, costs)
        sets, values = _table(space, arrays)
    except CertificateError as error:
        return Outcome(False, str(error))
    table = dict(zip(map(bytes, sets), values.tolist(), strict=True))
    root = table.get(bytes(space.everything[0]))
    if root is None:
        return Outcome(False, "the table does not hold the set of all patterns, so nothing is proven about the model")
    proven = root + space.per_error * space.constant
    lower_bound = proven * costs.unit - costs.overestimate
    found = {"objective": float(objective), "lower_bound": float(lower_bound)}
    if proven != value:
        return Outcome(False, f"the table bounds the objective by {found['lower_bound']:.10g}, not by the model's "
                       f"objective {found['objective']:.10g}", **found)
    rounding = costs.tolerance + len(model) * (Fraction(repr(regularization)) - costs.per_rule * costs.unit)
    if objective - lower_bound > rounding:
        return Outcome(False, "a rule of the model does not predict the majority of what it captures", **found)
    checked = {"sets": len(sets), "inequalities": len(sets) * (1 + len(space.antecedents)), "looked up": 0}
    for start, chunk in _chunks(space, sets):
        open_children = children(space, chunk, values[start : start + len(chunk)])
        checked["looked up"] += len(open_children.parent)
        for parent, a, child, required in zip(*open_children, strict=True):
            if table.get(bytes(child), -1) < required:
                return Outcome(False, _broken(problem, space, start + parent, chunk[parent], a, child, required, table),
                               checked=checked, **found)
    at = f" at regularization {regularization!r}"
    if resolution := float(objective - lower_bound):
        at += f", up to {resolution:.1e}"
    return Outcome(True, f"proven optimal{at}: no rule list has an objective below {found['lower_bound']:.10g}",
                   resolution=resolution, checked=checked, **found)


def recompute(problem: Problem, model: RuleList, regularization: float) -> tuple[Grid, Fraction, int]:
    """The grid, the model's objective from its own predictions, and its cost on the grid.

    Raises
    ------
    CertificateError
        When the regularization is out of range or the model does not fit the problem.
    """
    if not 0 < regularization < 1:
        raise CertificateError(f"the regularization must be above 0 and below 1, not {regularization!r}")
    if model.n_antecedents != problem.n_antecedents or tuple(model.classes) != tuple(problem.classes):
        raise CertificateError("the model was made for other antecedents or other classes than the problem has")
    costs, inside = grid(problem, regularization), problem.matrix()
    left = np.ones(problem.n_patterns, dtype=bool)
    value, errors = 0, Fraction(0)
    for i, rule in enumerate((*model.rules, model.default)):
        where = f"rule {i + 1} of the model" if rule is not model.default else "the default rule of the model"
        captured = left if rule.antecedent is None else left & inside[:, rule.antecedent]
        if rule.antecedent is not None and rule.name != problem.names[rule.antecedent]:
            raise CertificateError(f"{where} is named {rule.name!r}, but its antecedent of the problem is "
                                   f"{problem.names[rule.antecedent]!r}")
        counts = problem.positives[captured].sum().item(), problem.negatives[captured].sum().item()
        if not np.allclose(counts, (rule.positives, rule.negatives), rtol=1e-9, atol=0):
            raise CertificateError(f"{where} claims to capture {rule.positives} positive and {rule.negatives} negative, "
                                   f"but captures {counts[0]} and {counts[1]}")
        wrong = problem.negatives if rule.prediction == problem.classes[1] else problem.positives
        errors += exact_sum(wrong[captured])
        value += costs.per_error * min(int(costs.positives[captured].sum()), int(costs.negatives[captured].sum()))
        left = left & ~captured
    total = exact_sum(problem.positives) + exact_sum(problem.negatives)
    objective = errors / total + Fraction(repr(regularization)) * len(model)
    return costs, objective, value + costs.per_rule * len(model)


def children(space: States, sets: np.ndarray, values: np.ndarray) -> Children:
    """The children of packed sets that the table must hold, if the sets are to keep their values."""
    positive, negative, all_positive, all_negative = space.net_weights(sets)
    exceeded = np.flatnonzero(values > space.cost_of(np.minimum(all_positive, all_negative))[:, 0])
    # an antecedent is looked at if it pays for a rule, and its errors and two rules cost less than the set's value
    pays = np.maximum(positive, negative) > space.per_rule // space.per_error
    cheap = np.minimum(positive, negative) < space.weight_for(values - 2 * space.per_rule)[:, None]
    parent, a = np.nonzero(pays & cheap)
    captured_positive, captured_negative = positive[parent, a], negative[parent, a]
    required = values[parent] - space.per_rule - space.cost_of(np.minimum(captured_positive, captured_negative))
    unproven = _rules_below(  # what antecedents capture of a set bounds what they capture of its children
        space,
        (all_positive[parent, 0] - captured_positive, all_negative[parent, 0] - captured_negative),
        (_largest_sums(positive)[:, parent], _largest_sums(negative)[:, parent]),
        required,
        fewest=0,
    )
    parent, a, required = parent[unproven], a[unproven], required[unproven]
    left = sets[parent] & space.outside[a]
    unproven = np.zeros(len(left), dtype=bool)
    for part in chunks(space, len(left)):
        unproven[part] = _completions_below(space, left[part], required[part])
    return Children(exceeded, parent[unproven], a[unproven], left[unproven], required[unproven])


def _completions_below(space: States, sets: np.ndarray, required: np.ndarray) -> np.ndarray:
    """Where the bound h does not show that every completion from a set costs what is required.

    No rule and one rule are tried exactly. Completions of more are bounded by `_rules_below` and, if that is not enough,
    by their damage: let a default that predicts d follow ``ks`` >= 1 rules for the other label s and ``kd`` for d, and b
    be the antecedent of an s-rule with the largest weight W^s_b in the set. The s-rules capture at most ``ks * W^s_b`` and
    at most the sum of the ks largest W^s. The d-weight in b is wrong except for what d-rules before it take away, at
    most the sum of the kd largest W^d.
    """
    positive, negative, all_positive, all_negative = space.net_weights(sets)
    wrong = np.minimum(all_positive, all_negative)[:, 0]
    below = wrong < space.weight_for(required)
    wrong = np.minimum(positive, negative) + np.minimum(all_positive - positive, all_negative - negative)
    below |= wrong.min(axis=1) < space.weight_for(required - space.per_rule)
    sums = _largest_sums(positive), _largest_sums(negative)
    several = _rules_below(space, (all_positive[:, 0], all_negative[:, 0]), sums, required, fewest=2)
    rows = np.flatnonzero(several & ~below & (required <= (_LONGEST + 1) * space.per_rule))
    below |= several
    below[rows] = False
    positives, negatives = (positive, all_positive, sums[0]), (negative, all_negative, sums[1])
    for (weight_s, all_s, sum_s), (weight_d, _, sum_d) in ((positives, negatives), (negatives, positives)):
        for ks in range(1, _LONGEST + 1):
            for kd in range(max(0, 2 - ks), _LONGEST + 1 - ks):
                allowed = space.weight_for(required[rows] - (ks + kd) * space.per_rule)
                possible = ~below[rows] & (all_s[rows, 0] - sum_s[ks, rows] < allowed)
                i = rows[possible]
                if len(i) == 0:
                    break
                captured = np.minimum(ks * weight_s[i], sum_s[ks, i, None])
                damage = np.maximum(weight_d[i] - sum_d[kd, i, None], 0)
                wrong = np.maximum(all_s[i] - captured, 0) + damage
                below[i] = wrong.min(axis=1) < allowed[possible]
    return below


def _rules_below(
    space: States,
    left: tuple[np.ndarray, np.ndarray],
    sums: tuple[np.ndarray, np.ndarray],
    required: np.ndarray,
    fewest: int,
) -> np.ndarray:
    """Where completions by at least ``fewest`` rules may cost less than required, as far as captured weight tells.

    All weight of the label that the default rule does not predict must be captured, and r rules capture at most the sum
    of the r largest weights.
    """
    below = required > (_LONGEST + 1) * space.per_rule
    for r in range(fewest, _LONGEST + 1):
        allowed = required - r * space.per_rule
        if (allowed <= 0).all():
            break
        wrong = np.minimum(left[0] - sums[0][r], left[1] - sums[1][r])
        below |= (np.maximum(wrong, 0) < space.weight_for(allowed)) & (allowed > 0)
    return below


def _largest_sums(weights: np.ndarray) -> np.ndarray:
    """``out[r, i]``: the sum of the r largest entries of row i. Where it is rounded it exceeds all weight there is."""
    k = min(_LONGEST, weights.shape[1])
    largest = -np.sort(np.partition(-weights, k - 1, axis=1)[:, :k] if k else -weights, axis=1)
    out = np.zeros((_LONGEST + 1, len(weights)), dtype=weights.dtype)
    out[1 : k + 1] = largest.T
    return out.cumsum(axis=0, dtype=weights.dtype)


def chunks(space: States, n: int) -> Iterator[slice]:
    """Slices of n sets that are small enough to be worked on at once."""
    step = max(1, _CELLS // (len(space.weights) + len(space.antecedents) + 1))
    return (slice(start, min(n, start + step)) for start in range(0, n, step))
