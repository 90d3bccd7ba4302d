"""Certificates of rule sets of the fewest training errors: by brute force, and what is refused."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inside import Inside
from strategies import seeds

import rulelab as rl
from rulelab.certificate import prove_rule_set
from rulelab.snapshot import Status

Clauses = tuple[tuple[int, ...], ...]


class Table(NamedTuple):
    """A small table and the objective of each of its rule sets."""

    problem: rl.Problem
    form: str
    most: int
    depth: int
    penalty: Fraction
    objectives: dict[Clauses, Fraction]

    @property
    def least(self) -> Fraction:
        return min(self.objectives.values())

    def search(self, **options: Any) -> rl.RuleSetSearch:
        limits = self.most, self.depth, "zero_one", self.form
        return rl.RuleSetSearch(self.problem, *limits, regularization=float(self.penalty), **options)

    def model(self, clauses: Clauses) -> rl.RuleSet:
        return rl.RuleSet.from_problem(self.problem, clauses, self.form)


def make(seed: int) -> Table:
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(6, 24)), int(rng.integers(2, 5))
    A, y = rng.random((n, m)) < rng.uniform(0.3, 0.8, m), rng.random(n) < rng.uniform(0.3, 0.7)
    again = rng.integers(0, n, n // 2)  # patterns of both labels
    A, y = np.vstack([A, A[again]]), np.concatenate([y, rng.random(len(again)) < 0.5])
    y[:2] = True, False  # there are always two classes
    weight = rng.integers(1, 4, len(y)) * int(rng.choice([1, 1, 6]))
    form, most, depth = str(rng.choice(["dnf", "cnf"])), int(rng.integers(2, 9)), int(rng.integers(1, 3))
    penalty = Fraction(int(rng.integers(0, 3)), 4)
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    seen, wanted = (A, y) if form == "dnf" else (~A, ~y)
    objectives = {}
    for clauses in naive.all_rule_sets(seen, most, depth):
        loss = naive.zero_one_loss(seen, wanted, weight.tolist(), clauses)
        objectives[clauses] = loss + penalty * naive.rule_set_complexity(clauses)
    return Table(problem, form, most, depth, penalty, objectives)


@settings(max_examples=120)
@given(seeds)
def test_exactly_the_optima_verify(seed: int) -> None:
    case = make(seed)
    search = case.search()
    last = rl.solve(search)
    assert last.status is Status.OPTIMAL
    proof = search.certificate()
    verdict = rl.verify(case.problem, last.incumbent.model, proof)
    assert verdict.valid, verdict.reason
    assert verdict.objective == verdict.lower_bound == float(case.least)
    assert "training errors as the loss" in verdict.reason
    for clauses in list(case.objectives)[:: max(1, len(case.objectives) // 8)]:
        verdict = rl.verify(case.problem, case.model(clauses), proof)
        assert verdict.valid == (case.objectives[clauses] == case.least), verdict.reason


@settings(max_examples=120)
@given(seeds, st.booleans())
def test_any_dual_values_prove_nothing_wrong(seed: int, bound_only: bool) -> None:
    case = make(seed)
    rng = np.random.default_rng(seed)
    positives, negatives = case.problem.positives, case.problem.negatives
    net = positives - negatives if case.form == "dnf" else negatives - positives
    grid, q = int(rng.integers(1, 9)), case.penalty.denominator
    dual = (rng.random(len(net)) * grid * q * np.maximum(net, 0)).astype(np.int64)
    for clauses in list(case.objectives)[:: max(1, len(case.objectives) // 5)]:
        price = int(rng.integers(0, 2 + grid * q * int(np.abs(net).sum())))
        limits = case.most, case.depth, float(case.penalty)
        model = case.model(clauses)
        proof = prove_rule_set(case.problem, model, dual, price, grid, *limits, bound_only=bound_only, zero_one=True)
        verdict = rl.verify(case.problem, model, proof)
        assert not verdict.valid or case.objectives[clauses] == case.least, verdict.reason
        assert verdict.lower_bound is None or Fraction(verdict.lower_bound) <= case.least + Fraction(1, 10**9)


@settings(max_examples=40)
@given(seeds, st.integers(1, 30))
def test_the_bound_of_a_search_at_any_time_can_be_proven(seed: int, work: int) -> None:
    case = make(seed)
    search = case.search()
    last = rl.solve(search, work_limit=work)
    if last.incumbent is None or last.status is Status.OPTIMAL:
        return
    generation = Inside(search).generation
    if generation is None or generation.closing_point is None:
        with pytest.raises(rl.CertificateError, match="let it finish first"):
            search.certificate(bound_only=True)
        return
    proof = search.certificate(bound_only=True)
    verdict = rl.verify(case.problem, last.incumbent.model, proof)
    assert verdict.state in ("bound", "optimal"), verdict.reason
    assert verdict.lower_bound <= float(case.least)


def proven() -> tuple[rl.Problem, rl.RuleSet, rl.Certificate]:
    rng = np.random.default_rng(4)
    A = rng.random((200, 6)) < 0.5
    y = ((A[:, 0] & A[:, 2]) | (A[:, 3] & A[:, 4])) ^ (rng.random(200) < 0.1)
    problem = rl.Problem.from_arrays(A, y)
    search = rl.RuleSetSearch(problem, 6, 2, "zero_one")
    return problem, rl.solve(search).incumbent.model, search.certificate()


def test_a_saved_proof_verifies(tmp_path: Any) -> None:
    problem, model, proof = proven()
    proof.save(tmp_path / "proof.npz")
    verdict = rl.verify(problem, model, rl.Certificate.load(tmp_path / "proof.npz"))
    assert verdict.valid, verdict.reason
    assert verdict.objective == model.errors


@pytest.mark.parametrize(
    ("parameters", "arrays", "message"),
    [
        ({"zero_one": 2.0}, {}, "zero_one must be 0 or 1"),
        ({"accuracy_tolerance": 0.5}, {}, "the problem has no groups"),
        ({}, {"dual": np.zeros((2, 64), dtype=np.int64)}, "one integer for each pattern"),
        ({}, {"price": np.array([-1])}, "price of a unit"),
        ({}, {"price": np.array([0])}, "gains more than it costs|no more"),
    ],
)
def test_damaged_certificates_are_refused(parameters: Any, arrays: Any, message: str) -> None:
    problem, model, proof = proven()
    damaged = replace(proof, parameters={**proof.parameters, **parameters}, arrays={**proof.arrays, **arrays})
    verdict = rl.verify(problem, model, damaged)
    assert not verdict.valid
    assert re.search(message, verdict.reason), verdict.reason


def test_dual_values_where_the_other_class_prevails_are_refused() -> None:
    problem, model, proof = proven()
    other = np.flatnonzero(problem.negatives >= problem.positives)[0]
    dual = proof.arrays["dual"].copy()
    dual[other] = 1
    verdict = rl.verify(problem, model, replace(proof, arrays={**proof.arrays, "dual": dual}))
    assert not verdict.valid
    assert "more than its pattern's weight" in verdict.reason


def test_a_proof_of_one_loss_is_none_of_the_other() -> None:
    """Of the same data, where the optima differ, and of sets that are optimal by the other loss only."""
    apart = 0
    for seed in range(60):
        case = make(seed)
        proofs, models = {}, {}
        for loss in ("hamming", "zero_one"):
            limits = case.most, case.depth, loss, case.form
            search = rl.RuleSetSearch(case.problem, *limits, regularization=float(case.penalty))
            models[loss] = rl.solve(search).incumbent.model
            proofs[loss] = search.certificate()
        turned = dict(proofs["hamming"].parameters) | {"zero_one": 1.0}
        verdict = rl.verify(case.problem, models["hamming"], replace(proofs["hamming"], parameters=turned))
        errors = models["hamming"].errors + case.penalty * models["hamming"].complexity
        assert not verdict.valid or errors == case.least
        apart += errors != case.least
    assert apart


def test_what_a_set_must_use_is_in_the_proof() -> None:
    rng = np.random.default_rng(1)
    A = rng.random((120, 5)) < 0.5
    y = (A[:, 0] & A[:, 1]) ^ (rng.random(120) < 0.2)
    problem = rl.Problem.from_arrays(pd.DataFrame(A, columns=[f"c{k}" for k in range(5)]), y)
    search = rl.RuleSetSearch(problem, 6, 2, "zero_one", must_use=["c4"])
    last = rl.solve(search)
    assert last.status is Status.OPTIMAL
    verdict = rl.verify(problem, last.incumbent.model, search.certificate())
    assert verdict.valid, verdict.reason
    assert "c4" in verdict.reason
