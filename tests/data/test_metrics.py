"""Counts, rates and intervals against scikit-learn, SciPy and plain loops."""

import math

import numpy as np
import pandas as pd
import pytest
from fairlearn import metrics as fair
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import accuracy_score, confusion_matrix, precision_score, recall_score

import rulelab as rl
from rulelab.data import metrics
from rulelab.data.columns import read_weights
from rulelab.data.gaps import CRITERIA, Gap, difference_interval, emptied, largest_difference, largest_gap, price
from rulelab.data.metrics import MISSING, RATES, Confusion, confusion, group_labels, group_rates, wilson_interval
from rulelab.sweeps.plan import make_plan

ROWS = st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 5), st.sampled_from("abc")), min_size=1)


def columns(rows: list[tuple[bool, bool, int, str]]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    actual, predicted, weight, group = zip(*rows, strict=True)
    return np.array(actual), np.array(predicted), np.array(weight), np.array(group)


@given(ROWS)
def test_confusion_is_what_a_loop_counts(rows):
    actual, predicted, weight, _ = columns(rows)
    counted = confusion(actual, predicted, weight)
    expected = dict.fromkeys([(a, p) for a in (True, False) for p in (True, False)], 0)
    for a, p, w in zip(actual.tolist(), predicted.tolist(), weight.tolist(), strict=True):
        expected[a, p] += w
    assert counted == Confusion(
        true_positive=expected[True, True],
        false_positive=expected[False, True],
        true_negative=expected[False, False],
        false_negative=expected[True, False],
    )
    assert isinstance(counted.errors, int)
    assert counted.weight == weight.sum()


def test_rates_agree_with_scikit_learn():
    rng = np.random.default_rng(0)
    actual, predicted, weight = rng.random(200) < 0.4, rng.random(200) < 0.5, rng.random(200)
    c = confusion(actual, predicted, weight)
    options = {"sample_weight": weight}
    assert c.accuracy == pytest.approx(accuracy_score(actual, predicted, **options))
    assert c.precision == pytest.approx(precision_score(actual, predicted, **options))
    assert c.true_positive_rate == pytest.approx(recall_score(actual, predicted, **options))
    assert c.true_negative_rate == pytest.approx(recall_score(~actual, ~predicted, **options))
    assert c.false_positive_rate == pytest.approx(1 - c.true_negative_rate)
    assert c.false_negative_rate == pytest.approx(1 - c.true_positive_rate)
    assert c.selection_rate == pytest.approx(np.average(predicted, weights=weight))
    assert c.base_rate == pytest.approx(np.average(actual, weights=weight))


def test_a_rate_without_trials_is_undefined_and_of_few_rows_is_flagged():
    c = Confusion(true_positive=0, false_positive=0, true_negative=3, false_negative=0)
    assert math.isnan(c.true_positive_rate)
    assert math.isnan(c.precision)
    assert c.accuracy == 1
    table = metrics.rates_table({"large": Confusion(15, 15, 15, 15), "small": Confusion(15, 15, 15, 14)})
    assert table["few"].tolist() == [False, True]
    assert Confusion(1, 2, 3, 4) + Confusion(10, 20, 30, 40) == Confusion(11, 22, 33, 44)


@given(st.integers(0, 300), st.integers(1, 300), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_interval_is_scipys(successes, trials, confidence):
    successes = min(successes, trials)
    low, high = wilson_interval(successes, trials, confidence)
    expected = binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    assert low == pytest.approx(expected.low, abs=1e-12)
    assert high == pytest.approx(expected.high, abs=1e-12)


def test_wilson_interval_of_nothing_and_of_arrays():
    low, high = wilson_interval([0, 5, 0], [0, 5, 5])
    assert (low.tolist()[0], high.tolist()[:2], low.tolist()[2]) == (0, [1, 1], 0)
    with pytest.raises(ValueError, match="confidence"):
        wilson_interval(1, 2, confidence=95)


@given(ROWS)
def test_group_rates_add_up(rows):
    actual, predicted, weight, group = columns(rows)
    table = group_rates(actual, predicted, group, weight)
    assert list(table.index) == sorted(set(group))
    whole = confusion(actual, predicted, weight)
    assert table["weight"].sum() == whole.weight
    assert table["errors"].sum() == whole.errors
    for name in group:
        at = group == name
        alone = confusion(actual[at], predicted[at], weight[at])
        for rate in RATES:
            value, low, high = table.loc[name].filter(regex=f"^{rate}(_low|_high)?$")
            assert value == alone.rate(rate) or (math.isnan(value) and math.isnan(alone.rate(rate)))
            assert math.isnan(value) or low - 1e-12 <= value <= high + 1e-12


@pytest.mark.parametrize("factor", [1000, 1e-3, 1 / 7])
@given(ROWS)
def test_what_all_weights_are_multiplied_by_changes_nothing_but_sums(factor, rows):
    actual, predicted, weight, group = columns(rows)
    table, scaled = (group_rates(actual, predicted, group, w) for w in (weight, factor * weight))
    sums = ["weight", "errors", "true_positive", "false_positive", "true_negative", "false_negative"]
    pd.testing.assert_frame_equal(table.drop(columns=sums), scaled.drop(columns=sums), rtol=1e-9, check_dtype=False)
    assert scaled[sums].to_numpy() == pytest.approx(factor * table[sums].to_numpy())


@given(ROWS)
def test_counts_are_repeated_rows_and_equal_weights_are_rows(rows):
    actual, predicted, number, group = columns(rows)
    repeated = [np.repeat(each, number) for each in (actual, predicted, group)]
    found = group_rates(actual, predicted, group, number, heads=number)
    pd.testing.assert_frame_equal(found[found["rows"] > 0], group_rates(*repeated), check_dtype=False)
    alike = group_rates(actual, predicted, group, np.full(len(actual), 0.3))
    tables = [table.filter(regex="_(low|high|rows)$") for table in (alike, group_rates(actual, predicted, group))]
    assert tables[0].shape[1] > 9
    pd.testing.assert_frame_equal(*tables)


def test_unequal_weights_say_less_than_their_rows():
    """The effective number of Kish; the interval holds the truth about as often as it says."""
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(400):
        actual, weight = rng.random(200) < 0.3, rng.lognormal(0, 1, 200)
        counted = confusion(actual, np.ones(200, dtype=bool), 1000 * weight)
        assert counted.trials("base_rate")[1] == pytest.approx(weight.sum() ** 2 / (weight**2).sum())
        low, high = counted.interval("base_rate")
        held += low <= 0.3 <= high
    assert 0.92 <= held / 400 <= 0.98


def test_group_labels_join_columns_and_refuse_bad_ones():
    frame = pd.DataFrame({"sex": ["F", "M"], "age": [1, 2]})
    assert group_labels(frame, 2).tolist() == ["F, 1", "M, 2"]
    with pytest.raises(ValueError, match="3 rows"):
        group_labels(["a", "b", "c"], 2)


@pytest.mark.parametrize(
    "values", [["a", None], ["a", np.nan], pd.Series(["a", None]), pd.Series(["a", pd.NA], dtype="category")]
)
def test_a_missing_group_is_one_of_its_own(values):
    assert group_labels(values, 2).tolist() == ["a", MISSING]
    assert group_labels(pd.DataFrame({"g": values, "n": [None, 2.0]}), 2).tolist() == [f"a, {MISSING}", f"{MISSING}, 2"]


PARTS = st.sampled_from(
    ["x", "x, y", "y", ", ", ",", '"', '"x"', '"x", y', "", MISSING, f'"{MISSING}"', "1", '"1"', "1.0", "True"]
)
CELLS = PARTS | st.sampled_from([1, 2.5, True, False, None, pd.Interval(0, 1)])


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12), st.integers(1, 2))
def test_cells_that_differ_are_groups_that_differ(rows, columns):
    """Whatever their texts: as many labels as there are different rows, missing cells and whole numbers being one."""
    frame = pd.DataFrame([row[:columns] for row in rows], dtype=object)
    distinct = {tuple((isinstance(c, str), isinstance(c, bool), c) for c in row[:columns]) for row in rows}
    labels = group_labels(frame, len(frame))
    assert len(set(labels)) == len(distinct)
    problem = rl.Problem.from_arrays(
        [[0], [1]] * len(frame), [1, 0] * len(frame), groups=frame.loc[frame.index.repeat(2)]
    )
    assert problem.groups is not None
    assert set(problem.groups.names) == set(labels)


