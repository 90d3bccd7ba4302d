"""Proofs that a falling list is optimal, one that has to fall or may rise: they check, and no change makes a lie."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import permutations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import changed, drawn_problem, holds, known_problem, proof_by, put, refused, reread, rows, with_arrays
from naive import decimals
from test_joint_capture import noisy, proven_with

import rulelab as rl
from rulelab.certificate import CertificateError, prove_falling_rule_list, prove_soft_falling_rule_list
from rulelab.certificate.falling_rule_list.states import falling_states
from rulelab.data.exact_weights import in_units
from rulelab.falling_rule_list import FallingRuleListSearch, SoftSearch
from rulelab.proving import is_quick

cases = partial(rows, st.sampled_from([0.5, 1.0, 2.0, 5.0]), st.sampled_from([0.0, 1e-6, 0.01, 0.05]), max_weight=6)


def optimal(problem, w, C):
    return rl.solve(FallingRuleListSearch(problem, C, w, iterations=0)).incumbent.model


@pytest.fixture(scope="module")
def proven():
    problem = noisy(2)
    return problem, *proof_by(FallingRuleListSearch(problem, 0.0005, 5.0))


@pytest.mark.long
@pytest.mark.parametrize("dropping", [False, True])
@settings(max_examples=80, deadline=None)
@given(cases(), st.integers(0, 10**6), st.lists(st.integers(0, 4), max_size=3, unique=True))
def test_exactly_the_optimal_lists_can_be_proven(dropping, case, seed, antecedents):
    A, y, weight, w, C = case
    problem = drawn_problem(case)

    def prove(model):
        return proven_with(problem, w, C, model) if dropping else prove_falling_rule_list(problem, model, C)

    best = naive.best_falling_rule_list(A, y, weight, naive.decimal(w), naive.decimal(C))
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
        ("parents", put(5, 5), "earlier"), ("parents", put(5, -1), "earlier"),
        ("parents", put(0, 0), "first entry"), ("antecedents", put(5, 10**6), "does not have"),
        ("antecedents", put(5, -2), "does not have"),
        ("values", put(0, lambda value: value + 1), "claims the bound"),
    ],
)  # fmt: skip
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
    for parameters in ({}, {"regularization": 0.0005}):
        assert not rl.verify(problem, model, replace(certificate, parameters=parameters))
    for C, w in ((2.0, 5.0), (0.0004, 5.0), (0.0005, 2.0**53)):  # the last one rounds all weights to none
        other = replace(certificate, parameters={"regularization": C, "positive_weight": w})
        assert not rl.verify(problem, model, other)
    assert "regularization" in rl.verify(problem, model, certificate, 0.001).reason


def test_other_data_are_refused(proven):
    problem, model, certificate = proven
    positives = problem.positives.copy()
    positives[0] += 1
    other = rl.Problem.from_counts(problem.matrix(), positives, problem.negatives, names=problem.names)
    assert "fingerprints" in rl.verify(other, model, certificate).reason
    assert not rl.verify(other, model, replace(certificate, fingerprint=other.fingerprint))


COUNTS = [[1, 0], [0, 1], [0, 0]], [3, 4, 1]


def test_when_there_is_no_certificate():
    problem = rl.Problem.from_counts(*COUNTS, [2, 1, 6])
    rising = rl.FallingRuleList.from_problem(problem, (0, 1))
    assert not rising.falls
    with pytest.raises(CertificateError, match="does not fall"):
        prove_falling_rule_list(problem, rising, 0.01)
    for make in (FallingRuleListSearch, partial(SoftSearch, violation_penalty=0.5)):
        with pytest.raises(CertificateError, match="not proven"):
            make(problem, 0.01).certificate()
        rl.solve(short := make(problem, 0.01, max_length=1))
        with pytest.raises(CertificateError, match="max_length"):
            short.certificate()


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
        search = rl.search(problem, "falling_rule_list", regularization=0.005, positive_weight=w, **options)
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
    problem = known_problem(instances, "bank_227")
    answer = holds(problem, *proof_by(FallingRuleListSearch(problem, 1e-6, 1.0)), 1e-6)
    assert answer.lower_bound == pytest.approx(0.1069681, abs=1e-7)


# lists that may rise --------------------------------------------------------------------------------------------------
WEIGHTS, PRICES, PENALTIES = [0.5, 1.0, 2.0, 5.0], [0.0, 1e-6, 0.01, 0.05], [0.0, 0.01, 0.1, 0.5, 2.0]
soft_cases = partial(rows, *map(st.sampled_from, (WEIGHTS, PRICES, PENALTIES)), max_weight=6)


@settings(max_examples=60)
@given(soft_cases(), st.lists(st.integers(0, 4), max_size=3, unique=True))
def test_exactly_the_optimal_lists_have_a_proof(case, antecedents):
    A, y, weight, w, C, penalty = case
    problem = drawn_problem(case)
    model = rl.FallingRuleList.from_problem(problem, [j for j in antecedents if j < A.shape[1]], w, penalty)
    best = naive.best_falling_rule_list(A, y, weight, *decimals(w, C, penalty))
    if model.exact_objective(C) != best:
        with pytest.raises(CertificateError, match="better list"):
            prove_soft_falling_rule_list(problem, model, C)
        return
    answer = holds(problem, model, prove_soft_falling_rule_list(problem, model, C), C)
    assert answer.objective == answer.lower_bound == model.objective(C)
    assert answer.resolution == 0


@settings(max_examples=40)
@given(soft_cases(), st.floats(0.2, 1.1))
def test_a_bound_is_proven_up_to_the_optimum_and_not_beyond(case, part):
    A, y, weight, w, C, penalty = case
    problem = drawn_problem(case)
    model = rl.FallingRuleList.from_problem(problem, (), w, penalty)
    best = naive.best_falling_rule_list(A, y, weight, *decimals(w, C, penalty))
    bound = float(best) * part
    if part > 1 and best:
        with pytest.raises(CertificateError):
            prove_soft_falling_rule_list(problem, model, C, bound)
    elif best:
        answer = rl.verify(problem, model, prove_soft_falling_rule_list(problem, model, C, bound))
        assert answer.state == "bound", answer.reason
        assert answer.lower_bound <= best
        assert answer.lower_bound == pytest.approx(bound, rel=1e-9)


@pytest.fixture(scope="module")
def rising():
    """A list that rises, and is the best because it may."""
    rng = np.random.default_rng(0)
    A = rng.random((300, 7)) < rng.uniform(0.2, 0.6, 7)
    y = rng.random(300) < np.where(A[:, 0] & ~A[:, 1], 0.9, np.where(A[:, 2], 0.55, 0.2))
    problem = rl.Problem.from_arrays(A, y.astype(int))
    model, certificate = proof_by(SoftSearch(problem, 0.003, 1.0, 0.01))
    assert model.rise > 0
    assert len(certificate.arrays["parents"]) > 10
    assert "softly falling" in holds(problem, model, certificate, 0.003).reason
    return problem, model, certificate


def test_every_entry_is_needed(rising):
    problem, model, certificate = rising
    parents, antecedents = (certificate.arrays[name] for name in ("parents", "antecedents"))
    leaves = sorted({*range(1, len(parents))} - set(parents.tolist()))
    for k in leaves[:: max(1, len(leaves) // 12)]:
        rest = np.where(parents > k, parents - 1, parents)
        fewer = {"parents": np.delete(rest, k), "antecedents": np.delete(antecedents, k)}
        assert "does not rule out" in refused(problem, model, replace(certificate, arrays=fewer))


def test_another_model_parameter_or_kind_of_proof_is_refused(rising):
    problem, model, certificate = rising
    said = certificate.parameters
    shorter = rl.FallingRuleList.from_problem(problem, model.antecedents[:-1], 1.0, 0.01)
    assert not rl.verify(problem, shorter, certificate)
    dearer = rl.FallingRuleList.from_problem(problem, model.antecedents, 1.0, 0.02)
    assert "violation penalty" in refused(problem, dearer, certificate)
    hard = rl.FallingRuleList.from_problem(problem, model.antecedents, 1.0)
    assert not rl.verify(problem, hard, certificate)
    for other in (0.011, 0.0, 1e300, 5e-324):
        assert not rl.verify(problem, model, replace(certificate, parameters={**said, "violation_penalty": other}))
    without = {name: value for name, value in said.items() if name != "violation_penalty"}
    assert not rl.verify(problem, model, replace(certificate, parameters=without))
    falling = rl.solve(rl.FallingRuleListSearch(problem, 0.003)).incumbent.model
    of_falling = prove_falling_rule_list(problem, falling, 0.003)
    assert "softly" in rl.verify(problem, model, of_falling).reason
    with pytest.raises(CertificateError, match="must fall"):
        prove_soft_falling_rule_list(problem, falling, 0.003)


def test_what_cannot_be_counted_is_refused_in_words():
    for weight, C in ((6.1, 0.01), (6, 0.01234567891234567)):
        problem = rl.Problem.from_counts(*COUNTS, [2, 1, weight])
        holds(problem, *proof_by(SoftSearch(problem, C, 1.0, 0.5)))
    problem = rl.Problem.from_counts(*COUNTS, [2, 1e-6 / 3, 1e6 / 3])
    holds(problem, *proof_by(SoftSearch(problem, 0.01, 1.0, 0.5)))
    with pytest.raises(CertificateError, match="positive weight have too many digits"):
        prove_soft_falling_rule_list(problem, rl.FallingRuleList.from_problem(problem, [0], 1e-30, 0.5), 0.01)


def test_a_proof_that_takes_long_is_not_made_unasked():
    problem = rl.Problem.from_arrays([[0], [1]] * 3, [0, 1, 0, 0, 1, 1])
    softly = rl.search(problem, "falling_rule_list", violation_penalty=0.5)
    last = rl.solve(softly)
    many = replace(last, counts={**last.counts, "stored": 501})
    assert is_quick(softly, last)
    assert not is_quick(softly, many)
    assert is_quick(rl.FallingRuleListSearch(problem), many)


# weights of any digits ------------------------------------------------------------------------------------------------
WEIGHTS_OF_ROWS: dict[str, Callable[[np.random.Generator, np.ndarray], np.ndarray]] = {
    "balanced": lambda rng, y: np.where(y, 0.5 / y.mean(), 0.5 / (1 - y.mean())),
    "population": lambda rng, y: (rng.random(len(y)) + 0.01) * 1e9,
    "thirds": lambda rng, y: rng.integers(1, 7, len(y)) / 3,
    "tenths": lambda rng, y: rng.integers(1, 7, len(y)) * 0.1,
    "doubles": lambda rng, y: rng.random(len(y)) + 0.01,
    "nothing beside the others": lambda rng, y: np.where(rng.random(len(y)) < 0.3, 1e-18, 1.0) * rng.random(len(y)),
}
OTHER_LISTS = [(), *((j,) for j in range(4)), (0, 1), (2, 1), (3, 0, 1)]


@pytest.mark.few(4)
@pytest.mark.parametrize("family", ["falling", "soft", "fair"])
@pytest.mark.parametrize("kind", WEIGHTS_OF_ROWS)
def test_weights_of_any_digits_are_proven_within_their_rounding(family, kind):
    """Lists fall and are fair by the weights as they are, also where proportions are equal; nothing is below a bound.

    Where proportions are so nearly equal that rounding hides which is larger, the bound of lists that fall can be that
    of a list that rises by as little; this is said.
    """
    proven = refused = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        A = rng.random((int(rng.integers(5, 20)), 4)) < 0.5
        y, groups = rng.random(len(A)) < 0.5, rng.integers(0, 2, len(A))
        y[:4], groups[:4] = (True, False, True, False), (0, 0, 1, 1)
        C, w, most = (float(rng.choice(some)) for some in ((0, 0.01, 0.1 / 3), (1, 0.5, 1 / 3, 3), (0, 0.05, 0.3)))
        weight = WEIGHTS_OF_ROWS[kind](rng, y)
        units = [int(u) for u in in_units([weight])[0][0]]
        problem = rl.Problem.from_arrays(A, y, sample_weight=weight, groups=groups)
        given = {"regularization": C, "positive_weight": w}
        penalty = float(rng.choice([0, 0.01, 0.1, 1 / 3, 2])) if family == "soft" else None
        if family == "fair":
            name, criterion = (("positive", rl.DemographicParity), ("error", rl.AccuracyParity))[seed % 2]
            given |= {"fairness": criterion(most), "beam_width": (0, 2, 200)[seed % 3]}
        else:
            given |= {"violation_penalty": penalty, "iterations": (0, 30)[seed % 2]}
        search = rl.search(problem, "falling_rule_list", **given)
        last = rl.solve(search if family != "fair" or seed % 4 > 1 else search.without_relaxation())
        of_rows = A, y, units
        if family == "fair":
            tolerances = {name: naive.decimal(most)}
            least = naive.best_fair_falling_rule_list(*of_rows, groups.tolist(), *decimals(w, C), tolerances)
        else:
            least = naive.best_falling_rule_list(*of_rows, *decimals(w, C, penalty))
        if least is None:
            assert last.status is rl.Status.INFEASIBLE
            continue
        model = last.incumbent.model
        assert last.status is rl.Status.OPTIMAL or last.limit == "exactness"
        assert Fraction(last.lower_bound) <= least + Fraction(1, 10**16)
        assert family == "soft" or naive.falls(*of_rows, model.antecedents)
        if family == "fair":
            predicted = naive.falling_predictions(*of_rows, decimals(w)[0], model.antecedents)
            assert naive.weighted_gap(name, y, units, groups.tolist(), predicted) <= tolerances[name]
        if family == "falling" and last.gap > 1e-12:
            with pytest.raises(CertificateError, match="one that falls but for the rounding of weights"):
                search.certificate()
            assert kind in ("thirds", "tenths", "nothing beside the others")
            continue
        assert last.gap < 1e-10
        assert naive.falling_objective(*of_rows, *decimals(w, C), model.antecedents, *decimals(penalty)) - least < 1e-10
        certificate = reread(search.certificate())
        answer = holds(problem, model, certificate)
        assert answer.resolution < 1e-8
        assert Fraction(answer.lower_bound) <= least + Fraction(1, 10**16)
        proven += 1
        for antecedents in OTHER_LISTS:
            other = rl.FallingRuleList.from_problem(problem, antecedents, w, penalty)
            value = naive.falling_objective(*of_rows, *decimals(w, C), antecedents, *decimals(penalty))
            if value > least + Fraction(1, 10**7):
                refused += 1
                assert not rl.verify(problem, other, certificate)
                if family == "soft":
                    with pytest.raises(CertificateError, match=r"a better list exists|the model costs too much"):
                        prove_soft_falling_rule_list(problem, other, C)
    assert proven > 3
    assert refused > 10
