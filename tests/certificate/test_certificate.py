"""Certificates: what an engine finds can be proven, what is proven is optimal, and no change makes a proof of a lie."""

import io
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from unittest import mock

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import certified, holds, known_problem, learn_soon, noisy_problem, proof_by, rows, rows_of, with_arrays

import rulelab as rl
from rulelab.certificate import Certificate, CertificateError, prove_rule_list, verify
from rulelab.certificate.rule_list import children as rule_list_children
from rulelab.certificate.rule_list.children import Wanted, completions_of_part_below, opened
from rulelab.certificate.rule_list.hints import Lemmas
from rulelab.certificate.rule_list.states import States, grid, states
from rulelab.rule_list import RuleListSearch, core_pool
from rulelab.rule_list.exact import search as engine

LAMBDAS = (0.004, 0.01, 0.02, 0.05, 0.1, 0.2)
small_problems = partial(rows, st.sampled_from(LAMBDAS))


def optimal_model(problem, regularization, **options):
    return certified(rl.search(problem, regularization=regularization, **options)).incumbent.model


def exact(case, model):
    A, y, weight, regularization = case
    return naive.rule_list_objective(A, y, weight, naive.decimal(regularization), model.antecedents)


def least(case):
    A, y, weight, regularization = case
    return naive.best_rule_list(A, y, weight, naive.decimal(regularization))


@pytest.fixture(scope="module")
def proven():
    """A problem with a model of several rules and its certificate."""
    problem = noisy_problem(1, 300, 12, 0.1)
    model = optimal_model(problem, 0.01)
    certificate = prove_rule_list(problem, model, 0.01)
    assert len(model) >= 3
    assert len(certificate.arrays["values"]) > 10
    return problem, model, certificate


# proofs hold ----------------------------------------------------------------------------------------------------------
@settings(max_examples=60)
@given(small_problems(max_rows=9, max_columns=4), st.floats(0.1, 3), st.integers(0, 2**20), st.booleans())
def test_weights_of_many_digits_are_certified_up_to_a_resolution(case, factor, shift, huge):
    A, y, weight, regularization = case
    weight = [w << 44 if huge else w * factor + (i * shift % 97) / 89 for i, w in enumerate(weight)]
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    model = optimal_model(problem, regularization)
    answer = holds(problem, model, prove_rule_list(problem, model, regularization))
    case = *rows_of(problem), regularization  # equal rows are merged, and their weights summed exactly, by the problem
    assert float(exact(case, model)) == answer.objective
    assert Fraction(answer.lower_bound) <= least(case) + Fraction(1, 2**53)
    assert exact(case, model) - least(case) <= answer.resolution * (1 + 1e-12) < 1e-12


@pytest.mark.parametrize(
    ("name", "regularization", "most_sets"),
    [("compas_a", 0.02, 1), ("compas_a", 0.01, 1200), ("compas_a", 0.005, 2000), ("compas_155", 0.01, 3000)],
)
def test_benchmark_instances(instances, name, regularization, most_sets):
    problem = known_problem(instances, name)
    model = optimal_model(problem, regularization)
    stream = io.BytesIO()
    prove_rule_list(problem, model, regularization).save(stream)
    assert stream.tell() < 40_000
    stream.seek(0)
    certificate = Certificate.load(stream)
    assert len(certificate.arrays["values"]) <= most_sets
    answer = holds(problem, model, certificate, regularization)
    assert answer.objective == pytest.approx(instances.EXPECTED["rule_list"][name, regularization], abs=1e-9)


def test_a_list_that_is_not_optimal_has_no_proof(proven):
    problem, model, _ = proven
    worse = rl.RuleList.from_problem(problem, model.antecedents[::-1][:1])
    with pytest.raises(CertificateError, match="a better list exists"):
        prove_rule_list(problem, worse, 0.01)
    with pytest.raises(CertificateError, match="above 0"):
        prove_rule_list(problem, model, 0.0)


# the bounds that need no table ----------------------------------------------------------------------------------------
def further_cost(space: States):
    """f of the docstring of the checker, by its recursion, for sets given as tuples of patterns."""

    @cache
    def f(left: frozenset[int]) -> int:
        positive = sum(int(space.weights[u]) for u in left if u < space.n_positive)
        best = space.per_error * min(positive, sum(int(space.weights[u]) for u in left) - positive)
        for a in range(len(space.antecedents)):
            hit = frozenset(u for u in left if space.inside[u, a])
            if hit:
                right = sum(int(space.weights[u]) for u in hit if u < space.n_positive)
                wrong = min(right, sum(int(space.weights[u]) for u in hit) - right)
                best = min(best, space.per_error * wrong + space.per_rule + f(left - hit))
        return best

    return f


