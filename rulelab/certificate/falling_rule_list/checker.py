"""Checks a proof that a falling rule list is optimal: a table of lower bounds that bear each other out.

Let f(S, r) be the least further cost once exactly the set S of patterns is uncaptured and the last rule has the
proportion r of positives: that of the else on S, or of a rule of proportion at most r, and what follows it. A table
gives values V for pairs (S, r). If

    V <= cost of the else on S,   and for every antecedent a that may come next, with proportion r_a <= r on S,
    V <= cost of a on S + rule + V',   V' a value of the table for S minus a and some r' >= r_a, or a bound h on f,

then V <= f for all of them, by induction on the size of S, since f falls as r grows; and V(all patterns, 1) = cost of
the model proves it optimal. Only antecedents above the threshold are looked at (Cor 4.5), and such that what they leave
has no larger proportion (Prop 4.2). The bound h is computed here, see `states`. All decisions are exact.

An entry of the table names an earlier one and the antecedent that leads from it to this one: its set is that of the
earlier entry minus the antecedent, its proportion the antecedent's there.

A certificate may first drop antecedents that no list below the bound has, see `joint_capture`; the table then speaks of
lists of the others, among which the antecedents of its entries are counted.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np

from ...data.problem import Problem
from ...models import FallingRuleList, ModelError
from ..certificate import CertificateError, check_arrays, check_parameters
from ..origin import same_conditions
from ..outcome import LOWER_BOUND, Outcome, cost_to_prove, nearly
from .joint_capture import ROUNDS, reduced, what_is_left
from .states import Entries, FallingStates, children, falling_space

NEEDED = ("regularization", "positive_weight")
ARRAYS = {"parents", "antecedents", "values"}
_LARGEST_SETS = 1 << 32
Table = dict[bytes, list[tuple[int, int, int]]]


def check(
    problem: Problem,
    model: FallingRuleList,
    parameters: Mapping[str, float],
    arrays: Mapping[str, np.ndarray],
    found: Outcome,
) -> None:
    """Check the table against the problem and the model."""
    check_parameters(parameters, NEEDED, "falling rule lists", (LOWER_BOUND,))
    drops = not ROUNDS.isdisjoint(arrays)
    check_arrays(arrays, ARRAYS | ROUNDS if drops else ARRAYS)
    regularization, positive_weight = (parameters[name] for name in NEEDED)
    space, *weights = falling_space(problem, regularization, positive_weight)
    value, objective = falling_value(problem, model, space, positive_weight, *weights)
    found.objective, checked = float(objective), found.checked
    least = cost_to_prove(parameters, value, space.unit, space.over, space.hidden)
    if drops:
        left = what_is_left(space, arrays, least)
        checked.update(dropped=int(len(left) - left.sum()), multipliers=arrays["pairs"].shape[1])
        space = reduced(space, left)
    entries = _entries(space, arrays)
    if entries.values[0] != least:
        whose = "the certificate is for" if LOWER_BOUND in parameters else "the model's objective is"
        raise CertificateError(
            f"the table claims the bound {space.bound(int(entries.values[0])):.10g}, but {whose} "
            f"{space.bound(least):.10g}"
        )
    if LOWER_BOUND not in parameters:
        space.claim(least, objective, found)
    table = table_of(entries)
    checked.update(sets=len(table), entries=len(entries.values), looked_up=0)
    checked["inequalities"] = len(entries.values) * (1 + len(space.antecedents))
    for part in space.chunks(len(entries.values)):
        checked["looked_up"] += _check_chunk(problem, space, table, entries.part(part), part.start)
    if LOWER_BOUND in parameters:
        found.prove_bound(space.bound(least))
        return
    found.prove(
        f"no falling rule list has an objective below {found.lower_bound:.10g} at regularization {regularization!r} "
        f"and positive weight {positive_weight!r}"
    )


def falling_value(
    problem: Problem,
    model: FallingRuleList,
    space: FallingStates,
    positive_weight: float,
    grid: Problem,
    whole: Problem,
) -> tuple[int, Fraction]:
    """The model's cost in the weights of the grid, and its objective, counted anew in whole weights.

    Raises CertificateError when the model does not fit the problem, does not fall, or says what its antecedents do not.
    """
    if model.violation_penalty is not None:
        raise CertificateError("the model is softly falling, and the certificate is for lists that fall")
    require_counts(problem, model, positive_weight, None)
    cost, last, loss = space.per_rule * len(model.rules), Fraction(1), Fraction(0)
    worth = Fraction(repr(float(positive_weight)))
    cost += sum(min(space.per_positive * p, space.per_negative * q) for p, q in pieces(model, grid))
    for p, q in pieces(model, whole):
        loss += min(worth * p, Fraction(q))
        if p + q:
            if Fraction(p, p + q) > last:
                raise CertificateError("the model does not fall: a proportion is larger than the one before it")
            last = Fraction(p, p + q)
    total = int(whole.positives.sum()) + int(whole.negatives.sum())
    return cost, loss / total + space.rule * len(model.rules)


def pieces(model: FallingRuleList, weights: Problem) -> Iterator[tuple[int, int]]:
    """Positives and negatives that each rule captures, then the else, counted anew."""
    inside, left = weights.matrix(), np.ones(weights.n_patterns, dtype=bool)
    for antecedent in (*model.antecedents, None):
        captured = left if antecedent is None else left & inside[:, antecedent]
        yield int(weights.positives[captured].sum()), int(weights.negatives[captured].sum())
        left = left & ~captured


def require_counts(problem: Problem, model: FallingRuleList, positive_weight: float, penalty: float | None) -> None:
    """Refuse a model whose rules do not say what its antecedents do; raises CertificateError."""
    if model.violation_penalty != penalty:
        raise CertificateError(
            f"the certificate is for the violation penalty {penalty!r}, the model for {model.violation_penalty!r}"
        )
    if model.positive_weight != positive_weight:
        raise CertificateError(
            f"the certificate is for the positive weight {positive_weight!r}, the model for {model.positive_weight!r}"
        )
    if model.n_antecedents != problem.n_antecedents or tuple(model.classes) != tuple(problem.classes):
        raise CertificateError("the model was made for other antecedents or classes than those of the problem")
    try:
        again = FallingRuleList.from_problem(problem, model.antecedents, positive_weight, penalty)
    except (ModelError, TypeError) as error:
        raise CertificateError(f"the model does not fit the problem: {error}") from None
    for k, (said, is_so) in enumerate(zip((*model.rules, model.default), (*again.rules, again.default), strict=True)):
        where = "the default of the model" if said is model.default else f"rule {k + 1} of the model"
        for field in ("antecedent", "name", "prediction", "positives", "negatives", "correct"):
            agree = operator.eq if problem.integral or field in ("antecedent", "name", "prediction") else nearly
            if not agree(getattr(said, field), getattr(is_so, field)):
                raise CertificateError(
                    f"{where} claims the {field} {getattr(said, field)!r}, but it is {getattr(is_so, field)!r}"
                )
        if not same_conditions(said.conditions, is_so.conditions):
            raise CertificateError(f"{where} tests other conditions than its antecedent {is_so.name!r} of the problem")
        if not nearly(said.probability, is_so.probability):
            raise CertificateError(
                f"{where} claims the probability {said.probability}, but it is {is_so.probability:.10g}"
            )


def _entries(space: FallingStates, arrays: Mapping[str, np.ndarray]) -> Entries:
    """The entries of the table, their sets and proportions made from what leads to them."""
    values = arrays["values"]
    sets, captured = sets_of(space, arrays, ("parents", "antecedents", "values"))
    most = min(space.per_positive * int(space.positives.sum()), space.per_negative * int(space.negatives.sum()))
    if (values < 0).any() or (values > most).any():
        raise CertificateError("a value of the table is negative or exceeds what the else costs on everything")
    if (captured.sum(axis=1) == 0).any():
        raise CertificateError("an entry follows by an antecedent that captures nothing")
    captured[1:, 0] += space.misplaced
    return Entries(sets, captured[:, 0], captured.sum(axis=1), values)


def sets_of(
    space: FallingStates, arrays: Mapping[str, np.ndarray], names: Sequence[str] = ("parents", "antecedents")
) -> tuple[np.ndarray, np.ndarray]:
    """The packed sets that entries leave, and positives and negatives that their last rules capture, shape (n, 2)."""
    parents, antecedents = prefixes_of(arrays, names, len(space.antecedents), space.n_bytes)
    n = len(parents)
    sets = np.empty((n, space.n_bytes), dtype=np.uint8)
    sets[0] = space.everything[0]
    for k in range(1, n):
        np.bitwise_and(sets[parents[k]], space.outside[antecedents[k]], out=sets[k])
    captured = np.tile(np.array([1, 0], dtype=np.int64), (n, 1))
    for part in space.chunks(n - 1):
        hit = sets[parents[1:][part]] & ~space.outside[antecedents[1:][part]]
        captured[1:][part] = np.column_stack([side.total for side in space.totals(hit & space.everything)])
    return sets, captured


def prefixes_of(
    arrays: Mapping[str, np.ndarray], names: Sequence[str], n_antecedents: int, n_bytes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Parents and antecedents of entries that are prefixes, each an earlier one and one more antecedent; checked."""
    parents, antecedents = arrays["parents"], arrays["antecedents"]
    n = len(parents) if parents.ndim == 1 else 0
    if any(arrays[name].dtype != np.int64 or arrays[name].shape != (n,) for name in names):
        raise CertificateError(f"{', '.join(map(repr, names))} must be one integer each for every entry")
    if n == 0 or parents[0] != -1 or antecedents[0] != -1:
        raise CertificateError("the first entry must be the empty prefix, or the table says nothing about the model")
    if (parents[1:] < 0).any() or (parents[1:] >= np.arange(1, n)).any():
        raise CertificateError("an entry does not follow an earlier one")
    if (antecedents[1:] < 0).any() or (antecedents[1:] >= n_antecedents).any():
        raise CertificateError("an entry follows by an antecedent that the problem does not have")
    if n * n_bytes > _LARGEST_SETS:
        raise CertificateError(f"the sets of {n} entries take more than {_LARGEST_SETS} bytes")
    return parents, antecedents


