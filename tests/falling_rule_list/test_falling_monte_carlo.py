"""The Monte-Carlo search: its lists fall, its bounds hold, and it keeps the laws of a search that proves nothing."""

import math
import pickle
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import falling_for, in_slices, known_problem, noisy_problem
from naive import decimals
from random_problems import explained

import rulelab as rl
from rulelab.falling_rule_list import MonteCarloSearch
from rulelab.falling_rule_list.costs import prepare
from rulelab.falling_rule_list.monte_carlo.kernels import completions
from rulelab.falling_rule_list.monte_carlo.search import MonteCarlo
from rulelab.kernels.jit import kernel

POSITIVE_WEIGHTS = st.sampled_from([1, 2, 7, 2.5, 0.5])
PENALTIES = st.sampled_from([None, 0.0, 0.02, 0.5])
REGULARIZATIONS = st.sampled_from([0.0, 1e-6, 0.01, 0.08])


@st.composite
def cases(draw):
    n, m = draw(st.integers(4, 24)), draw(st.integers(1, 5))
    A = np.array(draw(st.lists(st.lists(st.booleans(), min_size=m, max_size=m), min_size=n, max_size=n)))
    y = np.array([0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))])
    return A, y, draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))


@given(cases(), POSITIVE_WEIGHTS, REGULARIZATIONS, PENALTIES, st.integers(0, 9))
def test_every_list_falls_and_none_beats_the_optimum(case, w, regularization, penalty, seed):
    A, y, weight = case
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    search = MonteCarloSearch(problem, regularization, w, penalty, iterations=30, random_state=seed)
    for snapshot in rl.steps(search, work_per_step=3):
        model = snapshot.incumbent.model
        assert model.violation_penalty is not None or naive.falls(A, y, weight, model.antecedents)
    w_exact, C, C1 = decimals(w, regularization, penalty)
    found = naive.falling_objective(A, y, weight, w_exact, C, model.antecedents, C1)
    assert snapshot.incumbent.objective == float(found)
    optimum = naive.best_falling_rule_list(A, y, weight, w_exact, C, C1)
    assert found >= optimum
    assert snapshot.lower_bound <= float(optimum)
    if snapshot.status is rl.Status.OPTIMAL:
        assert found == optimum


@settings(max_examples=30)
@given(cases(), st.floats(0.05, 9).map(lambda w: round(w, 2)), st.integers(0, 9))
def test_lists_fall_with_weights_that_are_no_integers(case, w, seed):
    A, y, weight = case
    problem = rl.Problem.from_arrays(A, y, sample_weight=np.array(weight) / 7)
    last = rl.solve(MonteCarloSearch(problem, 0.001, w, iterations=60, random_state=seed))
    assert last.incumbent.model.falls
    assert last.incumbent.objective == last.incumbent.model.objective(0.001)


def test_the_optimum_is_found_on_small_problems():
    reached = 0
    for seed in range(30):
        A, y = explained(seed, 60, 6, 0.2)
        penalty = 0.3 if seed % 2 else None
        search = MonteCarloSearch(rl.Problem.from_arrays(A, y), 0.01, 2, penalty, iterations=1000, random_state=seed)
        best = naive.best_falling_rule_list(A, y, [1] * 60, *decimals(2, 0.01, penalty))
        reached += rl.solve(search).incumbent.objective == float(best)
    assert reached >= 29


@kernel
def _completions(rules, lowest, p, q):
    return completions(rules, lowest, p, q)


