"""Certificates of rule sets: true proofs hold, wrong ones are refused, by brute force; the two searches of a check."""

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import holds, known_problem, noisy_problem, proof_by, refused, seeds, with_arrays, with_parameters
from test_rule_set_certificate_fair import by_dual, make

import rulelab as rl
from rulelab.certificate.rule_set import closing
from rulelab.certificate.rule_set import columns as columns_of
from rulelab.certificate.rule_set.closing import Closing, SetCosts
from rulelab.certificate.rule_set.columns import columns


@pytest.mark.parametrize("loss", ["hamming", "zero_one"])
@settings(max_examples=80)
@given(seeds, st.booleans())
def test_any_dual_values_prove_nothing_wrong(loss, seed, bound_only):
    case = make(seed, loss, False)
    rng = np.random.default_rng(seed)
    positives, negatives = case.problem.positives, case.problem.negatives
    positives, negatives = (positives, negatives) if case.form == "dnf" else (negatives, positives)
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
def proven(loss: str = "hamming") -> tuple[rl.Problem, rl.RuleSet, rl.Certificate]:
    """The least loss, with the proof of the search."""
    problem = noisy_problem(4, 200, 6, 0.1)
    return problem, *proof_by(rl.RuleSetSearch(problem, 6, 2, loss))


def first_dual(value: Callable[[rl.Problem], int], at: Callable[[rl.Problem], int] = lambda problem: 0):
    """Another dual value of the first pattern, or of the one at that place."""

    def changed(problem: rl.Problem, proof: rl.Certificate) -> dict[str, np.ndarray]:
        dual = proof.arrays["dual"].copy()
        dual[at(problem)] = value(problem)
        return {"dual": dual}

    return changed


def greedy(problem: rl.Problem, proof: rl.Certificate) -> dict[str, np.ndarray]:
    """Dual values at which a rule gains."""
    return {"dual": int(proof.parameters["grid"]) * problem.in_order().positives, "price": np.array([0])}


where_the_other_class_prevails = first_dual(
    lambda problem: 1, lambda problem: int(np.flatnonzero(problem.negatives >= problem.positives)[0])
)


@pytest.mark.parametrize(
    ("loss", "parameters", "arrays", "message"),
    [
        ("hamming", {"max_complexity": 6.5}, {}, "whole number"),
        ("hamming", {"grid": 0.0}, {}, "whole number"),
        ("hamming", {"regularization": -1.0}, {}, "at least 0"),
        ("hamming", {"regularization": float("nan")}, {}, "must be finite"),
        ("hamming", {"colour": 1.0}, {}, "parameters must be"),
        ("hamming", {"max_complexity": 2.0}, {}, "more than the 2"),
        ("hamming", {"max_conditions": 1.0}, {}, "more than the 1"),
        ("hamming", {"grid": 2.0**52}, {}, "too large|too fine"),
        ("hamming", {}, {"dual": np.zeros(3, dtype=np.int64)}, "one integer for each pattern"),
        ("hamming", {}, {"dual": np.zeros(64)}, "one integer for each pattern"),
        ("hamming", {}, {"price": np.array([-1])}, "negative"),
        ("hamming", {}, {"extra": np.array([0])}, "must hold"),
        ("hamming", {}, first_dual(lambda problem: -1), "dual value is negative, or more"),
        ("hamming", {}, first_dual(lambda problem: 1 << 40), "dual value is negative, or more"),
        ("hamming", {}, greedy, "gains more than it costs"),
        ("zero_one", {"zero_one": 2.0}, {}, "zero_one must be 0 or 1"),
        ("zero_one", {"accuracy_tolerance": 0.5}, {}, "the problem has no groups"),
        ("zero_one", {}, {"dual": np.zeros((2, 64), dtype=np.int64)}, "one integer for each pattern"),
        ("zero_one", {}, {"price": np.array([-1])}, "price of a unit"),
        ("zero_one", {}, {"price": np.array([0])}, "gains more than it costs|no more"),
        ("zero_one", {}, where_the_other_class_prevails, "more than its pattern's weight"),
    ],
)
def test_damaged_certificates_are_refused(loss, parameters, arrays, message):
    problem, model, proof = proven(loss)
    arrays = arrays(problem, proof) if callable(arrays) else arrays
    damaged = with_arrays(with_parameters(proof, **parameters), **arrays)
    assert re.search(message, refused(problem, model, damaged))


def test_weak_dual_values_give_a_lower_bound_only():
    problem, model, _ = proven()
    worse, nothing = rl.RuleSet.from_problem(problem, []), (np.zeros(problem.n_patterns, dtype=np.int64), 0, 1024, 6, 2)
    verdict = rl.verify(problem, worse, by_dual(problem, worse, *nothing))
    assert not verdict.valid
    assert "a rule set with an objective below" in verdict.reason
    assert verdict.lower_bound == 0 < model.hamming_loss
    assert rl.verify(problem, model, by_dual(problem, model, *nothing)).valid


@pytest.mark.parametrize("loss", ["hamming", "zero_one"])
@settings(max_examples=40)
@given(seeds, st.integers(1, 12))
def test_the_bound_of_a_search_at_any_time_can_be_proven(loss, seed, work):
    case = make(seed, loss, False)
    search = case.search()
    snapshot = rl.solve(search, work_limit=work)
    try:
        proof = search.certificate(bound_only=True)
    except rl.errors.CertificateError:
        assert snapshot.status is not rl.Status.OPTIMAL
        return
    verdict = rl.verify(case.problem, snapshot.incumbent.model, proof)
    assert verdict.state in ("bound", "optimal"), verdict.reason
    assert Fraction(verdict.lower_bound) <= case.least
    assert verdict.valid == (verdict.state == "optimal")
    assert not verdict.valid or Fraction(verdict.objective) == case.least


