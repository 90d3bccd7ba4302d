"""Without PyArrow, or without what the page needs, all else works, and what does not says what it needs."""

from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
from command_line import python

PAGE = ("bokeh", "holoviews", "panel", "panel_material_ui", "param", "sqlalchemy")
CURE, CURE_OF_THE_PAGE = 'pip install "rulelab[parquet]"', 'pip install "rulelab[page]"'
COMMANDS = """
import sys
from rulelab.cli.commands import main
sys.stderr = sys.stdout
for command in {!r}:
    print("status", main(command))
"""
CALLS = """
for call in ({}):
    try:
        call()
    except (ImportError, ValueError) as said:
        print(said)
"""


def without(packages: tuple[str, ...], code: str, folder: Path) -> str:
    """What is printed where some packages are not installed."""
    return python("-c", f"import sys; sys.modules.update(dict.fromkeys({packages!r}))\n{code}", cwd=folder)


def ended(packages: tuple[str, ...], folder: Path, *commands: str) -> list[tuple[int, str]]:
    """The status of each command, and what it prints."""
    told = without(packages, COMMANDS.format([command.split() for command in commands]), folder)
    parts = told.split("status ")
    return [(int(after.split()[0]), part) for part, after in pairwise(parts)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spreadsheet of decimal commas, and the same as Parquet."""
    folder = tmp_path_factory.mktemp("rows")
    table = pd.DataFrame({"size": [0.5 + k / 4 for k in range(40)], "kind": ["a", "b"] * 20})
    table["y"] = (table["size"] > 5).astype(int)
    table.to_csv(folder / "rows.csv", sep=";", decimal=",", index=False)
    table.to_parquet(folder / "rows.parquet")
    return folder


FIT = (
    "fit rows.csv --target y --max-conditions 1 --regularization 0.02 --quiet -o model.json --proof proof.npz",
    "verify rows.csv model.json proof.npz --target y",
)


@pytest.mark.long
def test_without_pyarrow_a_spreadsheet_is_fitted_and_verified_and_parquet_says_what_it_needs(folder: Path) -> None:
    parquet = ("fit rows.parquet --target y --quiet", "fit *.parquet --target y --quiet")
    (status, fitted), (verified, _), *refused = ended(("pyarrow",), folder, *FIT, *parquet)
    assert (status, verified) == (0, 0)
    assert "size <= " in fitted
    assert "certified optimal" in fitted
    for status, said in refused:
        assert status in (1, 2)
        assert CURE in said
        assert "Traceback" not in said


@pytest.mark.long
def test_the_core_makes_models_explorers_fronts_and_sweeps(folder: Path) -> None:
    more = ("near rows.csv -o near.html", "frontier rows.csv --max-length 2", "sweep rows.csv --folds 2")
    done = ended(PAGE, folder, *FIT, *(f"{command} --target y" for command in more))
    assert [status for status, _ in done] == [0] * 5, done
    assert "certified optimal" in done[0][1]


@pytest.mark.long
def test_the_page_plots_and_kept_runs_say_what_they_need(folder: Path) -> None:
    for status, said in ended(PAGE, folder, "serve", "runs list", "fit rows.csv --target y --keep"):
        assert status == 1, said
        assert CURE_OF_THE_PAGE in said
        assert "Traceback" not in said
    calls = "lambda: rl.plots, lambda: rl.views.SearchView, lambda: rl.store"
    assert without(PAGE, f"import rulelab as rl\n{CALLS.format(calls)}", folder).count(CURE_OF_THE_PAGE) == 3


POLARS = """
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


@pytest.mark.long
def test_polars_is_read_cell_by_cell_and_uploads_and_counts_say_what_they_need(folder: Path) -> None:
    calls = """
    lambda: rl.datasets.read(open("rows.parquet", "rb").read(), "y"),
    lambda: rl.tables.open("rows.csv"),
    lambda: rl.tables.load("rows.parquet"),
    """
    assert without(("pyarrow",), POLARS + CALLS.format(calls), folder).count(CURE) == 3
