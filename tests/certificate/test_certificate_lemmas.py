"""Lemmas of a certificate: sets whose proven cost bounds the cost of others."""

import pickle
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from laws import known_problem, learn_soon, with_arrays
from proof_mutations import known_of
from random_problems import explained
from test_certificate import children, random_states

import rulelab as rl
from rulelab.certificate import Certificate, CertificateError, prove_rule_list, verify
from rulelab.certificate.rule_list.checker import check_chunk
from rulelab.certificate.rule_list.children import opened
from rulelab.certificate.rule_list.hints import Lemmas, Separation
from rulelab.certificate.rule_list.states import grid, states
from rulelab.families import EVERY_FAMILY

REGULARIZATION = 0.01


def noisy(seed: int) -> rl.Problem:
    """A problem with a search long enough for cores, whose patterns all differ in weight."""
    weight = np.random.default_rng(seed).integers(1, 9, 400)
    return rl.Problem.from_arrays(*explained(seed, 400, 10, 0.3), sample_weight=weight)


def solved(problem: rl.Problem, learn_after: int) -> rl.RuleListSearch:
    search = rl.RuleListSearch(problem, REGULARIZATION)
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


@pytest.mark.long
def test_lemmas_make_the_proof_of_a_long_search_small(instances):
    problem = known_problem(instances, "compas_155")
    search = rl.RuleListSearch(problem, 0.005)
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
    values, lemmas = np.array([root], dtype=np.int64), np.zeros(1, dtype=np.int64)
    arrays = {"sets": space.everything, "values": values, "lemmas": lemmas}
    forged = Certificate("rule_list", problem.fingerprint, {"regularization": REGULARIZATION}, arrays)
    assert not verify(problem, default_only, forged).valid


@pytest.mark.parametrize("lemmas", [np.array([0.0]), np.array([-1]), np.array([10**6]), np.array([[0]])])
def test_lemmas_must_be_positions(learnt, lemmas):
    problem, model, certificate = learnt
    answer = verify(problem, model, with_arrays(certificate, lemmas=lemmas))
    assert "positions of sets" in answer.reason


def test_hints_that_are_wrong_or_of_other_patterns_do_no_harm(learnt):
    problem, model, _ = learnt
    plain = prove_rule_list(problem, model, REGULARIZATION)
    space = states(problem, grid(problem, REGULARIZATION))
    sets = np.random.default_rng(3).random((40, len(space.weights))) < 0.2
    known = known_of(space, sets, np.full(40, 3 * space.per_rule))
    assert len(Lemmas.of(space, known)) == 40
    assert prove_rule_list(problem, model, REGULARIZATION, known).arrays.keys() == {"sets", "values"}
    for other in (
        replace(known, per_rule=space.per_rule + 1),
        replace(known, antecedents=space.antecedents[::-1]),
        replace(known, net=-known.net),
        replace(known, patterns=~space.inside),
    ):
        assert len(Lemmas.of(space, other)) == 0
    assert np.array_equal(prove_rule_list(problem, model, REGULARIZATION).arrays["values"], plain.arrays["values"])


def test_hints_in_another_order_are_the_same_sets():
    problem = noisy(2)
    space = states(problem, grid(problem, REGULARIZATION))
    rng, p = np.random.default_rng(4), len(space.weights)
    order, sets = rng.permutation(p), rng.random((5, p)) < 0.5
    known = known_of(space, sets, np.arange(5))
    known = replace(known, patterns=known.patterns[order], net=known.net[order], sets=sets[:, order])
    assert np.array_equal(Lemmas.of(space, known).sets, space.pack(sets))


# what a proof's check shows of many rules at once is what it shows of each by itself ----------------------------------
NAMES = SimpleNamespace(names=tuple(map(str, range(9))))
SEEDS = st.integers(0, 2**32)


def sizes_of(sets: np.ndarray) -> np.ndarray:
    return np.bitwise_count(sets).sum(axis=1, dtype=np.int64)


def accepted(space, lemmas, sets, values) -> bool:
    """Whether the sets bear each other out, checked all at once."""
    table = dict(zip(map(bytes, sets), values.tolist(), strict=True))
    try:
        none = Separation.none(space)
        check_chunk(NAMES, space, table, lemmas, none, sets, values, 0)
    except CertificateError:
        return False
    return True


def accepted_one_by_one(space, lemmas, sets, values) -> bool:
    """The same, each rule after each set by itself."""
    table = dict(zip(map(bytes, sets), values.tolist(), strict=True))
    sizes = sizes_of(sets)
    for i in range(len(sets)):
        exceeded, _, below = children(space, sets[i : i + 1], values[i : i + 1])
        if len(exceeded):
            return False
        for child, required in zip(below.sets, below.required, strict=True):
            by_lemma = lemmas.proving(child[None], np.array([required]), sizes[i : i + 1])[0]
            if table.get(bytes(child), -1) < required and by_lemma < 0:
                return False
    return True


