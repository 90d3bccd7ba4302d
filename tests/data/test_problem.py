"""Problems: merging of rows, weights, groups, counts made elsewhere, and every bad input."""

import pickle
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rulelab as rl

A = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1, 1]], dtype=bool)
Y = [1, 0, 0, 0, 1]


@given(st.data())
def test_patterns_carry_the_weights_of_their_rows(data):
    n, m = data.draw(st.integers(2, 30)), data.draw(st.integers(1, 70))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    matrix, y, weight = rng.random((n, m)) < 0.1, rng.random(n) < 0.5, rng.integers(0, 4, n)
    y[:2], weight[:2] = [True, False], 1
    problem = rl.Problem.from_arrays(matrix, y, sample_weight=weight)
    patterns = problem.matrix()
    assert len(np.unique(patterns, axis=0)) == problem.n_patterns
    assert (problem.row_pattern[weight == 0] == -1).all()
    kept = np.flatnonzero(weight)
    assert (patterns[problem.row_pattern[kept]] == matrix[kept]).all()
    for u in range(problem.n_patterns):
        rows = problem.row_pattern == u
        assert problem.positives[u] == weight[rows & y].sum()
        assert problem.negatives[u] == weight[rows & ~y].sum()
    assert problem.total_weight == weight.sum()
    assert problem.integral


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float32, object])
def test_any_type_of_zero_and_one(dtype):
    problem = rl.Problem.from_arrays(A.astype(dtype), Y)
    assert problem.fingerprint == rl.Problem.from_arrays(A, Y).fingerprint
    assert (problem.n_rows, problem.n_patterns, problem.n_antecedents) == (5, 3, 2)


def test_the_larger_label_is_positive():
    assert rl.Problem.from_arrays(A, ["yes", "no", "no", "no", "yes"]).classes == ("no", "yes")
    assert rl.Problem.from_arrays(A, [-1, 3, 3, 3, -1]).total_positive == 3
    assert rl.Problem.from_arrays(A, pd.DataFrame({"y": Y})).classes == (0, 1)


def test_weights_that_are_no_integers_stay_floats():
    problem = rl.Problem.from_arrays(A, Y, sample_weight=[0.5, 1, 1, 1, 2])
    assert not problem.integral
    assert problem.total_positive == 2.5
    assert rl.Problem.from_arrays(A, Y, sample_weight=[1.0, 2, 3, 4, 5]).integral


def test_counts_made_elsewhere_equal_rows():
    rows = rl.Problem.from_arrays(A, Y, names=["a", "b"])
    counts = rl.Problem.from_counts([[0, 1], [1, 0], [1, 1], [0, 1]], [0, 1, 1, 0], [1, 1, 0, 1], names=["a", "b"])
    assert (counts.fingerprint, counts.n_rows) == (rows.fingerprint, 5)
    assert counts.row_pattern is None


def test_billions_of_rows_cost_nothing_as_counts():
    problem = rl.Problem.from_counts([[0], [1]], [10**9, 3 * 10**9], [2 * 10**9, 10**9])
    snapshot = rl.solve(rl.RuleListSearch(problem, 0.01))
    assert snapshot.incumbent.errors == 2 * 10**9
    assert snapshot.status is rl.Status.OPTIMAL


def test_groups_and_their_intersections():
    people = pd.DataFrame({"sex": list("ffmmm"), "old": [True, False, True, True, True]})
    groups = rl.Problem.from_arrays(A, Y, groups=people).groups
    assert len(groups.names) == 3
    assert groups.positives.sum() == 2
    assert groups.negatives.sum() == 3
    single = rl.Problem.from_arrays(A, Y, groups=list("ffmmm")).groups
    assert single.names == ("f", "m")
    assert single.positives.sum(axis=1).tolist() == [1, 1]


def test_antecedents_bring_names_and_conditions():
    table = pd.DataFrame({"age": [20, 30, 40, 50, 60], "sex": list("fmfmf")})
    frame = rl.Binarizer(thresholds=2).fit_transform(table)
    ants = rl.mine_antecedents(frame, max_conditions=2)
    problem = rl.Problem.from_antecedents(ants, Y)
    assert (problem.names, problem.conditions) == (tuple(ants.names), tuple(ants.conditions))
    assert (problem.matrix()[problem.row_pattern] == ants.matrix).all()
    assert rl.Problem.from_arrays(frame, Y).conditions is not None


def test_it_is_frozen_and_pickles():
    problem = rl.Problem.from_arrays(A, Y)
    with pytest.raises(ValueError, match="read-only"):
        problem.words[0] = 0
    assert pickle.loads(pickle.dumps(problem)).fingerprint == problem.fingerprint


