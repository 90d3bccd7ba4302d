"""Fronts by tolerance and by size: every point against the naive reference, honest bounds, monotone, resumable."""

from __future__ import annotations

from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import in_slices

import rulelab as rl
from rulelab.rule_set.program import make_program
from rulelab.rule_set.rate_parts import parts

TOLERANCES = (0.0, 0.1, 0.3, 1.0)
COMPLEXITIES = (2, 5, 7)
RATES = {
    "equal_opportunity": ("false_negative",),
    "equalized_odds": ("false_negative", "false_positive"),
    "accuracy_parity": ("error",),
    "demographic_parity": ("positive",),
}
SWAPPED = {"false_negative": "false_positive", "false_positive": "false_negative"}


def grouped(seed, n=14, m=3, most_groups=2):
    rng = np.random.default_rng(seed)
    A, y = rng.random((n, m)) < 0.5, rng.random(n) < 0.5
    groups = rng.integers(0, most_groups, n)
    for g in range(most_groups):  # every group has both labels
        groups[2 * g : 2 * g + 2] = g
        y[2 * g : 2 * g + 2] = True, False
    return A, y, rng.integers(1, 4, n), groups


def problem_of(case):
    A, y, weight, groups = case
    return rl.Problem.from_arrays(A, y, sample_weight=weight, groups=groups)


def larger(seed=0, n=300):
    rng = np.random.default_rng(seed)
    A = rng.random((n, 7)) < rng.uniform(0.3, 0.7, 7)
    y = (A[:, 0] & A[:, 1]) ^ (rng.random(n) < 0.25)
    return rl.Problem.from_arrays(np.hstack([A, ~A]), y, groups=np.where(A[:, 2], "a", "b"))


def clauses(model):
    return [tuple(literal.antecedent for literal in rule.literals) for rule in model.rules]


def front_of(problem, criterion="equal_opportunity", tolerances=TOLERANCES, complexities=COMPLEXITIES, **more):
    return rl.frontier(
        problem, "tolerance", "rule_set", criterion=criterion, tolerances=tolerances, complexities=complexities, **more
    )


@settings(max_examples=25)
@given(
    st.integers(0, 10_000),
    st.sampled_from(list(RATES)),
    st.sampled_from(["dnf", "cnf"]),
    st.sampled_from(["hamming", "zero_one"]),
    st.integers(2, 3),
)
def test_every_point_of_rule_sets_is_that_of_the_naive_reference(seed, criterion, form, loss, most_groups):
    case = grouped(seed, most_groups=most_groups)
    A, y, weight, groups = case
    seen, wanted = (A, y) if form == "dnf" else (~A, ~y)
    measure = naive.hamming_loss if loss == "hamming" else naive.zero_one_loss
    search = front_of(problem_of(case), criterion, max_conditions=2, loss=loss, form=form)
    rl.solve(search)
    assert len(search.points) == len(TOLERANCES) * len(COMPLEXITIES)
    rates = [SWAPPED.get(r, r) if form == "cnf" else r for r in RATES[criterion]]

    def gap(sets):
        return max(naive.parity_gap(r, seen, wanted, weight, groups, sets, loss == "hamming") for r in rates)

    for point in search.points:
        tolerance, complexity = point.place["tolerance"], point.place["max_complexity"]

        def fair(sets, tolerance=tolerance):
            return gap(sets) <= Fraction(repr(tolerance))

        expected = naive.best_rule_set(seen, wanted, weight, complexity, 2, measure, fair=fair)
        if expected is None:
            assert (point.status, point.model, point.value) == ("infeasible", None, None)
            continue
        assert (point.status, point.value, point.lower_bound) == ("proven", expected, expected)
        assert fair(clauses(point.model))
        assert point.model.complexity <= complexity


@pytest.mark.parametrize("family", ["rule_list", "falling_rule_list", "rule_set"])
@pytest.mark.parametrize("seed", range(3))
def test_every_point_is_the_optimum_of_a_search_of_its_own(family, seed):
    problem = larger(seed, 120)
    own = {"max_conditions": 2, "complexities": (6,)} if family == "rule_set" else {"regularization": 0.02}
    front = rl.frontier(problem, "tolerance", family, criterion="equalized_odds", tolerances=(0.02, 0.1, 1), **own)
    assert rl.solve(front).status is rl.Status.OPTIMAL
    own = {"max_conditions": 2, "max_complexity": 6} if family == "rule_set" else own
    for point in front.points:
        alone = rl.solve(rl.search_for(problem, family, fairness=rl.EqualizedOdds(point.place["tolerance"]), **own))
        assert (point.status, point.value) == ("proven", alone.incumbent.objective)
        assert family == "rule_set" or point.true_gap <= point.place["tolerance"] + 1e-12


