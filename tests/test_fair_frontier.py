"""Frontiers of fair rule sets: every cell against the naive reference, honest bounds, monotone, resumable."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rulelab as rl
from rulelab.rule_set.program import make_program
from rulelab.rule_set.rate_parts import parts

TOLERANCES = (0.0, 0.1, 0.3, 1.0)
COMPLEXITIES = (2, 5, 7)
RATES = {
    rl.EqualOpportunity: ("false_negative",),
    rl.EqualizedOdds: ("false_negative", "false_positive"),
    rl.AccuracyParity: ("error",),
    rl.DemographicParity: ("positive",),
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


@settings(max_examples=25)
@given(
    st.integers(0, 10_000),
    st.sampled_from([(rl.EqualOpportunity, rl.EqualizedOdds), (rl.AccuracyParity,), (rl.DemographicParity,)]),
    st.sampled_from(["dnf", "cnf"]),
    st.sampled_from(["hamming", "zero_one"]),
    st.integers(2, 3),
)
def test_every_cell_is_that_of_the_naive_reference(seed, criteria, form, loss, most_groups):
    case = grouped(seed, most_groups=most_groups)
    A, y, weight, groups = case
    seen, wanted = (A, y) if form == "dnf" else (~A, ~y)
    measure = naive.hamming_loss if loss == "hamming" else naive.zero_one_loss
    found = rl.fair_frontier(problem_of(case), criteria, TOLERANCES, COMPLEXITIES, 2, loss, form)
    cells = {(type(c.criterion), c.criterion.tolerance, c.max_complexity): c for c in found}
    assert len(cells) == len(criteria) * len(TOLERANCES) * len(COMPLEXITIES)
    for (kind, tolerance, complexity), cell in cells.items():
        rates = [SWAPPED.get(r, r) if form == "cnf" else r for r in RATES[kind]]

        def gap(sets, rates=rates):
            return max(naive.parity_gap(r, seen, wanted, weight, groups, sets, loss == "hamming") for r in rates)

        def fair(sets, tolerance=tolerance):
            return gap(sets) <= Fraction(repr(tolerance))

        expected = naive.best_rule_set(seen, wanted, weight, complexity, 2, measure, fair=fair)
        if expected is None:
            assert (cell.status, cell.model) == ("infeasible", None)
            continue
        assert (cell.status, cell.objective, cell.lower_bound) == ("proven", expected, expected)
        assert fair(clauses(cell.model))
        assert fair(clauses(cell.selected))
        assert max(cell.proxy_gaps.values()) == pytest.approx(float(gap(clauses(cell.model))))
        assert cell.selected.errors <= cell.errors


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2, 3))])
def test_objectives_and_bounds_are_monotone_even_when_cut_short(seed):
    for limit in (1, 40, 400, None):
        eps = (0, 0.02, 0.1, 1)
        cells = list(rl.fair_frontier(larger(seed), tolerances=eps, complexities=(6, 8), work_limit=limit))
        for a in cells:
            assert a.lower_bound <= a.objective
            assert (a.status == "proven") == (a.lower_bound == a.objective)
            assert max(a.proxy_gaps.values()) <= a.criterion.tolerance or a.criterion.tolerance == 1
            for b in cells:
                tighter = b.max_complexity <= a.max_complexity and b.criterion.tolerance <= a.criterion.tolerance
                if tighter and (type(a.criterion) is type(b.criterion) or type(a.criterion) is rl.EqualOpportunity):
                    assert a.lower_bound <= b.lower_bound
                    assert a.objective <= b.objective
    assert {cell.status for cell in cells} == {"proven"}


def test_bounds_of_a_frontier_cut_short_hold():
    problem = larger(1)
    proven = {(type(c.criterion), c.criterion.tolerance): c for c in rl.fair_frontier(problem, complexities=(9,))}
    statuses = set()
    for limit in (1, 20, 60, 200):
        for cell in rl.fair_frontier(problem, complexities=(9,), work_limit=limit):
            exact = proven[type(cell.criterion), cell.criterion.tolerance]
            assert cell.lower_bound <= exact.objective <= cell.objective
            statuses.add(cell.status)
    assert statuses == {"proven", "gap"}
    assert {cell.status for cell in rl.fair_frontier(problem, complexities=(9,), time_limit=0)} == {"heuristic"}


@pytest.mark.long
def test_a_frontier_left_and_taken_up_again_ends_with_the_same_cells():
    def shown(cell):
        return (cell.criterion, cell.max_complexity, cell.status, cell.objective, cell.lower_bound, str(cell.model))

    whole = [shown(cell) for cell in rl.fair_frontier(larger(2), complexities=(5, 8))]
    started = rl.fair_frontier(larger(2), complexities=(5, 8))
    first = [shown(cell) for cell in islice(started, 3)]
    assert first + [shown(cell) for cell in started] == whole


@pytest.mark.long
def test_rules_of_a_forest_change_no_proven_objective():
    def objectives(trees):
        return {
            (c.criterion, c.max_complexity): c.objective
            for c in rl.fair_frontier(larger(3), complexities=(4, 8), trees=trees)
        }

    assert objectives(5) == objectives(0)


def test_equal_rates_take_the_values_that_all_sizes_allow():
    A = np.eye(12, dtype=bool)
    y = np.array([1] * 10 + [0, 0], dtype=bool)
    problem = rl.Problem.from_arrays(A, y, groups=[0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1])  # 4 and 6 positives
    program = make_program(problem, 20, fairness=rl.EqualOpportunity(0))
    assert [part.least for part in parts(program, 11)] == [0, 5, 10]  # false negative rates of 0, 1/2, 1
    assert [part.least for part in parts(program, 6)] == [0, 5]
    (cell,) = rl.fair_frontier(problem, [rl.EqualOpportunity], [0.0], [10])
    assert (cell.status, cell.objective) == ("proven", 5)
    assert cell.true_gaps == {"false_negative_rate": 0.0}


def test_bad_grids_are_refused():
    problem = larger()
    with pytest.raises(ValueError, match="the grid is empty"):
        rl.fair_frontier(problem, tolerances=())
    with pytest.raises(ValueError, match="max_complexity must be"):
        rl.fair_frontier(problem, complexities=(1,))
    with pytest.raises(ValueError, match="tolerance of EqualOpportunity"):
        rl.fair_frontier(problem, tolerances=(-1,))
    with pytest.raises(ValueError, match="trees must be"):
        rl.fair_frontier(problem, trees=-1)
    with pytest.raises(ValueError, match="no groups"):
        rl.fair_frontier(rl.Problem.from_arrays(np.eye(4, dtype=bool), [0, 1, 0, 1]))


def test_it_is_infeasible_only_when_every_cell_is():
    """Whatever the order of the criteria: of accuracy parity there is no set here, of equal opportunity there is."""
    A = np.array([[1], [0], [1], [0], [1], [1]], dtype=bool)
    problem = rl.Problem.from_arrays(A, np.array([1, 1, 0, 1, 0, 0]), groups=np.array([0, 0, 0, 1, 1, 1]))
    criteria = (rl.AccuracyParity, rl.EqualOpportunity)
    both = [rl.solve(rl.FairFrontierSearch(problem, order, (0.0,), (3,))) for order in (criteria, criteria[::-1])]
    one = rl.solve(rl.FairFrontierSearch(problem, criteria[:1], (0.0,), (3,)))
    other = rl.solve(rl.FairFrontierSearch(problem, criteria[1:], (0.0,), (3,)))
    assert [one.status, other.status] == ["infeasible", "optimal"]
    for last in both:
        assert last.status == "optimal"
        assert last.incumbent.objective == other.incumbent.objective == last.lower_bound
