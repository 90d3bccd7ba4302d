"""Small proofs of all families, every way to change one, and a judge who knows the true optimum.

Use `proofs(rng)` for proofs, `mutations(rng, proof.certificate)` for changed ones, `damaged(rng, content)` for changed
files, and `judge(proof, certificate)` and `judge_file(proof, content)`, which raise `AssertionError` when a changed
proof is accepted though what it claims is false.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import naive
import naive_rule_sets
import numpy as np
import pandas as pd

import rulelab as rl
from rulelab.certificate import Certificate, CertificateError, KnownSets, prove_falling_rule_list, prove_rule_list
from rulelab.certificate.rule_list.states import States, grid, states
from rulelab.data.conditions import Condition, attach_conditions

_ADDED = ("accuracy_tolerance", "precision_tolerance", "x_tolerance", "lower_bound")
INTERNAL = {"grid", "bound_only", "shift", "lower_bound"}
"""Parameters that say how something is proven, not what."""


@dataclass(frozen=True, eq=False)
class Proof:
    """A certificate that holds, and ``least``: the true optimum for given parameters, found by plain enumeration."""

    name: str
    problem: rl.Problem
    model: Any
    certificate: Certificate
    least: Callable[[Mapping[str, float]], Fraction | None]
    least_of: Callable[[Certificate], Fraction | None] | None = None
    """In place of ``least`` where arrays say what a certificate speaks of."""

    def optimum(self, certificate: Certificate) -> Fraction | None:
        """The true optimum of what a certificate speaks of."""
        return self.least(certificate.parameters) if self.least_of is None else self.least_of(certificate)


def proofs(rng: np.random.Generator) -> Iterator[Proof]:
    """One proof of each kind, about different data each time."""
    n, m = 24, 4
    A = rng.random((n, m)) < rng.uniform(0.25, 0.7, m)
    y = (A[:, 0] & A[:, 1]) ^ A[:, 2] ^ (rng.random(n) < 0.2)
    y[:2], A[1] = (True, False), A[0]
    groups = np.array(["a", "b", "c"])[rng.choice(3, n, p=[0.45, 0.45, 0.1])]
    for i, g in enumerate("abc"):
        groups[4 * i : 4 * i + 4], y[4 * i : 4 * i + 4] = g, [True, False] * 2
    weight = rng.integers(1, 5, n)
    frame = pd.DataFrame(A, columns=[f"c{j}" for j in range(m)])
    problem = rl.Problem.from_arrays(frame, y, sample_weight=weight, groups=groups)
    data = A, y, weight.tolist()
    yield from _lists(rng, problem, data)
    yield from _fair_lists(problem, data, groups)
    yield from _value_lists(problem, data, groups)
    if (fair := _fair_falling(problem, data, groups, float(rng.choice([0.5, 1.0, 2.0])))) is not None:
        yield fair
    yield _least_gap(problem, data, groups)
    for form in ("dnf", "cnf"):
        yield _least_gap_of_sets(problem, data, groups, form)
        for fairness in (None, rl.EqualizedOdds(0.2, 0.1), rl.AccuracyParity(0.1)):
            yield from _sets(rng, problem, data, groups, form, fairness)
        yield from _demanding_sets(rng, A, y, weight, form)


def _lists(rng: np.random.Generator, problem: rl.Problem, data: Any) -> Iterator[Proof]:
    regularization = float(rng.choice([0.005, 0.01, 0.02]))

    def least(parameters: Mapping[str, float]) -> Fraction:
        return naive.best_rule_list(*data, Fraction(repr(parameters["regularization"])))

    model = rl.solve(rl.RuleListSearch(problem, regularization)).incumbent.model
    proof = Proof("rule list", problem, model, prove_rule_list(problem, model, regularization), least)
    yield from (proof, _of_bound(proof))
    known = _known(problem, regularization)
    with_lemmas = prove_rule_list(problem, model, regularization, known)
    if "lemmas" not in with_lemmas.arrays:
        chosen = np.arange(len(with_lemmas.arrays["values"]))
        with_lemmas = replace(with_lemmas, arrays={**with_lemmas.arrays, "lemmas": chosen})
    yield Proof("rule list with lemmas", problem, model, with_lemmas, least)
    positive_weight = float(rng.choice([0.5, 1.0, 2.0]))

    def least_falling(parameters: Mapping[str, float]) -> Fraction:
        w, c = (Fraction(repr(parameters[name])) for name in ("positive_weight", "regularization"))
        return naive.best_falling_rule_list(*data, w, c)

    falling = rl.solve(rl.FallingRuleListSearch(problem, regularization, positive_weight)).incumbent.model
    certificate = prove_falling_rule_list(problem, falling, regularization)
    proof = Proof("falling rule list", problem, falling, certificate, least_falling)
    yield from (proof, _of_bound(proof))
    yield from _softly_falling(rng, problem, data, regularization, positive_weight)


def _softly_falling(
    rng: np.random.Generator, problem: rl.Problem, data: Any, regularization: float, positive_weight: float
) -> Iterator[Proof]:
    names = ("positive_weight", "regularization", "violation_penalty")

    def least(parameters: Mapping[str, float]) -> Fraction:
        return naive.best_falling_rule_list(*data, *(Fraction(repr(parameters[name])) for name in names))

    penalty = float(rng.choice([0.01, 0.1, 0.5]))
    search = rl.search_for(
        problem,
        "falling_rule_list",
        regularization=regularization,
        positive_weight=positive_weight,
        violation_penalty=penalty,
    )
    model = rl.solve(search).incumbent.model
    with suppress(CertificateError):  # another list may be better by less than the search tells apart
        proof = Proof("softly falling", problem, model, search.certificate(), least)
        yield from (proof, _of_bound(proof))


def _of_bound(proof: Proof) -> Proof:
    """The same proof, for the lower bound alone."""
    objective = rl.verify(proof.problem, proof.model, proof.certificate).objective
    parameters = {**proof.certificate.parameters, "lower_bound": objective}
    return replace(
        proof, name=f"{proof.name}, bound only", certificate=replace(proof.certificate, parameters=parameters)
    )


def _fair_lists(problem: rl.Problem, data: Any, groups: np.ndarray) -> Iterator[Proof]:
    names = {"false_negative_rate": "false_negative", "false_positive_rate": "false_positive"}
    least = _least_fair(data, groups, names)
    search = rl.search_for(problem, regularization=0.02, fairness=rl.EqualizedOdds(0.2, 0.1), min_group_size=3)
    model = rl.solve(search).incumbent.model
    proof = Proof("fair rule list", problem, model, search.certificate(), least)
    yield from (proof, _of_bound(proof))


def _value_lists(problem: rl.Problem, data: Any, groups: np.ndarray) -> Iterator[Proof]:
    least = _least_fair(data, groups, {"precision": "precision"})
    search = rl.search_for(problem, regularization=0.02, fairness=rl.PredictiveParity(0.2), min_group_size=3)
    model = rl.solve(search).incumbent.model
    proof = Proof("list of predictive parity", problem, model, search.certificate(), least)
    yield from (proof, _of_bound(proof))


def _least_fair(
    data: Any, groups: np.ndarray, names: Mapping[str, str]
) -> Callable[[Mapping[str, float]], Fraction | None]:
    """The true optimum of fair rule lists for the tolerances of these rates."""

    def least(parameters: Mapping[str, float]) -> Fraction | None:
        limits = {k.removesuffix("_tolerance"): Fraction(repr(v)) for k, v in parameters.items() if "_tol" in k}
        tolerances = {names[name]: limit for name, limit in limits.items()}
        labels, smallest = ("majority" if parameters["majority"] else "free"), parameters.get("min_group_size", 0)
        penalty = Fraction(repr(parameters["regularization"]))
        return naive.best_fair_rule_list(*data, groups.tolist(), penalty, tolerances, labels, smallest)

    return least


def _fair_falling(problem: rl.Problem, data: Any, groups: np.ndarray, positive_weight: float) -> Proof | None:
    names = {"false_negative_rate": "false_negative", "false_positive_rate": "false_positive", "accuracy": "error"}

    def least(parameters: Mapping[str, float]) -> Fraction | None:
        limits = {k.removesuffix("_tolerance"): Fraction(repr(v)) for k, v in parameters.items() if "_tol" in k}
        tolerances = {names[name]: limit for name, limit in limits.items()}
        w, c = (Fraction(repr(parameters[name])) for name in ("positive_weight", "regularization"))
        smallest, longest = parameters.get("min_group_size", 0), parameters.get("max_length")
        most = None if longest is None else int(longest)
        return naive.best_fair_falling_rule_list(*data, groups.tolist(), w, c, tolerances, most, smallest)

    options = {"fairness": rl.EqualizedOdds(0.2, 0.1), "min_group_size": 3}
    options |= {"max_length": 1} if positive_weight == 1.0 else {}
    search = rl.search_for(
        problem, "falling_rule_list", regularization=0.02, positive_weight=positive_weight, **options
    )
    best = rl.solve(search).incumbent
    with suppress(CertificateError):
        if best is not None:
            return Proof("fair falling rule list", problem, best.model, search.certificate(), least)
    return None


def _least_gap(problem: rl.Problem, data: Any, groups: np.ndarray) -> Proof:
    names = {
        "false_negative_rate_gap": "false_negative",
        "false_positive_rate_gap": "false_positive",
        "accuracy_gap": "error",
        "selection_rate_gap": "positive",
    }

    def least(parameters: Mapping[str, float]) -> Fraction | None:
        rates = [rate for name, rate in names.items() if name in parameters]
        accuracy, longest = Fraction(repr(parameters["min_accuracy"])), int(parameters["max_length"])
        smallest = parameters.get("min_group_size", 0)
        found = naive.least_gap_rule_list(*data, groups.tolist(), rates, accuracy, longest, Fraction(0), smallest)
        return None if found is None else found[0]

    search = rl.LeastGapSearch(problem, "equalized_odds", min_accuracy=0.7, max_length=3, min_group_size=3)
    model = rl.solve(search).incumbent.model
    return Proof("least gap", problem, model, search.certificate(), least)


def _least_gap_of_sets(problem: rl.Problem, data: Any, groups: np.ndarray, form: str) -> Proof:
    A, y, weight = data
    rows = naive_rule_sets.Data(A, y, weight, np.unique(groups, return_inverse=True)[1].tolist())
    names = {
        "false_negative_rate_gap": "false_negative",
        "false_positive_rate_gap": "false_positive",
        "accuracy_gap": "error",
        "selection_rate_gap": "selection",
    }

    def least(parameters: Mapping[str, float]) -> Fraction | None:
        most, longest = (int(parameters[name]) for name in ("max_complexity", "max_conditions"))
        if most > 9:
            return None
        rates = [rate for name, rate in names.items() if name in parameters]
        smallest = int(parameters.get("min_group_size", 0))
        accuracy = Fraction(repr(parameters["min_accuracy"]))
        found = naive_rule_sets.least_gap_rule_set(rows, rates, accuracy, most, longest, "hamming", form, smallest)
        return None if found is None else found[0]

    for accuracy in (0.6, 0.55, 0.5, 0.4, 0.0):
        search = rl.LeastGapRuleSetSearch(problem, "equalized_odds", accuracy, 6, 2, form=form, min_group_size=3)
        best = rl.solve(search).incumbent
        with suppress(CertificateError):
            if best is not None:
                return Proof(f"least gap of sets ({form})", problem, best.model, search.certificate(), least)
    raise AssertionError("the empty set has a proof")


def _known(problem: rl.Problem, regularization: float) -> KnownSets:
    """Many sets with what they cost at least, the default rule's errors or one rule, as lemmas to choose from."""
    space: States = states(problem, grid(problem, regularization))
    n = len(space.weights)
    sets = np.array([[bool(k >> u & 1) for u in range(n)] for k in range(1, 1 << min(n, 10))], dtype=bool)
    sets = sets.reshape(len(sets), n)
    weights = sets * space.weights
    wrong = np.minimum(weights[:, : space.n_positive].sum(axis=1), weights[:, space.n_positive :].sum(axis=1))
    return KnownSets(
        antecedents=space.antecedents,
        patterns=space.inside,
        net=np.where(np.arange(n) < space.n_positive, space.weights, -space.weights),
        per_error=space.per_error,
        per_rule=space.per_rule,
        sets=sets,
        values=np.minimum(space.cost_of(wrong), space.per_rule),
    )