@settings(max_examples=150)
@given(small_problems())
def test_the_reduction_keeps_the_optimum(case):
    A, y, weight, regularization = case
    costs = grid(rl.Problem.from_arrays(A, y, sample_weight=weight), regularization)
    space = states(rl.Problem.from_arrays(A, y, sample_weight=weight), costs)
    cost = costs.per_error * space.constant + further_cost(space)(frozenset(range(len(space.weights))))
    assert cost * costs.unit == least(case)


def random_states(seed):
    """States of a random problem whose antecedents overlap, with all their sets of patterns."""
    rng = np.random.default_rng(seed)
    n, m = rng.integers(3, 9), rng.integers(2, 6)
    A = rng.random((n, m)) < rng.uniform(0.15, 0.85, m)
    weights = rng.integers(1, rng.choice([4, 40]), n)
    positive = rng.random(n) < 0.5
    positive[:2] = True, False
    problem = rl.Problem.from_arrays(A, positive, sample_weight=weights)
    space = states(problem, grid(problem, float(rng.choice([0.01, 0.03, 0.07]))))
    p = len(space.weights)
    sets = (np.arange(2**p)[:, None] >> np.arange(p)) & 1 == 1
    f = further_cost(space)
    cost = np.array([f(frozenset(np.flatnonzero(s).tolist())) for s in sets], dtype=np.int64)
    return space, space.pack(sets.reshape(2**p, p)), cost


def children(space, sets, values):
    """Which values of sets are too large; what is left to show of the others without a table, lemmas and pairs."""
    rules = opened(space, sets, values)
    wanted = Wanted.after(space, sets, rules)
    rows = wanted.unproven(space, Lemmas.of(space, None))
    return rules.exceeded, rules.parent[rows], wanted.take(rows)


@settings(max_examples=250)
@given(st.integers(0, 2**32), st.sampled_from([1, 2, 3, 12]))
def test_the_bound_never_exceeds_the_least_completion(seed, longest):
    space, sets, cost = random_states(seed)
    several = np.ones(len(sets), dtype=bool)
    with mock.patch.object(rule_list_children, "LONGEST", longest):
        if len(space.antecedents):
            for more in (1, space.per_rule):
                assert completions_of_part_below(space, sets, cost + more, several).all()


@settings(max_examples=250)
@given(st.integers(0, 2**32), st.sampled_from([1, 2, 3, 12]), st.sampled_from([0, 0.3, 1, 2]))
def test_a_false_value_always_leaves_a_false_value_to_show(seed, longest, excess):
    space, sets, cost = random_states(seed)
    known = dict(zip(map(bytes, sets), cost.tolist(), strict=True))
    with mock.patch.object(rule_list_children, "LONGEST", longest):
        assert len(children(space, sets, cost)[0]) == 0
        exceeded, parent, below = children(space, sets, cost + max(1, int(excess * space.per_rule)))
    false = [known[bytes(child)] < required for child, required in zip(below.sets, below.required, strict=True)]
    refuted = {*exceeded.tolist(), *parent[np.array(false, dtype=bool)].tolist()}
    assert refuted == set(range(len(sets)))


@pytest.mark.parametrize("where", [0, 2])
def test_a_long_search_without_cores_is_proven_with_them(where, monkeypatch):
    problem = noisy_problem(3, 400, 24)
    learn_soon(after=5, where=where, put=monkeypatch.setattr)
    monkeypatch.setattr(core_pool, "EFFORT_ON_TRUST", -1_000_000_000)
    monkeypatch.setattr(engine, "EFFORT_OF_A_LONG_SEARCH", 0)
    model, with_cores = proof_by(RuleListSearch(problem, 0.01))
    monkeypatch.undo()
    without = prove_rule_list(problem, model, 0.01)
    assert len(with_cores.arrays["lemmas"]) > 0
    assert verify(problem, model, with_cores).valid
    assert verify(problem, model, without).valid


# changes are refused --------------------------------------------------------------------------------------------------
def test_a_table_of_plausible_values_does_not_prove_a_worse_list(proven):
    problem, model, _ = proven
    worse = rl.RuleList.from_problem(problem, model.antecedents[:1])
    costs = grid(problem, 0.01)
    space = states(problem, costs)
    sets = [space.everything[0], *(space.everything[0] & space.outside[a] for a in range(len(space.antecedents)))]
    _, _, positive, negative = space.net_weights(np.array(sets))
    values = space.cost_of(np.minimum(positive, negative))[:, 0]
    values[0] = costs.per_error * (worse.errors - space.constant) + costs.per_rule
    arrays = {"sets": np.array(sets), "values": values}
    forged = Certificate("rule_list", problem.fingerprint, {"regularization": 0.01}, arrays)
    answer = verify(problem, worse, forged)
    assert not answer.valid
    assert answer.lower_bound == pytest.approx(worse.objective(0.01))
    assert "the rule" in answer.reason


