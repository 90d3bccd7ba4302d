"""Weights are summed as they were given, and penalties of many digits keep the order of all costs."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_problems import weights_as_read

import rulelab as rl
from rulelab.data.exact_weights import Weights, in_units, neighbours, order_preserving, rounded_down

weights = st.lists(st.floats(0, 1e6, allow_subnormal=False), min_size=1, max_size=30)


@given(weights)
def test_units_are_the_weights(values):
    (units,), unit = in_units([np.array(values)])
    assert ([int(x) * unit for x in units], unit.numerator) == (weights_as_read(values), 1)


def test_whole_numbers_stay_as_they_are():
    given = np.array([3, 1, 2])
    (units,), unit = in_units([given])
    assert units is given
    assert unit == 1


@pytest.mark.parametrize("span", [(-2, 2), (-49, 49)])
def test_problems_sum_the_rows_exactly(span):
    rng = np.random.default_rng(4)
    A, y, g = rng.random((200, 4)) < 0.5, rng.random(200) < 0.5, rng.integers(0, 3, 200)
    w = 10.0 ** rng.uniform(*span, 200)
    problem = rl.Problem.from_arrays(A, y, sample_weight=w, groups=g)
    groups = problem.groups.masses
    exactly = np.array(weights_as_read(w))
    assert problem.masses.total * problem.masses.unit == exactly.sum()
    for u in range(problem.n_patterns):
        rows = problem.row_pattern == u
        exact = sum(exactly[rows & y], Fraction(0))
        assert int(problem.masses.positives[u]) * problem.masses.unit == exact
        assert problem.positives[u] == float(exact)
        for k, name in enumerate(problem.groups.names):
            exact = sum(exactly[rows & ~y & (g == int(name))], Fraction(0))
            assert int(groups.negatives[k, u]) * groups.unit == exact


@pytest.mark.parametrize("wrong", [1e-300, 5e-324, 1e-60, 1e200, 1e308])
def test_weights_of_extreme_size_are_refused_in_words(wrong):
    A, y, weight = [[1], [0], [1], [0]], [1, 0, 0, 1], [1.0, 2.0, wrong, 0.0]
    for make in (
        lambda: rl.Problem.from_arrays(A, y, sample_weight=weight),
        lambda: rl.Problem.from_arrays(A, y, sample_weight=Weights(np.array([1, 1, 1, 1]), Fraction(wrong))),
        lambda: rl.Problem.from_counts(A, weight, [1, 1, 1, 1]),
        lambda: rl.MultiClassProblem.from_arrays(A, [0, 1, 2, 1], sample_weight=weight),
    ):
        with pytest.raises(rl.errors.ProblemError, match=r"row \d is .* weights must be 0, or from 1e-50 to 1e\+50"):
            make()


@given(weights)
def test_one_that_is_no_decimal_makes_doubles_of_all(values):
    (units,), unit = in_units([np.array([*values, 1 / 3])])
    assert [int(x) * unit for x in units] == list(map(Fraction, [*values, 1 / 3]))


@pytest.mark.parametrize("places", [0, 1, 3, 6])
def test_weights_of_six_digits_end_certified(places):
    """Survey weights: every family ends with a proof that nothing was rounded in, which was only so for halves."""
    rng = np.random.default_rng(places)
    A, group = rng.random((80, 4)) < 0.5, rng.random(80) < 0.5
    y = (A[:, 0] & A[:, 1]) ^ (rng.random(80) < 0.2)
    problem = rl.Problem.from_arrays(A, y, sample_weight=np.round(rng.uniform(0.5, 30, 80), places), groups=group)
    fair = rl.DemographicParity(0.1)
    for search in (
        rl.RuleListSearch(problem, 0.01),
        rl.search(problem, regularization=0.01, fairness=fair),
        rl.FallingRuleListSearch(problem, 0.01),
        rl.search(problem, model="falling_rule_list", regularization=0.01, violation_penalty=0.05),
        rl.search(problem, model="falling_rule_list", regularization=0.01, fairness=fair),
        rl.RuleSetSearch(problem, 6, fairness=fair),
        rl.RuleSetSearch(problem, 6, loss="zero_one", regularization=0.003),
    ):
        last = rl.solve(search)
        assert last.status is rl.Status.OPTIMAL, search
        assert last.lower_bound == last.incumbent.objective
        assert rl.verify(problem, last.incumbent.model, search.certificate()).valid, search


@given(st.fractions(0, 10, max_denominator=10**6))
def test_rounded_down_is_never_above(value):
    below = rounded_down(value)
    assert Fraction(below) <= value < Fraction(np.nextafter(below, np.inf))


penalties = st.one_of(
    st.fractions(0, 3, max_denominator=40),
    st.floats(1e-12, 50).map(lambda x: Fraction(repr(x))),
    st.fractions(0, 3, max_denominator=12).map(lambda x: x + Fraction(1, 10**17)),
)


@given(penalties, st.integers(1, 9), st.integers(1, 20), st.integers(0, 1000))
def test_simpler_penalties_keep_every_order(penalty, most, largest_loss, more):
    simple = order_preserving(penalty, most, largest_loss, 2 * most + more)
    assert simple.denominator <= 2 * most + more
    for size in range(-most, most + 1):
        for loss in range(-largest_loss, largest_loss + 1):
            costs = loss + penalty * size, loss + simple * size
            assert [c > 0 for c in costs] in ([True] * 2, [False] * 2)
            assert [c < 0 for c in costs] in ([True] * 2, [False] * 2)


def test_no_simpler_penalty_where_none_serves():
    assert order_preserving(Fraction(repr(1 / 3)), 10, 100, 19) is None


@given(st.fractions(0, 5, max_denominator=10**9), st.integers(1, 30))
def test_neighbours_are_next_to_it(x, n):
    if x.denominator > n:
        below, above = neighbours(x, n)
        every = {Fraction(p, q) for q in range(1, n + 1) for p in range(6 * q)}
        assert (below, above) == (max(f for f in every if f < x), min(f for f in every if f > x))


OF_MANY_DIGITS = {
    "doubles": lambda rng: rng.uniform(0.2, 3, 80),
    "thirds": lambda rng: rng.integers(1, 9, 80) / 3,
    "small": lambda rng: rng.uniform(2e-7, 3e-6, 80),
    "population": lambda rng: np.rint(rng.uniform(1e10, 1e12, 80)).astype(int),
    "multiples": lambda rng: rng.integers(1, 5, 80) * 10**12,
}


@pytest.mark.long
@pytest.mark.parametrize("groups", [2, 3])
@pytest.mark.parametrize("kind", OF_MANY_DIGITS)
def test_optimal_sets_and_gaps_have_proofs_with_weights_of_any_digits(kind, groups):
    """Sets that are unfair, or worse by more than what the check rounds, are refused with the same proof."""
    rng = np.random.default_rng(0)
    A, group = rng.random((80, 4)) < 0.5, np.arange(80) % groups
    y = (A[:, 0] & A[:, 1]) | (A[:, 2] & (rng.random(80) < 0.7))
    weight = OF_MANY_DIGITS[kind](rng)
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight, groups=group)
    price = 0.001 * weight.sum()
    for search in (
        rl.RuleSetSearch(problem, 6, fairness=rl.DemographicParity(0.05), regularization=price),
        rl.RuleSetSearch(problem, 6, fairness=rl.EqualizedOdds(0.1), loss="zero_one"),
        rl.RuleSetSearch(problem, 6, fairness=rl.EqualOpportunity(0.0), form="cnf"),
        rl.engines.LeastGapRuleSetSearch(problem, "demographic_parity", max_complexity=4),
        rl.engines.LeastGapRuleSetSearch(problem, "equalized_odds", 0.6, max_complexity=4, loss="zero_one"),
        rl.LeastGapSearch(problem, "equalized_odds", min_accuracy=0.6, max_length=3),
    ):
        last = rl.solve(search)
        if last.status is rl.Status.INFEASIBLE:
            continue
        assert last.status is rl.Status.OPTIMAL, search
        best, proof = last.incumbent.model, search.certificate()
        answer = rl.verify(problem, best, proof)
        assert answer.valid, answer.reason
        assert 0 <= answer.resolution <= 1e-4 * (weight.sum() if isinstance(search, rl.RuleSetSearch) else 1)
        for clauses in ((), ((0,),), ((0, 1),), ((2,), (3,))) if isinstance(best, rl.RuleSet) else ():
            other = rl.RuleSet.from_problem(problem, clauses, best.form)
            answer = rl.verify(problem, other, proof)
            worse = not answer.valid or answer.objective <= last.incumbent.objective + answer.resolution
            assert worse, (clauses, answer.reason)


@pytest.mark.few(5)
@pytest.mark.parametrize("kind", [*OF_MANY_DIGITS, "halves of a double"])
@pytest.mark.parametrize("labels", ["free", "majority"])
def test_lists_that_have_to_obey_have_proofs_with_weights_of_any_digits(kind, labels):
    """Other lists that obey are refused with the same proof, or cost no more than what it cannot tell apart."""
    rng = np.random.default_rng(len(kind))
    A, group = rng.random((80, 4)) < 0.5, np.arange(80) % 2
    y = (A[:, 0] & A[:, 1]) | (A[:, 2] & (rng.random(80) < 0.7))
    weight = np.where(rng.random(80) < 0.5, 1, np.nextafter(0.5, 0))  # majorities that no sum of doubles shows
    weight = OF_MANY_DIGITS[kind](rng) if kind in OF_MANY_DIGITS else weight
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight, groups=group)
    asked = [{"fairness": f, "labels": labels} for f in (rl.DemographicParity(0.15), rl.PredictiveParity(0.2))]
    asked += [{"max_length": 2, **asked[0]}, {"max_length": 1}, {"first_rule": "antecedent 2"}]
    for options in asked:
        search = rl.search(problem, regularization=0.005994842503189409, **options)
        last = rl.solve(search)
        assert last.limit in (None, "exactness")
        answer = rl.verify(problem, last.incumbent.model, proof := search.certificate())
        assert answer.valid, answer.reason
        assert answer.resolution < 1e-12
        assert last.limit is None or answer.lower_bound < answer.objective
        for others in ((), (2,), (0, 2), (2, 1)):
            answer = rl.verify(problem, rl.RuleList.from_problem(problem, others), proof)
            assert not answer.valid or answer.objective <= last.incumbent.objective + answer.resolution


def test_the_best_of_few_rules_has_a_proof_where_a_longer_list_could_not_be_told_apart():
    """The search compares lists of some fifty rules, the proof those of a hundred: more than the digits allow."""
    rng = np.random.default_rng(0)
    A = rng.random((60, 100)) < 0.5
    y = (A[:, 0] & A[:, 1]) ^ (rng.random(60) < 0.2)
    problem = rl.Problem.from_arrays(A, y, sample_weight=rng.integers(1 << 47, 1 << 49, 60))
    search = rl.RuleListSearch(problem, 0.010072423506135497, max_length=1)
    last = rl.solve(search)
    answer = rl.verify(problem, last.incumbent.model, search.certificate())
    assert (last.status, answer.valid) == (rl.Status.OPTIMAL, True)
    assert 0 < answer.resolution < 1e-12
    second = rl.RuleList.from_problem(problem, [])
    assert not rl.verify(problem, second, search.certificate()).valid


@pytest.mark.parametrize("less", [0, 1])
def test_a_rule_predicts_the_majority_that_sums_of_doubles_do_not_show(less):
    A = np.array([[1], [1], [1], [1], [0], [0]], dtype=bool)
    y = [1, 1, 0, 0, 1, 0]
    weight = [0.5, 0.5, 0.5, 0.5, 2.0, 1.0]
    weight[1 if less else 2] = float(np.nextafter(0.5, 0))
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    rule = rl.RuleList.from_problem(problem, [0]).rules[0]
    assert (rule.positives, rule.prediction) == (rule.negatives, 1 - less)


def test_the_optimum_with_a_first_rule_has_the_labels_that_it_was_found_with():
    A = np.array([[0, 1]] * 6 + [[1, 1]] * 2 + [[1, 0]] * 3 + [[0, 0]] * 9, dtype=bool)
    weight = [0.1, 0.2, 0.2, 0.3, 0.3, 0.4, 0.2, 0.3, 0.3, 0.3, 0.6, *[1.0] * 9]
    y = [1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, *[0] * 9]
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    last = rl.solve(rl.search(problem, regularization=0.02, first_rule="antecedent 1"))
    given = weights_as_read(weight)
    wrong = sum(w for w, label, said in zip(given, y, last.incumbent.model.predict(A), strict=True) if label != said)
    first = [w for w, row in zip(given, A, strict=True) if row[1]]
    positive = sum(w for w, row, label in zip(given, A, y, strict=True) if row[1] and label)
    assert last.status is rl.Status.OPTIMAL
    assert wrong <= min(positive, sum(first) - positive)
