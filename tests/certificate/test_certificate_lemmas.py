"""Lemmas of a certificate: sets whose proven cost bounds the cost of others."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from inside import learn_soon
from laws import reread
from test_certificate import further_cost, random_states, rows_of

import rulelab as rl
from rulelab.certificate import Certificate, KnownSets, prove_rule_list, verify
from rulelab.certificate.rule_list.lemmas import Lemmas
from rulelab.certificate.rule_list.states import grid, states
from rulelab.rule_list import RuleListSearch

REGULARIZATION = 0.01


def noisy(seed: int) -> rl.Problem:
    """A problem with a search long enough for cores, whose patterns all differ in weight."""
    rng = np.random.default_rng(seed)
    n, m = 400, 10
    A = rng.random((n, m)) < rng.uniform(0.15, 0.6, m)
    y = ((A[:, 0] & ~A[:, 1]) | (A[:, 2] & A[:, 3])) ^ (rng.random(n) < 0.3)
    return rl.Problem.from_arrays(A, y, sample_weight=rng.integers(1, 9, n))


def solved(problem: rl.Problem, learn_after: int) -> RuleListSearch:
    search = RuleListSearch(problem, REGULARIZATION)
    learn_soon(search, learn_after)
    assert rl.solve(search).status is rl.Status.OPTIMAL
    return search


@pytest.fixture(scope="module")
def learnt():
    """A problem, its optimal list, and a certificate with lemmas."""
    problem = noisy(0)
    search = solved(problem, learn_after=0)
    certificate = search.certificate()
    assert len(certificate.arrays["lemmas"]) > 3
    return problem, search.advance(1).incumbent.model, certificate


@settings(max_examples=150)
@given(st.integers(0, 2**32), st.integers(0, 3))
@example(300_000, 0)  # nothing is left of its patterns
def test_a_lemma_never_shows_more_than_the_least_cost(seed, excess):
    space, sets, cost = random_states(seed)
    sizes = np.bitwise_count(sets).sum(axis=1)
    found = Lemmas(space, sets, cost).proving(sets, cost + 1 + excess * space.per_rule, np.full(len(sets), 99))
    assert (found == -1).all()
    for below in range(1 + int(sizes.max())):
        found = Lemmas(space, sets, cost).proving(sets, cost, np.full(len(sets), below))
        assert (sizes[found[found >= 0]] < below).all()
        assert (found[sizes < below] >= 0).all()


def test_a_certificate_with_lemmas_is_saved_and_holds(learnt):
    problem, model, certificate = learnt
    answer = verify(problem, model, reread(certificate))
    assert answer.valid, answer.reason
    assert answer.objective == answer.lower_bound


@pytest.mark.long
def test_lemmas_make_the_proof_of_a_long_search_small(instances):
    A, y, names = instances.load("compas_155")
    problem = rl.Problem.from_arrays(A, y, names)
    search = RuleListSearch(problem, 0.005)
    model = rl.solve(search).incumbent.model
    certificate, plain = search.certificate(), prove_rule_list(problem, model, 0.005)
    assert len(certificate.arrays["values"]) < len(plain.arrays["values"]) / 4
    assert verify(problem, model, certificate, 0.005).valid


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_proofs_with_lemmas_hold_and_changed_ones_are_still_proofs(seed):
    problem = noisy(seed)
    search = solved(problem, learn_after=0)
    model, certificate = search.advance(1).incumbent.model, search.certificate()
    assert verify(problem, model, certificate).valid
    rng = np.random.default_rng(seed)
    sets, values = certificate.arrays["sets"].copy(), certificate.arrays["values"].copy()
    lemmas = certificate.arrays.get("lemmas", np.zeros(0, dtype=np.int64))
    everything = np.unique(np.append(lemmas, rng.integers(0, len(values), 3)))
    raised = values.copy()
    raised[rng.choice(everything)] += rng.integers(1, 2 + values.max())
    for arrays in (
        {"sets": sets, "values": raised, "lemmas": everything},
        {"sets": sets, "values": values, "lemmas": np.arange(len(values))},
        {"sets": sets[::2], "values": values[::2], "lemmas": np.arange((len(values) + 1) // 2)},
    ):
        for claimed in (model, rl.RuleList.from_problem(problem, model.antecedents[:1])):
            costs = grid(problem, REGULARIZATION)
            root = costs.per_error * (claimed.errors - states(problem, costs).constant) + costs.per_rule * len(claimed)
            forged = {**arrays, "values": np.append(np.int64(root), arrays["values"][1:])}
            if verify(problem, claimed, replace(certificate, arrays=forged)).valid:
                objective = Fraction(claimed.errors, problem.total_weight) + Fraction("0.01") * len(claimed)
                assert objective == Fraction(model.errors, problem.total_weight) + Fraction("0.01") * len(model)


def test_a_set_does_not_prove_itself():
    problem = noisy(1)
    costs = grid(problem, REGULARIZATION)
    space = states(problem, costs)
    default_only = rl.RuleList.from_problem(problem, ())
    root = costs.per_error * (default_only.errors - space.constant)
    arrays = {
        "sets": space.everything,
        "values": np.array([root], dtype=np.int64),
        "lemmas": np.zeros(1, dtype=np.int64),
    }
    forged = Certificate("rule_list", problem.fingerprint, {"regularization": REGULARIZATION}, arrays)
    assert not verify(problem, default_only, forged).valid


@pytest.mark.parametrize("lemmas", [np.array([0.0]), np.array([-1]), np.array([10**6]), np.array([[0]])])
def test_lemmas_must_be_positions(learnt, lemmas):
    problem, model, certificate = learnt
    answer = verify(problem, model, replace(certificate, arrays={**certificate.arrays, "lemmas": lemmas}))
    assert "positions of sets" in answer.reason


def test_hints_that_are_wrong_or_of_other_patterns_do_no_harm(learnt):
    problem, model, _ = learnt
    plain = prove_rule_list(problem, model, REGULARIZATION)
    costs = grid(problem, REGULARIZATION)
    space = states(problem, costs)
    p = len(space.weights)
    signed = np.where(np.arange(p) < space.n_positive, space.weights, -space.weights)
    rng = np.random.default_rng(3)
    known = KnownSets(
        antecedents=space.antecedents,
        patterns=space.inside,
        net=signed,
        per_error=space.per_error,
        per_rule=space.per_rule,
        sets=rng.random((40, p)) < 0.2,
        values=np.full(40, 3 * space.per_rule),
    )
    assert len(Lemmas.of(space, known)) == 40
    assert prove_rule_list(problem, model, REGULARIZATION, known).arrays.keys() == {"sets", "values"}
    for other in (
        replace(known, per_rule=space.per_rule + 1),
        replace(known, antecedents=space.antecedents[::-1]),
        replace(known, net=-signed),
        replace(known, patterns=~space.inside),
    ):
        assert len(Lemmas.of(space, other)) == 0
    assert np.array_equal(prove_rule_list(problem, model, REGULARIZATION).arrays["values"], plain.arrays["values"])


def test_hints_in_another_order_are_the_same_sets():
    problem = noisy(2)
    space = states(problem, grid(problem, REGULARIZATION))
    p = len(space.weights)
    rng = np.random.default_rng(4)
    order, sets = rng.permutation(p), rng.random((5, p)) < 0.5
    signed = np.where(np.arange(p) < space.n_positive, space.weights, -space.weights)
    known = KnownSets(
        antecedents=space.antecedents,
        patterns=space.inside[order],
        net=signed[order],
        per_error=space.per_error,
        per_rule=space.per_rule,
        sets=sets[:, order],
        values=np.arange(5),
    )
    assert np.array_equal(Lemmas.of(space, known).sets, space.pack(sets))


def test_values_of_lemmas_are_costs(learnt):
    """Small lemmas of a certificate, against the recursion that defines their cost."""
    problem, _, certificate = learnt
    space = states(problem, grid(problem, REGULARIZATION))
    sets = space.unpack(certificate.arrays["sets"])
    f = further_cost(space)
    small = [k for k in certificate.arrays["lemmas"] if sets[k].sum() <= 14][:5]
    for k in small:
        assert certificate.arrays["values"][k] <= f(frozenset(np.flatnonzero(sets[k]).tolist()))


def test_the_optimum_is_that_of_the_definition(learnt):
    problem, model, certificate = learnt
    assert verify(problem, model, certificate).objective == pytest.approx(
        float(naive.rule_list_objective(*rows_of(problem), Fraction("0.01"), model.antecedents)), abs=0
    )
