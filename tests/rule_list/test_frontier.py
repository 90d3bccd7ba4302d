"""The accuracy-complexity curve against the naive reference and certified optima."""

from dataclasses import replace
from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import certified, known_problem, noisy_problem, rows
from random_problems import explained

import rulelab as rl
from rulelab.rule_list import counting
from rulelab.rule_list.frontier import kernels as frontier_kernels


def least_errors(A, y, weight, length):
    """The least errors of any list of at most ``length`` rules, by the naive recursion without regularization."""
    return naive.best_rule_list(A, y, weight, Fraction(0), length) * sum(weight)


def facts(snapshot):
    points = [replace(p, found_at=(0.0, p.found_at[1])) for p in snapshot.detail["frontier"]]
    return points, snapshot.status, snapshot.work, dict(snapshot.counts), dict(snapshot.pruned)


@settings(max_examples=150)
@given(rows(), st.integers(0, 7), st.sampled_from([0, 1, 500]))
def test_every_point_is_the_least_errors_of_its_length(case, max_length, beam_width):
    A, y, weight = case
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    snapshot = certified(rl.FrontierSearch(problem, max_length, beam_width=beam_width))
    frontier = snapshot.detail["frontier"]
    assert [p.length for p in frontier] == list(range(max_length + 1))
    for point in frontier:
        assert point.proven
        assert point.model.complexity <= point.length
        assert point.errors == point.lower_bound == point.model.errors == least_errors(A, y, weight, point.length)
        share = naive.rule_list_objective(A, y, weight, Fraction(0), point.model.antecedents)
        assert point.errors == share * sum(weight)
    assert (snapshot.incumbent.errors, snapshot.gap) == (frontier[-1].errors, 0)


@settings(max_examples=60)
@given(rows(max_rows=12, max_columns=6), st.integers(1, 5), st.sampled_from([0, 20]))
def test_open_points_show_valid_bounds_that_never_fall(case, max_length, beam_width):
    A, y, weight = case
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    best = [least_errors(A, y, weight, k) for k in range(max_length + 1)]
    before = None
    for snapshot in rl.steps(rl.FrontierSearch(problem, max_length, beam_width=beam_width), work_per_step=1):
        frontier = snapshot.detail["frontier"]
        for point, least in zip(frontier, best, strict=True):
            assert point.lower_bound <= least <= point.errors
            assert point.proven == (point.lower_bound == point.errors)
        if before is not None:
            assert all(new.errors <= old.errors for new, old in zip(frontier, before, strict=True))
            assert all(new.lower_bound >= old.lower_bound for new, old in zip(frontier, before, strict=True))
        before = frontier


@settings(max_examples=40)
@given(rows(), st.floats(0.1, 3.0))
def test_float_weights(case, scale):
    A, y, weight = case
    problem = rl.Problem.from_arrays(A, y, sample_weight=[w * scale for w in weight])
    snapshot = certified(rl.FrontierSearch(problem, 3))
    for point in snapshot.detail["frontier"]:
        assert point.errors == pytest.approx(scale * float(least_errors(A, y, weight, point.length)), abs=1e-9)
        assert point.lower_bound == point.errors


@settings(max_examples=150)
@given(rows(), st.integers(1, 4), st.integers(0, 60))
def test_the_bound_on_the_remaining_rules_is_a_bound(case, rules_left, cap):
    A, y, weight = case
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    net = problem.positives - problem.negatives
    m = problem.n_antecedents
    arrays = counting.layout(problem.words, net, m)
    positive, negative = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    total_positive, total_negative = counting.count(arrays, arrays.full, positive, negative)
    sums = [np.concatenate([[0], np.cumsum(np.sort(w)[::-1]), [w.sum()] * 5]) for w in (positive, negative)]
    bound = frontier_kernels.least_errors(
        rules_left, total_positive, total_negative, positive, negative, sums[0], sums[1], cap
    )
    inevitable = int(np.minimum(problem.positives, problem.negatives).sum())
    assert 0 <= bound <= cap
    assert inevitable + bound <= least_errors(A, y, weight, rules_left)


def test_memory_limit_stops_with_valid_bounds_and_goes_on():
    problem = noisy_problem(1, m=20)
    whole = facts(rl.solve(rl.FrontierSearch(problem, 6, beam_width=0)))
    search = rl.FrontierSearch(problem, 6, memory_limit=45_000, beam_width=0)
    stopped = rl.solve(search)
    assert (stopped.status, stopped.limit) == (rl.Status.LIMIT, "memory")
    assert stopped.memory_bytes <= 45_000
    for point, final in zip(stopped.detail["frontier"], whole[0], strict=True):
        assert point.lower_bound <= final.errors <= point.errors
    search.memory_limit = None
    assert facts(rl.solve(search)) == whole


def test_the_frame_has_all_points():
    problem = noisy_problem()
    search = rl.FrontierSearch(problem, 3)
    assert search.frontier == ()
    rl.solve(search)
    frame = search.frame
    assert frame["errors"].tolist() == [p.errors for p in search.frontier]
    assert frame["error_rate"].tolist() == [p.errors / problem.total_weight for p in search.frontier]
    assert frame["proven"].all()


def test_curve_of_compas(instances):
    """Certified optima at several regularizations are points of the curve (0.3803301 at .02 and so on)."""
    problem = known_problem(instances, "compas_a")
    snapshot = certified(rl.FrontierSearch(problem, 5))
    frontier = snapshot.detail["frontier"]
    assert [p.errors for p in frontier] == [3251, 2598, 2486, 2413, 2340, 2328]
    for regularization in (0.02, 0.01, 0.005):
        expected = instances.EXPECTED["rule_list"][("compas_a", regularization)]
        assert min(p.objective(regularization) for p in frontier) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_point_is_the_best_list_known_of_its_length_at_any_time(weighted):
    """Errors never rise with more rules, on the way, in the beam, and where memory is used up."""
    weight = np.random.default_rng(3).random(300) if weighted else None
    problem = rl.Problem.from_arrays(*explained(3, 300, 40), sample_weight=weight)
    search = rl.FrontierSearch(problem, 8, memory_limit=20_000_000)
    for snapshot in search.steps(work_per_step=7, work_limit=3000):
        errors = [point.errors for point in snapshot.detail["frontier"]]
        assert errors == sorted(errors, reverse=True)
        assert all(point.model.errors == point.errors for point in snapshot.detail["frontier"])
        assert all(point.model.complexity <= point.length for point in snapshot.detail["frontier"])
