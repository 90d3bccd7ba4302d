"""README.md and the book say what is true, and the two lists of requirements agree."""

import json
import os
import re
import shlex
import sys
import tomllib
from importlib.metadata import distribution
from itertools import pairwise, takewhile
from pathlib import Path

import pytest
import recorded_search
import yaml
from command_line import dashed, output_of, python
from packaging.requirements import Requirement
from places import ROOT
from speed_page import PAGE, cells, differences, printed, tables

import rulelab as rl
from rulelab.cli.commands import main
from rulelab.cli.examples import BENCHMARKS
from rulelab.fitting import CLASSIFIERS

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "notebooks" / "book").glob("*.md"))]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]


def blocks(language: str, text: str = README) -> list[str]:
    """The fenced blocks of a text in a language; "" for those without one."""
    fenced = re.findall(r"^```(\S*)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return [text for found, text in fenced if found == language]


@pytest.mark.long
def test_the_python_example_prints_what_readme_shows() -> None:
    (code,) = blocks("python")
    (shown,) = (block for block in blocks("") if not block.startswith("$"))
    assert python("-c", code) == shown


COMMANDS = [block for text in (README, *PAGES) for block in blocks("", text) if block.startswith("$")]


@pytest.mark.long
@pytest.mark.parametrize("block", COMMANDS, ids=[block.rpartition("$ ")[2].split()[1] for block in COMMANDS])
def test_what_is_printed_is_what_the_command_prints(
    block: str, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of several commands one after the other the last one's output is shown."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RULELAB_DATA_HOME", str(shared / "data"))
    lines = block.splitlines(keepends=True)
    commands = list(takewhile(lambda line: line.startswith("$ "), lines))
    for command in commands:
        _, program, *arguments = shlex.split(command)
        assert program == "rulelab"
        printed, _ = output_of(capsys, *arguments)
    assert printed.startswith("".join(lines[len(commands) :]))


def test_one_line_starts_and_one_line_tests() -> None:
    lines = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("python3 -m venv")]
    starts, tests = lines
    assert starts.endswith("rulelab serve")
    assert tests.endswith("pytest -n auto")
    assert '".[test]"' in tests


@pytest.mark.parametrize("target", re.findall(r"\]\(([^)]+)\)", README))
def test_links_of_readme_lead_somewhere(target: str) -> None:
    assert (ROOT / target).is_file()


def test_conda_and_pip_ask_for_the_same() -> None:
    """Conda's environments have no tools of testing; what builds the book is what the tests have."""
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert environment["name"] == "rulelab"
    conda = {e.removeprefix("python-") for e in environment["dependencies"] if isinstance(e, str)}
    python_pin = f"python{PROJECT['requires-python']}"
    extras = PROJECT["optional-dependencies"]
    assert conda == {*PROJECT["dependencies"], *extras["page"], *extras["parquet"], python_pin, "pip"}
    assert [each["pip"] for each in environment["dependencies"] if isinstance(each, dict)] == [["-e .[notebook]"]]
    assert set(extras["book"]) <= set(extras["test"])


def test_everything_imported_is_asked_for() -> None:
    distribution = {"sklearn": "scikit-learn", "yaml": "pyyaml", "panel_material_ui": "panel-material-ui"}
    optional = [
        entry
        for extra in ("dask", "excel", "notebook", "page", "parquet")
        for entry in PROJECT["optional-dependencies"][extra]
    ]
    asked = {re.split(r"[<>=\[]", entry)[0] for entry in (*PROJECT["dependencies"], *optional)}
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "rulelab").rglob("*.py"))
    imported = set(re.findall(r"^\s*(?:import|from) ([A-Za-z_]\w*)", source, flags=re.MULTILINE))
    foreign = imported - set(sys.stdlib_module_names) - {"rulelab"}
    used = {distribution.get(name, name) for name in foreign}
    assert {"numpy", "numba", "panel"} <= used
    with_bokeh, with_numba = {"jinja2", "markupsafe", "tornado"}, {"llvmlite"}
    assert used - asked <= with_bokeh | with_numba


