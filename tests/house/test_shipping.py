"""What is needed to install the project elsewhere says the same as its own metadata."""

import re
import tomllib
from importlib.metadata import distribution

import pytest
import yaml
from packaging.requirements import Requirement
from places import ROOT

from rulelab.cli.commands import main

METADATA = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = METADATA["project"]
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
    build = METADATA["build-system"]["requires"]
    assert set(build) <= {each.replace(" ", "") for each in RECIPE["requirements"]["host"]}
    (name, target), *others = PROJECT["scripts"].items()
    assert RECIPE["build"]["python"]["entry_points"] == [f"{name} = {target}"]
    assert not others


def test_the_image_has_what_the_wheel_is_made_of_and_is_not_root() -> None:
    copied = {word for line in re.findall(r"^COPY (.*) \S+$", DOCKERFILE, flags=re.MULTILINE) for word in line.split()}
    wheel = METADATA["tool"]["hatch"]["build"]["targets"]["wheel"]
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
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
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
