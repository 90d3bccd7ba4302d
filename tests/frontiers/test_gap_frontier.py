"""The least gap at many accuracies: every point as the naive reference has it, in slices and under limits."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from crossed_cases import case_of
from laws import fifty_and_fifty, in_slices, larger_problem

import rulelab as rl
from rulelab.frontiers import GapFrontier
from rulelab.rule_set.program import make_program
from rulelab.rule_set.rate_parts import parts

SEEDS = range(0, 150, 3)
"""Every kind of weights, and every criterion."""
ACCURACIES = (0.4, 0.5, 0.55, 0.6, 0.65, 0.75, 1.0)
WRONG_ACCURACIES = ([], [0.5, 66], "0.5", [math.nan])


def front_of(search: rl.LeastGapSearch) -> GapFrontier:
    own = {"regularization": search.regularization, "max_length": search.max_length, "beam_width": 20}
    return rl.frontier(search.problem, "gap", criterion=search.criterion, accuracies=ACCURACIES, **own)


@pytest.mark.parametrize("part", [0, *(pytest.param(k, marks=pytest.mark.long) for k in range(1, 6))])
def test_every_point_is_that_of_the_naive_reference(part):
    for seed in range(6 * part, 6 * part + 6):
        case = case_of("least_gap", SEEDS[seed])
        front = front_of(case.search())
        last = rl.solve(front)
        for point in front.points:
            best = replace(case, options=case.options | point.place).optimum
            if best is None:
                assert (point.status, point.model, point.value) == ("infeasible", None, None)
                continue
            assert (point.status, point.value, point.lower_bound) == ("proven", float(best), float(best))
            assert point.accuracy >= point.place["min_accuracy"] - 1e-12
        assert last.status == ("infeasible" if front.points[0].status == "infeasible" else "optimal")
        assert len(front.frame) == len(ACCURACIES)


@pytest.mark.long
def test_slices_and_pickling_change_nothing(monkeypatch):
    monkeypatch.setattr(GapFrontier, "_FIRST_UNITS", 2)
    fronts = [(front_of(search), front_of(search)) for search in (case_of("least_gap", s).search() for s in SEEDS[:3])]
    by_tolerance = {"tolerances": (0, 0.05, 1), "complexities": (5, 8)}
    for whole, sliced in (*fronts, tuple(front_by_tolerance(larger(2), **by_tolerance) for _ in range(2))):
        wanted = rl.solve(whole)
        sliced, got = in_slices(sliced, pickled=5)
        assert (got.status, got.counts, got.work) == (wanted.status, wanted.counts, wanted.work)
        assert sliced.points == whole.points


def test_gaps_grow_with_accuracy_and_bounds_are_valid_under_limits():
    problem = larger_problem()
    front = rl.frontier(problem, "gap", accuracies=np.linspace(0.5, 0.72, 12), regularization=0.01, max_length=3)
    assert front.points == ()
    assert front.frame.empty
    stopped = rl.solve(front, work_limit=20)
    before = front.points
    assert stopped.limit == "work"
    assert rl.solve(front).status is rl.Status.OPTIMAL
    for early, late in zip(before, front.points, strict=True):
        if late.status == "proven":
            assert early.lower_bound <= late.value
            assert early.value is None or early.value >= late.value
    gaps = [point.value for point in front.points if point.value is not None]
    assert gaps == sorted(gaps)
    assert any(gap > 0 for gap in gaps)
    content = json.loads(front.to_json())
    assert len(content["rows"]) == len(content["models"]) == 12


def test_the_accuracies_begin_at_that_of_the_default_rule():
    front = rl.frontier(fifty_and_fifty(), "gap")
    assert (front.accuracies[0], front.accuracies[-1], len(front.accuracies)) == (0.5, 1.0, 51)


# fronts by tolerance and by size --------------------------------------------------------------------------------------
PLACES = {"tolerances": (0.0, 0.1, 0.3, 1.0), "complexities": (2, 5, 7)}


def larger(seed=0, n=300):
    rng = np.random.default_rng(seed)
    A = rng.random((n, 7)) < rng.uniform(0.3, 0.7, 7)
    y = (A[:, 0] & A[:, 1]) ^ (rng.random(n) < 0.25)
    return rl.Problem.from_arrays(np.hstack([A, ~A]), y, groups=np.where(A[:, 2], "a", "b"))


def front_by_tolerance(problem, **asked):
    return rl.frontier(problem, "tolerance", "rule_set", **{"criterion": "equal_opportunity", **PLACES, **asked})


@pytest.mark.parametrize("family", ["rule_list", "falling_rule_list", "rule_set"])
@pytest.mark.parametrize("seed", range(3))
def test_every_point_is_the_optimum_of_a_search_of_its_own(family, seed):
    problem = larger(seed, 120)
    own = {"max_conditions": 2, "complexities": (6,)} if family == "rule_set" else {"regularization": 0.02}
    front = rl.frontier(problem, "tolerance", family, criterion="equalized_odds", tolerances=(0.02, 0.1, 1), **own)
    assert rl.solve(front).status is rl.Status.OPTIMAL
    own = {"max_conditions": 2, "max_complexity": 6} if family == "rule_set" else own
    for point in front.points:
        alone = rl.solve(rl.search(problem, family, fairness=rl.EqualizedOdds(point.place["tolerance"]), **own))
        assert (point.status, point.value) == ("proven", alone.incumbent.objective)
        assert family == "rule_set" or point.true_gap <= point.place["tolerance"] + 1e-12


def test_the_front_by_size_has_no_constraint():
    problem = larger(1)
    front = rl.frontier(problem, "rules", "rule_set", complexities=(2, 4, 6), max_conditions=2)
    assert rl.solve(front).status is rl.Status.OPTIMAL
    columns = ["max_complexity", "status", "objective", "lower_bound", "accuracy", "errors", "complexity"]
    assert list(front.frame.columns) == columns
    for point in front.points:
        alone = rl.solve(rl.RuleSetSearch(problem, point.place["max_complexity"], 2))
        assert point.value == alone.incumbent.objective


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2, 3))])
def test_objectives_and_bounds_hold_and_are_monotone_even_when_cut_short(seed):
    statuses, exact = set(), {}
    for limit in (None, 1, 10, 100):
        front = front_by_tolerance(larger(seed), tolerances=(0, 0.02, 0.1, 1), complexities=(6, 8))
        last = rl.solve(front, work_limit=limit)
        assert limit or last.status is rl.Status.OPTIMAL
        for point in front.points:
            best = exact.setdefault(tuple(point.place.values()), point.value)
            assert point.lower_bound <= best
            assert point.value is None or best <= point.value
            statuses.add(point.status)
        points = [p for p in front.points if p.model is not None]
        for a in points:
            assert (a.status == "proven") == (a.lower_bound == a.value)
            for b in points:
                if all(b.place[axis] <= a.place[axis] for axis in a.place):
                    assert a.lower_bound <= b.lower_bound
                    assert a.value <= b.value
    assert statuses == {"proven", "open"}


def test_equal_rates_take_the_values_that_all_sizes_allow():
    A = np.eye(12, dtype=bool)
    y = np.array([1] * 10 + [0, 0], dtype=bool)
    problem = rl.Problem.from_arrays(A, y, groups=[0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1])  # 4 and 6 positives
    program = make_program(problem, 20, fairness=rl.EqualOpportunity(0))
    assert [part.least for part in parts(program, 11)] == [0, 5, 10]  # false negative rates of 0, 1/2, 1
    assert [part.least for part in parts(program, 6)] == [0, 5]
    front = front_by_tolerance(problem, tolerances=[0.0], complexities=[10])
    rl.solve(front)
    (point,) = front.points
    assert (point.status, point.value, point.true_gap) == ("proven", 5, 0.0)


@pytest.mark.parametrize(
    ("given", "wrong", "words"),
    [
        (("tolerance", "rule_set"), {"tolerances": ()}, "tolerances must be numbers >= 0"),
        (("tolerance", "rule_set"), {"tolerances": (-1,)}, "tolerances must be numbers >= 0"),
        (("tolerance", "rule_set"), {"complexities": (1,)}, "complexities must be integers >= 2"),
        *((("tolerance", "rule_set"), {"criterion": each}, "criterion must be") for each in ("equality", ["odds"])),
        (("tolerance", "rule_set"), {"tolerances": 0.1}, "tolerances must be"),
        (("tolerance", "rule_set"), {"complexities": 5}, "complexities must be"),
        (("tolerance", "rule_set"), {"max_conditions": 0}, "max_conditions must be"),
        *((("gap",), {"accuracies": given}, "accuracies must be numbers from 0 to 1") for given in WRONG_ACCURACIES),
        (("accuracy",), {}, "by must be one of rules, tolerance, gap, not 'accuracy'"),
        (("gap", "falling_rule_list"), {}, "model must be rule_list or rule_set where a front is drawn by gap"),
        (("tolerance", "tree"), {}, "model must be rule_list or falling_rule_list or rule_set"),
    ],
)
def test_wrong_places_and_fronts_that_there_are_not_are_refused(given, wrong, words):
    with pytest.raises(ValueError, match=words):
        rl.frontier(larger(), *given, **wrong)


def test_it_is_infeasible_only_when_every_point_is():
    A = np.array([[1], [0], [1], [0], [1], [1]], dtype=bool)
    problem = rl.Problem.from_arrays(A, np.array([1, 1, 0, 1, 0, 0]), groups=np.array([0, 0, 0, 1, 1, 1]))
    for criterion, tolerances, status in (
        ("accuracy_parity", (0.0,), "infeasible"),
        ("accuracy_parity", (0.0, 1.0), "optimal"),
        ("equal_opportunity", (0.0,), "optimal"),
    ):
        front = front_by_tolerance(problem, criterion=criterion, tolerances=tolerances, complexities=(3,))
        last = rl.solve(front)
        assert last.status == status
        assert front.points[0].status == ("infeasible" if criterion == "accuracy_parity" else "proven")
        assert status == "infeasible" or last.incumbent.objective == last.lower_bound == front.points[-1].value