def test_missing_groups_are_counted_everywhere():
    """In problems, in rates and in sweeps; a data set whose column has a missing cell is no special case."""
    A, y, groups = [[0], [1], [1], [0]] * 20, [0, 1, 0, 1] * 20, ["a", None, "b", "a"] * 20
    problem = rl.Problem.from_arrays(A, y, groups=groups)
    assert problem.groups.names == (MISSING, "a", "b")
    evaluation = rl.RuleList.from_problem(problem, [0]).evaluate(A, y, groups=groups)
    assert list(evaluation.groups.index) == [MISSING, "a", "b"]
    frame = pd.DataFrame({"x": range(80), "g": groups, "y": y})
    data = rl.datasets.from_frame(frame, "y", sensitive="g")
    assert sorted(set(make_plan(data, 2, "g", None, 0, None, 0.0).groups)) == [MISSING, "a", "b"]


def test_whole_weights_are_integers():
    assert (read_weights([1, 2.0, 0], 3).dtype, read_weights([0.5, 1], 2).dtype) == (np.int64, np.float64)
    assert read_weights([2.0**52, 2.0**52], 2).dtype == np.float64


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 1], r"sample_weight has shape \(2,\), but there are 3 rows"),
        ([[1], [1], [1]], r"sample_weight has shape \(3, 1\)"),
        ([1, -2, 1], "sample_weight, row 1 is -2"),
        ([1, 1, np.inf], "sample_weight, row 2 is inf"),
        (["a", "b", "c"], "sample_weight must be numbers"),
    ],
)
def test_bad_weights_are_told_of_in_the_same_words_everywhere(weight, message):
    A, y = [[0], [1], [1]], [0, 1, 1]
    model = rl.RuleList.from_problem(rl.Problem.from_arrays(A, y), [0])
    with pytest.raises(ValueError, match=message):
        read_weights(weight, 3)
    with pytest.raises(rl.errors.ProblemError, match=message):
        rl.Problem.from_arrays(A, y, sample_weight=weight)
    with pytest.raises(rl.errors.ModelError, match=message):
        model.evaluate(A, y, sample_weight=weight)
    with pytest.raises(rl.errors.ProblemError, match=message.replace("sample_weight", "negatives")):
        rl.Problem.from_counts(A, [1, 1, 1], weight)


