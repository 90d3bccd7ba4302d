"""`rulelab doctor` and `rulelab examples`."""

import importlib.metadata
import json
import re

import pytest
from places import ROOT

import rulelab as rl
from rulelab.cli import examples
from rulelab.cli.commands import main
from rulelab.kernels.mining import mine_pairs

NOTEBOOKS = ROOT / "notebooks"


def test_all_is_well_here(capsys) -> None:
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert out.endswith("all is well\n")
    for what in ("python", "numba", "compiled kernels", "data sets", "search (tic_tac_toe)", "its proof"):
        assert f"ok  {what}" in out


def test_packages_that_are_old_or_not_there_and_a_search_that_fails_are_findings(capsys, monkeypatch) -> None:
    known = importlib.metadata.version

    def version(name: str) -> str:
        if name == "pooch":
            raise importlib.metadata.PackageNotFoundError(name)
        return "0.60.0" if name == "numba" else known(name)

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no\nkernel")

    monkeypatch.setattr(importlib.metadata, "version", version)
    monkeypatch.setattr(rl.RuleListSearch, "compile", broken)
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "wrong  numba" in out
    assert re.search(r"\nnumba: rulelab needs numba\S*>=0.63\S*: install that\n", out)
    assert "is not installed" in out
    assert "RuntimeError: no kernel" in out
    assert "3 of " in out


def test_a_cache_that_cannot_be_written_is_named(capsys, monkeypatch, tmp_path) -> None:
    place = tmp_path / "a file"
    place.write_text("")
    stats = mine_pairs.stats._replace(cache_path=str(place / "kernels"))
    monkeypatch.setattr(type(mine_pairs), "stats", property(lambda self: stats))
    assert main(["doctor"]) == 1
    assert "NUMBA_CACHE_DIR" in capsys.readouterr().out


def test_examples_are_listed_by_their_headings(capsys) -> None:
    assert main(["examples", "--list"]) == 0
    out = capsys.readouterr().out
    for path in NOTEBOOKS.glob("*.ipynb"):
        assert path.name in out
        assert examples.title_of(path) in out


def test_examples_are_copied_and_nothing_is_overwritten_unasked(capsys, tmp_path) -> None:
    folder = tmp_path / "mine"
    assert main(["examples", str(folder), "--benchmarks"]) == 0
    copied = folder / "notebooks" / "01_quick_start.ipynb"
    assert str(copied) in capsys.readouterr().out
    assert json.loads(copied.read_text())["nbformat"] == 4
    assert (folder / "benchmarks" / "rule_list.py").is_file()
    copied.write_text("mine")
    assert main(["examples", str(folder)]) == 2
    assert "--overwrite replaces them" in capsys.readouterr().err
    assert copied.read_text() == "mine"
    assert main(["examples", str(folder), "--overwrite"]) == 0
    assert copied.read_text() != "mine"


def test_a_folder_that_cannot_be_written_is_an_error_of_one_line(capsys, tmp_path) -> None:
    (tmp_path / "file").write_text("")
    assert main(["examples", str(tmp_path / "file")]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_a_wheel_has_the_notebooks_and_benchmarks_where_the_command_looks() -> None:
    tomllib = pytest.importorskip("tomllib")
    root = NOTEBOOKS.parent
    built = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    included = {root / place: root / target for place, target in built["force-include"].items()}
    assert included == dict(examples.FOLDERS.values())
