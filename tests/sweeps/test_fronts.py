"""Fronts against the definition of dominance, means and standard errors against NumPy and SciPy."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import sem

from rulelab.sweeps.frames import MAXIMISED, front, mean_and_error, non_dominated

NUMBERS = st.one_of(st.integers(0, 4).map(float), st.floats(allow_nan=True, allow_infinity=True))
POINTS = st.lists(st.tuples(NUMBERS, NUMBERS), max_size=30)


def dominates(p: tuple[float, float], q: tuple[float, float], maximise: tuple[bool, bool]) -> bool:
    p, q = (tuple(-v if more else v for v, more in zip(point, maximise, strict=True)) for point in (p, q))
    return p[0] <= q[0] and p[1] <= q[1] and p != q


@example([(0.0, math.inf)], (False, False))
@given(POINTS, st.tuples(st.booleans(), st.booleans()))
def test_a_point_is_on_the_front_when_none_dominates_it(points, maximise):
    x, y = np.array(points).reshape(-1, 2).T
    complete = [p for p in points if not any(map(math.isnan, p))]
    expected = [p in complete and not any(dominates(q, p, maximise) for q in complete) for p in points]
    assert non_dominated(x, y, maximise).tolist() == expected


def test_the_lengths_must_agree():
    with pytest.raises(ValueError, match="of one length"):
        non_dominated([1, 2], [1])


@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), st.sampled_from([0.1, None]), NUMBERS), min_size=1, max_size=20))
def test_means_and_standard_errors(rows):
    rows = [row for row in rows if not math.isinf(row[2]) and not abs(row[2]) > 1e100] or [("a", None, 1.0)]
    frame = pd.DataFrame(rows, columns=["family", "parameter", "value"])
    points = mean_and_error(frame, ["family", "parameter"], ["value"])
    assert len(points) == len({row[:2] for row in rows})
    for point in points.itertuples():
        parameter = None if pd.isna(point.parameter) else point.parameter
        values = [row[2] for row in rows if row[:2] == (point.family, parameter)]
        assert point.folds == len(values)
        known = np.array([v for v in values if not math.isnan(v)])
        scale = max(1.0, np.abs(known).max(initial=0))
        if len(known):
            assert point.value / scale == pytest.approx(known.mean() / scale, abs=1e-9)
        else:
            assert math.isnan(point.value)
        if len(known) > 1:
            assert point.value_se / scale == pytest.approx(sem(known) / scale, abs=1e-7)
        else:
            assert math.isnan(point.value_se)


def test_more_accuracy_is_better_and_less_of_the_rest():
    points = pd.DataFrame({"accuracy": [0.9, 0.8, 0.95, 0.9], "complexity": [5, 2, 9, 6]})
    assert front(points, "accuracy", "complexity").values.tolist() == [[0.8, 2], [0.9, 5], [0.95, 9]]
    assert front(points, "complexity", "accuracy")["complexity"].tolist() == [2, 5, 9]
    assert "complexity" not in MAXIMISED
    gaps = pd.DataFrame({"accuracy": [0.9, 0.8], "equal_opportunity_gap": [0.1, 0.1]})
    assert front(gaps, "accuracy", "equal_opportunity_gap").values.tolist() == [[0.9, 0.1]]
