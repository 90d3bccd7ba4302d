"""Proofs of least gaps: accepted as they are, and refused when something in them is not true."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import random_problems
from crossed_cases import case_of as case_of_family
from laws import reread
from test_fair_rule_list import larger_problem
from test_least_gap import case_of, finished

import rulelab as rl

ACCURACY = 0.64
Proven = tuple[rl.Problem, rl.RuleList, rl.Certificate]


@pytest.mark.parametrize("part", [0, *(pytest.param(k, marks=pytest.mark.long) for k in range(1, 5))])
def test_least_gaps_have_proofs_that_hold(part: int) -> None:
    held = 0
    for seed in range(40 * part, 40 * part + 40):
        rows, search = case_of(seed)
        snapshot = finished(search)
        if snapshot.incumbent is None:
            with pytest.raises(rl.CertificateError, match="has not proven the least gap"):
                search.certificate()
            continue
        if rows.kind == "real":
            continue
        answer = rl.verify(search.problem, snapshot.incumbent.model, reread(search.certificate()))
        assert answer, answer.reason
        assert answer.objective == answer.lower_bound == float(search.least)
        held += 1
    assert held > 15


@pytest.mark.parametrize("kind", sorted(random_problems.WEIGHTS))
def test_a_proof_that_is_made_holds(kind: str) -> None:
    """Also where weights have so many digits that the search rounds them: there may be none, but no wrong one."""
    number = list(random_problems.WEIGHTS).index(kind)
    for seed in [number + len(random_problems.WEIGHTS) * k for k in range(12)] + [50354] * (kind == "tenths"):
        case = case_of_family("least_gap", seed)
        search = case.search()
        last = rl.solve(search)
        if last.status is rl.Status.OPTIMAL:
            try:
                certificate = search.certificate()
            except rl.CertificateError:
                continue
            assert rl.verify(search.problem, last.incumbent.model, certificate), case


@pytest.fixture(scope="module")
def proof() -> Proven:
    """Of a list with rules, where the table has many sets."""
    problem = larger_problem(m=10)
    search = rl.LeastGapSearch(problem, "equal_opportunity", min_accuracy=ACCURACY, max_length=4)
    model = rl.solve(search).incumbent.model
    certificate = search.certificate()
    assert len(certificate.arrays["values"]) > 5
    assert search.least > 0
    assert rl.verify(problem, model, certificate)
    return problem, model, certificate


def test_what_was_not_proven_is_refused(proof: Proven) -> None:
    problem, model, certificate = proof
    for name, value, words in (
        ("min_accuracy", 0.5, "has a smaller gap|the table leaves|needs one"),
        ("min_accuracy", 0.99, "accuracy is"),
        ("max_length", 10.0, "has a smaller gap|the table leaves|needs one"),
        ("max_length", 1.0, "rules, more than"),
        ("false_negative_rate_gap", 0.0, "the model's gap in the false_negative_rate"),
        ("accuracy_gap", 0.5, "the model's gap in the accuracy"),
        ("regularization", 0.01, "parameters that lists of least gap do not have"),
    ):
        changed = replace(certificate, parameters={**certificate.parameters, name: value})
        answer = rl.verify(problem, model, changed)
        assert not answer
        assert any(part in answer.reason for part in words.split("|")), answer.reason


def test_a_list_of_a_larger_gap_is_refused(proof: Proven) -> None:
    problem, model, certificate = proof
    best = rl.solve(rl.RuleListSearch(problem, 0.005)).incumbent.model
    assert best != model
    assert "the model's gap" in rl.verify(problem, best, certificate).reason
    gaps = dict(certificate.parameters)
    search = rl.LeastGapSearch(problem, "equal_opportunity", min_accuracy=ACCURACY, warm_start=best)
    gaps["false_negative_rate_gap"] = search.advance(1).incumbent.objective
    gaps["max_length"] = float(max(len(best), gaps["max_length"]))
    assert "smaller gap" in rl.verify(problem, best, replace(certificate, parameters=gaps)).reason


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
