"""The exact falling rule list searches against the definition, exact optima and certified benchmark instances."""

from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from laws import certified, falling_for, known_problem
from naive import decimal
from test_joint_capture import noisy

import rulelab as rl
from rulelab.falling_rule_list import FallingRuleListSearch, SoftSearch
from rulelab.falling_rule_list.costs import integer_costs
from rulelab.falling_rule_list.exact import soft_search
from rulelab.kernels import bits
from rulelab.kernels.bit_words import at_most, bit_planes, count, entries
from rulelab.kernels.jit import kernel


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


@pytest.mark.parametrize("kind", ["falling", "soft_falling"])
def test_oracles(shared, kind):
    files = sorted((shared / "oracles").glob(f"{kind}_*.npz"))
    assert len(files) == 10
    for file in files:
        z = np.load(file)
        penalty = float(z["C1"]) if kind == "soft_falling" else None
        problem = rl.Problem.from_arrays(z["X"], z["y"])
        C, w = float(z["C"]), float(z["w"])
        snapshot = certified(falling_for(problem, regularization=C, positive_weight=w, violation_penalty=penalty))
        assert snapshot.incumbent.objective == pytest.approx(float(z["objective"]), abs=1e-12), file.name


def test_certified_benchmark_instances(instances):
    problem = known_problem(instances, "bank_227")
    for (name, w, C), objective in instances.EXPECTED["falling_rule_list"].items():
        if name == "bank_227" and (w < 7 or C > 0.01):
            snapshot = certified(FallingRuleListSearch(problem, C, w))
            assert snapshot.incumbent.objective == pytest.approx(objective, abs=1e-7), (w, C)
            if w < 5:
                soft = certified(SoftSearch(problem, C, w, 0.5))
                assert soft.incumbent.objective == pytest.approx(objective, abs=1e-7), (w, C)


def test_soft_is_never_worse_than_hard():
    for seed in range(6):
        problem = noisy(seed, 500, 2)
        hard = certified(FallingRuleListSearch(problem, 0.002, 3.0)).incumbent.objective
        for penalty in (0.01, 0.2, 100.0, 1e12):
            soft = certified(SoftSearch(problem, 0.002, 3.0, penalty)).incumbent
            assert soft.objective <= hard
            if penalty >= 100.0:
                assert soft.objective == hard
                assert soft.model.falls


def test_without_the_hard_optimum_the_soft_one_is_found(monkeypatch):
    problem = noisy(1, 2000, 3)
    whole = certified(SoftSearch(problem, 0.001, 5.0, 0.5, iterations=10))
    monkeypatch.setattr(soft_search, "MOST_HARD_WORK", 5)
    for size in (1, 1000):
        snapshot = rl.solve(SoftSearch(problem, 0.001, 5.0, 0.5, iterations=10), work_per_step=size)
        assert snapshot.status is rl.Status.OPTIMAL
        assert snapshot.work < whole.work + 5
        assert snapshot.incumbent.objective == whole.incumbent.objective


@pytest.mark.parametrize(("w", "C"), [(1 / 3, 0.1 + 0.2), (2.718281828459045, 1e-9), (1e-3, 1 / 3), (1e4, 0.01)])
def test_parameters_of_many_digits(w, C):
    rng = np.random.default_rng(0)
    A, y = rng.random((120, 4)) < 0.5, rng.random(120) < 0.5
    rows, counts = np.unique(np.column_stack([A, y]), axis=0, return_counts=True)
    snapshot = rl.solve(FallingRuleListSearch(rl.Problem.from_arrays(A, y), C, w))
    exact = snapshot.detail["resolution"] == 0 or snapshot.status is rl.Status.OPTIMAL
    assert (snapshot.status, snapshot.limit) == ((rl.Status.OPTIMAL, None) if exact else (rl.Status.LIMIT, "exactness"))
    assert snapshot.gap == 0 if exact else snapshot.gap > 0
    best = naive.best_falling_rule_list(rows[:, :-1], rows[:, -1], counts.tolist(), decimal(w), decimal(C))
    assert snapshot.incumbent.objective == pytest.approx(float(best), rel=1e-9, abs=1e-9)


def test_counts_of_a_million():
    """Proportions of large counts are compared exactly."""
    rng = np.random.default_rng(3)
    patterns = (np.arange(32)[:, None] >> np.arange(5)) & 1
    positives, negatives = rng.integers(0, 10**6, 32), rng.integers(0, 4 * 10**6, 32)
    problem = rl.Problem.from_counts(patterns, positives, negatives)
    A, y = np.vstack([patterns, patterns]).astype(bool), np.repeat([True, False], 32)
    weight = np.concatenate([positives, negatives]).tolist()
    snapshot = certified(FallingRuleListSearch(problem, 1e-4, 3.0))
    best = naive.best_falling_rule_list(A, y, weight, *naive.decimals(3, 1e-4))
    assert snapshot.incumbent.model.exact_objective(1e-4) == best


