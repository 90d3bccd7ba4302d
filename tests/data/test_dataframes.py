"""Tables of other libraries where those of pandas are taken, with their names; refused where they are not in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rulelab as rl

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
def test_mining_problems_and_models_know_the_names(make: Callable[[pd.DataFrame], Any]) -> None:
    B, y, groups = boolean()
    known, found = (rl.mine_antecedents(each, 2) for each in (B, make(B)))
    assert found.names == known.names
    assert found.conditions == known.conditions
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
def test_data_sets_and_groups_of_people(make: Callable[[pd.DataFrame], Any]) -> None:
    B, y, groups = boolean()
    frame = pd.concat([B, groups], axis=1).assign(n=np.arange(len(B)), y=np.where(y, "yes", "no"))
    known, found = (
        rl.datasets.from_frame(each, "y", sensitive=["sex"], excluded=["old"]) for each in (frame, make(frame))
    )
    pd.testing.assert_frame_equal(found.X, known.X)
    pd.testing.assert_series_equal(found.y, known.y)
    pd.testing.assert_frame_equal(found.sensitive, known.sensitive)
    fair = {"fairness": rl.DemographicParity(0.2), "min_group_size": 0}
    models = [
        rl.RuleListClassifier(**fair).fit(X, y, sensitive_features=people)
        for X, people in ((B, groups), (make(B), make(groups)))
    ]
    assert models[0].objective_ == models[1].objective_
    assert models[0].model_.to_text() == models[1].model_.to_text()
    pd.testing.assert_frame_equal(models[0].group_rates_, models[1].group_rates_)


@pytest.mark.parametrize("make", LAZY.values(), ids=LAZY)
def test_what_is_not_in_memory_is_pointed_to_the_tables(make: Callable[[pd.DataFrame], Any]) -> None:
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
