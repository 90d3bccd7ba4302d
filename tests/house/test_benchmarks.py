"""Every benchmark can be started: it is imported, and says what it measures and which options it has."""

import json
import os
import re
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import recorded_search
from command_line import python
from places import ROOT
from speed_page import PAGE, cells, differences, printed, tables

import rulelab as rl
from rulelab.cli.commands import BENCHMARKS, main
from rulelab.fitting import CLASSIFIERS

NAMES = sorted(path.stem.replace("_", "-") for path in BENCHMARKS.glob("[!_]*.py"))


@pytest.mark.long
def test_each_stands_by_itself_and_tells_its_options() -> None:
    """Without what is beside the tests: they are in the wheel, too."""
    helped = "with contextlib.suppress(SystemExit): importlib.import_module(name).main(['--help'])"
    program = f"import contextlib, importlib, sys\nfor name in sys.argv[1:]:\n    {helped}"
    modules = [name.replace("-", "_") for name in NAMES]
    told = python("-c", program, *modules, PYTHONPATH=f"{ROOT}{os.pathsep}{BENCHMARKS}")
    assert re.findall(r"^usage: rulelab bench (\S+) ", told, re.MULTILINE) == NAMES


@pytest.mark.long
def test_a_table_is_written_as_json_too(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    assert main(["bench", "rule-list", "tic_tac_toe", "--repeats", "1", "--json", str(file)]) == 0
    (row,) = json.loads(file.read_text())["rows"]
    assert (row["instance"], row["status"], row["runs"]) == ("tic_tac_toe", "optimal", 1)
    assert row["objective"] == row["bound"] == pytest.approx(0.2729436325678497)
    assert main(["bench", "rule-list", "no_such_instance"]) == 2


@pytest.mark.long
def test_peers_are_run_beside_each_other_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In an environment in which CART alone is installed: the tests' own."""
    environment, figure, numbers = tmp_path / "peers", tmp_path / "peers.html", tmp_path / "peers.json"
    (environment / "bin").mkdir(parents=True)
    python = environment / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    own = f"--environment={environment}", f"--figure={figure}", f"--json={numbers}"
    assert main(["bench", "peers", "tic_tac_toe", "--methods", "gosdt", "cart", "--regularization", "0.02", *own]) == 0
    rows = {row["method"]: row for row in json.loads(numbers.read_text())["rows"]}
    assert next(iter(rows)) == "rulelab"
    assert rows["rulelab"][""] == "proven"
    assert rows["cart"]["objective"] == pytest.approx(rows["cart"]["errors"] / 958 + 0.02 * rows["cart"]["rules"])
    assert rows["cart"]["rules"] > 0
    assert "ModuleNotFoundError" in rows["gosdt"][""]
    drawn = figure.read_text(encoding="utf-8")
    assert "rulelab (list, exact)" in drawn
    assert "cart (tree, greedy)" in drawn
    assert "tic_tac_toe" in capsys.readouterr().out


@pytest.mark.long
@pytest.mark.parametrize("family", CLASSIFIERS)
@pytest.mark.parametrize("data", ["breast_cancer", "diabetes", "tic_tac_toe"])
def test_every_family_is_certified_by_default_on_what_is_embedded(data: str, family: str) -> None:
    table = rl.datasets.load(data)
    assert CLASSIFIERS[family]().fit(table.X, table.y).status_ is rl.Status.OPTIMAL


def test_the_page_plays_the_search_that_is_recorded() -> None:
    assert recorded_search.text() == recorded_search.FILE.read_text("utf-8")


def shown(page: str, first: str) -> list[list[str]]:
    """The rows of the table of a page whose head begins so; an empty cell says what the one above it says."""
    text = (ROOT / "notebooks" / "book" / page).read_text(encoding="utf-8")
    lines = text[text.index(f"\n| {first}") + 1 :].partition("\n\n")[0].splitlines()
    rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines]
    for above, row in pairwise(rows):
        row[:] = [cell or before for cell, before in zip(row, above, strict=True)]
    return [rows[0], *rows[2:]]


