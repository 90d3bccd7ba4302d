"""The exact falling rule list searches against the definition, exact optima and certified benchmark instances."""

from fractions import Fraction
from functools import partial
from itertools import combinations, permutations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import problem_of, rows

import rulelab as rl
from rulelab.falling_rule_list import BOUNDS, FallingBounds, FallingRuleListSearch, SoftSearch
from rulelab.falling_rule_list.exact import soft_search
from rulelab.snapshot import Status

WEIGHTS = (1.0, 0.5, 2.0, 3.0, 7.0)
REGULARIZATIONS = (0.0, 1e-6, 0.01, 0.05)
PENALTIES = (0.0, 0.01, 0.1, 0.5, 3.0)


small_problems = partial(rows, max_weight=6)


def certified(search):
    snapshot = rl.solve(search)
    assert snapshot.status is Status.OPTIMAL
    assert snapshot.gap == 0
    return snapshot


def proven(search):
    """Optimal, or as far as the arithmetic can tell."""
    snapshot = rl.solve(search)
    exact = snapshot.detail["resolution"] == 0 or snapshot.status is Status.OPTIMAL
    assert (snapshot.status, snapshot.limit) == ((Status.OPTIMAL, None) if exact else (Status.LIMIT, "exactness"))
    assert snapshot.gap == 0 if exact else snapshot.gap > 0
    return snapshot


def optimum(case, w, C, penalty=None, max_length=None):
    A, y, weight = case
    soft = None if penalty is None else Fraction(repr(penalty))
    return naive.best_falling_rule_list(A, y, weight, Fraction(repr(w)), Fraction(repr(C)), soft, max_length)


@settings(max_examples=120)
@given(
    small_problems(max_rows=20),
    st.sampled_from(WEIGHTS),
    st.sampled_from(REGULARIZATIONS),
    st.sampled_from(PENALTIES),
    st.sampled_from([None, None, 1, 2]),
)
def test_exceptions_alone_never_change_the_soft_optimum(case, w, C, penalty, limit):
    bounds = FallingBounds(**{name: name == "exceptions" for name in BOUNDS})
    search = SoftSearch(problem_of(case), C, w, penalty, bounds=bounds, iterations=0, max_length=limit)
    snapshot = certified(search)
    found = snapshot.incumbent.model.exact_objective(C)
    assert abs(found - optimum(case, w, C, penalty, limit)) <= snapshot.detail["resolution"]


def test_a_rule_may_gain_less_than_it_costs():
    """Two rules beat all else, although the first one alone does not pay: it lets the second one fall."""
    patterns = [[1, 0], [1, 1], [0, 1], [0, 0]]
    positives, negatives = [10, 0, 30, 0], [0, 6, 20, 60]
    C = 5 / 126
    problem = rl.Problem.from_counts(patterns, positives, negatives)
    model = certified(FallingRuleListSearch(problem, C, 1.0, iterations=0)).incumbent.model
    assert model.antecedents == (0, 1)
    wrong = model.exact_objective(0)
    assert wrong == Fraction(26, 126)
    assert model.objective(C) == pytest.approx(36 / 126, abs=1e-15)
    gain_of_the_first = 10 - 6
    assert gain_of_the_first < 126 * C
    for other in [(), (0,), (1,), (1, 0)]:
        each = rl.FallingRuleList.from_problem(problem, other)
        assert not each.falls or each.exact_objective(C) > model.exact_objective(C)


def test_the_falling_condition_is_that_of_the_rule_itself():
    """What is left after a rule must not have a larger proportion than this rule, not than the one before it."""
    rng = np.random.default_rng(4)
    broken = 0
    for _ in range(40):
        A, y = rng.random((24, 4)) < 0.5, rng.random(24) < 0.4
        y[:2] = True, False
        problem = rl.Problem.from_arrays(A, y)
        objectives = {}
        for k in range(4):
            for d in permutations(range(4), k):
                objectives[d] = rl.FallingRuleList.from_problem(problem, d, 2.0)
        best = min(model.exact_objective(0.0) for model in objectives.values() if model.falls)
        broken += min(model.exact_objective(0.0) for model in objectives.values()) < best
        assert (
            certified(FallingRuleListSearch(problem, 0.0, 2.0, max_length=3)).incumbent.model.exact_objective(0.0)
            == best
        )
    assert broken > 5


@pytest.mark.parametrize("kind", ["falling", "soft_falling"])
def test_oracles(shared, kind):
    files = sorted((shared / "oracles").glob(f"{kind}_*.npz"))
    assert len(files) == 10
    for file in files:
        z = np.load(file)
        penalty = float(z["C1"]) if kind == "soft_falling" else None
        problem = rl.Problem.from_arrays(z["X"], z["y"])
        search = rl.search_for(
            problem,
            "falling_rule_list",
            regularization=float(z["C"]),
            positive_weight=float(z["w"]),
            violation_penalty=penalty,
        )
        snapshot = certified(search)
        assert snapshot.incumbent.objective == pytest.approx(float(z["objective"]), abs=1e-12), file.name