# what is needed to install the project elsewhere says the same as its own metadata ------------------------------------
RECIPE = yaml.safe_load((ROOT / "apps" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "apps" / "Dockerfile").read_text(encoding="utf-8")


def test_the_recipe_asks_for_what_the_project_asks_for() -> None:
    asked = {re.sub(r"\s", "", each).removeprefix("python-") for each in RECIPE["requirements"]["run"]}
    assert asked == {*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["page"], "python>=${{python_min}}"}
    assert f">={RECIPE['context']['python_min']}" == PROJECT["requires-python"]
    assert RECIPE["context"]["version"] == PROJECT["version"]
    limited = {re.sub(r"\s", "", each) for each in RECIPE["requirements"]["run_constraints"]}
    assert limited == set(PROJECT["optional-dependencies"]["parquet"])
    assert RECIPE["about"]["license"] == PROJECT["license"]
    build = PYPROJECT["build-system"]["requires"]
    assert set(build) <= {each.replace(" ", "") for each in RECIPE["requirements"]["host"]}
    (name, target), *others = PROJECT["scripts"].items()
    assert RECIPE["build"]["python"]["entry_points"] == [f"{name} = {target}"]
    assert not others


def test_the_image_has_what_the_wheel_is_made_of_and_is_not_root() -> None:
    copied = {word for line in re.findall(r"^COPY (.*) \S+$", DOCKERFILE, flags=re.MULTILINE) for word in line.split()}
    wheel = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert {*wheel["packages"], *wheel["force-include"], PROJECT["readme"], *PROJECT["license-files"]} <= copied
    assert all((ROOT / name).exists() for name in copied)
    assert DOCKERFILE.index("--uid 1000") < DOCKERFILE.index("USER 1000") < DOCKERFILE.index("ENTRYPOINT")


def needed(name: str, *extras: str) -> set[str]:
    """The packages that one with these extras needs, itself left out, and what they need."""
    found: set[str] = set()
    asked = [(name, extra) for extra in ("", *extras)]
    for package, extra in asked:  # which grows
        for requirement in map(Requirement, distribution(package).requires or ()):
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                new = [(requirement.name.lower(), each) for each in ("", *requirement.extras)]
                asked += [each for each in new if each not in asked]
                found.add(requirement.name.lower())
    return found - {name}


def megabytes(packages: set[str]) -> float:
    files = [file for name in packages for file in distribution(name).files or () if file.suffix != ".pyc"]
    return sum(path.stat().st_size for path in (file.locate() for file in files) if path.exists()) / 1e6


def test_the_readme_says_how_large_an_installation_is() -> None:
    text = " ".join(README.split())
    core = needed("rulelab")
    measured = {
        r"`pip install -e \.`, (\d+) MB": core,
        r"`page` adds [^.]+?, (\d+) MB": needed("rulelab", "page") - core,
        r"PyArrow, (\d+) MB": needed("rulelab", "parquet") - core,
    }
    for said, packages in measured.items():
        (number,) = re.findall(said, text)
        assert megabytes(packages) == pytest.approx(int(number), rel=0.1), packages


def test_the_server_takes_the_options_of_the_image(capsys: pytest.CaptureFixture[str]) -> None:
    lines = re.findall(r"^(?:ENTRYPOINT|CMD) \[(.*)\]$", DOCKERFILE, flags=re.MULTILINE)
    given = [word for line in lines for word in re.findall(r'"([^"]+)"', line)]
    assert given[:2] == ["rulelab", "serve"]
    with pytest.raises(SystemExit):
        main([*given[1:], "--port", "no number"])
    assert "--port: must be a port" in capsys.readouterr().err


# every benchmark can be started: it is imported, and says what it measures and which options it has -------------------
STEMS = sorted(path.stem for path in BENCHMARKS.glob("[!_]*.py"))


@pytest.mark.long
def test_each_stands_by_itself_and_tells_its_options() -> None:
    """Without what is beside the tests: they are in the wheel, too."""
    helped = "with contextlib.suppress(SystemExit): importlib.import_module(name).main(['--help'])"
    program = f"import contextlib, importlib, sys\nfor name in sys.argv[1:]:\n    {helped}"
    told = python("-c", program, *STEMS, PYTHONPATH=f"{ROOT}{os.pathsep}{BENCHMARKS}")
    assert re.findall(r"^usage: rulelab bench (\S+) ", told, re.MULTILINE) == list(map(dashed, STEMS))


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
    """What is proven and what ends by itself as it stands there; what time ended, within what a busy moment changes."""
    head, *lines = shown("others.md", "data, conditions | rulelab")
    book = {line[0].partition("`")[0]: dict(zip(head, line, strict=True)) for line in lines}
    counts = {name.partition("`")[0]: told for name, *told in shown("others.md", "data, conditions | lists")[1:]}
    ended = [name for name, row in book.items() if row["gosdt"].endswith("(20)")]  # by time, as trees of imodels there
    found = []
    for limit, names, methods in (  # of FastSRS no two runs agree
        ("5", book, ["streed", "brcg", "ripper", "greedy", "cart"]),
        ("5", {*book} - {*ended}, ["gosdt", "tree"]),
        ("2", ended, ["gosdt", "tree"]),
        ("5", counts, ["praxis"]),
    ):
        own = "--time-limit", limit, f"--environment={peers}", f"--json={tmp_path / 'peers.json'}"
        assert main(["bench", "peers", *names, "--methods", *methods, *own]) == 0
        rows = json.loads((tmp_path / "peers.json").read_text("utf-8"))["rows"]
        assert len(rows) == len(names) * (len(methods) + 1 + (names is counts))
        found += rows
    taken: list[list[list[str]]] = []
    for row in found:
        if row["method"] in ("counter", "praxis"):
            cell = counts[row["data"]][row["method"] == "praxis"]
            assert row[""].rpartition(" ")[0] == cell.rpartition(" (")[0].replace(" ", ",")
            continue
        column = "imodels, tree" if row["method"] == "tree" else row["method"]
        told, _, within = book[row["data"]][column].partition(" ")
        objective, seconds = float(told.strip("*")), float(within.strip("()"))
        by_time = seconds > 1  # so that the limit may come first
        if by_time and row[""] != "proven":
            assert (row["objective"] or objective) == pytest.approx(objective, rel=0.25), row
        else:
            assert f"{row['objective']:.4f}{'*' * (row[''] == 'proven')}" == told, row
            taken.append([[told, str(each)] for each in (seconds, row["user s"])])
    assert differences(["objective", "user s"], *map(list, zip(*taken, strict=True))) == []


# what the book says of speed is what its commands print: one claim, one number ----------------------------------------
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