def _sets(
    rng: np.random.Generator, problem: rl.Problem, data: Any, groups: np.ndarray, form: str, fairness: Any
) -> Iterator[Proof]:
    A, y, weight = data
    seen, wanted = (A, y) if form == "dnf" else (~A, ~y)
    rates = {"false_negative_rate": "false_negative", "false_positive_rate": "false_positive", "accuracy": "error"}
    swapped = {"false_negative": "false_positive", "false_positive": "false_negative"}
    every = list(naive.all_rule_sets(seen, 9, A.shape[1]))
    cost = {s: naive.hamming_loss(seen, wanted, weight, s) for s in every}
    gaps: dict[Any, Fraction | None] = {}

    def fair(rate: str, clauses: Any, smallest: float, limit: Fraction) -> bool:
        key = rate, clauses, smallest
        if key not in gaps:
            name = rates[rate] if form == "dnf" else swapped.get(rates[rate], rates[rate])
            gaps[key] = naive.parity_gap(name, seen, wanted, weight, groups, clauses, True, smallest)
        found = gaps[key]
        return found is not None and found <= limit

    def least(parameters: Mapping[str, float]) -> Fraction | None:
        most, longest = parameters["max_complexity"], parameters["max_conditions"]
        penalty = Fraction(repr(parameters["regularization"]))
        limits = {k.removesuffix("_tolerance"): Fraction(repr(v)) for k, v in parameters.items() if "_tol" in k}
        smallest = parameters.get("min_group_size", 0)
        if most > 9:
            return None
        costs = {s: cost[s] + penalty * naive.rule_set_complexity(s) for s in every}
        for s in sorted(costs, key=costs.__getitem__):
            allowed = naive.rule_set_complexity(s) <= most and all(len(clause) <= longest for clause in s)
            if allowed and all(fair(rate, s, smallest, limit) for rate, limit in limits.items()):
                return costs[s]
        return None

    name = f"rule set ({form}{', fair' if fairness is not None else ''})"
    search = rl.RuleSetSearch(
        problem,
        6,
        2,
        form=form,
        fairness=fairness,
        regularization=float(rng.choice([0.0, 0.5, 1.5])),
        min_group_size=0 if fairness is None else 3,
    )
    last = rl.solve(search)
    if last.status is not rl.Status.OPTIMAL:
        return
    model = last.incumbent.model
    yield Proof(name, problem, model, search.certificate(), least)
    if fairness is None:
        yield Proof(f"{name}, bound only", problem, model, search.certificate(bound_only=True), least)


