"""README.md and the book say what is true, and the two lists of requirements agree."""

import re
import shlex
import sys
import tomllib
from importlib.metadata import distribution
from itertools import takewhile
from pathlib import Path

import pytest
import yaml
from command_line import output_of, python
from packaging.requirements import Requirement
from places import ROOT

from rulelab.cli.commands import main

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


# what is needed to install it elsewhere -------------------------------------------------------------------------------
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


def test_conda_environments_have_no_tools_of_testing() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    (by_pip,) = (each["pip"] for each in environment["dependencies"] if isinstance(each, dict))
    assert by_pip == ["-e .[notebook]"]


def test_the_server_takes_the_options_of_the_image(capsys: pytest.CaptureFixture[str]) -> None:
    lines = re.findall(r"^(?:ENTRYPOINT|CMD) \[(.*)\]$", DOCKERFILE, flags=re.MULTILINE)
    given = [word for line in lines for word in re.findall(r'"([^"]+)"', line)]
    assert given[:2] == ["rulelab", "serve"]
    with pytest.raises(SystemExit):
        main([*given[1:], "--port", "no number"])
    assert "--port: must be a port" in capsys.readouterr().err
