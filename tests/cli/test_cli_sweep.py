"""``rulelab sweep``: what it prints, saves and refuses, on rows that are read and on rows that are counted."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import output_of, refusals, refused
from test_cli import interrupted
from test_sweep_counted import FRAME, GRID
from test_sweep_counted import run as swept

VARY = ("--vary", "regularization=0.05,0.01", "--max-conditions", 1)
TABLE = ("--target", "y", "--sensitive", "sex", "--thresholds", 4)


@pytest.fixture
def files(tmp_path: Path) -> str:
    for k, part in enumerate((FRAME[:300], FRAME[300:])):
        part.to_parquet(tmp_path / f"part_{k}.parquet")
    return str(tmp_path / "part_*.parquet")


def test_counted_rows_are_swept_as_in_python(files: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    split = ("--key", "id", "--test-share", 0.3)
    saved = ("-o", tmp_path / "points.csv", "--fits", tmp_path / "fits.csv", "--results", tmp_path / "kept.jsonl")
    out, err = output_of(capsys, "sweep", files, *TABLE, *split, *VARY, "--compare", "cart", *saved)
    assert "certified: each rule list is optimal for its training rows" in out
    assert "30 % of the keys in 'id' are kept out for the test, by a hash" in out
    assert "of 10 fits done" in err
    known = swept(grid=GRID, baselines=["cart"])
    columns = ["point", "family", "test_errors", "train_errors", "objective", "test_equal_opportunity_gap"]
    fits = pd.read_csv(tmp_path / "fits.csv")
    pd.testing.assert_frame_equal(fits[columns], known.frame[columns], check_dtype=False)
    points = pd.read_csv(tmp_path / "points.csv")
    assert points.groupby("rows").size().to_dict() == {"test": 10, "train": 10}
    front = set(known.pareto(baselines=True)["point"])
    assert sum(line.rstrip().endswith("  yes") for line in out.splitlines()) == len(front)
    again, err = output_of(capsys, "sweep", files, *TABLE, *split, *VARY, "--compare", "cart", *saved[-2:])
    assert again.splitlines()[:-1] == out.splitlines()[:-1]
    assert "10 of 10 fits done" in err.splitlines()[3]


def test_a_data_set_is_cross_validated(capsys: pytest.CaptureFixture[str]) -> None:
    fair = ("--vary", "fairness=none,equal-opportunity:0.1", "--min-group-size", 0)
    fair += ("--regularization", 0.05, "--max-conditions", 1)
    out, err = output_of(capsys, "sweep", "diabetes", "--sensitive", "sex", "--folds", 2, *fair, "--quiet")
    assert "2 of 2" in out
    assert "EqualOpportunity" in out
    assert "2 folds, seed 0" in out
    assert err == ""


@pytest.mark.long
def test_ctrl_c_tells_what_is_done(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    noise = pd.DataFrame((rng.random((20000, 60)) < 0.5).astype(int), columns=[f"x{j}" for j in range(60)])
    noise.assign(y=rng.integers(0, 2, 20000)).to_csv(tmp_path / "noise.csv", index=False)
    options = ("--target", "y", "--folds", 2, "--time-limit", "none", "-o", tmp_path / "points.csv")
    command = ("sweep", tmp_path / "noise.csv", *options, "--vary", "regularization=0.0001")
    out, _ = interrupted("0 of 2 fits done", *command)
    assert out.startswith("interrupted: 0 of 2 fits done")
    assert (tmp_path / "points.csv").exists()


@pytest.mark.parametrize(("options", "message"), refusals("sweep"))
def test_what_is_wrong_is_said(files: str, options: tuple, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    refused(capsys, message, "sweep", files, *TABLE, *options, "--quiet", told=True)
