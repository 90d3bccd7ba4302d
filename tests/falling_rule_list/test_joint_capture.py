"""The joint capture bound drops no antecedent that a better falling list has, and searches that use it stay right."""

from fractions import Fraction
from itertools import permutations

import naive
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from inside import drop_soon
from laws import certified, in_slices, told
from strategies import problem_of, rows

import rulelab as rl
from rulelab.falling_rule_list import BOUNDS, FallingBounds, FallingRuleListSearch
from rulelab.falling_rule_list.costs import prepare
from rulelab.falling_rule_list.exact.fixing import Fixing
from rulelab.snapshot import Status

WEIGHTS = [0.5, 1.0, 3.0, 10.0]
REGULARIZATIONS = [0.0, 0.01, 0.1]


def falling_lists(case, w, C):
    """Every falling list with its objective, and whether each rule, and the else, is above the threshold."""
    A, y, weight = case[0], case[1], np.asarray(case[2])
    w, C = Fraction(repr(w)), Fraction(repr(C))
    for k in range(A.shape[1] + 1):
        for d in permutations(range(A.shape[1]), k):
            if not naive.falls(A, y, weight, d):
                continue
            left, above = np.ones(len(y), dtype=bool), []
            for j in (*d, None):
                hit = left if j is None else left & A[:, j]
                above.append(w * int(weight[hit & y].sum()) > int(weight[hit & ~y].sum()))
                left = left & ~hit
            yield d, naive.falling_objective(A, y, weight, w, C, d), above


ALL_ABOVE = (np.eye(10, 3, dtype=bool)[:, ::-1], np.array([0, 0, 1] + [0] * 6 + [1], dtype=bool), [1] * 10)
"""A list whose else is above the threshold, too, costs what the empty list does."""


@settings(max_examples=60, deadline=None)
@example((np.ones((2, 1), dtype=bool), np.array([True, False]), [1, 1]), 3.0, 0.01, Fraction(1, 50))
@example(ALL_ABOVE, 10.0, 0.0, Fraction(1, 5))
@given(
    rows(max_weight=6, max_columns=4),
    st.sampled_from(WEIGHTS),
    st.sampled_from(REGULARIZATIONS),
    st.sampled_from([Fraction(0), Fraction(1, 50), Fraction(1, 5)]),
)
def test_no_antecedent_of_a_better_list_is_dropped(case, w, C, more):
    problem = problem_of(case)
    prepared = prepare(problem, C, w)
    lists = list(falling_lists(case, w, C))
    unit = Fraction(prepared.costs.unit).limit_denominator(1 << 40)
    bar = min(cost for _, cost, _ in lists) + more
    fixing = Fixing(prepared)
    best = int(bar / unit)
    for _ in range(200):
        if not fixing.useful or not fixing.iterate(best):
            break
    allowed = set(prepared.antecedents[fixing.allowed].tolist())
    held = problem.matrix()
    empty = next(cost for d, cost, _ in lists if not d)
    for d, cost, above in lists:
        if above[-1]:
            assert cost >= empty, "no list of which all is above the threshold is better than the empty one"
            continue
        if cost / unit >= best - Fraction(1, 100):
            continue
        for j, is_above in zip(d, above, strict=False):
            if held[:, j].all():  # a rule that captures all that is left does what the else does
                continue
            same = {k for k in allowed if (held[:, k] == held[:, j]).all()}
            assert not is_above or same, (d, j, cost, bar)
        if any(above[:-1]):
            assert fixing.least <= cost / unit + Fraction(1, 100)


