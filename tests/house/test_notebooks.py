"""The notebooks run from top to bottom, and are kept without outputs."""

import os
import re
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
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


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_stripped(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert set(notebook.metadata) <= {"kernelspec", "language_info"}
    assert notebook.metadata.kernelspec.name == "python3"
    for cell in notebook.cells:
        assert not cell.metadata
        if cell.cell_type == "code":
            assert not cell.outputs
            assert cell.execution_count is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_links_lead_somewhere(path: Path) -> None:
    text = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown")
    assert all((path.parent / target).is_file() for target in re.findall(r"\]\(([^)]+)\)", text))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_teaches(path: Path) -> None:
    """Aims, questions before results, claims that are asserted, exercises with answers, and the way to go on."""
    cells = nbformat.read(path, as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    assert code.count("assert ") >= 5
    assert "Answers" in text
    if path.stem != "10_exercise_sheet":
        assert "**After this notebook you can**" in text
        assert text.count("*Predict") >= 4
        assert "## Exercises" in text


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_it_imports_comes_with_the_extra(path: Path) -> None:
    code = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")
    imported = {name.partition(".")[0] for name in re.findall(r"^(?:import|from) ([\w.]+)", code, re.MULTILINE)}
    brought, owners = required("rulelab", "notebook"), packages_distributions()
    others = {name for name in imported - {"rulelab"} if name not in sys.stdlib_module_names}
    assert [name for name in others if not brought & {canonicalize_name(each) for each in owners[name]}] == []


def required(name: str, extra: str = "", known: frozenset[str] = frozenset()) -> frozenset[str]:
    """The distributions that come with one and an extra of it."""
    for requirement in map(Requirement, requires(name) or ()):
        found = canonicalize_name(requirement.name)
        if (requirement.marker is None or requirement.marker.evaluate({"extra": extra})) and found not in known:
            known = required(found, known=known | {found})
    return known


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cell runs without an error and without a warning, what it asserts holds, and live views are shown."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("RULELAB_QUICK", "1")
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=int(PATIENCE), resources={"metadata": {"path": str(tmp_path)}}).execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    outputs = [output for cell in cells for output in cell.outputs]
    assert not [output.text for output in outputs if output.get("name") == "stderr"]
    printed = "".join(output.text for output in outputs if output.get("name") == "stdout")
    assert [text for text in PRINTED[path.stem] if text not in printed] == []
    assert len(nbformat.writes(notebook)) < 500_000
    assert not [output for output in outputs if output.get("data", {}).get("text/plain", "").startswith("<Figure")]
    assert not [output for output in outputs if "application/javascript" in output.get("data", {})]
    live = "application/vnd.holoviews_exec.v0+json"
    views = [output for output in outputs if "SearchView" in output.get("data", {}).get("text/plain", "")]
    assert bool(views) == path.stem.startswith(WATCHED)
    assert all(live in output.data for output in views)
    assert sum("Run this cell again" in output.get("data", {}).get("text/html", "") for output in outputs) >= len(views)
