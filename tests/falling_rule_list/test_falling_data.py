"""Integer costs, packed columns and exact ratios of falling rule lists."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from naive import decimal

import rulelab as rl
from rulelab.falling_rule_list.costs import integer_costs, prepare
from rulelab.kernels import bits
from rulelab.kernels.bit_words import at_most, bit_planes, count, entries
from rulelab.kernels.jit import kernel

WORDS = st.integers(0, 2**63 - 1) | st.integers(0, 100)
WEIGHTS = st.integers(0, 10**6) | st.integers(0, 10)
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
    st.lists(st.tuples(WEIGHTS, WEIGHTS), min_size=1, max_size=5), PARAMETERS, st.sampled_from([0, 1e-6, 0.1, 1 / 7])
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


def test_common_settings_are_exact():
    positives, negatives = np.array([5289]), np.array([39922])
    for w in (1, 3, 5, 7, 10, 2.5, 0.25):
        for regularization in (0, 1e-6, 1e-3, 0.05):
            assert integer_costs(positives, negatives, regularization, w).exact


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
    ready = prepare(problem, 0.01, 2)
    assert ready.antecedents.tolist() == [0, 1, 2, 4, 6, 8]
    assert ready.dropped == {"equal to another": 1, "holds nowhere": 1, "holds everywhere": 1}
    held = bits.unpack(ready.data.columns, problem.n_patterns).T
    assert (held == problem.matrix()[ready.patterns][:, ready.antecedents]).all()
    assert (ready.data.positives[: problem.n_patterns] == problem.positives[ready.patterns]).all()
    assert (ready.data.negatives[: problem.n_patterns] == problem.negatives[ready.patterns]).all()
    assert ready.data.positives.sum() == problem.total_positive
    assert bits.counts(ready.data.full[None])[0] == problem.n_patterns


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