def _demanding_sets(
    rng: np.random.Generator, A: np.ndarray, y: np.ndarray, weight: np.ndarray, form: str
) -> Iterator[Proof]:
    """Proofs of sets that must use a column, and may use another only so often."""
    m = A.shape[1]
    named = [Condition(f"c{j // 2}", "==", j) for j in range(m)]
    frame = pd.DataFrame(A, columns=[str(each) for each in named])
    attach_conditions(frame, named)
    problem = rl.Problem.from_arrays(frame, y, sample_weight=weight)
    rows = naive_rule_sets.Data(A, y, weight.tolist(), [0] * len(y))

    def least(certificate: Certificate) -> Fraction | None:
        parameters, arrays = certificate.parameters, certificate.arrays
        demands = [set(np.flatnonzero(row).tolist()) for row in arrays["demands"]]
        uses = [dict(enumerate(row.tolist())) for row in arrays["uses"]]
        limited = list(zip(uses, arrays["most_uses"].tolist(), strict=True))
        most, longest = (int(parameters[name]) for name in ("max_complexity", "max_conditions"))
        if most > 9:
            return None
        penalty = Fraction(repr(parameters["regularization"]))
        return naive_rule_sets.best_obedient_rule_set(
            rows, demands, limited, most, longest, "hamming", form, penalty, []
        )

    given: dict[str, Any] = {"regularization": float(rng.choice([0.0, 0.5, 1.5])), "form": form}
    must, most = f"c{rng.integers(2)}", {f"c{rng.integers(2)}": int(rng.integers(1, 3))}
    search = rl.RuleSetSearch(problem, 6, 2, must_use=[must], max_uses=most, **given)
    last = rl.solve(search)
    assert last.status is rl.Status.OPTIMAL
    model, name = last.incumbent.model, f"rule set that obeys ({form})"
    nothing: Callable[[Mapping[str, float]], None] = lambda _: None  # noqa: E731
    yield Proof(name, problem, model, search.certificate(), nothing, least)
    yield Proof(f"{name}, bound only", problem, model, search.certificate(bound_only=True), nothing, least)


