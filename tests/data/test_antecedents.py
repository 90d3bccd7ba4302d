"""Mining: against a naive reference, on benchmark instances, and what it says of bad input."""

import itertools
import math
import pickle
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rulelab.data.binarize import Binarizer
from rulelab.data.conditions import Condition, NothingFound
from rulelab.data.mining import mine_antecedents
from rulelab.kernels import bits


def naive_mining(M, max_conditions, low, high, y=None):
    """Every combination of columns, one by one: the kept ones and the reasons for the others."""
    n, m = M.shape

    def too_few(rows):
        if not rows.any():
            return True
        if y is None:
            return rows.sum() < low * n
        return rows[y].sum() < low * y.sum() and rows[~y].sum() < low * (~y).sum()

    kept, dropped, verdict = {}, Counter(), {}
    candidates = [c for k in range(1, max_conditions + 1) for c in itertools.combinations(range(m), k)]
    for columns in candidates:
        rows = M[:, list(columns)].all(axis=1)
        parts = [p for k in range(1, len(columns)) for p in itertools.combinations(columns, k)]
        inherited = [verdict[p] for p in parts if verdict[p] != "ok"]
        columns_only = [verdict[(c,)] for c in columns if len(columns) > 1]
        if "support below min" in columns_only:
            reason = "support below min"
        elif inherited:
            reason = inherited[0]
        elif len(columns) > 1 and not rows.any():
            reason = "contradiction"
        elif too_few(rows):
            reason = "support below min"
        elif any(np.array_equal(rows, M[:, list(p)].all(axis=1)) for p in parts):
            reason = "redundant"
        else:
            reason = "ok"
        if reason == "ok" and len(columns) == 1 and any(np.array_equal(rows, M[:, c]) for c in range(columns[0])):
            reason = "duplicate"
        verdict[columns] = reason
        if reason == "ok" and rows.sum() > high * n:
            reason = "support above max"
        if reason == "ok" and bytes(rows) in kept:
            reason = "duplicate"
        if reason == "ok":
            kept[bytes(rows)] = columns
        else:
            dropped[reason] += 1
    return list(kept.values()), dropped


matrices = hnp.arrays(bool, st.tuples(st.integers(1, 14), st.integers(1, 7)))
fractions = st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.75, 0.9, 1.0])


@given(matrices, st.integers(1, 3), fractions, fractions, st.booleans(), st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None)
def test_mining_equals_the_naive_reference(M, max_conditions, a, b, by_class, random):
    low, high = min(a, b), max(a, b)
    y = None
    if by_class and len(M) > 1:
        y = np.array([True, False] + [random.random() < 0.5 for _ in range(len(M) - 2)])
    kept, dropped = naive_mining(M, max_conditions, low, high, y)
    if not kept:
        with pytest.raises(NothingFound, match="no conjunction"):
            mine_antecedents(M, max_conditions, low, high, y)
        return
    found = mine_antecedents(M, max_conditions, low, high, y)
    assert (list(found.members), {reason: n for reason, n in found.dropped.items() if n}) == (kept, dropped)
    assert found.considered == sum(math.comb(M.shape[1], k) for k in range(1, max_conditions + 1))
    rows = np.column_stack([M[:, list(c)].all(axis=1) for c in kept])
    assert np.array_equal(found.matrix, rows)
    assert np.array_equal(found.support, rows.sum(axis=0))
    pairs = [(i, j) for i, j in itertools.combinations(range(len(kept)), 2) if np.array_equal(rows[:, i], ~rows[:, j])]
    assert sorted(map(tuple, found.complements.tolist())) == pairs


