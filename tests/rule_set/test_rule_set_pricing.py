"""Pricing agrees with brute force: largest sums, bounds at any time, enumeration by covered set, the beam."""

import pickle
from dataclasses import dataclass, replace
from itertools import combinations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import seeds

from rulelab.data.conditions import Condition
from rulelab.rule_set.features import Features
from rulelab.rule_set.pricing.beam import beam
from rulelab.rule_set.pricing.exact import MOST_RULES, Enumerator, Pricer, Pricing, cube_parts


@dataclass(frozen=True)
class Case:
    matrix: np.ndarray
    conditions: list[Condition] | None
    weight: np.ndarray
    price: int
    depth: int | None

    @property
    def features(self) -> Features:
        return Features(self.matrix, self.conditions)

    @property
    def charge(self) -> np.ndarray:
        most = self.matrix.shape[1]
        return self.price * np.arange(1, 2 + (most if self.depth is None else min(self.depth, most)))


def conditions_on(table: np.ndarray, chosen: list[tuple[int, str, int]]) -> tuple[np.ndarray, list[Condition]]:
    """Conditions on columns of small numbers, 5 of the first column standing for a missing cell."""
    columns, conditions = [], []
    for j, operator, value in chosen:
        x = table[:, j]
        missing = (x == 5) & (j == 0)
        test = {"<=": x <= value, ">": x > value, "==": x == value, "!=": x != value}
        columns.append(missing if operator == "is missing" else test[operator] & ~missing)
        conditions.append(Condition(f"x{j}", operator, None if operator == "is missing" else value))
    return np.column_stack(columns), conditions


@st.composite
def cases(draw, deepest: int = 4) -> Case:
    seed = draw(seeds)
    rng = np.random.default_rng(seed)
    n, p = draw(st.integers(1, 40)), draw(st.integers(1, 4))
    operators = st.sampled_from(["<=", ">", "==", "!=", "is missing"])
    chosen = draw(st.lists(st.tuples(st.integers(0, p - 1), operators, st.integers(0, 5)), min_size=1, max_size=8))
    matrix, conditions = conditions_on(rng.integers(0, 6, size=(n, p)), chosen)
    spread = draw(st.sampled_from([1, 4, 1000]))  # few values and ties, or nearly all different
    weight = rng.integers(-spread, spread + 1, size=n)
    copies = draw(st.sampled_from([1, 1, 40]))  # enough of the same weight for sections of whole words
    if copies > 1:
        matrix, weight = np.repeat(matrix, copies, axis=0), np.repeat(weight, copies)
    depth = draw(st.sampled_from([None, *range(1, deepest + 1)]))
    return Case(matrix, conditions, weight, draw(st.sampled_from([0, 0, 1, 3, 10 * spread])), depth)


def price(case: Case, seeds=(), method="auto") -> Pricing:
    """The rules of the largest sum of weight."""
    pricer = Pricer(case.features, case.weight, case.charge, seeds, method)
    assert pricer.advance(2**62)
    return pricer.result()


def truth(case: Case) -> np.ndarray:
    """What `Pricing.best` must be, by brute force."""
    rows, inverse = np.unique(case.matrix, axis=0, return_inverse=True)
    merged = np.zeros(len(rows), dtype=np.int64)
    np.add.at(merged, inverse.ravel(), case.weight)
    sums = naive.largest_sums(rows, merged.tolist(), len(case.charge) - 1)
    return np.array([0, *np.maximum(sums, case.charge[1:])])


def check_rules(case: Case, result: Pricing) -> None:
    assert len(set(result.rules)) == len(result.rules) <= MOST_RULES
    for rule, value in zip(result.rules, result.values, strict=True):
        total = case.weight[case.matrix[:, list(rule)].all(axis=1)].sum()
        assert value == total - case.charge[len(rule)] > 0
        assert rule == tuple(sorted(rule))
    assert (np.diff(result.values) <= 0).all()


@settings(max_examples=150)
@given(cases(deepest=5), st.integers(1, 6), st.sampled_from(["auto", "bitset", "cubes"]))
def test_largest_sums_are_those_of_brute_force_and_bounds_hold_at_any_time(case, slice_, method):
    if method == "cubes":
        case = replace(case, depth=case.depth or 3)
    at_once, pricer = (Pricer(case.features, case.weight, case.charge, method=method) for _ in range(2))
    assert at_once.advance(2**62)
    whole, best = at_once.result(), truth(case)
    assert whole.complete
    assert (whole.best == best).all()
    check_rules(case, whole)
    assert whole.values.max(initial=0) == max(0, (best[1:] - case.charge[1:]).max())
    assert (pricer.result().best >= best).all()
    while not pricer.advance(slice_):
        early = pricer.result()
        assert not early.complete
        assert (early.best >= best).all()
        check_rules(case, early)
        pricer = pickle.loads(pickle.dumps(pricer))
    result = pricer.result()
    assert (result.best == best).all()
    assert result.rules == whole.rules
    assert pricer.advance(10)
    assert pricer.nodes == at_once.nodes


