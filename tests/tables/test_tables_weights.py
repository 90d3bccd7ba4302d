"""Weighted tables, and columns of very many values: the same conditions, weights and problems as in memory."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_problems import weights_as_read
from table_engines import ENGINES, open_as, people

import rulelab as rl
from rulelab.tables import TableError
from rulelab.tables.weighing import Weighing, exact_floats

WEIGHTS = {
    "thirds": lambda rng, n: rng.random(n) / 3,
    "small and large": lambda rng, n: rng.choice([1e-9, 0.1, 7e5], n),
    "some are 0": lambda rng, n: np.where(rng.random(n) < 0.3, 0, rng.random(n)),
    "tenths": lambda rng, n: rng.integers(1, 30, n) / 10,
    "too large to be rows": lambda rng, n: rng.integers(1, 9, n) * 2.0**60,
}


@pytest.mark.parametrize(
    ("engine", "kind"),
    [
        *(pytest.param(e, "small and large", marks=pytest.mark.long) for e in ENGINES if e != "duckdb"),
        *(("duckdb", kind) for kind in WEIGHTS),
    ],
)
def test_weights_are_those_of_the_rows(engine, kind, tmp_path):
    frame = people(300)
    frame["w"] = WEIGHTS[kind](np.random.default_rng(5), 300)
    table = open_as(engine, frame, tmp_path)
    features = frame.drop(columns=["y", "w"])
    known = rl.Binarizer(thresholds=4, max_categories=6).fit(features, sample_weight=frame.w)
    binarizer = rl.Binarizer(thresholds=4, max_categories=6).fit(table.features("y", weight="w"))
    assert (binarizer.conditions_, binarizer.dropped_) == (known.conditions_, known.dropped_)
    counts = rl.tables.count(table, binarizer, "y", weight="w")
    assert counts.n_rows == (frame.w > 0).sum()
    problem = rl.Problem.from_arrays(counts.frame, counts.label, sample_weight=counts.rows)
    rows = rl.Problem.from_arrays(known.transform(features), frame.y, sample_weight=frame.w)
    assert problem.fingerprint == rows.fingerprint
    assert sum(weights_as_read(counts.rows)) == sum(weights_as_read(frame.w))


CELL = st.one_of(st.none(), st.sampled_from([-1.5, 0.0, 0.1, 2.0, 3.0]))
WEIGHT = st.one_of(st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0, 2.5]), st.floats(1e-6, 1e6))


ROWS = st.lists(st.tuples(CELL, st.sampled_from([None, *"abcde"]), WEIGHT, st.booleans()), min_size=4, max_size=40)


@settings(max_examples=25)
@given(ROWS, st.integers(2, 6))
@example([(None, None, 0.1, True), (None, "c", 0.3, False), (None, "c", 1e-6, False)], 2)
def test_weights_agree_with_memory(rows, groups):
    frame = pd.DataFrame(rows, columns=["x", "t", "w", "y"]).astype({"x": float})
    assert _counted("polars", frame, groups) == _in_memory(frame, groups)


@pytest.mark.long
@settings(max_examples=25)
@given(ROWS, st.integers(2, 6))
def test_engines_weigh_alike(rows, groups):
    frame = pd.DataFrame(rows, columns=["x", "t", "w", "y"]).astype({"x": float})
    answers = [_counted(engine, frame, groups) for engine in ("duckdb", "polars", "pyarrow")]
    assert answers[0] == answers[1] == answers[2]


def _in_memory(frame: pd.DataFrame, groups: int) -> Any:
    if not (frame.w > 0).sum() > 1 or frame.y.nunique() < 2:
        return "refused"
    try:
        binarizer = rl.Binarizer(thresholds=groups, max_categories=3).fit(frame[["x", "t"]], sample_weight=frame.w)
        held = binarizer.transform(frame[["x", "t"]])
        problem = rl.Problem.from_arrays(held, frame.y.astype(int), sample_weight=frame.w)
    except ValueError:
        return "refused"
    return binarizer.conditions_, binarizer.dropped_, problem.fingerprint


def _counted(engine: str, frame: pd.DataFrame, groups: int) -> Any:
    if not (frame.w > 0).sum() > 1 or frame.y.nunique() < 2:
        return "refused"
    try:
        table = open_as(engine, frame, Path())
        binarizer = rl.Binarizer(thresholds=groups, max_categories=3).fit(table.features("y", weight="w"))
        counts = rl.tables.count(table, binarizer, "y", weight="w")
        problem = rl.Problem.from_arrays(counts.frame, counts.label, sample_weight=counts.rows)
    except ValueError:
        return "refused"
    return binarizer.conditions_, binarizer.dropped_, problem.fingerprint


@given(st.lists(st.floats(1e-30, 1e30), min_size=1, max_size=20))
def test_sums_are_held_by_doubles_exactly(weights):
    total = sum(weights_as_read(weights))
    unit = Fraction(1, total.denominator)
    parts, of = exact_floats(np.array([int(total / unit)], dtype=object), unit)
    assert sum(weights_as_read(parts)) == total
    assert (parts > 0).all()
    assert (of == 0).all()
    assert len(parts) < 8


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([-1.0, 0.5], r"numbers of at least 0, and one is -1\.0"),
        ([np.nan, 0.5], "and 1 rows have none"),
        ([np.inf, 0.5], "and one is inf"),
        ([0.0, 0.0], "are 0 in every row"),
        ([1e-200, 1e200], "too far apart"),
        (["a", "b"], "weights must be numbers"),
    ],
)
def test_what_is_no_weight_is_said(engine, weights, message, tmp_path):
    table = open_as(engine, pd.DataFrame({"a": [0, 1], "w": weights, "y": [0, 1]}), tmp_path)
    with pytest.raises(TableError, match=message):
        table.features("y", weight="w")


def test_weighted_people_are_not_called_many():
    frame = pd.DataFrame({"a": [0, 0, 0, 1], "w": [0.1, 0.1, 0.1, 1000.5], "y": [0, 1, 0, 1]})
    counts = rl.tables.count(rl.tables.open(frame), [rl.Condition("a", "==", 1)], "y", weight="w")
    some = counts.without_rare(2)
    assert (some.n_rows, some.rare) == (3, 1)


def test_a_weighing_has_no_more_parts_than_weights_have_digits():
    frame = rl.tables.open(pd.DataFrame({"w": [0.5, 0.25, 2.0]})).frame
    assert Weighing.by(frame, "w", "t").parts == 1


@pytest.mark.parametrize(
    ("engine", "weighted"),
    [("polars", True), *(pytest.param("duckdb", weighted, marks=pytest.mark.long) for weighted in (False, True))],
)
def test_quantiles_of_very_many_values(engine, weighted, tmp_path, monkeypatch):
    rng = np.random.default_rng(7)
    n = 3000
    frame = pd.DataFrame(
        {
            "normal": rng.normal(size=n),
            "heavy": np.exp(rng.normal(size=n) * 40),
            "far": np.where(rng.random(n) < 0.5, rng.random(n) * 1e-12, 1e300 * (rng.random(n) - 0.5)),
            "whole": rng.integers(-(2**62), 2**62, n),
            "halves": np.append(rng.permutation(n - 1).astype(float) + 1, 0.5),
            "holes": np.where(rng.random(n) < 0.2, np.nan, rng.random(n)),
            "most are 9": np.where(rng.random(n) < 0.95, 9.0, rng.random(n) * 9),
            "w": rng.random(n) if weighted else 1.0,
            "y": rng.integers(0, 2, n),
        }
    )
    weight = {"weight": "w"} if weighted else {}
    features = frame.drop(columns=["y", "w"])
    aside = [] if weighted else ["w"]
    monkeypatch.setattr("rulelab.tables.weighing._BINS", 16)
    monkeypatch.setattr("rulelab.tables.table.MOST_VALUES", 60)
    for thresholds in (10, {"normal": [0.25], "whole": 3}):
        known = rl.Binarizer(thresholds=thresholds).fit(features, sample_weight=frame.w if weighted else None)
        table = open_as(engine, frame, tmp_path).features("y", *aside, **weight)
        binarizer = rl.Binarizer(thresholds=thresholds).fit(table)
        assert (binarizer.conditions_, binarizer.dropped_) == (known.conditions_, known.dropped_)