def test_a_model_of_other_data_is_refused():
    problem, model, proof = proven()
    forged = replace(model, rules=(replace(model.rules[0], negatives=0, alone_negatives=0), *model.rules[1:]))
    if forged == model:
        forged = replace(model, training=replace(model.training, false_negative=0))
    assert "not those of this problem" in refused(problem, forged, proof)


# the two searches of the checker, against plain enumeration -----------------------------------------------------------
@settings(max_examples=150)
@given(seeds)
def test_every_rule_within_the_slack_is_enumerated_at_any_depth(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 40)), int(rng.integers(1, 8))
    matrix = rng.random((n, m)) < rng.uniform(0.2, 0.95, m)
    if m > 2 and rng.random() < 0.5:
        matrix[:, 0] |= matrix[:, 1]  # nested
        matrix[:, 2] = ~matrix[:, 1]  # disjoint
    weight = rng.integers(-6, 7, n) * rng.integers(0, 2, n)
    price, slack, depth = int(rng.integers(0, 4)), int(rng.integers(-12, 12)), int(rng.integers(1, m + 2))
    found = columns(matrix, weight, price, slack, depth)
    expected: dict[bytes, int] = {}
    for clause in naive.all_clauses(matrix, depth):
        covered = matrix[:, list(clause)].all(axis=1)
        if price * (1 + len(clause)) - weight[covered].sum() <= slack:
            expected[covered.tobytes()] = 1 + len(clause)
    covers = found.covers().astype(bool)
    got = [covered.tobytes() for covered in covers]
    assert (dict(zip(got, found.complexity.tolist(), strict=True)), len(got)) == (expected, len(expected))
    assert found.reduced.tolist() == [price * c - w for c, w in zip(found.complexity, covers @ weight, strict=True)]


@settings(max_examples=150)
@given(seeds)
def test_the_closing_step_meets_exactly_the_sets_within_the_slack(seed):
    rng = np.random.default_rng(seed)
    n, patterns, limits = int(rng.integers(0, 9)), int(rng.integers(1, 12)), int(rng.integers(0, 3))
    covered = (rng.random((n, patterns)) < rng.uniform(0.1, 0.7)).astype(np.uint8)
    missed, first, again = (rng.integers(0, 5, patterns) * rng.integers(0, 2, patterns) for _ in range(3))
    costs = SetCosts(
        prices=rng.integers(0, 4, 1 + limits),
        room=np.array([int(rng.integers(2, 12)), *rng.integers(0, 4, limits).tolist()]),
        reduced=rng.integers(0, 6, n),
        sizes=np.column_stack([rng.integers(2, 5, n), rng.integers(0, 3, (n, limits))]),
        missed=missed,
        first=first * int(rng.integers(0, 2)),
        again=again,
    )
    slack = int(rng.integers(0, 25))

    def cost(rules: tuple[int, ...]) -> int:
        times = covered[list(rules)].sum(axis=0, dtype=int)
        unused = costs.room - costs.sizes[list(rules)].sum(axis=0)
        once = costs.first + costs.again * (times - 1)
        return int(costs.prices @ unused + costs.reduced[list(rules)].sum() + np.where(times > 0, once, missed).sum())

    within = {
        rules
        for size in range(n + 1)
        for rules in combinations(range(n), size)
        if (costs.sizes[list(rules)].sum(axis=0) <= costs.room).all() and cost(rules) <= slack
    }
    met: list[tuple[int, ...]] = []
    search = Closing(covered, costs, slack, lambda rules: bool(met.append(tuple(sorted(rules)))))
    assert not search.finds_better()
    assert (set(met), len(met)) == (within, len(within))
    for wanted in sorted(within)[:3]:
        assert Closing(covered, costs, slack, lambda rules, w=wanted: tuple(sorted(rules)) == w).finds_better()


@pytest.mark.parametrize(
    ("module", "name", "most", "said", "bounded"),
    [
        (closing, "MOST_CELLS", 1000, ("nothing is known to be wrong", "for a better set", "a lower bound of"), True),
        (columns_of, "MOST_COLUMNS", 5, ("more than 5 rules",), True),
        (columns_of, "MOST_CELLS", 1000, ("the enumeration of rules was given up",), False),
    ],
)
def test_a_check_that_takes_too_long_is_given_up(module, name, most, said, bounded, monkeypatch):
    """Dual values of 0 leave all to the closing step."""
    problem = noisy_problem(3, 200, 8, 0.3)
    model = rl.solve(rl.RuleSetSearch(problem, 12, 2)).incumbent.model
    proof = by_dual(problem, model, 0 * problem.positives, 0, 1, 12, 2)
    full = holds(problem, model, proof)
    assert min(full.checked["columns"] - 10, full.checked["sets"]) > 0
    monkeypatch.setattr(module, name, most)
    verdict = rl.verify(problem, model, proof)
    assert not verdict.valid
    assert all(each in verdict.reason for each in said)
    assert verdict.objective == model.hamming_loss
    assert (verdict.lower_bound is not None) == bounded
    assert not bounded or verdict.lower_bound < model.hamming_loss


@pytest.mark.long
def test_real_certificates_of_a_search_verify(shared, instances):
    for name, limits in (("compas_24", (5, 10)), ("tic_tac_toe_54", (20,))):
        problem = known_problem(instances, name)
        for most in limits:
            model, proof = proof_by(rl.RuleSetSearch(problem, most, 4))
            holds(problem, model, proof)
            assert refused(problem, rl.RuleSet.from_problem(problem, model.clauses[1:]), proof)
