"""Rows of which many lists and sets are nearly as good, with groups of people."""

import numpy as np
import pandas as pd

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