def scaled(space, factor: int):
    """The same states with weights and prices so many times as large."""
    return replace(space, weights=space.weights * factor, per_rule=space.per_rule * factor)


@settings(max_examples=150)
@given(SEEDS, st.sampled_from([1, 2**13, 2**16, 2**42, 2**44]), st.sampled_from([0, 1, 0.5, 2]))
def test_rules_are_closed_by_lemmas_that_show_it_of_what_they_leave(seed, factor, excess):
    space, sets, cost = random_states(seed)
    space, cost = scaled(space, factor), cost * factor
    rng = np.random.default_rng(seed)
    chosen = np.flatnonzero(rng.random(len(sets)) < 0.3)
    lemmas = Lemmas(space, sets[chosen], cost[chosen])
    values = cost + int(excess * space.per_rule)
    positive, negative, _, _ = space.net_weights(sets)
    may = np.ones(positive.shape, dtype=bool)
    lemmas.close(may, sets, values, np.minimum(positive, negative))
    exact = dict(zip(map(bytes, sets), cost.tolist(), strict=True))
    sizes = sizes_of(sets)
    for i, a in np.argwhere(~may).tolist():
        left = sets[i] & space.outside[a]
        required = values[i] - space.per_rule - int(space.cost_of(np.minimum(positive, negative))[i, a])
        assert exact[bytes(left)] >= required
        assert lemmas.proving(left[None], np.array([required]), sizes[i : i + 1])[0] >= 0


def test_lemmas_close_rules_of_a_proof_before_what_they_leave_is_looked_at(learnt):
    problem, _, certificate = learnt
    space = states(problem, grid(problem, REGULARIZATION))
    sets, values = certificate.arrays["sets"], certificate.arrays["values"]
    chosen = certificate.arrays["lemmas"]
    rules = opened(space, sets, values)
    fewer = opened(space, sets, values, Lemmas(space, sets[chosen], values[chosen]))
    assert 0 < len(fewer.parent) < len(rules.parent)


@settings(max_examples=100)
@given(SEEDS, st.sampled_from([0.05, 0.5, 2]))
def test_a_table_with_a_false_value_is_never_accepted(seed, excess):
    space, sets, cost = random_states(seed)
    rng = np.random.default_rng(seed)
    chosen = np.flatnonzero(rng.random(len(sets)) < 0.3)
    assert accepted(space, Lemmas(space, sets[chosen], cost[chosen]), sets, cost)
    for k in rng.integers(0, len(sets), 5):
        values = cost.copy()
        values[k] += max(1, int(excess * space.per_rule))
        for at in (chosen, np.union1d(chosen, [k]), np.arange(len(sets))):
            assert not accepted(space, Lemmas(space, sets[at], values[at]), sets, values)


@settings(max_examples=150)
@given(SEEDS, st.sampled_from([0, 0.1, 0.6]), st.sampled_from([0, 0.2, 1.0]))
def test_all_at_once_shows_what_one_by_one_does(seed, missing, lowered):
    space, sets, cost = random_states(seed)
    rng = np.random.default_rng(seed)
    kept = rng.random(len(sets)) >= missing
    sets, cost = sets[kept], cost[kept]
    values = np.maximum(0, cost - np.where(rng.random(len(cost)) < lowered, rng.integers(0, 2 * space.per_rule), 0))
    chosen = np.flatnonzero(rng.random(len(sets)) < 0.3)
    lemmas = Lemmas(space, sets[chosen], values[chosen])
    assert accepted(space, lemmas, sets, values) == accepted_one_by_one(space, lemmas, sets, values)


# a search keeps its certificate --------------------------------------------------------------------------------------
def test_a_bound_is_proven_anew():
    search = rl.RuleListSearch(noisy(4), REGULARIZATION)
    while search.advance(1).status is not rl.Status.OPTIMAL:
        try:
            first = search.certificate(bound_only=True)
        except CertificateError:
            continue
        assert search.certificate(bound_only=True) is not first
        assert "lower_bound" in first.parameters
        break
    assert rl.solve(search).status is rl.Status.OPTIMAL
    assert "lower_bound" not in search.certificate().parameters


@pytest.mark.parametrize("family", ["rule_list", "rule_set", "least_gap_of_sets", "least_gap"])
def test_a_search_that_has_ended_makes_its_certificate_once_and_pickles_without_it(family):
    long = family == "rule_list"
    search = solved(noisy(3), learn_after=0) if long else EVERY_FAMILY[family].rehearsal()
    assert rl.solve(search).status is rl.Status.OPTIMAL
    without = len(pickle.dumps(search))
    first = search.certificate()
    assert search.certificate() is first
    assert not long or len(pickle.dumps(search)) < without + sum(array.nbytes for array in first.arrays.values())
    other = pickle.loads(pickle.dumps(search))
    again = other.certificate()
    assert again is not first
    assert other.certificate() is again
    assert first.arrays.keys() == again.arrays.keys()
    for name, array in first.arrays.items():
        assert np.array_equal(array, again.arrays[name])
