"""The bars of a column against counting row by row, and what they keep when rows are weighted, repeated or scaled."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulelab.data.conditions import Condition
from rulelab.data.distribution import MISSING, MOST, OTHERS, distribution

NUMBERS = st.lists(
    st.one_of(
        st.floats(allow_nan=False, allow_infinity=False),
        st.integers(-(2**40), 2**40).map(float),
        st.integers(-30, 30).map(float),
        st.none(),
    ),
    min_size=1,
    max_size=80,
)


@given(NUMBERS, st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 2**32 - 1))
def test_a_cut_lies_between_bars_and_all_rows_are_counted_once(cells, cut, seed):
    values = pd.Series(cells, dtype=float)
    hits = np.random.default_rng(seed).random(len(values)) < 0.5
    found = distribution(values, hits, None, [Condition("x", "<=", cut)])
    assert len(found.bars) <= MOST + bool(values.isna().any())
    assert sum(bar.rows for bar in found.bars) == len(values)
    assert {bar.met for bar in found.bars if bar.rows} <= {0.0, 1.0}
    assert sum(bar.met * bar.rows for bar in found.bars) == (values <= cut).sum()
    assert sum(bar.rate * bar.rows for bar in found.bars) == pytest.approx(hits.sum())
    assert max(bar.height for bar in found.bars) == 1
    met = (values <= cut).to_numpy()
    assert found.share == met.mean()
    assert (found.rate, found.other_rate) == tuple(hits[own].mean() if own.any() else 0 for own in (met, ~met))
    assert not values.isna().any() or found.bars[-1].label == MISSING


def test_bars_of_whole_numbers_end_at_whole_numbers_and_of_few_values_are_these():
    counts = pd.Series(np.random.default_rng(0).geometric(0.1, 3000))
    found = distribution(counts, counts.to_numpy() > 5, None, [Condition("x", ">", 6)])
    labels = [bar.label for bar in found.bars]
    assert all("." not in label for label in labels), labels
    six = next(k for k, bar in enumerate(found.bars) if bar.label.endswith(" 6"))
    assert [bar.met for bar in found.bars[six : six + 2]] == [0, 1]
    few = distribution(pd.Series([3, 1, 1, None]), np.array([True, False, True, False]))
    assert [(bar.label, bar.rows, bar.rate) for bar in few.bars] == [("1", 2, 0.5), ("3", 1, 1), (MISSING, 1, 0)]


def test_the_commonest_texts_have_bars_and_one_that_is_named():
    texts = pd.Series([f"t{k}" for k in range(40) for _ in range(40 - k)])
    hits = (texts == "t39").to_numpy()
    found = distribution(texts, hits, None, [Condition("x", "==", "t39")], most=5)
    bars = {bar.label: bar for bar in found.bars}
    assert list(bars) == ["t0", "t1", "t2", "t39", OTHERS]
    assert (bars["t39"].rows, bars["t39"].rate, bars["t39"].met, bars[OTHERS].met) == (1, 1, 1, 0)
    assert bars["t0"].height == bars["t0"].rows / bars[OTHERS].rows
    assert (found.rate, found.other_rate) == (1, 0)
    switch = distribution(
        pd.Series([True, False, True]), np.array([True, True, False]), None, [Condition("x", "==", True)]
    )
    assert {bar.label: (bar.rows, bar.met) for bar in switch.bars} == {"True": (2, 1), "False": (1, 0)}


@pytest.mark.parametrize("column", ["number", "text"])
def test_weights_are_repeated_rows_and_their_unit_does_not_count(column):
    rng = np.random.default_rng(3)
    # the outermost bars of numbers hold a share of the rows, not of their weight: here both have the same ends
    frame = pd.DataFrame({"number": rng.normal(size=200).clip(-1, 1), "text": rng.choice(list("abcde"), 200)})
    hits, weight = rng.random(200) < 0.4, rng.integers(1, 4, 200)
    again = np.repeat(np.arange(200), weight)
    weighted, repeated, scaled = (
        {bar.label: bar for bar in found.bars}
        for found in (
            distribution(frame[column], hits, weight),
            distribution(frame[column].iloc[again].reset_index(drop=True), hits[again]),
            distribution(frame[column], hits, weight * 1000.0),
        )
    )
    assert weighted.keys() == repeated.keys() == scaled.keys()
    for label, bar in weighted.items():
        assert (bar.rows, bar.height, bar.rate) == pytest.approx(repeated[label][1:4])
        assert (bar.height, bar.rate) == pytest.approx(scaled[label][2:4])