# gaps between groups against Fairlearn --------------------------------------------------------------------------------
FAIRLEARN = {
    "equal_opportunity": fair.equal_opportunity_difference,
    "predictive_equality": fair.false_positive_rate_difference,
    "equalized_odds": fair.equalized_odds_difference,
    "demographic_parity": fair.demographic_parity_difference,
    "accuracy_parity": fair.accuracy_score_difference,
}
FAIRLEARN_RATES = {
    "true_positive_rate": fair.true_positive_rate,
    "false_positive_rate": fair.false_positive_rate,
    "true_negative_rate": fair.true_negative_rate,
    "false_negative_rate": fair.false_negative_rate,
    "selection_rate": fair.selection_rate,
}
COUNTED_CELLS = [
    (actual, predicted, group) for actual in (True, False) for predicted in (True, False) for group in "abc"
]


def sample(seed: int, n: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of three groups, each with positives and negatives."""
    rng = np.random.default_rng(seed)
    rows = [
        COUNTED_CELLS[k] for k in rng.choice(len(COUNTED_CELLS), n, p=rng.dirichlet(np.ones(len(COUNTED_CELLS))))
    ] + COUNTED_CELLS
    actual, predicted, group = zip(*rows, strict=True)
    return np.array(actual), np.array(predicted), np.array(group)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weighted", [False, True])
def test_gaps_are_fairlearns(criterion, seed, weighted):
    actual, predicted, group = sample(seed)
    weight = np.random.default_rng(seed).integers(1, 5, len(actual)) if weighted else None
    gap = largest_gap(metrics.group_confusions(actual, predicted, group, weight), criterion)
    expected = FAIRLEARN[criterion](actual, predicted, sensitive_features=group, sample_weight=weight)
    assert gap.value == pytest.approx(expected, abs=1e-12)
    assert gap.rate in CRITERIA[criterion]
    assert gap.undefined == ()


def test_the_gap_in_precision_leaves_out_groups_of_whom_nobody_is_predicted_positive():
    counted = {"a": Confusion(3, 1, 2, 2), "b": Confusion(1, 3, 2, 2), "c": Confusion(0, 0, 4, 4)}
    gap = largest_gap(counted, "predictive_parity")
    assert (gap.value, gap.rate, gap.groups, gap.undefined) == (0.5, "precision", ("a", "b"), ("c",))


@pytest.mark.parametrize("seed", range(5))
def test_rates_of_groups_are_fairlearns_and_counts_are_scikit_learns(seed):
    actual, predicted, group = sample(seed)
    table = group_rates(actual, predicted, group)
    frame = fair.MetricFrame(metrics=FAIRLEARN_RATES, y_true=actual, y_pred=predicted, sensitive_features=group)
    for name in FAIRLEARN_RATES:
        assert table[name].tolist() == pytest.approx(frame.by_group[name].tolist(), abs=1e-12)
    for name, row in table.iterrows():
        at = group == name
        (tn, fp), (fn, tp) = confusion_matrix(actual[at], predicted[at]).tolist()
        assert [row.true_positive, row.false_positive, row.true_negative, row.false_negative] == [tp, fp, tn, fn]


@given(
    st.dictionaries(
        st.sampled_from("abcde"), st.tuples(*[st.integers(0, 40)] * 4).map(lambda c: Confusion(*c)), min_size=1
    ),
    st.sampled_from(sorted(CRITERIA)),
)
def test_a_gap_is_the_largest_difference_of_any_pair(per_group, criterion):
    gap = largest_gap(per_group, criterion)
    differences = [
        abs(a.rate(rate) - b.rate(rate))
        for rate in CRITERIA[criterion]
        for a in per_group.values()
        for b in per_group.values()
        if a is not b and not math.isnan(a.rate(rate)) and not math.isnan(b.rate(rate))
    ]
    if not differences:
        assert math.isnan(gap.value)
        assert gap.groups is None
        return
    assert gap.value == max(differences)
    high, low = gap.groups
    assert per_group[high].rate(gap.rate) - per_group[low].rate(gap.rate) == gap.value
    assert gap.low <= gap.value <= gap.high
    assert gap.few == (min(RATES[gap.rate](per_group[g])[1] for g in gap.groups) < metrics.FEW)


@given(
    st.dictionaries(
        st.sampled_from("abcde"), st.tuples(*[st.sampled_from([0, 1, 40])] * 4).map(lambda c: Confusion(*c)), min_size=2
    ),
    st.sampled_from(sorted(RATES)),
)
@example({"a": Confusion(1, 0, 0, 0), "b": Confusion(2, 0, 0, 0)}, "accuracy")
@example({"a": Confusion(0, 0, 40, 40), "b": Confusion(0, 0, 90, 90), "c": Confusion(0, 0, 50, 50)}, "precision")
@example({"a": Confusion(0, 0, 40, 40), "b": Confusion(0, 0, 90, 90)}, "true_positive_rate")
def test_the_largest_difference_is_of_two_groups_and_has_their_interval(per_group, rate):
    found = largest_difference(metrics.rates_table(per_group), rate)
    known = {group: c for group, c in per_group.items() if not math.isnan(c.rate(rate))}
    enough = {group: c for group, c in known.items() if c.rows_of(rate) >= metrics.FEW}
    compared = enough if len(enough) > 1 else known
    if len(compared) < 2:
        assert found is None
        return
    high, low = found.groups
    assert high != low
    assert {high, low} <= compared.keys()
    values = [c.rate(rate) for c in compared.values()]
    assert found.value == max(values) - min(values) == per_group[high].rate(rate) - per_group[low].rate(rate)
    two = [(c.rate(rate), *c.interval(rate)) for c in (per_group[high], per_group[low])]
    assert (found.low, found.high) == pytest.approx(difference_interval(*two))


def test_the_interval_of_a_difference_is_newcombes():
    """56/70 against 48/80: the first example of Newcombe (1998), method 10 of table II."""
    per_group = {"a": Confusion(56, 0, 0, 14), "b": Confusion(48, 0, 0, 32)}
    gap = largest_gap(per_group, "equal_opportunity")
    assert gap.value == pytest.approx(0.2)
    assert (gap.low, gap.high) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_a_group_without_positives_is_left_out_by_name():
    per_group = {"a": Confusion(1, 1, 1, 1), "b": Confusion(0, 1, 1, 0), "c": Confusion(2, 0, 1, 0)}
    gap = largest_gap(per_group, "equalized_odds")
    assert gap.undefined == ("b",)
    assert gap == Gap("equalized_odds", 0.5, gap.low, gap.high, "true_positive_rate", ("c", "a"), True, ("b",))
    with pytest.raises(ValueError, match="no criterion 'fairness'; the criteria are equal_opportunity"):
        largest_gap({}, "fairness")


def test_rates_that_are_equal_for_want_of_any_are_called_so():
    missed = {"a": Confusion(3, 2, 98, 97), "b": Confusion(2, 1, 99, 98)}
    assert emptied(missed) == "equal because nearly everyone is missed: true positive rates 2 to 3 %"
    alarmed = {"a": Confusion(99, 97, 3, 1), "b": Confusion(98, 97, 3, 2)}
    assert emptied(alarmed) == "equal because nearly everyone is taken for positive: false positive rates 97 %"
    assert emptied({**missed, "b": Confusion(20, 1, 99, 80)}) == ""
    assert emptied({"a": Confusion(97, 3, 97, 3), "b": Confusion(96, 2, 98, 4)}) == "", "right about nearly everyone"
    assert emptied({"a": Confusion(0, 0, 0, 0)}) == ""
    assert price(0.558, 0.667).startswith("the constraint costs 10.9 points of accuracy: 55.8 % right, 66.7 %")
    assert price(0.66351, 0.67449).startswith("the constraint costs 1.0 points of accuracy: 66.4 % right, 67.4 %")
