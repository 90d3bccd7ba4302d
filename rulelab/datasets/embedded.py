"""The data sets that need neither a file nor a network."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from .reading import parse_csv

DIABETES_COLUMNS = {
    "bp": "blood_pressure",
    "s1": "total_cholesterol",
    "s2": "ldl",
    "s3": "hdl",
    "s4": "cholesterol_hdl_ratio",
    "s5": "log_triglycerides",
    "s6": "blood_sugar",
}
SQUARES = tuple(f"{row}_{column}" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right"))
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def breast_cancer() -> pd.DataFrame:
    """Wisconsin diagnostic breast cancer, 569 x 30 measurements and ``diagnosis`` (malignant, benign)."""
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer(as_frame=True)
    frame = bunch.data.copy()
    frame["diagnosis"] = bunch.target_names[bunch.target.to_numpy()].astype(str)
    return frame


def diabetes() -> pd.DataFrame:
    """Diabetes, 442 x 10 baseline variables and ``high_progression``: above the third quartile (1) or not (0)."""
    from sklearn.datasets import load_diabetes

    bunch = load_diabetes(as_frame=True, scaled=False)
    frame = bunch.data.rename(columns=DIABETES_COLUMNS)
    frame["age"] = frame["age"].astype(np.int64)
    frame["sex"] = frame["sex"].map({1.0: "group 1", 2.0: "group 2"})
    frame["high_progression"] = (bunch.target > bunch.target.quantile(0.75)).astype(np.int64)
    return frame


def tic_tac_toe() -> pd.DataFrame:
    """Every final board of tic-tac-toe with x to move first, 958 x 9 squares and ``class`` (positive: x has won)."""
    boards: dict[str, bool] = {}
    positions = {"b" * 9}
    for move in range(9):
        player = "xo"[move % 2]
        reached = {p[:i] + player + p[i + 1 :] for p in positions for i in range(9) if p[i] == "b"}
        won = {p for p in reached if any(all(p[i] == player for i in line) for line in LINES)}
        boards.update((p, player == "x") for p in won)
        positions = reached - won
    boards.update((p, False) for p in positions)
    ordered = sorted(boards, key=lambda p: (not boards[p], p.translate(str.maketrans("xob", "012"))))
    frame = pd.DataFrame([list(p) for p in ordered], columns=list(SQUARES))
    frame["class"] = ["positive" if boards[p] else "negative" for p in ordered]
    return frame


def compas() -> pd.DataFrame:
    """ProPublica's COMPAS data, 7214 x 14, from the file of this package."""
    with gzip.open(Path(__file__).with_name("compas.csv.gz"), "rt", encoding="utf-8") as file:
        return parse_csv(file, keep_default_na=False, na_values=[""])


LOADERS: dict[str, Callable[[], pd.DataFrame]] = {
    "breast_cancer": breast_cancer,
    "diabetes": diabetes,
    "tic_tac_toe": tic_tac_toe,
    "compas": compas,
}