def test_the_front_by_size_has_no_constraint():
    problem = larger(1)
    front = rl.frontier(problem, "rules", "rule_set", complexities=(2, 4, 6), max_conditions=2)
    assert rl.solve(front).status is rl.Status.OPTIMAL
    assert list(front.frame.columns) == [
        *("max_complexity", "status", "objective", "lower_bound", "accuracy", "errors", "complexity")
    ]
    for point in front.points:
        alone = rl.solve(rl.RuleSetSearch(problem, point.place["max_complexity"], 2))
        assert point.value == alone.incumbent.objective


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2, 3))])
def test_objectives_and_bounds_are_monotone_even_when_cut_short(seed):
    for limit in (1, 10, 100, None):
        front = front_of(larger(seed), tolerances=(0, 0.02, 0.1, 1), complexities=(6, 8))
        last = rl.solve(front, work_limit=limit)
        points = [p for p in front.points if p.model is not None]
        assert limit or last.status is rl.Status.OPTIMAL
        for a in points:
            assert a.lower_bound <= a.value
            assert (a.status == "proven") == (a.lower_bound == a.value)
            for b in points:
                if all(b.place[axis] <= a.place[axis] for axis in a.place):
                    assert a.lower_bound <= b.lower_bound
                    assert a.value <= b.value


def test_bounds_of_a_front_cut_short_hold():
    problem = larger(1)
    whole = front_of(problem, complexities=(9,))
    rl.solve(whole)
    statuses = set()
    for limit in (1, 5, 20, 60):
        front = front_of(problem, complexities=(9,))
        rl.solve(front, work_limit=limit)
        for point, exact in zip(front.points, whole.points, strict=True):
            assert point.lower_bound <= exact.value
            assert point.value is None or exact.value <= point.value
            statuses.add(point.status)
    assert statuses == {"proven", "open"}


def test_slices_and_pickling_change_nothing():
    whole, sliced = (front_of(larger(2), tolerances=(0, 0.05, 1), complexities=(5, 8)) for _ in range(2))
    wanted = rl.solve(whole)
    sliced, got = in_slices(sliced, pickled=5)
    assert (got.status, got.counts, got.work) == (wanted.status, wanted.counts, wanted.work)
    assert sliced.points == whole.points


def test_equal_rates_take_the_values_that_all_sizes_allow():
    A = np.eye(12, dtype=bool)
    y = np.array([1] * 10 + [0, 0], dtype=bool)
    problem = rl.Problem.from_arrays(A, y, groups=[0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1])  # 4 and 6 positives
    program = make_program(problem, 20, fairness=rl.EqualOpportunity(0))
    assert [part.least for part in parts(program, 11)] == [0, 5, 10]  # false negative rates of 0, 1/2, 1
    assert [part.least for part in parts(program, 6)] == [0, 5]
    front = front_of(problem, tolerances=[0.0], complexities=[10])
    rl.solve(front)
    (point,) = front.points
    assert (point.status, point.value, point.true_gap) == ("proven", 5, 0.0)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"tolerances": ()}, "tolerances must be numbers >= 0"),
        ({"tolerances": (-1,)}, "tolerances must be numbers >= 0"),
        ({"complexities": (1,)}, "complexities must be integers >= 2"),
        ({"criterion": "equality"}, "criterion must be"),
        ({"max_conditions": 0}, "max_conditions must be"),
    ],
)
def test_wrong_places_are_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        front_of(larger(), **wrong)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("accuracy",), "by must be one of rules, tolerance, gap, not 'accuracy'"),
        (("gap", "falling_rule_list"), "model must be rule_list or rule_set where a front is drawn by gap"),
        (("tolerance", "tree"), "model must be rule_list or falling_rule_list or rule_set"),
    ],
)
def test_fronts_that_there_are_not_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        rl.frontier(larger(), *given)


def test_a_problem_without_groups_has_no_front_by_tolerance():
    with pytest.raises(ValueError, match="no groups"):
        rl.frontier(rl.Problem.from_arrays(np.eye(4, dtype=bool), [0, 1, 0, 1]), "tolerance")


def test_it_is_infeasible_only_when_every_point_is():
    A = np.array([[1], [0], [1], [0], [1], [1]], dtype=bool)
    problem = rl.Problem.from_arrays(A, np.array([1, 1, 0, 1, 0, 0]), groups=np.array([0, 0, 0, 1, 1, 1]))
    for criterion, tolerances, status in (
        ("accuracy_parity", (0.0,), "infeasible"),
        ("accuracy_parity", (0.0, 1.0), "optimal"),
        ("equal_opportunity", (0.0,), "optimal"),
    ):
        front = front_of(problem, criterion, tolerances, (3,))
        last = rl.solve(front)
        assert last.status == status
        assert front.points[0].status == ("infeasible" if criterion == "accuracy_parity" else "proven")
        assert status == "infeasible" or last.incumbent.objective == last.lower_bound == front.points[-1].value