@settings(max_examples=150, deadline=None)
@given(
    rows(max_weight=6, max_columns=6),
    st.sampled_from(WEIGHTS),
    st.sampled_from(REGULARIZATIONS),
    st.sampled_from([0, 30]),
    st.sampled_from([None, None, 1, 2]),
    st.sampled_from([0, 1, 4]),
    st.sets(st.sampled_from(BOUNDS)),
)
def test_the_optimum_with_antecedents_dropped(case, w, C, iterations, limit, patience, off):
    A, y, weight = case
    bounds = FallingBounds(**{**dict.fromkeys(off, False), "joint_capture": True})
    with pytest.MonkeyPatch.context() as patch:
        drop_soon(patience, patch.setattr)
        search = FallingRuleListSearch(problem_of(case), C, w, bounds=bounds, iterations=iterations, max_length=limit)
        snapshot = certified(search)
    best = naive.best_falling_rule_list(A, y, weight, Fraction(repr(w)), Fraction(repr(C)), None, limit)
    assert snapshot.incumbent.model.exact_objective(C) == best
    assert snapshot.incumbent.model.falls


def noisy(seed=0, n=1000, columns=5, values=3):
    """Risks that every value raises or lowers a little; values and pairs of them."""
    rng = np.random.default_rng(seed)
    F = np.column_stack([rng.integers(0, values, n)[:, None] == np.arange(values) for _ in range(columns)])
    score = F @ rng.normal(0, 0.5, F.shape[1])
    pairs = [F[:, i] & F[:, j] for i in range(F.shape[1]) for j in range(i // values * values)]
    A = np.column_stack([F, *pairs])
    return rl.Problem.from_arrays(A, rng.random(n) < 1 / (1 + np.exp(2 - score + score.mean())))


@pytest.fixture
def impatient(monkeypatch):
    drop_soon(20, monkeypatch.setattr)


@pytest.mark.parametrize(("seed", "factor"), [(0, 0.2), (1, 1.0)])
def test_it_drops_antecedents_and_prefixes(impatient, seed, factor):
    problem = noisy(seed)
    without = certified(FallingRuleListSearch(problem, 1e-6, 8.0, bounds=FallingBounds(joint_capture=False)))
    snapshot = certified(FallingRuleListSearch(problem, 1e-6, 8.0))
    assert snapshot.incumbent.objective == without.incumbent.objective
    assert without.pruned["joint capture"] == 0 < snapshot.pruned["joint capture"]
    assert snapshot.counts["expanded"] <= factor * without.counts["expanded"]


@pytest.mark.parametrize("iterations", [0, 50])
def test_slices_and_pickles_change_nothing(impatient, iterations):
    whole, small, pickled = (FallingRuleListSearch(noisy(0), 1e-6, 8.0, iterations=iterations) for _ in range(3))
    seen = list(rl.steps(small, work_per_step=17))
    assert "dropping antecedents" in {snapshot.phase for snapshot in seen}
    _, last = in_slices(pickled, 29, 1)
    assert told(seen[-1]) == told(last) == told(certified(whole))


def test_its_memory_is_counted_and_limited(impatient):
    problem = noisy(2)
    free = certified(FallingRuleListSearch(problem, 0.001, 8.0))
    for limit in (20_000, 200_000, 2_000_000):
        search = FallingRuleListSearch(problem, 0.001, 8.0, memory_limit=limit)
        for snapshot in rl.steps(search):
            assert snapshot.memory_bytes <= max(limit, 200_000)
        if snapshot.status is Status.OPTIMAL:
            assert snapshot.incumbent.objective == free.incumbent.objective


def test_weights_that_are_not_whole(impatient):
    rng = np.random.default_rng(3)
    A = rng.random((300, 10)) < 0.4
    y = (A[:, 0] & A[:, 1]) ^ (rng.random(300) < 0.3)
    problem = rl.Problem.from_arrays(A, y, sample_weight=rng.random(300))
    with_it = rl.solve(FallingRuleListSearch(problem, 0.003, 4.0))
    without = rl.solve(FallingRuleListSearch(problem, 0.003, 4.0, bounds=FallingBounds(joint_capture=False)))
    assert with_it.incumbent.objective == pytest.approx(without.incumbent.objective, abs=1e-12)