# changes --------------------------------------------------------------------------------------------------------------


def mutations(rng: np.random.Generator, certificate: Certificate) -> Iterator[tuple[str, Certificate]]:
    """Each kind of change of each array and each field once, at random places; another ``rng`` gives others."""
    for description, change in _changes(rng, certificate):
        try:
            yield description, replace(certificate, **change)
        except CertificateError:  # of another type: it cannot even be made
            continue


def _changes(rng: np.random.Generator, certificate: Certificate) -> Iterator[tuple[str, dict[str, Any]]]:
    arrays, parameters = certificate.arrays, certificate.parameters
    for name, array in arrays.items():
        for what, other in _other_arrays(rng, array):
            yield f"{name}: {what}", {"arrays": {**arrays, name: other}}
        yield f"{name}: left out", {"arrays": {k: v for k, v in arrays.items() if k != name}}
        length = max(len(each) for each in arrays.values())
        if length > 1 and len(array) == length:
            k = int(rng.integers(length))
            fewer = {key: np.delete(v, k, axis=0) if len(v) == length else v for key, v in arrays.items()}
            yield f"entry {k} of all: left out", {"arrays": fewer}
    for name in ("lemmas", "multipliers", "price", "values", "more"):
        if name not in arrays:
            yield f"{name}: added", {"arrays": {**arrays, name: np.zeros(1, dtype=np.int64)}}
    for name, value in parameters.items():
        for other in _other_numbers(value):
            yield f"{name}: {value!r} to {other!r}", {"parameters": {**parameters, name: other}}
        yield f"{name}: left out", {"parameters": {k: v for k, v in parameters.items() if k != name}}
    for name in ("price", "positive_weight", "violation_penalty", "bound_only", "grid", *_ADDED, ""):
        if name not in parameters:
            yield f"parameter {name!r}: added", {"parameters": {**parameters, name: float(rng.integers(0, 2))}}
    for least in (1.0, 3.0, float(rng.integers(2, 12)), 1e6, 0.5, -1.0):
        yield f"min_group_size: {least:g}", {"parameters": {**parameters, "min_group_size": least}}
    for family in ("rule_list", "falling_rule_list", "rule_set", "", "Rule_list"):
        if family != certificate.family:
            yield f"family: {family!r}", {"family": family}
    flipped = certificate.fingerprint.translate(str.maketrans("0123456789abcdef", "123456789abcdef0"))
    for fingerprint in ("", flipped, certificate.fingerprint.upper(), certificate.fingerprint + " "):
        yield f"fingerprint: {fingerprint[:8]}...", {"fingerprint": fingerprint}
    yield from _other_origins(rng, certificate)