@settings(max_examples=40)
@given(cases(), POSITIVE_WEIGHTS, REGULARIZATIONS, PENALTIES)
def test_no_list_costs_less_than_the_bound_of_its_prefixes(case, w, regularization, penalty):
    A, y, weight = case
    w_exact, C, C1 = decimals(w, regularization, penalty)
    n = sum(weight)
    rules = MonteCarlo(prepare(rl.Problem.from_arrays(A, y, sample_weight=weight), regularization, w), penalty).rules
    for length in range(4):
        for d in permutations(range(A.shape[1]), length):
            counts = naive.captured(A, y, weight, d)
            if any(sum(c) == 0 for c in counts[:-1]) or (penalty is None and not naive.falls(A, y, weight, d)):
                continue
            objective = float(naive.falling_objective(A, y, weight, w_exact, C, d, C1))
            paid, lowest, rise = Fraction(0), Fraction(1), Fraction(0)
            for k in range(length + 1):
                p, q = (sum(c[i] for c in counts[k:]) for i in (0, 1))
                closed, extended = _completions(rules, float(lowest), p, q)
                prefix = float(paid / n + C * k + (C1 or 0) * rise)
                if penalty is not None or all(w_exact * a > b for a, b in counts[:k]):
                    assert prefix + min(closed, extended) <= objective + 1e-9
                    assert k < length or prefix + closed == pytest.approx(objective)
                p, q = counts[k]
                if p + q:
                    paid += min(w_exact * p, Fraction(q))
                    rise += max(Fraction(0), Fraction(p, p + q) - lowest)
                    lowest = min(lowest, Fraction(p, p + q))


def test_feasibility_is_that_of_the_extended_prefix():
    """Proposition 4.2 for the rule before the candidate, which is 1 at first, would let a rule in that cannot fall."""
    A = np.zeros((13, 2), dtype=bool)
    A[:4, 0] = A[4:10, 1] = True
    y = [1, 1, 0, 0, *[1] * 6, *[0] * 3]
    problem = rl.Problem.from_arrays(A, y)
    assert not naive.falls(A, y, [1] * 13, (0,))
    assert naive.falls(A, y, [1] * 13, (1, 0))
    for seed in range(20):
        first = MonteCarloSearch(problem, 0, 1.5, termination=0, random_state=seed).advance(1)
        assert (first.pruned["infeasible prefix"], first.incumbent.model.antecedents) == (1, (1, 0))
        assert first.incumbent.model.falls
    soft = MonteCarloSearch(problem, 0, 1.5, 0.0, termination=0).advance(1)
    assert soft.pruned["infeasible prefix"] == 0


@pytest.fixture(params=[None, 0.1], ids=["hard", "soft"])
def make(request):
    def build(seed=0, **options) -> rl.Search:
        options = {"iterations": 150, "random_state": 4, **options}
        return falling_for(
            noisy_problem(seed, 200),
            regularization=0.005,
            positive_weight=2,
            violation_penalty=request.param,
            method="monte_carlo",
            **options,
        )

    return build


def _result(snapshot: rl.results.Snapshot) -> tuple:
    incumbent = replace(snapshot.incumbent, found_at=(0, snapshot.incumbent.found_at[1]))
    detail = {key: value for key, value in snapshot.detail.items() if key != "trace"}
    trace = [entry[1:] for entry in snapshot.detail["trace"]]
    return (
        snapshot.status, incumbent, snapshot.lower_bound, snapshot.work, snapshot.counts, snapshot.pruned, detail,
        trace,
    )  # fmt: skip


def test_slicing_and_pickling_never_change_the_result(make):
    whole = _result(rl.solve(make(), work_per_step=10**6))
    assert whole[0] is rl.Status.LIMIT
    for size in (1, 7, 64):
        assert _result(rl.solve(make(), work_per_step=size)) == whole
    assert _result(in_slices(make(), 9, 1)[1]) == whole
    assert _result(rl.solve(make(random_state=5))) != whole


def test_the_incumbent_never_worsens_and_sampling_never_moves_the_bound(make):
    objective, bounds, work = math.inf, set(), 0
    for snapshot in rl.steps(make(), work_per_step=3):
        assert snapshot.incumbent.objective <= objective
        assert snapshot.lower_bound <= snapshot.incumbent.objective
        assert snapshot.work == work + 3
        assert snapshot.incumbent.found_at[1] <= snapshot.work
        assert len(pickle.dumps(snapshot)) < 20_000
        bounds.add(snapshot.lower_bound)
        objective, work = snapshot.incumbent.objective, snapshot.work
    assert len(bounds) == 1
    assert (snapshot.status, snapshot.limit, snapshot.work) == (rl.Status.LIMIT, "iterations", 150)


