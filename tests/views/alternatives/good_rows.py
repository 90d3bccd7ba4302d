"""Rows of which many lists and sets are nearly as good, with groups of people."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import rulelab as rl


def rows(seed: int = 0, n: int = 60, m: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    A = rng.random((n, m)) < 0.5
    y = (A[:, :3].sum(axis=1) >= 2) ^ (rng.random(n) < 0.25)
    return A, y, rng.choice(["a", "b", "c"], n), rng.integers(1, 4, n)


def data() -> rl.datasets.Dataset:
    A, y, group, _ = rows(3, 200, 6)
    X = pd.DataFrame(np.where(A, "yes", "no"), columns=[f"<b>{c}</b>" for c in "uvwxyz"])
    return rl.datasets.from_frame(X.assign(sex=group, out=np.where(y, "bad", "good")), "out", sensitive=["sex"])


def problem_of(dataset: rl.datasets.Dataset) -> rl.Problem:
    antecedents = rl.mine_antecedents(rl.Binarizer().fit_transform(dataset.X), 1)
    return rl.Problem.from_antecedents(antecedents, dataset.y)


def ranges_hold(ranges: Any, guesses: np.ndarray, dataset: rl.datasets.Dataset) -> None:
    """What is said of the gaps of all models is so of each; they are told of by what they say of each row."""
    by_group = [pd.Series(guess).groupby(dataset.sensitive["sex"].to_numpy()).mean() for guess in guesses]
    assert len(ranges.gaps) == 3
    for row in ranges.gaps.itertuples(index=False):
        differences = [rates[row.group] - rates[row.other] for rates in by_group]
        assert (row.least, row.greatest) == pytest.approx((min(differences), max(differences)))


def agreement(share: np.ndarray) -> list[float]:
    """The shares of rows by how many of the models say otherwise than most; ``share`` of them says yes."""
    otherwise = np.minimum(share, 1 - share)
    between = ((0, 0.1), (0.1, 0.25), (0.25, 0.5))
    return [(otherwise == 0).mean(), *(((low < otherwise) & (otherwise <= high)).mean() for low, high in between)]