@pytest.fixture(scope="session")
def peers() -> str:
    """Where the packages are that are compared with."""
    environment = Path(os.environ.get("RULELAB_PEERS", Path.home() / ".cache" / "rulelab" / "peers"))
    if not (environment / "bin" / "python").exists():
        pytest.skip("`rulelab bench peers --install` makes the environment of the packages that are compared with")
    return str(environment)


@pytest.mark.long
def test_the_book_says_what_peers_prints(peers: str, tmp_path: Path) -> None:
    """What is proven and what ends by itself as it stands there; what time ended, within what a busy machine misses."""
    head, *lines = shown("others.md", "data, conditions | rulelab")
    book = {line[0].partition("`")[0]: dict(zip(head, line, strict=True)) for line in lines}
    methods = ["gosdt", "streed", "tree", "brcg", "ripper", "greedy", "cart", "praxis"]  # of FastSRS no two runs agree
    own = "--time-limit=5", f"--environment={peers}", f"--json={tmp_path / 'peers.json'}"
    assert main(["bench", "peers", *book, "--methods", *methods, *own]) == 0
    found = json.loads((tmp_path / "peers.json").read_text("utf-8"))["rows"]
    assert len(found) == len(book) * (len(methods) + 2)
    taken: list[list[list[str]]] = []
    counted: dict[tuple[str, str], str] = {}
    for row in found:
        if row["method"] in ("counter", "praxis"):
            counted[row["data"], row["method"]] = row[""]
            continue
        column = "imodels, tree" if row["method"] == "tree" else row["method"]
        told, _, within = book[row["data"]][column].partition(" ")
        objective, seconds = float(told.strip("*")), float(within.strip("()"))
        by_time = seconds > 1  # so that the limit may come first
        if by_time and row[""] != "proven":
            assert objective <= round(row["objective"] or objective, 4) <= 1.25 * objective, row
        else:
            assert f"{row['objective']:.4f}{'*' * (row[''] == 'proven')}" == told, row
            taken.append([[told, str(each)] for each in (seconds, row["user s"])])
    assert differences(["objective", "user s"], *map(list, zip(*taken, strict=True))) == []
    for name, *counts in shown("others.md", "data, conditions | lists")[1:]:
        for method, cell in zip(("counter", "praxis"), counts, strict=True):
            said = counted[name.partition("`")[0], method]
            assert said.rpartition(" ")[0] == cell.rpartition(" (")[0].replace(" ", ",")


# what the book says of speed ------------------------------------------------------------------------------------------
TABLES = tables()


def test_every_table_of_the_page_has_its_command() -> None:
    assert PAGE.read_text(encoding="utf-8").count("\n|---") == len(TABLES) > 5


@pytest.mark.long
@pytest.mark.parametrize("command", TABLES)
def test_the_page_says_what_its_command_prints(command: str, shared: Path) -> None:
    head, _, *rows = (cells(line) for line in TABLES[command])
    assert rows
    for _ in range(2):  # what a busy moment has slowed is not slow once more
        found = differences(head, rows, printed(command, head, "--repeats", "1"))
        if not found:
            break
    assert found == []


def test_another_number_and_another_ratio_are_told() -> None:
    head = ["data", "user s", "H"]
    book = [["a", "1.00", "5"], ["b", "2.00", "6"], ["c", "4.00", "7"]]
    assert differences(head, book, [["a", "2.1", "5"], ["b", "3.9", "6"], ["c", "8.4", "7"]]) == []
    assert differences(head, book, [["a", "1.00", "5"], ["b", "2.00", "6"], ["c", "4.00", "8"]]) == ["H: 7, now 8"]
    slower = differences(head, book, [["a", "9.00", "5"], ["b", "2.00", "6"], ["c", "4.00", "7"]])
    assert slower == ["user s: 1.0, now 9.0, where others take 1.00 times as long"]
    assert differences(head, book, book[:2]) == ["3 rows, not 2"]