def structured(n_rows, seed):
    """Thresholds both ways on a few columns: many duplicates, complements and contradictions, over several words."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(n_rows, 5))
    X[:, 4] = X[:, 0] // 2
    return Binarizer(thresholds=6).fit_transform(pd.DataFrame(X, columns=list("abcde")))


@pytest.mark.parametrize("n_rows", [64, 65, 1000])
@pytest.mark.parametrize("max_conditions", [2, 3])
def test_structured_columns_over_several_words(n_rows, max_conditions):
    B = structured(n_rows, n_rows)
    kept, dropped = naive_mining(B.to_numpy(), max_conditions, 0.02, 0.9)
    found = mine_antecedents(B, max_conditions, 0.02, 0.9)
    assert (list(found.members), {reason: n for reason, n in found.dropped.items() if n}) == (kept, dropped)
    assert len(found.complements)


def same(a, b):
    return (
        a.members == b.members
        and a.dropped == b.dropped
        and a.support.tolist() == b.support.tolist()
        and a.complements.tolist() == b.complements.tolist()
    )


def found_or_why(*args, **options):
    try:
        return mine_antecedents(*args, **options)
    except NothingFound as error:
        return str(error)


@given(matrices, st.integers(1, 3), fractions, fractions, st.booleans(), st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_whole_weights_are_repeated_rows(M, max_conditions, a, b, by_class, random):
    low, high = min(a, b), max(a, b)
    weight = np.array([random.choice([0, 0, 1, 2, 5]) for _ in M])
    weight[0] = 1
    y = np.array([k % 2 == 0 for k in range(len(M))])
    rows = np.repeat(np.arange(len(M)), weight)
    by_class = by_class and len(set(y[rows])) == 2
    labels = y if by_class else None
    plain = found_or_why(M[rows], max_conditions, low, high, None if labels is None else labels[rows])
    found = found_or_why(M, max_conditions, low, high, labels, sample_weight=weight)
    if isinstance(plain, str):
        assert found == plain
        return
    assert same(found, plain)
    assert np.array_equal(found.matrix[rows], plain.matrix)
    assert np.array_equal(found.matrix, found.transform(M))


@pytest.mark.parametrize("n_rows", [64, 65, 1000])
def test_weights_over_several_words(n_rows):
    B = structured(n_rows, n_rows)
    rng = np.random.default_rng(n_rows)
    weight, y = rng.integers(0, 4, n_rows), rng.random(n_rows) < 0.3
    rows = np.repeat(np.arange(n_rows), weight)
    for labels in (None, y):
        repeated = None if labels is None else labels[rows]
        plain = mine_antecedents(B.iloc[rows], 3, 0.05, 0.9, repeated)
        found = mine_antecedents(B, 3, 0.05, 0.9, labels, sample_weight=weight)
        assert same(found, plain)
        fractional = mine_antecedents(B, 3, 0.05, 0.9, labels, sample_weight=weight * 0.1)
        assert (fractional.members, fractional.dropped) == (plain.members, plain.dropped)
        assert fractional.support == pytest.approx(plain.support * 0.1)
    assert same(mine_antecedents(B, 3, 0.05, sample_weight=np.ones(n_rows)), mine_antecedents(B, 3, 0.05))


def test_labels_of_rows_of_weight_zero_are_not_read():
    M = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
    found = mine_antecedents(M, 1, 0.5, 1.0, y=[0, 1, "?", None], sample_weight=[1, 1, 0, 0])
    assert (found.support.tolist(), found.complements.tolist()) == ([1, 1], [[0, 1]])
    assert found.matrix.tolist() == M.astype(bool).tolist()


def test_chunks_and_pickles_do_not_change_the_result(monkeypatch):
    B = structured(300, 1)
    whole = mine_antecedents(B, 3, 0.02, 0.9)
    monkeypatch.setattr("rulelab.data.mining.CHUNK", 1)
    chunked = mine_antecedents(B, 3, 0.02, 0.9)
    for again in (chunked, pickle.loads(pickle.dumps(whole))):
        assert (again.names, again.members, again.dropped) == (whole.names, whole.members, whole.dropped)
        assert np.array_equal(again.words, whole.words)


def test_names_conditions_and_intervals():
    B = Binarizer(thresholds={"age": [23, 30]}).fit_transform(pd.DataFrame({"age": np.arange(15, 45)}))
    found = mine_antecedents(B)
    assert found.names == ("age <= 23", "age > 23", "age <= 30", "age > 30", "age > 23 and age <= 30")
    assert found.conditions[-1] == (Condition("age", ">", 23), Condition("age", "<=", 30))
    assert (found.dropped["redundant"], found.dropped["contradiction"]) == (2, 3)
    assert list(found.to_frame().columns) == list(found.names)


def test_a_plain_matrix_names_its_own_conditions():
    M = np.array([[1, 0], [0, 1], [1, 1]], dtype=np.int8)
    found = mine_antecedents(M)
    assert found.names == ("x0", "x1", "x0 and x1")
    assert found.conditions[2] == (Condition("x0", "==", True), Condition("x1", "==", True))
    named = mine_antecedents(pd.DataFrame(M, columns=["p", "q"]))
    assert named.names == ("p", "q", "p and q")
    assert np.array_equal(named.words, found.words)


def test_supports_at_the_limits_and_within_a_class():
    M = np.zeros((30, 2), dtype=bool)
    M[:3, 0] = M[:27, 1] = True
    assert len(mine_antecedents(M, 1, 0.1, 0.9)) == 2  # 0.1 * 30 is a little more than 3 in floating point
    rare, y = np.arange(1000)[:, None] < 5, np.array(["bad"] * 10 + ["good"] * 990)
    assert len(mine_antecedents(rare, 1, 0.5, 0.99, y)) == 1
    with pytest.raises(ValueError, match="of the rows of a class"):
        mine_antecedents(rare, 1, 0.51, 0.99, y)


def test_transform_evaluates_the_same_antecedents_elsewhere():
    B = structured(500, 2)
    found = mine_antecedents(B.iloc[:300], 3, 0.05)
    test = B.iloc[300:]
    expected = np.column_stack([test.to_numpy()[:, list(c)].all(axis=1) for c in found.members])
    assert np.array_equal(found.transform(test), expected)
    assert np.array_equal(found.transform(test[list(test.columns)[::-1]].assign(extra=True)), expected)
    assert np.array_equal(found.transform(test.to_numpy()), expected)
    assert np.array_equal(found.transform(test, packed=True), bits.pack(expected.T))
    with pytest.raises(ValueError, match="2 mined columns are not in the table: 'a <= 0'"):
        found.transform(test.drop(columns=["a <= 0", "a > 0"]))
    with pytest.raises(ValueError, match="has 3 columns"):
        found.transform(test.to_numpy()[:, :3])


def test_summary_says_what_was_dropped_and_why():
    found = mine_antecedents(structured(300, 3), 2, 0.05)
    text = found.summary()
    assert text.startswith(f"{len(found)} antecedents (")
    assert f"dropped {sum(found.dropped.values())} of {found.considered} candidates" in text
    for reason, count in found.dropped.items():
        assert (f"{count}  {reason}" in text) == (count > 0)
    assert f"{len(found.complements)} pairs are exact negations" in text


def test_limit_on_the_number_of_antecedents():
    B = structured(300, 4)
    n = len(mine_antecedents(B))
    assert len(mine_antecedents(B, max_antecedents=n)) == n
    with pytest.raises(ValueError, match="raise min_support"):
        mine_antecedents(B, max_antecedents=n - 1)


@pytest.mark.parametrize(
    ("B", "parameters", "message"),
    [
        (np.zeros((0, 3)), {}, "empty"),
        (np.zeros((3, 0)), {}, "empty"),
        (np.zeros(3), {}, "1 dimension"),
        (np.array([[0, 1], [2, 0]]), {}, "'column 0', row 1 holds 2, which is neither 0 nor 1"),
        (np.array([[0, np.nan], [1, 0]]), {}, "'column 1', row 0 holds nan"),
        (pd.DataFrame({"s": ["u", "v"]}), {}, "'s', row 0 holds 'u'"),
        (pd.DataFrame([[1, 0]], columns=["a", "a"]), {}, "repeated column name 'a'"),
        (np.eye(4), {"max_conditions": 4}, "a whole number from 1 to 3"),
        (np.eye(4), {"min_support": 0.5, "max_support": 0.2}, "min_support <= max_support"),
        (np.eye(4), {"max_antecedents": 0}, "at least 1"),
        (np.eye(4), {"min_support": 0.5}, "range from 0.25 to 0.25.*lower min_support"),
        (np.eye(4), {"sample_weight": [0, 0, 0, 0]}, "zero in every row"),
        (np.eye(4), {"sample_weight": [1, 1]}, "sample_weight has shape"),
        (np.eye(4), {"y": [1, 0, 0, None], "sample_weight": [1, 0, 0, 1]}, "y, row 3 is missing"),
        (np.eye(4), {"y": [0, 1]}, "but there are 4 rows"),
        (np.eye(4), {"y": [1, 1, 1, 1]}, "two classes, but holds 1"),
    ],
)
def test_bad_input(B, parameters, message):
    with pytest.raises(ValueError, match=message):
        mine_antecedents(B, **parameters)


def test_bank_has_the_antecedents_of_the_falling_rule_list_paper(instances):
    A, y, names = instances.load("bank_227")
    singles = [j for j, name in enumerate(names) if " and " not in name]
    found = mine_antecedents(pd.DataFrame(A[:, singles], columns=[names[j] for j in singles]), 2, 0.1, 1.0, y)
    # a pair can only reach the support of a class when both of its parts do, so the kept single columns are enough
    assert {bytes(np.ascontiguousarray(c)) for c in found.matrix.T} == {bytes(c) for c in np.ascontiguousarray(A.T)}
    assert found.considered == len(found) + sum(found.dropped.values())