# integer costs --------------------------------------------------------------------------------------------------------
WORDS = st.integers(0, 2**63 - 1) | st.integers(0, 100)
WEIGHTS_OF_ROWS = st.integers(0, 10**6) | st.integers(0, 10)
PARAMETERS = st.sampled_from([1, 7, 2.5, 0.1, 1e-6, 1 / 3, 0.123456789, 1e6, np.pi])


@kernel
def compare(a, b, c, d):
    return at_most(a, b, c, d)


@kernel
def weigh(word, digit, mask, by_word, chosen, out):
    count(word, digit, mask, by_word, chosen, out)


@given(WORDS, WORDS, WORDS, WORDS)
def test_ratios_are_compared_exactly(a, b, c, d):
    assert compare(a, b, c, d) == (a * d <= c * b)
    assert compare(a, b, a, b)
    assert compare(a, b, min(a + 1, 2**63 - 1), b)


def list_of(counts, w):
    return sum(min(w * p, q) for p, q in counts)


@given(
    st.lists(st.tuples(WEIGHTS_OF_ROWS, WEIGHTS_OF_ROWS), min_size=1, max_size=5),
    PARAMETERS,
    st.sampled_from([0, 1e-6, 0.1, 1 / 7]),
)
def test_costs_stand_for_the_objective(counts, w, regularization):
    positives, negatives = np.array(counts).T
    n = int(positives.sum() + negatives.sum())
    assume(n > 0)
    costs = integer_costs(positives, negatives, regularization, w)
    cost = list_of(counts, Fraction(costs.per_positive, costs.per_negative)) * costs.per_negative
    cost += costs.per_rule * len(counts)
    objective = list_of(counts, decimal(w)) / Fraction(n) + decimal(regularization) * len(counts)
    assert cost < 2**61 + len(counts) * costs.per_rule
    assert float(cost) * costs.unit <= float(objective) * (1 + 1e-12) + costs.slack
    assert float(cost) * costs.unit == pytest.approx(float(objective), abs=1e-6 + costs.slack)
    if costs.exact:
        if regularization != 1 / 7:  # of many digits, for which a short fraction stands that keeps the order
            assert costs.slack == 0
            assert float(cost) * costs.unit == pytest.approx(float(objective), rel=1e-14)
        for p, q in counts:
            assert (costs.per_positive * p > costs.per_negative * q) == (decimal(w) * p > q)


@given(st.lists(st.tuples(st.floats(0, 1e3), st.floats(0, 1e3)), min_size=1, max_size=6), PARAMETERS)
def test_fractional_weights_are_rounded_by_no_more_than_the_slack(counts, w):
    positives, negatives = np.array(counts).T
    n = float(positives.sum() + negatives.sum())
    assume(n > 1e-3)
    costs = integer_costs(positives, negatives, 0.01, w)
    cost = sum(
        min(costs.per_positive * p, costs.per_negative * q)
        for p, q in zip(costs.positives.tolist(), costs.negatives.tolist(), strict=True)
    )
    cost += costs.per_rule * len(counts)
    objective = float(list_of([(Fraction(p), Fraction(q)) for p, q in counts], decimal(w))) / n + 0.01 * len(counts)
    assert abs(cost * costs.unit - objective) <= costs.slack + 1e-12 * objective
    assert costs.slack <= 1e-5 * max(1, w)
    assert not costs.exact


def test_weights_too_large_to_count_are_refused():
    with pytest.raises(ValueError, match="divide the weights"):
        integer_costs(np.array([2**58]), np.array([2**58]), 0.1, 7)
    with pytest.raises(ValueError, match="too large"):
        integer_costs(np.array([10]), np.array([10]), 0.1, 1e300)


def test_preparing_keeps_one_of_equal_antecedents():
    rng = np.random.default_rng(0)
    A = rng.random((300, 9)) < 0.4
    A[:, 3], A[:, 5], A[:, 7] = A[:, 1], False, True
    problem = rl.Problem.from_arrays(A, rng.random(300) < 0.3)
    dropped = {"equal to another": 1, "holds nowhere": 1, "holds everywhere": 1}
    assert FallingRuleListSearch(problem, 0.01, 2).advance(1).detail["dropped"] == dropped


@given(st.integers(0, 10**6))
def test_planes_count_what_a_product_counts(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 200)), int(rng.integers(1, 9))
    inside, chosen = rng.random((n, m)) < 0.5, rng.random(n) < 0.7
    weights = rng.integers(0, 1 << int(rng.integers(1, 40)), n)
    padded = np.zeros(bits.n_words(n) * 64, dtype=np.int64)
    padded[:n] = weights
    by_word = np.ascontiguousarray(bits.pack(inside.T).T)
    out = np.full(m, -1, dtype=np.int64)
    weigh(*entries(bit_planes(padded)), by_word, bits.pack(chosen[None])[0], out)
    assert out.tolist() == (weights[chosen] @ inside[chosen]).tolist()
