"""README.md and the book say what is true, and the two lists of requirements agree."""

import re
import shlex
import sys
import tomllib
from itertools import takewhile
from pathlib import Path

import pytest
import yaml
from command_line import output_of, python
from places import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "notebooks" / "book").glob("*.md"))]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


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
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert environment["name"] == "rulelab"
    conda = {e.removeprefix("python-") for e in environment["dependencies"] if isinstance(e, str)}
    python_pin = f"python{PROJECT['requires-python']}"
    extras = PROJECT["optional-dependencies"]
    assert conda == {*PROJECT["dependencies"], *extras["page"], *extras["parquet"], python_pin, "pip"}


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