def test_more_iterations_go_on(make):
    search = make()
    first = rl.solve(search)
    assert _result(rl.solve(search)) == _result(first)
    search.iterations = 400
    assert _result(rl.solve(search)) == _result(rl.solve(make(iterations=400)))
    assert search.advance(5).status is rl.Status.LIMIT


def test_what_needs_no_rule_is_proven_at_once():
    problem = rl.Problem.from_arrays([[1, 0], [1, 0], [0, 1], [0, 1]], [1, 0, 1, 0])
    last = rl.solve(MonteCarloSearch(problem, 0.01))
    assert (last.status, last.work, last.gap, last.log10_remaining) == (rl.Status.OPTIMAL, 0, 0, 0)
    perfect = rl.Problem.from_arrays([[1], [1], [0], [0]], [1, 1, 0, 0])
    for penalty in (None, 0.5):
        last = rl.solve(MonteCarloSearch(perfect, 0.01, 2, penalty, termination=0))
        assert (last.status, last.incumbent.objective, last.lower_bound) == (rl.Status.OPTIMAL, 0.01, 0.01)


@pytest.mark.parametrize(("iterations", "between"), [(64, 1), (1000, 16)])
def test_trace_and_antecedents_considered(make, iterations, between):
    """Counts of every list are kept while there is room, then of some."""
    search = make(iterations=iterations)
    assert search.trace.empty
    assert search.considered.empty
    last = rl.solve(search)
    trace = search.trace
    assert trace["objective"].is_monotonic_decreasing
    assert trace["objective"].is_unique
    empty = rl.FallingRuleList.from_problem(search.problem, (), 2, search.violation_penalty)
    assert trace["objective"].iloc[0] == empty.objective(0.005)
    assert trace["objective"].iloc[-1] == last.incumbent.objective
    assert trace["iteration"].iloc[-1] == last.incumbent.found_at[1]
    assert tuple(trace.itertuples(index=False, name=None)) == last.detail["trace"]
    considered = search.considered
    assert 32 <= len(considered) <= 64
    assert set(np.diff(considered.index)) == {between}
    assert considered.max().max() <= last.detail["antecedents"]
    shown = [tuple(int(c) for c in row if c >= 0) for row in considered.to_numpy()]
    assert [counts for _, counts in last.detail["considered"]] == shown
    means = zip(last.detail["considered_mean"], last.detail["lists_by_position"], strict=True)
    everything = [mean * n for mean, n in means]
    assert round(sum(everything)) == last.counts["created"]
    assert between > 1 or considered.sum().tolist() == everything


def test_the_method_is_that_of_the_class_and_shares_are_from_0_to_1():
    problem = noisy_problem(n=200)
    with pytest.raises(ValueError, match=r"method must be one of .*monte_carlo"):
        rl.search(problem, "falling_rule_list", method="random")
    with pytest.raises(ValueError, match="method must be 'monte_carlo' for a MonteCarloSearch"):
        MonteCarloSearch(problem, method="exact")
    for name, value in (("curiosity", 1.1), ("termination", 1)):
        with pytest.raises(ValueError, match=f"{name} must be"):
            MonteCarloSearch(problem, **{name: value})


@pytest.mark.parametrize(("w", "penalty", "at_most"), [(1, None, 0.1069682), (3, None, 0.2922540), (5, None, 0.43335)])
def test_bank_lists_are_as_good_as_the_papers(instances, w, penalty, at_most):
    problem = known_problem(instances, "bank_227")
    last = rl.solve(MonteCarloSearch(problem, 1e-6, w, penalty, random_state=1))
    assert instances.EXPECTED["falling_rule_list"]["bank_227", w, 1e-6] - 1e-7 <= last.incumbent.objective <= at_most
    assert last.incumbent.model.falls
