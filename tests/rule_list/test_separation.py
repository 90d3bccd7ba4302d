"""Pairs of patterns that rules must tell apart: bounds that hold, searches and proofs that use them."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import naive
import numpy as np
import pytest
from laws import Inside, changed, in_slices, learn_soon, proof_by, put, refused, state_of
from random_problems import explained

import rulelab as rl
from rulelab.certificate.rule_list.checker import recompute
from rulelab.certificate.rule_list.hints import Separation
from rulelab.certificate.rule_list.states import states
from rulelab.rule_list import RuleListBounds, pair_multipliers
from rulelab.rule_list.core_pool import known_sets
from rulelab.rule_list.costs import costs_of
from rulelab.rule_list.pair_bound import GIVEN_UP, READY, least_cost


@pytest.fixture(autouse=True)
def from_the_start(monkeypatch):
    learn_soon(after=None, where=None, separate_after=0, put=monkeypatch.setattr)


def data(seed, n=60, m=6, noise=0.25):
    weight = np.random.default_rng(seed).integers(1, 9, n) if seed % 2 else np.ones(n, dtype=np.int64)
    return *explained(seed, n, m, noise), weight


def problem_of(seed, **options):
    A, y, weight = data(seed, **options)
    return rl.Problem.from_arrays(A, y, sample_weight=weight)


def searched(seed, regularization=0.02, **options):
    search = rl.RuleListSearch(problem_of(seed, **options), regularization, beam_width=0)
    return search, rl.solve(search)


@pytest.mark.parametrize("seed", range(16))
def test_no_list_costs_less_than_the_multipliers_say(seed):
    A, y, weight = data(seed, n=30, m=5)
    regularization = (0.005, 0.02, 0.06)[seed % 3]
    search, snapshot = searched(seed, regularization, n=30, m=5)
    best = naive.best_rule_list(A, y, weight.tolist(), naive.decimal(regularization))
    found = snapshot.incumbent.model.antecedents
    assert naive.rule_list_objective(A, y, weight.tolist(), naive.decimal(regularization), found) == best
    inside = Inside(search)
    separation = inside.learning.separation
    least = int(inside.store.cost[0]) + least_cost(separation)
    assert separation.numbers[READY] == 1
    assert least * Fraction(costs_of(search.problem, regularization).unit) <= best * Fraction(1 + 10**-12)


@pytest.mark.parametrize("seed", range(6))
def test_multipliers_pay_no_more_than_errors_and_rules_cost(seed):
    inside = Inside(searched(seed)[0])
    separation, arrays, rules = inside.learning.separation, inside.layout, inside.rules
    scale, m = int(separation.numbers[-1]), arrays.by_antecedent.shape[0]
    assert separation.numbers[GIVEN_UP] == 0
    assert least_cost(separation) > 0
    error, rule = np.zeros(len(arrays.weights), dtype=np.int64), np.zeros(2 * m, dtype=np.int64)
    for i, u in enumerate(separation.multiplier.tolist()):
        first, second = int(separation.first[i]), int(separation.second[i])
        error[[first, second]] += u
        for a in range(m):
            holds = [
                bool(arrays.by_antecedent[a, at // 64] >> np.uint64(at % 64) & np.uint64(1)) for at in (first, second)
            ]
            if holds == [True, False]:
                rule[a] += u
            if holds == [False, True]:
                rule[m + a] += u
    assert (error <= scale * rules.per_error * arrays.weights).all()
    assert (rule <= scale * rules.per_rule).all()


def test_pairs_of_very_unequal_weights_may_all_be_given_up(monkeypatch):
    monkeypatch.setattr(pair_multipliers, "ENTRIES_TO_SHARE", 0)
    A = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=bool)
    y, weight = A[:, 0], np.array([1, 1, 10**6, 10**6])
    lists = [
        rl.solve(rl.RuleListSearch(rl.Problem.from_arrays(A, y, sample_weight=weight), 0.1, beam_width=0, n_jobs=n))
        for n in (1, 2)
    ]
    assert [found.status for found in lists] == [rl.Status.OPTIMAL] * 2
    assert lists[0].incumbent.objective == lists[1].incumbent.objective


def test_slices_and_pickles_change_nothing():
    problem = problem_of(1, n=300, m=14)
    whole = rl.solve(rl.RuleListSearch(problem, 0.004))
    _, snapshot = in_slices(rl.RuleListSearch(problem, 0.004))
    assert snapshot.pruned["separation"] > 0
    assert state_of(snapshot) == state_of(whole)


def test_the_memory_limit_counts_them():
    problem = problem_of(2, n=300, m=14)
    search = rl.RuleListSearch(problem, 0.01, beam_width=0)
    search.advance(1)
    size = sum(array.nbytes for array in Inside(search).learning.separation)
    assert search.memory_bytes > size > 50_000
    limited = rl.RuleListSearch(problem, 0.01, beam_width=0, memory_limit=search.memory_bytes - size // 2)
    assert limited.advance(1).memory_bytes <= limited.memory_limit
    assert Inside(limited).learning.separation.numbers[GIVEN_UP] == 1
    assert rl.solve(limited).incumbent.objective == rl.solve(search).incumbent.objective


@cache
def proof(seed=1):
    problem = problem_of(seed, n=200, m=10)
    return problem, *proof_by(rl.RuleListSearch(problem, 0.01, bounds=RuleListBounds(cores=False)))


@pytest.mark.parametrize("seed", range(3))
def test_proofs_with_pairs_are_valid(seed):
    problem, model, certificate = proof(seed)
    assert {"pairs", "multipliers", "parts"} <= set(certificate.arrays)
    assert not certificate.compares_groups
    assert rl.verify(problem, model, certificate).valid
    for kept in (("sets", "values"), set(certificate.arrays) - {"parts"}):
        some = {name: certificate.arrays[name] for name in kept}
        assert not rl.verify(problem, model, replace(certificate, arrays=some)).valid


WRONG = {
    "a multiplier is too large": ("multipliers", lambda u: u + (np.arange(len(u)) == 0) * (u.sum() + 1)),
    "all are a little larger": ("multipliers", lambda u: u + u // 4 + 1),
    "one is negative": ("multipliers", put(0, -1)),
    "they would overflow": ("multipliers", lambda u: np.full_like(u, (1 << 62) + 1)),
    "labels are the other way round": ("pairs", lambda pairs: pairs[:, ::-1].copy()),
    "a position does not exist": ("pairs", lambda pairs: pairs + 10_000),
    "fewer parts": ("parts", lambda parts: parts // 2),
    "no parts": ("parts", lambda parts: parts * 0),
    "negative parts": ("parts", lambda parts: -parts),
    "another shape": ("parts", lambda parts: np.repeat(parts, 2)),
    "no integers": ("multipliers", lambda u: u.astype(np.float64)),
    "pairs are missing": ("pairs", lambda pairs: pairs[1:]),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_multipliers_are_refused(what):
    problem, model, certificate = proof()
    assert refused(problem, model, changed(certificate, *WRONG[what]))


@pytest.mark.parametrize("seed", range(12))
def test_no_completion_costs_less_than_multipliers_raised_for_a_set_say(seed):
    regularization = Fraction("0.01") if seed % 3 else Fraction("0.04")
    problem = problem_of(seed, n=40, m=5)
    search = rl.RuleListSearch(problem, float(regularization), bounds=RuleListBounds(cores=False), beam_width=0)
    best = rl.solve(search).incumbent.model
    inside = Inside(search)
    learnt = inside.learning
    costs = costs_of(problem, float(regularization))
    known = known_sets(learnt.cores, inside.layout, inside.reduction, costs, learnt.separation)
    space = states(problem, recompute(problem, best, float(regularization))[0])
    separation = Separation.of(space, known)
    assert len(separation) > 0
    rng = np.random.default_rng(seed)
    sets = rng.random((7, len(space.weights))) < np.linspace(0.4, 1, 7)[:, None]
    owner, antecedent = np.divmod(np.arange(7 * len(space.antecedents)), len(space.antecedents))
    found = separation.after(space.pack(sets), owner, antecedent)
    single = [separation.after(space.pack(sets[[i]]), owner[:1], antecedent[[k]])[0] for k, i in enumerate(owner)]
    assert found.tolist() == single, "other sets beside it change nothing"
    assert found.sum() > separation.least(space.pack(sets[owner] & ~space.inside[:, antecedent].T)).sum()
    positive = np.arange(len(space.weights)) < space.n_positive
    for i, a, least in zip(owner, antecedent, found.tolist(), strict=True):
        left = sets[i] & ~space.inside[:, a]
        if left.any():
            total = int(space.weights[left].sum())
            price = Fraction(space.per_rule, space.per_error * total)
            best = naive.best_rule_list(space.inside[left], positive[left], space.weights[left].tolist(), price)
            assert least <= best * total * space.per_error


def test_proofs_are_smaller_with_multipliers_raised_for_each_set(monkeypatch):
    problem, model, adapted = proof()
    monkeypatch.setattr("rulelab.certificate.rule_list.proof.TRIED_ANYWAY", 0)
    monkeypatch.setattr("rulelab.certificate.rule_list.proof.CLOSED_BY_EACH", np.inf)
    _, _, plain = proof.__wrapped__()
    assert len(adapted.arrays["sets"]) < len(plain.arrays["sets"])
    assert rl.verify(problem, model, plain).valid
    dropped = {**adapted.arrays, "multipliers": adapted.arrays["multipliers"] // 2}
    assert not rl.verify(problem, model, replace(adapted, arrays=dropped)).valid


def test_more_pairs_than_fit_in_memory_are_refused_and_not_put_in_a_proof(monkeypatch):
    problem, model, certificate = proof()
    monkeypatch.setattr("rulelab.certificate.rule_list.hints.MOST_CELLS", 10 * len(certificate.arrays["pairs"]) - 1)
    assert "pairs; for 10 antecedents at most" in rl.verify(problem, model, certificate).reason
    _, _, plain = proof.__wrapped__()
    assert set(plain.arrays) == {"sets", "values"}
    assert rl.verify(problem, model, plain).valid


def test_a_proof_says_that_pairs_rule_a_list_out():
    problem, model, certificate = proof()
    lists = (rl.RuleList.from_problem(problem, [a, b]) for a in range(10) for b in range(10) if a != b)
    said = (str(rl.explain_proof(problem, model, certificate, one)) for one in lists)
    assert any("of two rows of different labels one is wrong or a rule tells them apart" in text for text in said)
