"""Certificates of rule sets: true proofs hold, wrong ones are refused, by brute force."""

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proof_checks import proof_by, refused
from scipy.optimize import linprog
from strategies import seeds
from test_rule_set_certificate_fair import by_dual, make

import rulelab as rl
from rulelab.certificate import Certificate, CertificateError

GRID = 1024


def mirrored(problem: rl.Problem, form: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Matrix, positives and negatives of the ``dnf`` problem that a form stands for."""
    if form == "cnf":
        return ~problem.matrix(), problem.negatives, problem.positives
    return problem.matrix(), problem.positives, problem.negatives


def best_dual(problem, form, most, depth, regularization=Fraction(0)) -> tuple[np.ndarray, int]:
    """Dual values of the linear program over all rules, rounded to the grid, and a price at which no rule gains."""
    matrix, positives, negatives = mirrored(problem, form)
    q, p = regularization.denominator, regularization.numerator
    clauses = naive.all_clauses(matrix, depth)
    covers = np.array([matrix[:, list(clause)].all(axis=1) for clause in clauses], dtype=np.int64)
    covers = covers.reshape(len(clauses), len(matrix))
    sizes = np.array([1 + len(clause) for clause in clauses], dtype=np.int64)
    n = problem.n_patterns
    costs = np.concatenate([q * (covers @ negatives) + p * sizes, q * positives]).astype(float)
    rows = np.vstack([np.hstack([-covers.T, -np.eye(n)]), np.concatenate([sizes, np.zeros(n)])])
    solved = linprog(costs, A_ub=rows, b_ub=[-1.0] * n + [most])
    mass = np.rint(-solved.ineqlin.marginals[:n] * GRID).astype(np.int64)
    dual = np.clip(mass, 0, GRID * q * positives)
    gains = covers @ (dual - GRID * q * negatives) - GRID * p * sizes
    return dual, max([0, *(-(-int(g) // int(s)) for g, s in zip(gains, sizes, strict=True))])


@st.composite
def instances(draw: Any) -> tuple[rl.Problem, str, int, int]:
    rng = np.random.default_rng(draw(seeds))
    n, m = draw(st.integers(4, 14)), draw(st.integers(2, 4))
    y = rng.random(n) < 0.5
    y[:2] = True, False
    problem = rl.Problem.from_arrays(rng.random((n, m)) < 0.6, y, sample_weight=rng.integers(1, 4, size=n))
    return problem, draw(st.sampled_from(["dnf", "cnf"])), draw(st.integers(2, 6)), draw(st.integers(1, 2))


def all_sets(problem: rl.Problem, form: str, most: int, depth: int) -> list[rl.RuleSet]:
    matrix = mirrored(problem, form)[0]
    return [rl.RuleSet.from_problem(problem, c, form) for c in naive.all_rule_sets(matrix, most, depth)]


@settings(max_examples=40)
@given(instances(), st.sampled_from([0.0, 0.5, 0.75]))
def test_exactly_the_optimal_sets_verify(case, regularization):
    problem, form, most, depth = case
    matrix, positives, negatives = mirrored(problem, form)
    exact = Fraction(regularization)
    dual, price = best_dual(problem, form, most, depth, exact)
    sets = all_sets(problem, form, most, depth)
    objectives = [model.hamming_loss + exact * model.complexity for model in sets]
    least = min(objectives)
    rows = np.repeat(matrix, 2, axis=0)  # each pattern as a positive and as a negative row
    labels = np.tile([True, False], len(matrix))
    weight = np.column_stack([positives, negatives]).ravel().tolist()
    assert least == naive.best_rule_set(rows, labels, weight, most, depth, penalty=exact)
    rng = np.random.default_rng(0)
    chosen = {int(np.argmin([float(o) for o in objectives])), *rng.integers(0, len(sets), size=4).tolist()}
    for k in chosen:
        proof = by_dual(problem, sets[k], dual, price, GRID, most, depth, regularization)
        verdict = rl.verify(problem, sets[k], proof)
        assert verdict.valid == (objectives[k] == least), verdict.reason
        assert verdict.objective == float(objectives[k])
        assert verdict.lower_bound <= float(least)
        assert not verdict.valid or verdict.lower_bound == float(least)


@pytest.mark.parametrize("loss", ["hamming", "zero_one"])
@settings(max_examples=120)
@given(seeds, st.booleans())
def test_any_dual_values_prove_nothing_wrong(loss, seed, bound_only):
    case = make(seed, loss, False)
    rng = np.random.default_rng(seed)
    _, positives, negatives = mirrored(case.problem, case.form)
    most = positives - negatives if loss == "zero_one" else positives
    grid, q = int(rng.integers(1, 9)), case.penalty.denominator
    dual = (rng.random(len(most)) * grid * q * np.maximum(most, 0)).astype(np.int64)
    given = {"bound_only": bound_only, "zero_one": loss == "zero_one"}
    for clauses in list(case.losses)[:: max(1, len(case.losses) // 5)]:
        price = int(rng.integers(0, 2 + grid * q * int(np.abs(most).sum())))
        limits = case.most, case.depth, float(case.penalty)
        model = case.model(clauses)
        verdict = rl.verify(case.problem, model, by_dual(case.problem, model, dual, price, grid, *limits, **given))
        assert not verdict.valid or case.losses[clauses] == case.least, verdict.reason
        assert verdict.lower_bound is None or Fraction(verdict.lower_bound) <= case.least + Fraction(1, 10**9)


@cache
def of_errors() -> tuple[rl.Problem, rl.RuleSet, Certificate]:
    """The fewest training errors, with the proof of the search."""
    rng = np.random.default_rng(4)
    A = rng.random((200, 6)) < 0.5
    y = ((A[:, 0] & A[:, 2]) | (A[:, 3] & A[:, 4])) ^ (rng.random(200) < 0.1)
    problem = rl.Problem.from_arrays(A, y)
    return problem, *proof_by(rl.RuleSetSearch(problem, 6, 2, "zero_one"))


@cache
def proven() -> tuple[rl.Problem, rl.RuleSet, Certificate]:
    rng = np.random.default_rng(8)
    A = rng.random((40, 4)) < 0.5
    y = (A[:, 0] & A[:, 1]) | (A[:, 2] & (rng.random(40) < 0.8))
    problem = rl.Problem.from_arrays(A, y)
    dual, price = best_dual(problem, "dnf", 5, 2)
    model = min(all_sets(problem, "dnf", 5, 2), key=lambda s: s.hamming_loss)
    return problem, model, by_dual(problem, model, dual, price, GRID, 5, 2)


def first_dual(value: Callable[[rl.Problem], int], at: Callable[[rl.Problem], int] = lambda problem: 0) -> Any:
    """Another dual value of the first pattern, or of the one at that place."""

    def changed(problem: rl.Problem, proof: Certificate) -> dict[str, np.ndarray]:
        dual = proof.arrays["dual"].copy()
        dual[at(problem)] = value(problem)
        return {"dual": dual}

    return changed


def greedy(problem: rl.Problem, proof: Certificate) -> dict[str, np.ndarray]:
    """Dual values at which a rule gains."""
    return {"dual": GRID * problem.in_order().positives, "price": np.array([0])}


where_the_other_class_prevails = first_dual(
    lambda problem: 1, lambda problem: int(np.flatnonzero(problem.negatives >= problem.positives)[0])
)


@pytest.mark.parametrize(
    ("made", "parameters", "arrays", "message"),
    [
        (proven, {"max_complexity": 6.5}, {}, "whole number"),
        (proven, {"grid": 0.0}, {}, "whole number"),
        (proven, {"regularization": -1.0}, {}, "at least 0"),
        (proven, {"regularization": float("nan")}, {}, "must be finite"),
        (proven, {"colour": 1.0}, {}, "parameters must be"),
        (proven, {"max_complexity": 2.0}, {}, "more than the 2"),
        (proven, {"max_conditions": 1.0}, {}, "more than the 1"),
        (proven, {"grid": 2.0**52}, {}, "too large|too fine"),
        (proven, {}, {"dual": np.zeros(3, dtype=np.int64)}, "one integer for each pattern"),
        (proven, {}, {"dual": np.zeros(16)}, "one integer for each pattern"),
        (proven, {}, {"price": np.array([-1])}, "negative"),
        (proven, {}, {"extra": np.array([0])}, "must hold"),
        (proven, {}, first_dual(lambda problem: -1), "dual value is negative, or more"),
        (proven, {}, first_dual(lambda problem: int(GRID * problem.total_weight)), "dual value is negative, or more"),
        (proven, {}, greedy, "gains more than it costs"),
        (of_errors, {"zero_one": 2.0}, {}, "zero_one must be 0 or 1"),
        (of_errors, {"accuracy_tolerance": 0.5}, {}, "the problem has no groups"),
        (of_errors, {}, {"dual": np.zeros((2, 64), dtype=np.int64)}, "one integer for each pattern"),
        (of_errors, {}, {"price": np.array([-1])}, "price of a unit"),
        (of_errors, {}, {"price": np.array([0])}, "gains more than it costs|no more"),
        (of_errors, {}, where_the_other_class_prevails, "more than its pattern's weight"),
    ],
)
def test_damaged_certificates_are_refused(made, parameters, arrays, message):
    problem, model, proof = made()
    arrays = arrays(problem, proof) if callable(arrays) else arrays
    damaged = replace(proof, parameters={**proof.parameters, **parameters}, arrays={**proof.arrays, **arrays})
    reason = refused(problem, model, damaged)
    assert re.search(message, reason), reason


def test_weak_dual_values_give_a_lower_bound_only():
    problem, model, _ = proven()
    worse = rl.RuleSet.from_problem(problem, [])
    verdict = rl.verify(problem, worse, by_dual(problem, worse, *_zero(problem), GRID, 5, 2))
    assert not verdict.valid
    assert "a rule set with an objective below" in verdict.reason
    assert verdict.lower_bound == 0 < model.hamming_loss
    assert rl.verify(problem, model, by_dual(problem, model, *_zero(problem), GRID, 5, 2)).valid


@pytest.mark.parametrize("loss", ["hamming", "zero_one"])
@settings(max_examples=40)
@given(instances(), st.integers(1, 12))
def test_the_bound_of_a_search_at_any_time_can_be_proven(loss, case, work):
    problem, form, most, depth = case
    search = rl.RuleSetSearch(problem, most, depth, loss, form)
    snapshot = rl.solve(search, work_limit=work)
    optimum = rl.solve(rl.RuleSetSearch(problem, most, depth, loss, form)).incumbent.objective
    try:
        proof = search.certificate(bound_only=True)
    except CertificateError:
        assert snapshot.status is not rl.Status.OPTIMAL
        return
    verdict = rl.verify(problem, snapshot.incumbent.model, proof)
    assert verdict.state in ("bound", "optimal"), verdict.reason
    assert verdict.lower_bound <= optimum
    assert verdict.valid == (verdict.state == "optimal")
    if verdict.valid:
        assert verdict.objective == optimum


def _zero(problem: rl.Problem) -> tuple[np.ndarray, int]:
    return np.zeros(problem.n_patterns, dtype=np.int64), 0


def test_a_model_of_other_data_is_refused():
    problem, model, proof = proven()
    forged = replace(model, rules=(replace(model.rules[0], negatives=0, alone_negatives=0), *model.rules[1:]))
    if forged == model:
        forged = replace(model, training=replace(model.training, false_negative=0))
    assert "not those of this problem" in refused(problem, forged, proof)


def test_a_proof_of_one_loss_is_none_of_the_other():
    """Of the same data, where the optima differ, and of sets that are optimal by the other loss only."""
    apart = 0
    for seed in range(60):
        case = make(seed, "zero_one", False)
        proofs, models = {}, {}
        for loss in ("hamming", "zero_one"):
            limits = case.most, case.depth, loss, case.form
            search = rl.RuleSetSearch(case.problem, *limits, regularization=float(case.penalty))
            models[loss], proofs[loss] = proof_by(search)
        turned = dict(proofs["hamming"].parameters) | {"zero_one": 1.0}
        verdict = rl.verify(case.problem, models["hamming"], replace(proofs["hamming"], parameters=turned))
        errors = models["hamming"].errors + case.penalty * models["hamming"].complexity
        assert not verdict.valid or errors == case.least
        apart += errors != case.least
    assert apart
