"""The notebooks run from top to bottom, and are kept without outputs."""

import json
import os
import re
import sys
import tomllib
from copy import deepcopy
from importlib.metadata import packages_distributions, requires
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from patience import PATIENCE
from places import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PRINTED = tomllib.loads(Path(__file__).with_name("printed.toml").read_text(encoding="utf-8"))
"""What a notebook must print, besides running."""
WATCHED = ("01", "02", "03", "04")
"""Those with a live view."""


def test_every_notebook_is_known() -> None:
    assert [path.stem for path in NOTEBOOKS] == sorted(PRINTED)


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request: pytest.FixtureRequest) -> Any:
    """One of them, read and valid, with where it is."""
    import nbformat  # takes seconds, which those who run other tests need not wait for

    read = nbformat.read(request.param, as_version=4)
    nbformat.validate(read)
    return SimpleNamespace(
        path=request.param, read=read, **{kind: text_of(read, kind) for kind in ("markdown", "code")}
    )


def text_of(notebook: Any, kind: str) -> str:
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == kind)


def test_it_is_kept_without_outputs_and_its_links_lead_somewhere(notebook: Any) -> None:
    metadata = notebook.read.metadata
    assert set(metadata) <= {"kernelspec", "language_info"}
    assert metadata.kernelspec.name == "python3"
    for cell in notebook.read.cells:
        assert not cell.metadata
        if cell.cell_type == "code":
            assert not cell.outputs
            assert cell.execution_count is None
    folder = notebook.path.parent
    assert all((folder / target).is_file() for target in re.findall(r"\]\(([^)]+)\)", notebook.markdown))


def test_it_teaches(notebook: Any) -> None:
    """Aims, questions before results, claims that are asserted, exercises with answers, and the way to go on."""
    assert notebook.code.count("assert ") >= 5
    assert "Answers" in notebook.markdown
    if notebook.path.stem != "10_exercise_sheet":
        assert "**After this notebook you can**" in notebook.markdown
        assert notebook.markdown.count("*Predict") >= 4
        assert "## Exercises" in notebook.markdown


def test_what_it_imports_comes_with_the_extra(notebook: Any, brought: set[str]) -> None:
    imported = {
        name.partition(".")[0] for name in re.findall(r"^(?:import|from) ([\w.]+)", notebook.code, re.MULTILINE)
    }
    assert {name for name in imported - {"rulelab"} if name not in sys.stdlib_module_names} <= brought


@pytest.fixture(scope="module")
def brought() -> set[str]:
    """The names that can be imported where the extra is installed."""
    distributions = required("rulelab", "notebook")
    owners = packages_distributions().items()
    return {name for name, of in owners if distributions & {canonicalize_name(each) for each in of}}


def required(name: str, extra: str = "", known: frozenset[str] = frozenset()) -> frozenset[str]:
    """The distributions that come with one and an extra of it."""
    for requirement in map(Requirement, requires(name) or ()):
        found = canonicalize_name(requirement.name)
        if (requirement.marker is None or requirement.marker.evaluate({"extra": extra})) and found not in known:
            known = required(found, known=known | {found})
    return known


@pytest.mark.long
def test_it_runs(notebook: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cell runs without an error and without a warning, what it asserts holds, and live views are shown."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("RULELAB_QUICK", "1")
    from nbclient import NotebookClient

    where, name = {"metadata": {"path": str(tmp_path)}}, notebook.path.stem
    ran = NotebookClient(deepcopy(notebook.read), timeout=int(PATIENCE), resources=where).execute()
    cells = [cell for cell in ran.cells if cell.cell_type == "code"]
    outputs = [output for cell in cells for output in cell.outputs]
    assert not [output.text for output in outputs if output.get("name") == "stderr"]
    printed = "".join(output.text for output in outputs if output.get("name") == "stdout")
    assert [text for text in PRINTED[name] if text not in printed] == []
    assert len(json.dumps(ran)) < 500_000
    assert not [output for output in outputs if output.get("data", {}).get("text/plain", "").startswith("<Figure")]
    assert not [output for output in outputs if "application/javascript" in output.get("data", {})]
    live = "application/vnd.holoviews_exec.v0+json"
    views = [output for output in outputs if "SearchView" in output.get("data", {}).get("text/plain", "")]
    assert bool(views) == name.startswith(WATCHED)
    assert all(live in output.data for output in views)
    assert sum("Run this cell again" in output.get("data", {}).get("text/html", "") for output in outputs) >= len(views)
