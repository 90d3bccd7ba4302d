"""Tables that several commands read."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Who is older than 40 pays, with exceptions."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"age": rng.integers(18, 70, 200), "sex": rng.choice(["f", "m"], 200), "job": rng.choice(list("abc"), 200)}
    )
    frame["paid"] = np.where((frame.age > 40) ^ (rng.random(200) < 0.15), "yes", "no")
    path = tmp_path / "people.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def noise(tmp_path: Path) -> Path:
    """Nothing to be learned, so that no search comes to its end."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame((rng.random((600, 60)) < 0.5).astype(int), columns=[f"x{j}" for j in range(60)])
    frame["y"] = (rng.random(600) < 0.5).astype(int)
    path = tmp_path / "noise.csv"
    frame.to_csv(path, index=False)
    return path
