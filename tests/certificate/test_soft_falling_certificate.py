"""Proofs of softly falling lists: exactly the optimal ones have one, and no change makes a proof of a lie."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import reread
from proof_checks import holds, proof_by, refused
from strategies import problem_of, rows

import rulelab as rl
from rulelab.certificate import CertificateError, prove_falling_rule_list, prove_soft_falling_rule_list
from rulelab.data.exact_weights import in_units
from rulelab.falling_rule_list import SoftSearch
from rulelab.proving import is_quick

WEIGHTS, PRICES, PENALTIES = [0.5, 1.0, 2.0, 5.0], [0.0, 1e-6, 0.01, 0.05], [0.0, 0.01, 0.1, 0.5, 2.0]
cases = partial(rows, *map(st.sampled_from, (WEIGHTS, PRICES, PENALTIES)), max_weight=6)


def decimals(*numbers: float | None) -> list[Fraction | None]:
    return [None if number is None else Fraction(repr(number)) for number in numbers]


@settings(max_examples=60)
@given(cases(), st.lists(st.integers(0, 4), max_size=3, unique=True))
def test_exactly_the_optimal_lists_have_a_proof(case, antecedents):
    A, y, weight, w, C, penalty = case
    problem = problem_of(case)
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
@given(cases(), st.floats(0.2, 1.1))
def test_a_bound_is_proven_up_to_the_optimum_and_not_beyond(case, part):
    A, y, weight, w, C, penalty = case
    problem = problem_of(case)
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
def proven():
    """A list that rises, and is the best because it may."""
    rng = np.random.default_rng(0)
    A = rng.random((300, 7)) < rng.uniform(0.2, 0.6, 7)
    y = rng.random(300) < np.where(A[:, 0] & ~A[:, 1], 0.9, np.where(A[:, 2], 0.55, 0.2))
    problem = rl.Problem.from_arrays(A, y.astype(int))
    return problem, *proof_by(SoftSearch(problem, 0.003, 1.0, 0.01))


def test_a_list_that_rises_is_proven(proven):
    problem, model, certificate = proven
    assert model.rise > 0
    assert len(certificate.arrays["parents"]) > 10
    answer = holds(problem, model, certificate, 0.003)
    assert "softly falling" in answer.reason


def test_every_entry_is_needed(proven):
    problem, model, certificate = proven
    parents, antecedents = (certificate.arrays[name] for name in ("parents", "antecedents"))
    leaves = sorted({*range(1, len(parents))} - set(parents.tolist()))
    for k in leaves[:: max(1, len(leaves) // 12)]:
        rest = np.where(parents > k, parents - 1, parents)
        fewer = {"parents": np.delete(rest, k), "antecedents": np.delete(antecedents, k)}
        assert "does not rule out" in refused(problem, model, replace(certificate, arrays=fewer))


def test_another_model_parameter_or_kind_of_proof_is_refused(proven):
    problem, model, certificate = proven
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
    counts = [[1, 0], [0, 1], [0, 0]], [3, 4, 1]
    for weight, C in ((6.1, 0.01), (6, 0.01234567891234567)):
        problem = rl.Problem.from_counts(*counts, [2, 1, weight])
        holds(problem, *proof_by(SoftSearch(problem, C, 1.0, 0.5)))
    problem = rl.Problem.from_counts(*counts, [2, 1e-6 / 3, 1e6 / 3])
    holds(problem, *proof_by(SoftSearch(problem, 0.01, 1.0, 0.5)))
    with pytest.raises(CertificateError, match="positive weight have too many digits"):
        prove_soft_falling_rule_list(problem, rl.FallingRuleList.from_problem(problem, [0], 1e-30, 0.5), 0.01)
    problem = rl.Problem.from_counts(*counts, [2, 1, 6])
    with pytest.raises(CertificateError, match="not proven"):
        SoftSearch(problem, 0.01, 1.0, 0.5).certificate()


def test_a_proof_that_takes_long_is_not_made_unasked():
    problem = rl.Problem.from_arrays([[0], [1]] * 3, [0, 1, 0, 0, 1, 1])
    softly = rl.search_for(problem, "falling_rule_list", violation_penalty=0.5)
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
        search = rl.search_for(problem, "falling_rule_list", **given)
        last = rl.solve(search if family != "fair" or seed % 4 > 1 else search.without_relaxation())
        of_rows = A, y, units
        if family == "fair":
            tolerances = {name: Fraction(repr(most))}
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