def test_reasons_name_what_is_wrong(proven):
    problem, model, certificate = proven
    sets, values = certificate.arrays["sets"], certificate.arrays["values"]

    def reason(model=model, certificate=certificate, problem=problem, regularization=None):
        answer = verify(problem, model, certificate, regularization)
        assert not answer.valid
        assert not answer
        return answer.reason

    raised = values.copy()
    raised[5] += 1
    assert "set 5 of the table" in (found := reason(certificate=with_arrays(certificate, values=raised)))
    assert "the rule 'antecedent " in found or "the default rule alone" in found
    raised_root = values + np.eye(1, len(values), dtype=int)[0]
    assert "claims the bound" in reason(certificate=with_arrays(certificate, values=raised_root))
    rootless = with_arrays(certificate, sets=sets[1:], values=values[1:])
    assert "does not hold the set of all patterns" in reason(certificate=rootless)
    assert "is not in the table" in reason(certificate=with_arrays(certificate, sets=sets[:-3], values=values[:-3]))
    assert "not of the" in reason(certificate=with_arrays(certificate, sets=sets[:, 1:].copy()))
    assert "bytes and one integer" in reason(certificate=with_arrays(certificate, values=values.astype(float)))
    assert "bytes and one integer" in reason(certificate=with_arrays(certificate, values=values[1:]))
    assert "must hold 'sets', 'values'" in reason(certificate=replace(certificate, arrays={"sets": sets}))
    assert "negative" in reason(certificate=with_arrays(certificate, values=-values))
    assert "negative or exceeds" in reason(certificate=with_arrays(certificate, values=values + (1 << 62)))

    assert "'falling'" in reason(certificate=replace(certificate, family="falling"))
    assert "fingerprints" in reason(certificate=replace(certificate, fingerprint="0" * 64))
    assert "not 0.02" in reason(regularization=0.02)
    assert "for which regularization" in reason(certificate=replace(certificate, parameters={}))
    assert "above 0 and below 1" in reason(certificate=replace(certificate, parameters={"regularization": 2.0}))
    assert "objective" in reason(certificate=replace(certificate, parameters={"regularization": 0.011}))

    assert "claims the bound" in reason(rl.RuleList.from_problem(problem, ()))
    assert "made for 13 antecedents, but the problem has 12" in reason(replace(model, n_antecedents=13))
    assert "the classes 'no' and 'yes', but" in reason(replace(model, classes=("no", "yes")))
    first, *rest = model.rules
    assert "rule 1 of the model is named 'x'" in reason(replace(model, rules=(replace(first, name="x"), *rest)))
    assert "rule 1 of the model claims" in reason(replace(model, rules=(replace(first, positives=1000), *rest)))
    assert "no antecedent" in reason(replace(model, rules=(replace(first, antecedent=None), *rest)))
    assert "no antecedent" in reason(replace(model, rules=(replace(first, antecedent=-1), *rest)))
    assert "no antecedent" in reason(replace(model, default=replace(model.default, antecedent=0)))
    assert "claims the probability 0.125" in reason(replace(model, rules=(replace(first, probability=0.125), *rest)))
    other_class = next(c for c in model.classes if c != first.prediction)
    flipped = replace(first, prediction=other_class, correct=first.captured - first.correct)
    assert "majority" in reason(replace(model, rules=(flipped, *rest)))
    assert "predict 0 correctly" in reason(replace(model, rules=(replace(first, correct=0), *rest)))


def test_harmless_entries_may_stay(proven):
    problem, model, certificate = proven
    sets, values = certificate.arrays["sets"], certificate.arrays["values"]
    more = {"sets": np.vstack([sets, np.zeros_like(sets[:1])]), "values": np.append(values, np.int64(0))}
    padded = with_arrays(certificate, **more)
    answer = holds(problem, model, padded, 0.01)
    assert (answer.checked["sets"], answer.parameters) == (len(values) + 1, {"regularization": 0.01})


@pytest.mark.parametrize("position", range(3))
def test_wrong_arguments_are_errors(proven, position):
    arguments = list(proven)
    arguments[position] = "nothing"
    with pytest.raises(CertificateError, match="not a str"):
        verify(*arguments)