def _other_arrays(rng: np.random.Generator, array: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    if array.size:
        place = tuple(int(rng.integers(n)) for n in array.shape)
        old, donor = array[place].item(), array.ravel()[rng.integers(array.size)].item()
        others: list[Any] = [old + 1, old - 1, old * 2, -old, 0, 1, donor, old + int(rng.integers(2, 1000))]
        if array.dtype.kind == "f":
            others += [np.nan, np.inf, -np.inf, -0.0, float(np.nextafter(old, 9e9)), 1e300, 5e-324]
        elif array.dtype == np.uint8:
            others = [old ^ (1 << int(rng.integers(8))), 255 - old, 0, 255, donor]
        else:
            others += [2**63 - 1, -(2**63), 2**61, 2**31]
        for other in others:
            changed = array.copy()
            with suppress(OverflowError):
                changed[place] = other
            if not _same(changed, array):
                yield f"{old!r} at {place} to {other!r}", changed
    for what, changed in (
        ("reversed", array[::-1].copy()),
        ("the last one left out", array[:-1].copy()),
        ("the first one left out", array[1:].copy()),
        ("the last one twice", np.concatenate([array, array[-1:]])),
        ("in another order", rng.permutation(array.copy())),
        ("all 0", np.zeros_like(array)),
        ("empty", array[:0].copy()),
        ("as a row", array.reshape(1, -1).copy()),
        ("flat", array.ravel().copy()),
        ("with an axis", array[..., None].copy()),
        ("as floats", array.astype(np.float32)),
        ("as short integers", _short(array)),
        ("of the other byte order", array.astype(array.dtype.newbyteorder("S"))),
        ("as Booleans", array.astype(bool)),
    ):
        if not _same(changed, array):
            yield what, changed


def _other_numbers(value: float) -> list[float]:
    others = [value + 1, value - 1, value * 2, value / 2, -value, 0.0, -0.0, 0.5, 1.0, 1e300, 1e308, 5e-324, 2.0**53]
    others += [
        float("nan"),
        float("inf"),
        -float("inf"),
        float(np.nextafter(value, 9e9)),
        float(np.nextafter(value, -1)),
    ]
    return [other for other in others if repr(other) != repr(value)]


def _other_origins(rng: np.random.Generator, certificate: Certificate) -> Iterator[tuple[str, dict[str, Any]]]:
    origin = certificate.origin
    yield "origin: left out", {"origin": None}
    if origin is None:
        return
    k = int(rng.integers(len(origin.names)))
    for condition in (Condition("other", "==", True), Condition(origin.conditions[k][0].column, "==", False)):
        if str(condition) not in origin.names:
            conditions = (*origin.conditions[:k], (condition,), *origin.conditions[k + 1 :])
            names = (*origin.names[:k], str(condition), *origin.names[k + 1 :])
            yield f"origin: {condition}", {"origin": replace(origin, conditions=conditions, names=names)}
    fewer = replace(origin, conditions=origin.conditions[1:], names=origin.names[1:])
    turned = replace(origin, conditions=origin.conditions[::-1], names=origin.names[::-1])
    yield "origin: one less", {"origin": fewer}
    yield "origin: reversed", {"origin": turned}
    yield "origin: classes", {"origin": replace(origin, classes=origin.classes[::-1])}
    yield "origin: other classes", {"origin": replace(origin, classes=("no", "yes"))}
    yield "origin: number", {"origin": replace(origin, names=(f"{origin.names[0]} (2)", *origin.names[1:]))}


def _short(array: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(array).astype(np.int32)


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def damaged(rng: np.random.Generator, content: bytes) -> Iterator[tuple[str, bytes]]:
    """A file with its bytes changed in different ways, at random places."""
    n = len(content)
    i, j = sorted(rng.integers(0, n, 2).tolist())
    k = int(rng.integers(8))
    yield f"bit {k} of byte {i}", content[:i] + bytes([content[i] ^ 1 << k]) + content[i + 1 :]
    yield f"byte {i} to 0", content[:i] + b"\0" + content[i + 1 :]
    yield f"cut at {i}", content[:i]
    yield f"begun at {i}", content[i:]
    yield f"{i} to {j} left out", content[:i] + content[j:]
    yield f"{i} to {j} twice", content[:j] + content[i:]
    yield f"{i} to {j} zeros", content[:i] + bytes(j - i) + content[j:]
    yield f"{i} to {j} random", content[:i] + rng.bytes(j - i) + content[j:]
    yield "something before", rng.bytes(20) + content
    yield "something after", content + rng.bytes(20)
    yield "twice", content + content
    yield "near the end", content[: n - 80] + rng.bytes(int(rng.integers(1, 9))) + content[n - 72 :]


# the judge ------------------------------------------------------------------------------------------------------------


def judge(proof: Proof, changed: Certificate) -> str:
    """What a check makes of a changed proof: "refused", "bound", "same claim" or "another true claim".

    Raises
    ------
    AssertionError
        When something false is accepted, or something that nothing checks.
    """
    answer = rl.verify(proof.problem, proof.model, changed)
    assert answer.reason, "no reason is given"
    assert answer.valid == (answer.state == "optimal")
    assert dict(answer.parameters) == dict(changed.parameters) or answer.state == "refused"
    if answer.state == "refused":
        return "refused"
    assert (changed.family, changed.fingerprint) == (proof.certificate.family, proof.certificate.fingerprint)
    known = INTERNAL | ({"min_group_size"} if "min_group_size" in proof.certificate.parameters else set())
    assert set(changed.parameters) - known == set(proof.certificate.parameters) - known, "unknown parameters"
    assert set(changed.arrays) - {"lemmas"} == set(proof.certificate.arrays) - {"lemmas"}, "unknown arrays"
    assert changed.origin in (None, proof.certificate.origin), "another origin"
    least = proof.optimum(changed)
    assert least is None or answer.lower_bound <= float(least), f"the bound {answer.lower_bound} exceeds {least}"
    if answer.state == "bound":
        return "bound"
    assert answer.objective == answer.lower_bound
    if least is not None:
        assert answer.objective == float(least), f"{answer.objective} is accepted, but {float(least)} is the optimum"
    before, after = (
        {k: v for k, v in each.parameters.items() if k not in INTERNAL} for each in (proof.certificate, changed)
    )
    return "same claim" if before == after else "another true claim"


def judge_file(proof: Proof, content: bytes) -> str:
    """As `judge`, of a changed file; "unreadable" when it is refused as a file."""
    try:
        changed = Certificate.load(io.BytesIO(content))
    except CertificateError:
        return "unreadable"
    return judge(proof, changed)
