"""Near-optimal rule lists counted over sets, against naive enumeration of every list and against the listing engine."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import factorial, isnan

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import Inside, rows
from naive import decimal
from test_near_optimal import DISTANCES, GAPS, LAMBDAS, LENGTHS, disjoint, medium_problem, near_optimal_by_enumeration

import rulelab as rl
from rulelab.data.gaps import CRITERIA
from rulelab.data.metrics import RATES, Confusion
from rulelab.rule_list.near_count import kernels
from rulelab.rule_list.near_count.state import whole

small_problems = partial(rows, st.sampled_from(LAMBDAS), max_rows=9, max_columns=4, max_weight=4)


def count(problem: rl.Problem, *args, **given) -> rl.results.NearOptimalCount:
    search = rl.NearOptimalCounter(problem, *args, **given)
    assert rl.solve(search).status is rl.Status.OPTIMAL
    return search.result()


def decided(A, weight, antecedents):
    """The share of the weight that each rule decides."""
    left, out = np.ones(len(A), dtype=bool), {}
    for a in antecedents:
        out[a] = Fraction(int(np.array(weight)[left & A[:, a]].sum()), sum(weight))
        left &= ~A[:, a]
    return out


def check(result: rl.results.NearOptimalCount, A, y, weight, models, optimum):
    """Everything that the result says, against the enumeration."""
    lists = {d: value for group in models.values() for d, value in group.items()}
    assert (result.complete, result.truncated, result.n_lists) == (True, None, len(lists))
    assert result.at_least <= len(lists)
    found = list(result.lists())
    assert (len(found), set(found)) == (len(set(found)), set(lists))
    objectives = [float(lists[d]) for d in found]
    np.testing.assert_allclose(objectives, np.sort(objectives), atol=1e-12)
    frame = result.by_objective
    np.testing.assert_allclose(np.repeat(frame["objective"], frame["lists"].astype(int)), objectives, atol=1e-12)
    assert np.repeat(frame["rules"], frame["lists"].astype(int)).tolist() == [len(d) for d in found]
    assert dict(zip(result.by_rules["rules"], result.by_rules["lists"], strict=True)) == Counter(map(len, lists))
    assert list(result.lists(len(found) // 2)) == found[len(found) // 2 :]
    assert result.top(5)["list"].tolist() == found[:5]
    assert set(result.sample(4, 0)["list"]) <= set(lists)
    for row, example in zip(frame.itertuples(), result.examples(), strict=True):
        assert row.objective == pytest.approx(float(lists[example]), abs=1e-12)
    importance, decides = result.importance(), {d: decided(A, weight, d) for d in lists}
    assert set(importance.index) == {a for d in lists for a in d}
    for a, row in importance.iterrows():
        using, without = [d for d in lists if a in d], [d for d in lists if a not in d]
        assert (row["lists"], row["share"]) == (len(using), len(using) / len(lists))
        assert row["objective"] == pytest.approx(float(min(lists[d] for d in using)), abs=1e-12)
        if without:
            assert row["without"] == pytest.approx(float(min(lists[d] for d in without)), abs=1e-12)
        else:
            assert isnan(row["without"])
        shares = [decides[d].get(a, 0) for d in lists]
        assert (row["least"], row["most"]) == (pytest.approx(float(min(shares))), pytest.approx(float(max(shares))))
    pattern = result.problem.row_pattern
    frame = result.disagreement()
    frame = {name: frame[name].tolist() for name in ("lists", "share", "disagreement")}
    for i in range(len(y)):
        positive = sum(len(group) for predicted, group in models.items() if predicted[i])
        assert frame["lists"][pattern[i]] == positive
        assert frame["share"][pattern[i]] == pytest.approx(positive / len(lists))
        assert frame["disagreement"][pattern[i]] == pytest.approx(min(positive, len(lists) - positive) / len(lists))


@settings(max_examples=100)
@given(small_problems(), DISTANCES, LENGTHS)
def test_everything_within_a_distance_and_a_length(case, distance, max_length):
    A, y, weight, regularization = case
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    models, optimum = near_optimal_by_enumeration(*case, **distance, max_length=max_length)
    check(count(problem, regularization, **distance, max_length=max_length), A, y, weight, models, optimum)


@pytest.mark.parametrize("n", [910, 7210, 30030])
@pytest.mark.parametrize("regularization", [0.03333333333333333, 0.0123456789012345, 1 / 19, 0.023456789012345678])
def test_a_list_at_the_very_end_is_near_and_the_next_one_is_not(n, regularization):
    """Also where costs keep the order of objectives, but not their differences, as of penalties of many digits."""
    tenth = n // 10
    problem = rl.Problem.from_arrays([[1], [0], [0]], [1, 1, 0], sample_weight=[tenth, tenth, n - 2 * tenth])
    end = Fraction(1, 10) - decimal(regularization)
    for least, lists in ((end, 2), (end - Fraction(1, 10**17), 1)):
        gap = float(least)
        if decimal(gap) == least:
            assert count(problem, regularization, gap).n_lists == lists
            assert rl.near_optimal(problem, regularization=regularization, within=gap).n_lists == lists


def test_a_gap_beyond_all_objectives_takes_all_lists():
    rng = np.random.default_rng(0)
    A, y, weight = rng.random((12, 4)) < 0.5, rng.random(12) < 0.5, rng.integers(1, 10**6, 12)
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    models, _ = near_optimal_by_enumeration(A, y, weight.tolist(), 1 / 3, 40.0)
    assert count(problem, 1 / 3, 40.0).n_lists == sum(map(len, models.values()))


def rate(name, A, y, weight, predicted, group):
    """A rate within a group."""
    w, predicted = np.array(weight) * group, np.array(predicted)
    parts = [predicted & y, predicted & ~y, ~predicted & ~y, ~predicted & y]
    part, of = RATES[name](Confusion(*(int(w[part].sum()) for part in parts)))
    return Fraction(int(part), int(of)) if of else None


@settings(max_examples=40)
@given(small_problems(), st.sampled_from(GAPS), st.sampled_from(sorted(CRITERIA)), st.integers(0, 2**9 - 1))
def test_ranges_between_groups_and_of_columns(case, gap, criterion, members):
    A, y, weight, regularization = case
    group = np.array([bool(members >> i & 1) for i in range(len(y))])
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight, groups=np.where(group, "b", "a"))
    result = count(problem, regularization, gap)
    models, _ = near_optimal_by_enumeration(A, y, weight, regularization, gap)
    lists = {d: predicted for predicted, lists in models.items() for d in lists}

    def difference(name, predicted):
        first, second = (rate(name, A, y, weight, predicted, chosen) for chosen in (~group, group))
        return None if first is None or second is None else float(first - second)

    seen = result.gap_ranges(criterion).set_index("rate")
    for name in CRITERIA[criterion]:
        values = [difference(name, predicted) for predicted in lists.values()]
        if group.all() or not group.any() or values[0] is None:
            assert name not in seen.index
            continue
        row = seen.loc[name]
        assert (row["group"], row["other"]) == ("a", "b")
        for bound, example, value in (("least", "least_list", min(values)), ("greatest", "greatest_list", max(values))):
            assert row[bound] == pytest.approx(value, abs=1e-12)
            assert difference(name, lists[row[example]]) == pytest.approx(value, abs=1e-12)
    columns = result.column_ranges()
    for a in range(A.shape[1]):
        shares = [float(decided(A, weight, d).get(a, 0)) for d in lists]
        assert columns.loc[f"antecedent {a}"].tolist() == pytest.approx([min(shares), max(shares)])


def test_of_a_column_are_all_conditions_on_it():
    A = np.array([[i & 1, i >> 1 & 1, i >> 2 & 1] for i in range(32)], dtype=bool)
    y = (A[:, 0] | A[:, 1]) ^ (np.arange(32) % 11 == 0)
    conditions = [[rl.Condition("age", "<=", 20)], [rl.Condition("age", "<=", 40)], [rl.Condition("sex", "==", "f")]]
    problem = replace(rl.Problem.from_arrays(A, y), conditions=tuple(map(tuple, conditions)))
    result = count(problem, 0.02, 0.1)
    shares = [decided(A, [1] * 32, d) for d in result.lists()]
    ages = [float(found.get(0, 0) + found.get(1, 0)) for found in shares]
    frame = result.column_ranges()
    assert set(frame.index) == {"age", "sex"}
    assert frame.loc["age"].tolist() == pytest.approx([min(ages), max(ages)])


@pytest.fixture(scope="module")
def everything():
    return rl.near_optimal(medium_problem(), regularization=0.02, within=0.05)


def test_the_listing_finds_as_many(everything):
    result = count(medium_problem(), 0.02, 0.05)
    assert result.n_lists == everything.n_lists
    listed, counted = everything.antecedents.sort_index(), result.importance().sort_index()
    assert listed["lists"].tolist() == counted["lists"].tolist()
    np.testing.assert_allclose(listed["objective"], counted["objective"], atol=1e-12)
    gaps = result.by_objective
    for row in everything.by_gap.itertuples():
        inside = (gaps["gap"] > row.gap_from - 1e-9) & (gaps["gap"] <= row.gap_to + 1e-9)
        assert row.lists <= gaps["lists"][inside].sum()


def test_cores_lose_no_list(everything, monkeypatch):
    monkeypatch.setattr("rulelab.rule_list.near_count.search.LEARN_AFTER", 0)
    search = rl.NearOptimalCounter(medium_problem(), 0.02, 0.05)
    rl.solve(search)
    assert Inside(search).cores.numbers[0] > 0  # some were learnt
    assert search.result().n_lists == everything.n_lists


def test_what_is_counted_on_the_way_is_at_least_there(everything):
    search = rl.NearOptimalCounter(medium_problem(), 0.02, 0.05)
    known = 0
    while search.phase != "finished":
        progress = search.advance(37)
        assert known <= progress.n_lists <= everything.n_lists
        known = progress.n_lists
        if progress.phase != "finished":
            result = search.result()
            assert (result.complete, result.truncated, result.n_lists) == (False, "stopped", known)
            assert result.by_objective.empty
            with pytest.raises(ValueError, match="not complete"):
                result.importance()
    assert search.result().n_lists == everything.n_lists


def test_memory_limit_says_how_many_at_least_and_goes_on(everything):
    for limit in (30_000, 65_000):
        search = rl.NearOptimalCounter(medium_problem(), 0.02, 0.05, memory_limit=limit)
        last = rl.solve(search)
        assert (last.status, last.limit) == (rl.Status.LIMIT, "memory")
        assert last.memory_bytes <= limit
        result = search.result()
        assert 0 < result.n_lists <= everything.n_lists
        assert (result.complete, result.truncated) == (False, "memory")
        assert last.phase == "expanding" if limit == 30_000 else "counting"
        assert "at least" in repr(result)
        search.memory_limit = None
        assert rl.solve(search).n_lists == everything.n_lists


def test_all_lists_are_equally_likely():
    problem = medium_problem(m=8)
    result = count(problem, 0.02, 0.05)
    n = result.n_lists
    assert 20 < n < 500
    drawn = Counter(result.sample(40 * n, random_state=1)["list"])
    assert set(drawn) == set(result.lists())
    squares = sum((k - 40) ** 2 / 40 for k in drawn.values())
    assert abs(squares - (n - 1)) < 5 * (2 * (n - 1)) ** 0.5
    pd.testing.assert_frame_equal(result.sample(9, random_state=5), result.sample(9, random_state=5))
    assert result.sample(9, random_state=5)["list"].tolist() != result.sample(9, random_state=6)["list"].tolist()


def test_numbers_of_lists_of_several_words_are_exact():
    n = 13
    result = count(disjoint(n), 0.0001, 0.0)
    assert result.n_lists == factorial(n) > 2**32
    importance = result.importance()
    assert importance["lists"].tolist() == [factorial(n)] * n
    assert importance["without"].isna().all()
    assert sorted(result.disagreement()["lists"]) == [0, *[factorial(n)] * n]
    assert len(set(result.sample(20, 0)["list"])) == 20


@given(st.integers(0, 2**96 - 1), st.integers(0, 2**63 - 1), st.integers(0, 2**96 - 1))
def test_words_add_up_and_multiply(one, other, more):
    def words(number):
        return np.array([number >> 32 * k & 0xFFFFFFFF for k in range(6)], dtype=np.uint32)

    total = words(more)
    kernels.add_product(words(one), words(other), total)
    assert whole(total) == one * other + more
    kernels.add_to(total, words(one))
    assert whole(total) == one * other + more + one


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda result: result.top(0), "n must be"),
        (lambda result: result.sample(1.5), "n must be"),
        (lambda result: result.gap_ranges("fairness"), "there is no criterion"),
        (lambda result: result.gap_ranges(), "has no groups"),
    ],
)
def test_what_cannot_be_asked(call, message):
    with pytest.raises(ValueError, match=message):
        call(count(medium_problem(m=4), 0.05, 0.01))