@settings(max_examples=80)
@given(cases(deepest=5), seeds, st.integers(33, 56), st.integers(1, 6))
def test_data_cubes_are_exact_where_weights_have_more_than_32_bits(case, seed, digits, slice_):
    rng = np.random.default_rng(seed)
    scale = max(1, 2**digits // int(1 + np.abs(case.weight).sum() + 6 * case.price))  # of what can be counted
    weight = case.weight * scale + rng.integers(-2, 3, size=len(case.weight))
    case = replace(case, depth=case.depth or 3, weight=weight, price=case.price * scale + int(rng.integers(0, 3)))
    pricer = Pricer(case.features, case.weight, case.charge, method="cubes")
    while not pricer.advance(slice_):
        pricer = pickle.loads(pickle.dumps(pricer))
    result = pricer.result()
    assert (result.best == truth(case)).all()
    check_rules(case, result)


@settings(max_examples=40)
@given(cases(), st.randoms(use_true_random=False))
def test_seeds_are_returned_and_change_no_bound(case, random):
    m = case.matrix.shape[1]
    rules = [rule for s in (1, 2) for rule in combinations(range(m), s)]
    seeds = random.sample(rules, min(len(rules), 4))
    result = price(case, seeds)
    assert (result.best == truth(case)).all()
    check_rules(case, result)
    values = case.features.sums(seeds, case.weight) - case.price * (1 + np.array([len(rule) for rule in seeds]))
    allowed = [rule for rule, value in zip(seeds, values, strict=True) if value > 0 and len(rule) < len(case.charge)]
    assert set(allowed) <= set(result.rules)


@settings(max_examples=60)
@given(cases(), seeds, st.sampled_from(["auto", "bitset", "cubes"]), st.integers(1, 4))
def test_only_larger_sums_are_looked_for_where_asked(case, seed, method, slice_):
    case = replace(case, depth=case.depth or 3)
    more = np.cumsum(np.random.default_rng(seed).integers(0, 20, size=len(case.charge)))
    least, largest = case.charge + more, truth(replace(case, price=0))
    pricer = Pricer(case.features, case.weight, case.charge, method=method, least=least)
    while not pricer.advance(slice_):
        assert (pricer.result().best >= largest)[1:].all()
    result = pricer.result()
    assert (result.best == np.append(0, np.maximum(largest, least)[1:])).all()
    check_rules(case, result)


@settings(max_examples=30)
@given(cases())
def test_charges_may_be_any_that_do_not_fall(case):
    charge = np.sort(np.random.default_rng(len(case.weight)).integers(0, 50, size=len(case.charge)))
    pricer = Pricer(case.features, case.weight, charge)
    assert pricer.advance(2**62)
    result = pricer.result()
    free = truth(replace(case, price=0))
    assert (result.best[1:] == np.maximum(free[1:], charge[1:])).all()


@settings(max_examples=80)
@given(cases(), st.integers(1, 12), st.booleans())
def test_enumeration_finds_each_covered_set_once_by_a_shortest_rule(case, slice_, low):
    features = case.features
    threshold = case.charge if not low else np.sort(case.charge - 3)
    expected = {}
    for clause in naive.all_clauses(case.matrix, len(threshold) - 1):
        covered = case.matrix[:, list(clause)].all(axis=1)
        sizes = [s for s in range(len(clause), len(threshold)) if case.weight[covered].sum() >= threshold[s]]
        if len(clause) in sizes:
            expected[covered.tobytes()] = len(clause)
    enumerator = Enumerator(features, case.weight, threshold, 10**6)
    while not enumerator.advance(slice_):
        enumerator = pickle.loads(pickle.dumps(enumerator))
    assert not enumerator.overflow
    assert {features.covered(rule).tobytes(): len(rule) for rule in enumerator.rules} == expected
    assert len(enumerator.rules) == len(expected)


def enumerate_rules(features, weight, threshold, limit) -> Enumerator:
    """All rules of at least ``threshold[s]``; the parameters are those of `Enumerator`."""
    enumerator = Enumerator(features, weight, threshold, limit)
    assert enumerator.advance(2**62)
    return enumerator


def small() -> Case:
    matrix, conditions = conditions_on(
        np.random.default_rng(3).integers(0, 5, size=(60, 3)), [(j, "==", v) for j in range(3) for v in range(5)]
    )
    return Case(matrix, conditions, np.random.default_rng(4).integers(-3, 5, size=60), 0, 3)


def test_an_enumeration_of_too_many_rules_says_so():
    case = small()
    threshold = np.zeros(4, dtype=np.int64)
    whole = enumerate_rules(case.features, case.weight, threshold, 10**6)
    assert not whole.overflow
    assert enumerate_rules(case.features, case.weight, threshold, len(whole.rules) - 1).overflow
    assert not Enumerator(case.features, case.weight, threshold, 10**6).advance(2)


@settings(max_examples=40)
@given(cases())
def test_the_beam_finds_good_rules(case):
    rules, sums = beam(case.features, case.weight, case.charge)
    charge = case.charge
    assert len(set(rules)) == len(rules)
    assert (sums == case.features.sums(rules, case.weight)).all()
    assert all(total > charge[len(rule)] for rule, total in zip(rules, sums, strict=True))
    values = [total - charge[len(rule)] for rule, total in zip(rules, sums, strict=True)]
    best = truth(case)
    assert max([0, *values]) <= max(0, (best[1:] - charge[1:]).max())
    assert max([0, *values]) >= max(0, best[1] - charge[1])
    assert values == sorted(values, reverse=True)


def test_a_wide_beam_is_exact():
    case = small()
    _, sums = beam(case.features, case.weight, case.charge, (1000, 1000, 1000))
    assert sums[0] == truth(case)[-1]


def test_columns_whose_cubes_are_too_large_are_left_to_the_bitset_search():
    matrix = np.random.default_rng(0).random((50, 300)) < 0.5
    case = Case(matrix, [Condition("x", "==", j) for j in range(300)], np.arange(50) - 20, 5, 2)
    assert cube_parts(case.features, 2) is None
    with pytest.raises(ValueError, match="too large"):
        price(case, method="cubes")
    pricer = Pricer(case.features, case.weight, case.charge[:2])
    assert pricer.advance(10)
    assert pricer.method == "bitset"
