"""Gaps between groups against Fairlearn, scikit-learn and a published interval; few and missing rows are told of."""

from __future__ import annotations

import math

import numpy as np
import pytest
from fairlearn import metrics as fair
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

from rulelab.data.gaps import CRITERIA, Gap, difference_interval, emptied, largest_difference, largest_gap, price
from rulelab.data.metrics import FEW, RATES, Confusion, group_confusions, group_rates, rates_table

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
CELLS = [(actual, predicted, group) for actual in (True, False) for predicted in (True, False) for group in "abc"]


def sample(seed: int, n: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of three groups, each with positives and negatives."""
    rng = np.random.default_rng(seed)
    rows = [CELLS[k] for k in rng.choice(len(CELLS), n, p=rng.dirichlet(np.ones(len(CELLS))))] + CELLS
    actual, predicted, group = zip(*rows, strict=True)
    return np.array(actual), np.array(predicted), np.array(group)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weighted", [False, True])
def test_gaps_are_fairlearns(criterion, seed, weighted):
    actual, predicted, group = sample(seed)
    weight = np.random.default_rng(seed).integers(1, 5, len(actual)) if weighted else None
    gap = largest_gap(group_confusions(actual, predicted, group, weight), criterion)
    expected = FAIRLEARN[criterion](actual, predicted, sensitive_features=group, sample_weight=weight)
    assert gap.value == pytest.approx(expected, abs=1e-12)
    assert gap.rate in CRITERIA[criterion]
    assert gap.undefined == ()


def test_the_gap_in_precision_leaves_out_groups_of_whom_nobody_is_predicted_positive() -> None:
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
    assert gap.few == (min(RATES[gap.rate](per_group[g])[1] for g in gap.groups) < FEW)


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
    found = largest_difference(rates_table(per_group), rate)
    known = {group: c for group, c in per_group.items() if not math.isnan(c.rate(rate))}
    enough = {group: c for group, c in known.items() if c.rows_of(rate) >= FEW}
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


def test_small_groups_are_flagged():
    table = rates_table({"large": Confusion(15, 15, 15, 15), "small": Confusion(15, 15, 15, 14)})
    assert table["few"].tolist() == [False, True]


def test_counts_add_up():
    assert Confusion(1, 2, 3, 4) + Confusion(10, 20, 30, 40) == Confusion(11, 22, 33, 44)


def test_an_unknown_criterion_is_refused():
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
