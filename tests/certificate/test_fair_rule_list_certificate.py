"""Proofs that fair rule lists are optimal: accepted as they are, and refused when something in them is not true."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from laws import finished, reread
from test_fair_rule_list import case_of, larger_problem

import rulelab as rl

Proven = tuple[rl.Problem, rl.RuleList, rl.Certificate]


def test_certified_lists_have_proofs_that_hold() -> None:
    held = 0
    for seed in range(160):
        rows, search = case_of(seed)
        snapshot = finished(search)
        if snapshot.incumbent is None:
            with pytest.raises(rl.CertificateError, match="has not proven its list optimal"):
                search.certificate()
        else:
            model = snapshot.incumbent.model
            answer = rl.verify(search.problem, model, reread(search.certificate()))
            assert answer, (seed, answer.reason)
            assert answer.objective == answer.lower_bound or rows.kind == "real"
            assert answer.objective == pytest.approx(answer.lower_bound, abs=1e-12)
            assert answer.objective == pytest.approx(model.objective(search.regularization), abs=1e-15)
            held += 1
    assert held > 80


@pytest.fixture(scope="module")
def proof() -> Proven:
    """Of a list with rules, where the table has many sets."""
    problem = larger_problem(m=10)
    search = rl.search_for(problem, regularization=0.005, fairness=rl.EqualOpportunity(0.1)).without_relaxation()
    model = rl.solve(search).incumbent.model
    certificate = search.certificate()
    assert rl.verify(problem, model, certificate)
    return problem, model, certificate


def test_a_fair_list_that_costs_more_is_refused(proof: Proven) -> None:
    problem, model, certificate = proof
    worse = rl.RuleList.from_problem(problem, (), [1])
    assert worse.objective(0.005) > model.objective(0.005)
    assert "costs less" in rl.verify(problem, worse, certificate).reason


def test_an_unfair_list_is_refused(proof: Proven) -> None:
    problem, _, certificate = proof
    unfair = rl.RuleList.from_problem(problem, (2,), [1, 0])
    assert "breaks a constraint" in rl.verify(problem, unfair, certificate).reason


def test_groups_are_part_of_what_is_checked(proof: Proven) -> None:
    problem, model, certificate = proof
    assert "no groups" in rl.verify(replace(problem, groups=None), model, certificate).reason


def test_values_that_are_raised_are_refused(proof: Proven) -> None:
    problem, model, certificate = proof
    values = certificate.arrays["values"]
    for k in np.linspace(0, len(values) - 1, min(20, len(values))).astype(int):
        raised = values.copy()
        raised[k] = 1 << 60
        answer = rl.verify(problem, model, replace(certificate, arrays={**certificate.arrays, "values": raised}))
        assert not answer, k


def test_sums_that_the_search_has_rounded_are_proven_as_they_are() -> None:
    """Beyond 2^58 the search rounds its sums, and has multiplied those; a check adds up what they stand for."""
    proven = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        A = rng.random((24, 5)) < 0.5
        y = (A[:, 0] ^ (rng.random(24) < 0.3)).astype(int)
        groups = np.where(A[:, 1] ^ (rng.random(24) < 0.3), "a", "b")
        weight = rng.integers(1 << 24, 1 << int(rng.integers(25, 29)), 24)
        problem = rl.Problem.from_arrays(A, y, sample_weight=weight, groups=groups)
        criterion = (rl.DemographicParity, rl.EqualOpportunity)[seed % 2](0.1)
        search = rl.search_for(problem, regularization=0.03, fairness=criterion).without_relaxation()
        if search._constraints.shifts != [1]:
            continue
        best = rl.solve(search).incumbent
        assert best is not None
        proof = search.certificate()
        assert rl.verify(problem, best.model, proof)
        proven += bool((proof.arrays["multipliers"] != 0).any())
        if proven == 2:
            return
    raise AssertionError("no multipliers of rounded sums were tried")
