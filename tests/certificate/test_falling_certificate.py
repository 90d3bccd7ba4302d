"""Proofs that a falling rule list is optimal: they can be made, they check, and no change makes one of a lie."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import permutations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import reread
from proof_checks import changed, holds, proof_by, put, refused, with_arrays
from strategies import problem_of, rows
from test_joint_capture_certificate import proven_with

import rulelab as rl
from rulelab.certificate import CertificateError, prove_falling_rule_list
from rulelab.certificate.falling_rule_list.states import falling_states
from rulelab.falling_rule_list import FallingRuleListSearch, SoftSearch

cases = partial(rows, st.sampled_from([0.5, 1.0, 2.0, 5.0]), st.sampled_from([0.0, 1e-6, 0.01, 0.05]), max_weight=6)


def optimal(problem, w, C):
    return rl.solve(FallingRuleListSearch(problem, C, w, iterations=0)).incumbent.model


@pytest.fixture(scope="module")
def proven():
    rng = np.random.default_rng(2)
    F = rng.random((2000, 8)) < rng.uniform(0.2, 0.6, 8)
    score = F @ rng.normal(0, 0.7, 8)
    risk = 1 / (1 + np.exp(1.5 - score + score.mean()))
    A = np.column_stack([F, *(F[:, i] & F[:, j] for i in range(8) for j in range(i))])
    problem = rl.Problem.from_arrays(A, rng.random(2000) < risk)
    return problem, *proof_by(FallingRuleListSearch(problem, 0.0005, 5.0))


@pytest.mark.long
@pytest.mark.parametrize("dropping", [False, True])
@settings(max_examples=80, deadline=None)
@given(cases(), st.integers(0, 10**6), st.lists(st.integers(0, 4), max_size=3, unique=True))
def test_exactly_the_optimal_lists_can_be_proven(dropping, case, seed, antecedents):
    A, y, weight, w, C = case
    problem = problem_of(case)

    def prove(model):
        return proven_with(problem, w, C, model) if dropping else prove_falling_rule_list(problem, model, C)

    best = naive.best_falling_rule_list(A, y, weight, Fraction(repr(w)), Fraction(repr(C)))
    true = prove(found := optimal(problem, w, C))
    answer = holds(problem, found, true, C)
    assert (answer.objective, answer.lower_bound, answer.resolution) == (found.objective(C), found.objective(C), 0)
    assert found.exact_objective(C) == best
    model = rl.FallingRuleList.from_problem(problem, [j for j in antecedents if j < A.shape[1]], w)
    if model.falls and model.exact_objective(C) == best:
        assert rl.verify(problem, model, prove(model)).valid
        return
    with pytest.raises(CertificateError):
        prove(model)
    assert not rl.verify(problem, model, true)
    rng = np.random.default_rng(seed)  # raise the root to the false value, and others with it
    values = true.arrays["values"].copy()
    values[0] = int(model.exact_objective(C) / falling_states(problem, C, w).unit)
    values[1:] += rng.integers(0, 2) * (values[0] - true.arrays["values"][0])
    assert not rl.verify(problem, model, with_arrays(true, values=values))


def test_a_saved_proof_checks(proven):
    problem, model, certificate = proven
    assert len(certificate.arrays["values"]) > 50
    answer = holds(problem, rl.FallingRuleList.from_json(model.to_json()), reread(certificate), 0.0005)
    assert answer.checked["entries"] == len(certificate.arrays["values"])
    assert answer.parameters == {"regularization": 0.0005, "positive_weight": 5.0}


def test_every_entry_that_claims_more_or_less_is_refused(proven):
    """A lowered one is missed where it is looked up: an entry claims no less than was required."""
    problem, model, certificate = proven
    n = len(certificate.arrays["values"])
    for k in range(0, n, max(1, n // 15)):
        for by in (10**9, -1):
            other = changed(certificate, "values", put(k, lambda value, by=by: value + by))
            assert not rl.verify(problem, model, other), (k, by)


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("parents", put(5, 5), "earlier"),
        ("parents", put(5, -1), "earlier"),
        ("parents", put(0, 0), "first entry"),
        ("antecedents", put(5, 10**6), "does not have"),
        ("antecedents", put(5, -2), "does not have"),
        ("values", put(0, lambda value: value + 1), "claims the bound"),
    ],
)
def test_malformed_tables_are_refused(proven, name, change, reason):
    problem, model, certificate = proven
    assert reason in refused(problem, model, changed(certificate, name, change))


def test_another_model_or_parameter_is_refused(proven):
    problem, model, certificate = proven
    shorter = rl.FallingRuleList.from_problem(problem, model.antecedents[:-1], 5.0)
    rule = replace(model.rules[0], positives=model.rules[0].positives + 1)
    renamed = replace(model.rules[0], name=problem.names[model.rules[1].antecedent])
    for other, reason in (
        (shorter, "claims the bound"),
        (rl.FallingRuleList.from_problem(problem, model.antecedents, 3.0), "positive weight"),
        (rl.FallingRuleList.from_problem(problem, model.antecedents, 5.0, 0.5), "softly"),
        (replace(model, rules=(rule, *model.rules[1:])), "positives"),
        (replace(model, rules=(renamed, *model.rules[1:])), "name"),
        (replace(model, default=replace(model.default, probability=0.5)), "probability"),
        (replace(model, n_antecedents=3), "other antecedents"),
    ):
        assert reason in refused(problem, other, certificate)
    for parameters in ({}, {"regularization": 0.0005}, {"regularization": 2.0, "positive_weight": 5.0}):
        assert not rl.verify(problem, model, replace(certificate, parameters=parameters))
    cheaper = replace(certificate, parameters={"regularization": 0.0004, "positive_weight": 5.0})
    assert not rl.verify(problem, model, cheaper)
    assert "regularization" in rl.verify(problem, model, certificate, 0.001).reason


def test_other_data_are_refused(proven):
    problem, model, certificate = proven
    positives = problem.positives.copy()
    positives[0] += 1
    other = rl.Problem.from_counts(problem.matrix(), positives, problem.negatives, names=problem.names)
    assert "fingerprints" in rl.verify(other, model, certificate).reason
    assert not rl.verify(other, model, replace(certificate, fingerprint=other.fingerprint))


def test_a_list_that_does_not_fall_is_refused():
    problem = rl.Problem.from_counts([[1, 0], [0, 1], [0, 0]], [3, 4, 1], [2, 1, 6])
    rising = rl.FallingRuleList.from_problem(problem, (0, 1))
    assert not rising.falls
    with pytest.raises(CertificateError, match="does not fall"):
        prove_falling_rule_list(problem, rising, 0.01)


def test_when_there_is_no_certificate():
    problem = rl.Problem.from_counts([[1, 0], [0, 1], [0, 0]], [3, 4, 1], [2, 1, 6])
    search = FallingRuleListSearch(problem, 0.01)
    with pytest.raises(CertificateError, match="not proven"):
        search.certificate()
    for other in (
        FallingRuleListSearch(problem, 0.01, max_length=1),
        SoftSearch(problem, 0.01, 1.0, 0.5, max_length=1),
    ):
        rl.solve(other)
        with pytest.raises(CertificateError, match="max_length"):
            other.certificate()


def other_lists(problem, w):
    """Those that fall, of up to three of four antecedents."""
    for length in range(4):
        for chosen in permutations(range(4), length):
            other = rl.FallingRuleList.from_problem(problem, chosen, w)
            if other.falls:
                yield other


@pytest.mark.parametrize("w", [1 / 3, 1 / 7, 1.7307692307692308, 0.1234567890123457, 12.345678901234567])
@pytest.mark.parametrize("options", [{}, {"fairness": rl.EqualOpportunity(0.4)}], ids=["any", "fair"])
def test_a_positive_weight_of_many_digits_is_proven_with_within_its_rounding(w, options):
    """Its product with all weights takes more than 64 bits; no list of at most three rules is below the bound."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        A, group = rng.random((150, 4)) < 0.5, np.arange(150) % 2
        y = (A[:, 0] & A[:, 1]) ^ (rng.random(150) < 0.3)
        problem = rl.Problem.from_arrays(A, y, sample_weight=rng.integers(1, 50, 150), groups=group)
        search = rl.search_for(problem, "falling_rule_list", regularization=0.005, positive_weight=w, **options)
        last = rl.solve(search)
        if last.status is rl.Status.INFEASIBLE:
            continue
        assert last.limit == "exactness"
        best, proof = last.incumbent.model, search.certificate()
        answer = holds(problem, best, proof)
        assert answer.objective == pytest.approx(best.objective(0.005), abs=1e-15)
        bound = answer.lower_bound
        assert answer.objective - 1e-12 < bound <= answer.objective
        for other in other_lists(problem, w):
            if not options:
                assert other.objective(0.005) >= bound
            answer = rl.verify(problem, other, proof)
            assert not answer or answer.objective <= best.objective(0.005) + answer.resolution


def test_a_proof_for_the_paper_s_data(instances):
    A, y, names = instances.load("bank_227")
    problem = rl.Problem.from_arrays(A, y, names=names)
    answer = holds(problem, *proof_by(FallingRuleListSearch(problem, 1e-6, 1.0)), 1e-6)
    assert answer.lower_bound == pytest.approx(0.1069681, abs=1e-7)
