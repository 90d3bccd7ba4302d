"""Binarizer: which conditions a table gets, and what they say on other rows."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import calls_in
from sklearn.model_selection import train_test_split
from sklearn.utils.estimator_checks import check_estimator

from rulelab.data.binarize import Binarizer
from rulelab.data.conditions import Condition, NothingFound, attach_conditions, conditions_of


def names_of(values, **parameters):
    return list(Binarizer(**parameters).fit(pd.DataFrame({"a": values})).get_feature_names_out())


def evaluated(conditions, frame):
    """The conditions one at a time, by the definition of a condition."""
    return np.column_stack([c.evaluate(frame[c.column]) for c in conditions])


@pytest.fixture
def mixed():
    rng = np.random.default_rng(3)
    n = 400
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "income": np.where(rng.random(n) < 0.1, np.nan, rng.lognormal(8, 1, n)),
            "sex": np.where(rng.random(n) < 0.5, "Male", "Female"),
            "city": rng.choice(["Ulm", "Rom", "Oslo"], n),
            "owner": rng.random(n) < 0.3,
            "flag": rng.integers(0, 2, n),
            "grade": pd.Categorical(rng.integers(1, 4, n)),
        }
    )
    frame.loc[:19, "city"] = None
    return frame


def test_numeric_columns_are_cut_at_inner_quantiles_both_ways():
    names = names_of(np.arange(1, 101), thresholds=4)
    assert names == ["a <= 25", "a > 25", "a <= 50", "a > 50", "a <= 75", "a > 75"]
    assert all(isinstance(c.value, int) for c in Binarizer().fit(pd.DataFrame({"a": [1, 2, 3]})).conditions_)


def test_deciles_of_a_skewed_column_keep_distinct_cuts_only():
    assert names_of([0] * 95 + [1, 2, 3, 4, 5]) == ["a <= 0", "a > 0"]
    assert names_of([1, 2, 3] + [9] * 97) == ["a <= 3", "a > 3"]  # every inner decile is the maximum


def test_cuts_of_a_decimal_column_are_the_shortest_that_split_alike():
    values = np.array([0.1234, 0.2345, 0.2351, 0.9])
    conditions = Binarizer(thresholds=4).fit(values[:, None]).conditions_
    assert [c.value for c in conditions if c.operator == "<="] == [0.2, 0.235, 0.3]


@given(st.lists(st.floats(-1e12, 1e12, allow_subnormal=False), min_size=2, max_size=40), st.integers(2, 12))
@settings(max_examples=80, deadline=None)
def test_every_numeric_condition_splits_the_rows_and_comes_with_its_negation(values, groups):
    if len(set(values)) < 2:
        return
    frame = pd.DataFrame({"a": values})
    b = Binarizer(thresholds=groups).fit(frame)
    B = b.transform(frame).to_numpy()
    assert (B.any(axis=0) & ~B.all(axis=0)).all()
    assert len(np.unique(B, axis=1).T) == B.shape[1]
    assert {bytes(column) for column in B.T} == {bytes(~column) for column in B.T}
    assert np.array_equal(B, evaluated(b.conditions_, frame))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0, 1, 1], ["a == 0", "a == 1"]),
        ([0.0, 1.0, np.nan], ["a == 0", "a == 1", "a is missing", "a is present"]),
        ([0.5, 2.5, 2.5], ["a <= 1", "a > 1"]),
        ([True, False], ["a", "not a"]),
        ([True, None, False], ["a", "not a", "a is missing", "a is present"]),
        (["x", "y"], ["a == x", "a == y"]),
        (["x", "y", "z"], ["a == x", "a != x", "a == y", "a != y", "a == z", "a != z"]),
        (["x", None], ["a == x", "a is missing"]),
        ([7.0, np.nan], ["a == 7", "a is missing"]),
        (["", "y"], ["a == ''", "a == y"]),
        (pd.Categorical([3, 1, 1]), ["a == 1", "a == 3"]),
        (pd.array([1, 2, None], dtype="Int64"), ["a == 1", "a == 2", "a is missing", "a is present"]),
        (pd.array([True, False, None], dtype="boolean"), ["a", "not a", "a is missing", "a is present"]),
    ],
)
def test_conditions_of_small_columns(values, expected):
    assert names_of(values) == expected


def test_without_negations():
    assert names_of([1, 2, 3], negations=False) == ["a <= 1", "a > 1", "a <= 2", "a > 2"]
    assert names_of([True, False], negations=False) == ["a"]
    assert names_of(["x", "y", "z", None], negations=False) == ["a == x", "a == y", "a == z", "a is missing"]


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "pyarrow"]
)
def test_any_table_is_taken_and_the_type_that_is_asked_for_is_given(make):
    frame = pd.DataFrame({"a": [1, 2, 3, 4, 5, 6], "b": ["x", "y", "x", None, "y", "x"]})
    known = Binarizer(thresholds=3).fit(frame)
    binarizer = Binarizer(thresholds=3).fit(make(frame))
    assert binarizer.conditions_ == known.conditions_
    pd.testing.assert_frame_equal(binarizer.transform(make(frame)), known.transform(frame))
    for kind, form in (("polars", pl.DataFrame), ("pandas", pd.DataFrame)):
        found = binarizer.set_output(transform=kind).transform(make(frame))
        assert isinstance(found, form)
        assert (found.to_numpy() == known.transform(frame).to_numpy()).all()


def test_transform_is_what_the_conditions_say_one_by_one(mixed):
    b = Binarizer().fit(mixed.iloc[:300])
    for part in (mixed.iloc[:300], mixed.iloc[300:]):
        B = b.transform(part)
        assert np.array_equal(B.to_numpy(), evaluated(b.conditions_, part))
        assert B.index.equals(part.index)
        assert B.to_numpy().dtype == np.bool_
    known = b.fit(mixed).transform(mixed)
    assert b.fit_transform(mixed).equals(known)
    assert b.transform(mixed[list(mixed.columns)[::-1]].assign(extra=1)).equals(known), "columns go by name"


def test_missing_cells_satisfy_is_missing_only():
    frame = pd.DataFrame({"a": [1.0, 2, 3, np.nan], "b": ["x", "y", "z", None], "c": [1, 2, 3, 4]})
    b = Binarizer().fit(frame)
    last = b.transform(frame).iloc[3]
    assert [name for name in last.index[last] if name[0] in "ab"] == ["a is missing", "b is missing"]
    unseen = pd.DataFrame({"a": [1.0], "b": ["x"], "c": [np.nan]})
    row = b.transform(unseen).iloc[0]
    assert not row[[name for name in row.index if name.startswith("c")]].any()


def test_unknown_category_satisfies_no_equality_and_every_inequality():
    b = Binarizer().fit(pd.DataFrame({"a": ["x", "y", "z"]}))
    row = b.transform(pd.DataFrame({"a": ["new"]})).iloc[0]
    assert list(row.index[row]) == ["a != x", "a != y", "a != z"]


def test_rare_categories_are_reported():
    values = ["a"] * 50 + ["b"] * 30 + ["c"] * 2 + ["d"]
    b = Binarizer(max_categories=2).fit(pd.DataFrame({"v": values}))
    assert [str(c) for c in b.conditions_] == ["v == a", "v != a", "v == b", "v != b"]
    ((what, why),) = b.dropped_
    assert what == "v"
    assert "2 rarest of 4 categories (3 rows)" in why
    assert names_of(["x", "y", "y", "y"], max_categories=1) == ["a == y", "a != y"], "one of two keeps its negation"


def test_identifiers_constants_and_empty_columns_are_dropped_with_the_reason():
    frame = pd.DataFrame(
        {"id": [f"k{i}" for i in range(60)], "one": 1, "same": "s", "none": [None] * 60, "age": np.arange(60)}
    )
    b = Binarizer().fit(frame)
    assert {c.column for c in b.conditions_} == {"age"}
    why = dict(b.dropped_)
    assert "identifier" in why["id"]
    assert why["one"] == why["same"] == "constant"
    assert why["none"] == "every cell is missing"
    b.transform(frame.iloc[:5])
    with pytest.raises(NothingFound, match=r"no column gives a condition.*same: constant"):
        Binarizer().fit(frame[["same", "one"]])


def test_given_cuts_are_used_and_useless_ones_reported():
    frame = pd.DataFrame({"age": [20, 30, 40, 50], "z": [1, 2, 3, 4]})
    b = Binarizer(thresholds={"age": [45, 25, 25.5, 99]}).fit(frame)
    assert [c.value for c in b.conditions_ if c.column == "age" and c.operator == "<="] == [25, 25.5, 45]
    assert [what for what, _ in b.dropped_] == ["age <= 99"]
    assert sum(c.column == "z" for c in b.conditions_) == 6
    assert names_of([1, 2, 3, None], thresholds={"a": [7]}) == ["a is missing", "a is present"]
    assert names_of(np.arange(100), thresholds={"a": 2}) == ["a <= 49", "a > 49"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"thresholds": 1}, "at least 2"),
        ({"thresholds": 2.5}, "whole number"),
        ({"thresholds": {"nope": [1]}}, "does not have: 'nope'"),
        ({"thresholds": {"a": [np.nan]}}, "finite"),
        ({"thresholds": {"b": [1]}}, "'b', which holds categories"),
        ({"thresholds": {"c": [1]}}, "'c', which holds Booleans"),
        ({"max_categories": 0}, "max_categories"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        Binarizer(**parameters).fit(pd.DataFrame({"a": [1, 2, 3], "b": list("xyz"), "c": [True, False, True]}))


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"a": [1, 2, np.inf]}), "'a' is infinite in row 2"),
        (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), "repeated column names: 'a'"),
        (pd.DataFrame({"d": pd.to_datetime(["2020-01-01", "2021-01-01"])}), "'d' holds dates"),
        (pd.DataFrame({"d": pd.period_range("2020", periods=2, freq="Y")}), "'d' holds dates"),
        (pd.DataFrame({"a": []}), "no rows"),
        (pd.DataFrame(index=range(3)), "0 feature"),
        (np.arange(3), "Reshape"),
    ],
)
def test_bad_tables(frame, message):
    with pytest.raises(ValueError, match=message):
        Binarizer().fit(frame)


def test_bad_tables_at_transform(mixed):
    b = Binarizer().fit(mixed)
    with pytest.raises(ValueError, match="no column named 'age', 'sex'"):
        b.transform(mixed.drop(columns=["age", "sex"]))
    with pytest.raises(ValueError, match="'age' held numbers when fitted, but row 1 holds 'old'"):
        b.transform(mixed.assign(age=["1", "old"] * 200))
    with pytest.raises(ValueError, match=r"'owner' held Booleans.* row 0 holds 7"):
        b.transform(mixed.assign(owner=7))
    with pytest.raises(ValueError, match="'income' is infinite in row 0"):
        b.transform(mixed.assign(income=-np.inf))


def test_arrays_get_generated_names():
    X = np.array([[0, 1.5], [1, 2.5], [1, 9.0]])
    b = Binarizer().fit(X)
    assert list(b.get_feature_names_out()) == ["x0 == 0", "x0 == 1", "x1 <= 2", "x1 > 2", "x1 <= 3", "x1 > 3"]
    assert list(Binarizer().fit(X[:, :1] > 0).get_feature_names_out()) == ["x0", "not x0"]
    assert b.transform(pd.DataFrame(X)).equals(b.transform(X))


def test_the_frame_carries_its_conditions_through_selections(mixed):
    B = Binarizer().fit_transform(mixed)
    conditions = conditions_of(B)
    assert [str(c) for c in conditions] == list(B.columns)
    train, _ = train_test_split(B, random_state=0)
    assert conditions_of(train) == conditions
    assert conditions_of(B[list(B.columns[5:2:-1])]) == conditions[5:2:-1]
    both = Condition("flag", "==", 1), Condition("mine", "==", True)
    assert conditions_of(B[["flag == 1"]].assign(mine=True)) == both


def test_the_frame_carries_its_conditions_through_a_file(mixed, tmp_path):
    B = Binarizer().fit_transform(mixed.rename(columns={"age": "age <= 1", "city": '"c"\n\u202e'}))
    B.to_parquet(tmp_path / "B.parquet")
    again = pd.read_parquet(tmp_path / "B.parquet")
    assert again.equals(B)
    assert conditions_of(again) == conditions_of(B)
    assert {type(c.value) for c in conditions_of(again)} == {type(c.value) for c in conditions_of(B)}


def test_equal_names_of_different_conditions_are_told_apart():
    frame = pd.DataFrame({"a": ["1", "x == 2", "3"], "a == x": ["2", "4", "6"]})
    b = Binarizer().fit(frame)
    B = b.transform(frame)
    assert "a == x == 2 (2)" in B.columns
    assert conditions_of(B.iloc[:, ::-1]) == b.conditions_[::-1]


@pytest.mark.parametrize(
    "note",
    [
        "", "sunny", "{}", "5", "null", "[5]", "[[]]", '["<=>"]', '[["a", "<=", "3"]]', '[["a", "<=", true]]',
        '[["a", "<=", NaN]]', '[["a", "==", 1e999]]', '[["a", "==", [1]]]', '[["a", ["<="], 3]]', '[[7, "<=", 3]]',
        "[" * 100_000, "[" + "9" * 5000 + "]", b"[]", ("age",), {"a": {1, 2}}, None,
    ],
)  # fmt: skip
def test_notes_of_other_tools_are_left_alone(note):
    frame = pd.DataFrame({"a <= 3": [True, False], 5: [False, True]})
    attach_conditions(frame, [])
    (key,) = frame.attrs
    frame.attrs = {key: note, "conditions": note}
    assert conditions_of(frame) == (Condition("a <= 3", "==", True), Condition("5", "==", True))


def test_the_note_is_cheap_to_carry():
    rng = np.random.default_rng(0)
    B = Binarizer(thresholds=50).fit_transform(pd.DataFrame(rng.random((200, 20))))
    assert B.shape[1] > 1900
    conditions_of(B)
    assert calls_in(lambda: conditions_of(B.iloc[:50])) < 4 * B.shape[1]


@pytest.mark.parametrize("value", ["3", True, None, float("nan"), float("inf"), 1j])
def test_thresholds_are_finite_numbers(value):
    with pytest.raises(ValueError, match="must be a number"):
        Condition("a", "<=", value)


def outcome(frame, weight=None, **parameters):
    """The conditions and what was dropped, or why there are no conditions."""
    try:
        b = Binarizer(**parameters).fit(frame, sample_weight=weight)
    except ValueError as error:
        return str(error)
    return b.conditions_, b.dropped_


def of_repeated_rows(frame, weight, **parameters):
    return outcome(frame.iloc[np.repeat(np.arange(len(frame)), weight)], **parameters)


@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.integers(-5, 5), st.floats(-2, 2).map(lambda v: round(v, 2))),
            st.sampled_from(["u", "v", "w", None]),
            st.integers(1, 3),
            st.integers(0, 4),
        ),
        min_size=3,
        max_size=30,
    ),
    st.integers(2, 11),
    st.integers(1, 3),
)
def test_whole_weights_are_repeated_rows(rows, groups, max_categories):
    frame = pd.DataFrame([row[:3] for row in rows], columns=["number", "text", "code"])
    frame["text"] = frame["text"].astype("str")
    frame["code"] = pd.Categorical(frame["code"])
    weight = np.array([1, *(row[3] for row in rows[1:])])
    options = {"thresholds": groups, "max_categories": max_categories}
    assert outcome(frame, weight, **options) == of_repeated_rows(frame, weight, **options)


def test_identifiers_are_counted_by_weight():
    frame = pd.DataFrame({"id": [f"k{i:02}" for i in range(30)], "age": range(30)})
    assert "id" not in {c.column for c in Binarizer().fit(frame, sample_weight=np.full(30, 0.001)).conditions_}
    weighted = outcome(frame, np.full(30, 3))
    assert weighted == of_repeated_rows(frame, 3)
    assert "id" in {c.column for c in weighted[0]}


@pytest.mark.parametrize("scale", [1e-9, 0.1, 1 / 3, 1e6 + 0.5])
def test_the_scale_of_weights_does_not_matter(mixed, scale):
    weight = np.random.default_rng(1).integers(0, 4, len(mixed))
    scaled = Binarizer(max_categories=2).fit(mixed, sample_weight=weight * scale)
    assert scaled.conditions_ == Binarizer(max_categories=2).fit(mixed, sample_weight=weight).conditions_
    equal = Binarizer().fit(mixed, sample_weight=np.full(len(mixed), scale))
    assert equal.conditions_ == Binarizer().fit(mixed).conditions_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_checks():
    check_estimator(Binarizer())


def test_compas_priors_have_the_thresholds_of_the_benchmark(shared):
    d = pd.read_csv(shared / "data" / "compas.csv.gz")
    b = Binarizer(10).fit(d)
    cuts = [c.value for c in b.conditions_ if c.column == "priors_count" and c.operator == "<="]
    expected = np.unique(d.priors_count.quantile(np.linspace(0.1, 0.9, 9)))
    assert cuts == expected.tolist()
    assert not b.dropped_
