"""What a command writes is never what it reads, by whatever name, and is there whole or not at all."""

import os
from itertools import cycle, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import run

from rulelab import files

FIT = ("fit", "people.csv", "--target", "y", "--quiet", "--max-conditions", "1")
TABLE = ("people.csv", "--target", "y", "--quiet")
WRITING = [
    *((*FIT, option) for option in ("-o", "--proof", "--record")),
    *((command, *TABLE, "-o") for command in ("near", "robustness", "frontier", "ablate", "stability", "sweep")),
    *(("sweep", *TABLE, option) for option in ("--fits", "--results")),
    *(("least-gap", *TABLE, "--sensitive", "g", "--accuracy", ".6", option) for option in ("-o", "--proof")),
    ("least-gap", *TABLE, "--sensitive", "g", "--to-json"),
    ("near", "people.*", *TABLE[1:], "-o"),
    ("export", "people.csv", "--to", "sql", "-o"),
]

NAMES = ["people.csv", "link.csv", "other.csv", "../{folder}/people.csv"]


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table in the folder where commands run, and other names of it."""
    rng = np.random.default_rng(0)
    path = tmp_path / "people.csv"
    pd.DataFrame(rng.integers(0, 2, (40, 3)), columns=["g", "x", "y"]).to_csv(path, index=False)
    (tmp_path / "link.csv").symlink_to(path)
    os.link(path, tmp_path / "other.csv")
    monkeypatch.chdir(tmp_path)
    return path


@pytest.mark.parametrize(
    ("words", "name"),
    [*product(WRITING[:1], NAMES), *zip(WRITING[1:], cycle(NAMES))],
    ids=lambda given: given if isinstance(given, str) else f"{given[0]} {given[-1]}",
)
def test_no_command_writes_over_what_it_reads(words: tuple[str, ...], name: str, people: Path, capsys):
    before = people.read_bytes()
    status, out, err = run(capsys, *words, name.format(folder=people.parent.name))
    assert (status, out) == (2, "")
    assert "name another file to write" in err or "must end in" in err
    assert people.read_bytes() == before


def test_two_results_are_two_files(people: Path, capsys: pytest.CaptureFixture[str]):
    status, _, err = run(capsys, *FIT, "-o", "m.json", "--proof", "./m.json")
    assert status == 2
    assert "cannot both be written" in err


def test_the_kept_runs_are_no_output(people: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setenv("RULELAB_HOME", str(people.parent))
    status, _, err = run(capsys, *FIT, "--keep", "-o", "runs.sqlite")
    assert status == 2
    assert "runs.sqlite is read" in err


def test_a_file_is_replaced_whole_or_not_at_all(people: Path):
    people.chmod(0o640)
    with pytest.raises(OSError, match="full"):
        _half("link.csv")
    assert people.read_text().startswith("g,x,y")
    files.write("link.csv", "new")
    assert (people.read_text(), Path("link.csv").is_symlink(), people.stat().st_mode & 0o777) == ("new", True, 0o640)
    assert sorted(os.listdir()) == ["link.csv", "other.csv", "people.csv"]


def _half(name: str) -> None:
    with files.replacing(name) as part:
        part.write_text("half")
        raise OSError("the disk is full")