def test_the_fingerprint_sees_every_change():
    base = rl.Problem.from_arrays(A, Y).fingerprint
    assert rl.Problem.from_arrays(A[::-1], Y[::-1]).fingerprint == base
    flipped = A.copy()
    flipped[0, 1] = True
    assert rl.Problem.from_arrays(flipped, Y).fingerprint != base
    assert rl.Problem.from_arrays(A, [1, 1, 0, 0, 1]).fingerprint != base
    assert rl.Problem.from_arrays(A, Y, names=["x", "y"]).fingerprint != base
    assert rl.Problem.from_arrays(A, Y, sample_weight=[2, 1, 1, 1, 1]).fingerprint != base
    assert rl.Problem.from_arrays(A, ["b", "a", "a", "a", "b"]).fingerprint != base


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"A": A[0]}, "1 dimension"),
        ({"A": np.zeros((0, 3))}, "0 rows"),
        ({"A": np.zeros((5, 0))}, "0 columns"),
        ({"A": [["a"], ["b"]], "y": [0, 1]}, "binarize"),
        ({"A": A + 1}, "'column 0', row 0 holds 2"),
        ({"A": np.where(A, np.nan, 0)}, "'column 0', row 0 holds .*nan"),
        ({"A": pd.DataFrame({"a": [0, 1, 0, 1, 7], "b": 0})}, "'a', row 4 holds .*7"),
        ({"A": pd.DataFrame(A, columns=["a", "a"])}, "two antecedents are named 'a'"),
        ({"names": ["a"]}, "1 names were given for 2"),
        ({"y": Y[:-1]}, "shape \\(4,\\), but there are 5 rows"),
        ({"y": [1] * 5}, "holds 1 \\(1\\)"),
        ({"y": [0, 1, 2, 1, 0]}, "holds 3"),
        ({"y": [0, 1, None, 1, 0]}, "y, row 2 is missing"),
        ({"y": np.array([0, "a", 0, 1, 1], dtype=object)}, "mixes labels"),
        ({"sample_weight": [1, 0, 0, 0, 1]}, "positive weight only"),
        ({"sample_weight": [0] * 5}, "no weight only"),
        ({"groups": ["a", "b"]}, "groups has 2"),
    ],
)
def test_bad_input_says_what_where_and_what_to_do(arguments, message):
    with pytest.raises(rl.errors.ProblemError, match=message):
        rl.Problem.from_arrays(**{"A": A, "y": Y, **arguments})


def test_counts_of_one_class_are_refused():
    with pytest.raises(rl.errors.ProblemError, match="positive weight only"):
        rl.Problem.from_counts([[0, 1], [1, 0], [1, 1]], [1, 2, 3], [0, 0, 0])


# tables of other libraries where those of pandas are taken ------------------------------------------------------------
EAGER: dict[str, Callable[[pd.DataFrame], Any]] = {
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}
LAZY: dict[str, Callable[[pd.DataFrame], Any]] = {
    "polars, lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "duckdb": lambda frame: duckdb.connect().from_df(frame),
}


def boolean(n: int = 80) -> tuple[pd.DataFrame, np.ndarray, pd.DataFrame]:
    """Boolean columns, labels and two columns of groups."""
    rng = np.random.default_rng(0)
    B = pd.DataFrame(rng.random((n, 3)) < 0.5, columns=["tall", "'; drop", "ß"])
    groups = pd.DataFrame({"sex": rng.choice(["f", "m"], n), "old": rng.random(n) < 0.5})
    return B, (B["tall"] ^ (rng.random(n) < 0.2)).to_numpy().astype(int), groups


@pytest.mark.parametrize("make", EAGER.values(), ids=EAGER)
def test_mining_problems_and_models_know_the_names(make):
    B, y, groups = boolean()
    known, found = (rl.mine_antecedents(each, 2) for each in (B, make(B)))
    assert (found.names, found.conditions) == (known.names, known.conditions)
    mixed = make(B.assign(more=1)[["ß", "more", "tall", "'; drop"]])
    assert (found.transform(mixed) == known.transform(B)).all()
    problem = rl.Problem.from_arrays(B, y, groups=groups)
    other = rl.Problem.from_arrays(make(B), y, groups=make(groups))
    assert (other.fingerprint, other.names) == (problem.fingerprint, tuple(B.columns))
    assert other.groups.names == problem.groups.names
    assert (other.groups.positives == problem.groups.positives).all()
    patterns, n = B.drop_duplicates(), len(B.drop_duplicates())
    counted = [rl.Problem.from_counts(each, np.arange(n), np.ones(n, dtype=int)) for each in (patterns, make(patterns))]
    assert counted[0].fingerprint == counted[1].fingerprint
    model = rl.solve(rl.RuleListSearch(problem, 0.02)).incumbent.model
    assert model.rules
    assert (model.predict(make(B[["ß", "'; drop", "tall"]])) == model.predict(B)).all()


@pytest.mark.parametrize("make", EAGER.values(), ids=EAGER)
def test_data_sets(make):
    B, y, groups = boolean()
    frame = pd.concat([B, groups], axis=1).assign(n=np.arange(len(B)), y=np.where(y, "yes", "no"))
    known, found = (
        rl.datasets.from_frame(each, "y", sensitive=["sex"], excluded=["old"]) for each in (frame, make(frame))
    )
    pd.testing.assert_frame_equal(found.X, known.X)
    pd.testing.assert_series_equal(found.y, known.y)
    pd.testing.assert_frame_equal(found.sensitive, known.sensitive)


@pytest.mark.parametrize("make", LAZY.values(), ids=LAZY)
def test_what_is_not_in_memory_is_pointed_to_the_tables(make):
    B, y, _ = boolean()
    lazy = make(B.assign(y=y))
    for take in (
        lambda: rl.Binarizer().fit(lazy),
        lambda: rl.mine_antecedents(lazy),
        lambda: rl.Problem.from_arrays(lazy, y),
        lambda: rl.RuleListClassifier().fit(lazy, y),
    ):
        with pytest.raises(ValueError, match=r"is not in memory: rulelab.tables.open takes it"):
            take()
    with pytest.raises(rl.datasets.DatasetError, match=r"in memory, .*; rulelab.tables.open takes one that is not"):
        rl.datasets.from_frame(lazy, "y")
    assert rl.Binarizer().fit(rl.tables.open(lazy).features("y")).columns_ == tuple(B.columns)