def test_certified_benchmark_instances(instances):
    A, y, names = instances.load("bank_227")
    problem = rl.Problem.from_arrays(A, y, names=names)
    for (name, w, C), objective in instances.EXPECTED["falling_rule_list"].items():
        if name == "bank_227" and (w < 7 or C > 0.01):
            snapshot = certified(FallingRuleListSearch(problem, C, w))
            assert snapshot.incumbent.objective == pytest.approx(objective, abs=1e-7), (w, C)
            if w < 5:
                soft = certified(SoftSearch(problem, C, w, 0.5))
                assert soft.incumbent.objective == pytest.approx(objective, abs=1e-7), (w, C)


def noisy(seed=0, n=2000, m=8):
    """Risks that every feature raises or lowers a little, around one in five; features and pairs of them."""
    rng = np.random.default_rng(seed)
    F = rng.random((n, m)) < rng.uniform(0.2, 0.6, m)
    score = F @ rng.normal(0, 0.7, m)
    risk = 1 / (1 + np.exp(1.5 - score + score.mean()))
    A = np.column_stack([F, *(F[:, i] & F[:, j] for i, j in combinations(range(m), 2))])
    return rl.Problem.from_arrays(A, rng.random(n) < risk)


def test_soft_is_never_worse_than_hard():
    for seed in range(6):
        problem = noisy(seed, 500, 4)
        hard = certified(FallingRuleListSearch(problem, 0.002, 3.0)).incumbent.objective
        for penalty in (0.01, 0.2, 100.0, 1e12):
            soft = certified(SoftSearch(problem, 0.002, 3.0, penalty)).incumbent
            assert soft.objective <= hard
            if penalty >= 100.0:
                assert soft.objective == hard
                assert soft.model.falls


def test_without_the_hard_optimum_the_soft_one_is_found(monkeypatch):
    problem = noisy(1, m=6)
    whole = certified(SoftSearch(problem, 0.001, 5.0, 0.5, iterations=10))
    monkeypatch.setattr(soft_search, "_MOST_HARD_WORK", 5)
    for size in (1, 1000):
        snapshot = rl.solve(SoftSearch(problem, 0.001, 5.0, 0.5, iterations=10), work_per_step=size)
        assert snapshot.status is Status.OPTIMAL
        assert snapshot.work < whole.work + 5
        assert snapshot.incumbent.objective == whole.incumbent.objective


@pytest.mark.parametrize(("w", "C"), [(1 / 3, 0.1 + 0.2), (2.718281828459045, 1e-9), (1e-3, 1 / 3), (1e4, 0.01)])
def test_parameters_of_many_digits(w, C):
    rng = np.random.default_rng(0)
    A, y = rng.random((120, 4)) < 0.5, rng.random(120) < 0.5
    rows, counts = np.unique(np.column_stack([A, y]), axis=0, return_counts=True)
    snapshot = proven(FallingRuleListSearch(rl.Problem.from_arrays(A, y), C, w))
    best = naive.best_falling_rule_list(
        rows[:, :-1], rows[:, -1], counts.tolist(), Fraction(repr(w)), Fraction(repr(C))
    )
    assert snapshot.incumbent.objective == pytest.approx(float(best), rel=1e-9, abs=1e-9)


def test_without_antecedents_the_else_is_optimal():
    problem = rl.Problem.from_arrays([[1], [1], [1]], [0, 1, 1])
    for penalty in (None, 0.5):
        snapshot = certified(
            rl.search_for(
                problem, "falling_rule_list", regularization=0.0, positive_weight=1.0, violation_penalty=penalty
            )
        )
        assert snapshot.incumbent.complexity == 0
        assert snapshot.incumbent.objective == pytest.approx(1 / 3)


def test_counts_of_a_million():
    """Proportions of large counts are compared exactly."""
    rng = np.random.default_rng(3)
    patterns = (np.arange(32)[:, None] >> np.arange(5)) & 1
    positives, negatives = rng.integers(0, 10**6, 32), rng.integers(0, 4 * 10**6, 32)
    problem = rl.Problem.from_counts(patterns, positives, negatives)
    A, y = np.vstack([patterns, patterns]).astype(bool), np.repeat([True, False], 32)
    weight = np.concatenate([positives, negatives]).tolist()
    snapshot = certified(FallingRuleListSearch(problem, 1e-4, 3.0))
    assert snapshot.incumbent.model.exact_objective(1e-4) == naive.best_falling_rule_list(
        A, y, weight, Fraction(3), Fraction(1, 10_000)
    )
