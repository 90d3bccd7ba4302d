"""What is needed to install the project elsewhere says the same as its own metadata."""

import re
import tomllib

import pytest
import yaml
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
