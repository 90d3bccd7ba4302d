"""Without PyArrow, or without what the page needs, all else works, and what does not says what it needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from patience import PATIENCE
from places import ROOT

PAGE = ("bokeh", "holoviews", "panel", "panel_material_ui", "param", "sqlalchemy")
CURE, CURE_OF_THE_PAGE = 'pip install "rulelab[parquet]"', 'pip install "rulelab[page]"'


def python(code: str, folder: Path, without: tuple[str, ...] = ("pyarrow",)) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "RULELAB_WARMING": "0"}
    command = [sys.executable, "-c", f"import sys; sys.modules.update(dict.fromkeys({without!r}))\n{code}"]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=folder, timeout=PATIENCE, check=False
    )


def rulelab(folder: Path, *arguments: str, without: tuple[str, ...] = ("pyarrow",)) -> subprocess.CompletedProcess[str]:
    return python(f"from rulelab.cli.commands import main; sys.exit(main({list(arguments)!r}))", folder, without)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spreadsheet of decimal commas, and the same as Parquet."""
    folder = tmp_path_factory.mktemp("rows")
    table = pd.DataFrame({"size": [0.5 + k / 4 for k in range(40)], "kind": ["a", "b"] * 20})
    table["y"] = (table["size"] > 5).astype(int)
    table.to_csv(folder / "rows.csv", sep=";", decimal=",", index=False)
    table.to_parquet(folder / "rows.parquet")
    return folder


@pytest.mark.parametrize("without", [("pyarrow",), PAGE])
def test_a_spreadsheet_is_fitted_and_verified(folder: Path, without: tuple[str, ...]) -> None:
    asked = ["--target", "y", "--max-conditions", "1", "--regularization", "0.02", "--quiet"]
    done = rulelab(folder, "fit", "rows.csv", *asked, "-o", "model.json", "--proof", "proof.npz", without=without)
    assert done.returncode == 0, done.stderr
    assert "size <= " in done.stdout
    assert "certified optimal" in done.stdout
    checked = rulelab(folder, "verify", "rows.csv", "model.json", "proof.npz", "--target", "y", without=without)
    assert checked.returncode == 0, checked.stderr


def test_the_core_makes_explorers_fronts_and_sweeps(folder: Path) -> None:
    for command, *more in (["near", "-o", "near.html"], ["frontier", "--max-length", "2"], ["sweep", "--folds", "2"]):
        done = rulelab(folder, command, "rows.csv", "--target", "y", *more, without=PAGE)
        assert done.returncode == 0, (command, done.stderr)


def test_the_page_plots_and_kept_runs_say_what_they_need(folder: Path) -> None:
    for command in (["serve"], ["runs", "list"], ["fit", "rows.csv", "--target", "y", "--keep"]):
        done = rulelab(folder, *command, without=PAGE)
        assert done.returncode == 1, (command, done.stdout)
        assert CURE_OF_THE_PAGE in done.stderr
        assert "Traceback" not in done.stderr
    code = """
import rulelab as rl
for call in (lambda: rl.plots, lambda: rl.views.SearchView, lambda: rl.store):
    try:
        call()
    except ImportError as said:
        print(said)
"""
    done = python(code, folder, PAGE)
    assert done.stdout.count(CURE_OF_THE_PAGE) == 3, done.stdout + done.stderr


@pytest.mark.parametrize("rows", ["rows.parquet", "*.parquet"])
def test_parquet_says_what_it_needs(folder: Path, rows: str) -> None:
    done = rulelab(folder, "fit", rows, "--target", "y", "--quiet")
    assert done.returncode in (1, 2)
    assert CURE in done.stderr
    assert "Traceback" not in done.stderr


def test_uploads_and_counts_say_what_they_need(folder: Path) -> None:
    code = """
from pathlib import Path
import rulelab as rl
for call, error in (
    (lambda: rl.datasets.read(Path("rows.parquet").read_bytes(), "y"), rl.datasets.DatasetError),
    (lambda: rl.tables.open("rows.csv"), rl.tables.TableError),
    (lambda: rl.tables.load("rows.parquet"), rl.tables.TableError),
):
    try:
        call()
    except error as said:
        print(said)
"""
    done = python(code, folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(CURE) == 3, done.stdout


def test_polars_is_read_cell_by_cell(folder: Path) -> None:
    code = """
import pandas, polars, rulelab as rl
cells = {"x": [1, 2, None, 4], "s": ["a", "b", None, "c"], "b": [True, False, True, None], "y": [0, 1, 1, 0]}
cells = {name: column * 20 for name, column in cells.items()}
frame, known = polars.DataFrame(cells), pandas.DataFrame(cells)
made = rl.Binarizer().fit(frame)
assert made.conditions_ == rl.Binarizer().fit(known).conditions_, made.conditions_
fit = rl.RuleListClassifier(regularization=0.1, max_conditions=1).fit(frame.drop("y"), frame["y"])
assert (fit.predict(frame) == fit.predict(known)).all()
assert rl.datasets.from_frame(frame, "y").X.equals(rl.datasets.from_frame(known, "y").X)
"""
    done = python(code, folder)
    assert done.returncode == 0, done.stderr