def table_of(entries: Entries) -> Table:
    """Proportions and values by set."""
    table: Table = {}
    for key, p, n, value in zip(map(bytes, entries.sets), *(each.tolist() for each in entries[1:]), strict=True):
        table.setdefault(key, []).append((p, n, value))
    return table


def _check_chunk(problem: Problem, space: FallingStates, table: Table, entries: Entries, start: int) -> int:
    """Check the inequalities of some entries; the number of children looked up in the table."""
    below = children(space, entries)
    for k in below.exceeded[:1]:
        raise CertificateError(
            f"entry {start + k} of the table claims that what follows costs at least {entries.values[k]}, "
            "but the else, at once or after one rule, costs less"
        )
    left = below.left
    rows = zip(
        below.parent, below.antecedent, map(bytes, left.sets), *(each.tolist() for each in left[1:]), strict=True
    )
    for parent, a, child, p, n, required in rows:
        if not any(v >= required and p * n_v <= p_v * n for p_v, n_v, v in table.get(child, ())):
            raise CertificateError(
                f"entry {start + parent} of the table claims that what follows costs at least "
                f"{entries.values[parent]}, but the rule {problem.names[space.antecedents[a]]!r} leaves a set that "
                f"would have to cost {required}, and the table does not say so"
            )
    return len(below.parent)
