"""The book builds without a network, its links lead somewhere, and its lines run."""

import importlib.util
import json
import os
import re
import sys
import tomllib
from copy import deepcopy
from html.parser import HTMLParser
from importlib.metadata import packages_distributions, requires
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from command_line import dashed, python
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from patience import PATIENCE
from places import ROOT
from structure import public

import rulelab as rl

BOOK = ROOT / "notebooks" / "book"
EXTERNAL = ("http", "https", "mailto", "data", "javascript")


def lines_of(page: str) -> str:
    """The Python of a page, block after block; other packages' lines are marked as another language."""
    text = (BOOK / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```(?:python|\{code-block\} python)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return "\n".join(re.sub(r"^:caption:.*\n", "", block) for block in blocks)


def html_text(html: str) -> str:
    """What is read of it, without its tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", html.partition(">")[2]).split())


class Page(HTMLParser):
    """What a page has: places that links may lead to, links, and what a browser loads by itself."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        self.places.update(given[name] for name in ("id", "name") if name in given)
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if "src" in given:
            self.loads.append(given["src"])
        if tag == "link" and given.get("rel") != "canonical" and "href" in given:
            self.loads.append(given["href"])


@pytest.mark.long
def test_it_builds_and_its_links_lead_somewhere(tmp_path: Path) -> None:
    python(str(BOOK / "build.py"), str(tmp_path))
    html = tmp_path / "html"
    pages = {path: Page(path) for path in html.rglob("*.html") if "_static" not in path.parts}
    assert {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")} <= {path.stem for path in pages}
    wrong, inside = [], 0
    for path, page in pages.items():
        for target in (*page.links, *page.loads):
            parts = urlsplit(target)
            if parts.scheme in EXTERNAL or parts.netloc:
                if target in page.loads and parts.scheme != "data":
                    wrong.append((path.name, target, "loaded from elsewhere"))
                continue
            inside += 1
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not there.is_file():
                wrong.append((path.name, target, "no such file"))
            elif parts.fragment and there in pages and unquote(parts.fragment) not in pages[there].places:
                wrong.append((path.name, target, "no such place"))
    assert wrong == []
    assert inside > 1000
    reference = "".join(path.read_text(encoding="utf-8") for path in (html / "api").glob("*.html"))
    assert [name for name in public() if f'id="rulelab.{name}"' not in reference] == []
    told = html_text(reference.split('id="rulelab.Ablation.contradiction"')[1])[:200]
    assert "property contradiction # What is wrong with the proofs of the variants taken together; empty: no" in told
    words = (html / "glossary.html").read_text(encoding="utf-8")
    assert words.count("<dt id=") == len(rl.glossary.TERMS)
    formulas = (html / "tour" / "02_branch_and_bound.html").read_text(encoding="utf-8")
    assert "<math" in formulas
    assert "\\frac" not in formulas


@pytest.mark.long
def test_its_lines_run(tmp_path: Path) -> None:
    pages = [lines_of(page) for page in ("index.md", "howto.md", "others.md")]
    assert [code.count("rl.") > 1 for code in pages] == [True, True, True]
    assert "certificate" in pages[1]
    assert pages[2].count(".fit(X, y") == 5
    python("-c", "\n".join(pages), cwd=tmp_path)


def test_every_plot_has_its_picture() -> None:
    spec = importlib.util.spec_from_file_location("gallery", BOOK / "gallery.py")
    assert spec is not None
    assert spec.loader is not None
    gallery: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gallery)
    assert set(gallery.EXAMPLES) == set(rl.plots.__all__) - {"extension"}
    for name, (_, code) in gallery.EXAMPLES.items():
        assert code.strip().splitlines()[-1].startswith(f"rl.plots.{name}(")


def test_commands_that_it_names_are_there() -> None:
    text = "".join(p.read_text(encoding="utf-8") for p in BOOK.glob("*.md"))
    named = set(re.findall(r"rulelab bench ([a-z-]+)", text))
    known = {dashed(path.stem) for path in (ROOT / "tests" / "benchmarks").glob("[!_]*.py")}
    assert named
    assert named <= known


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert citation["version"] == project["version"] == rl.__version__
    assert citation["license"] == project["license"]
    assert {name["family-names"] for paper in citation["references"] for name in paper["authors"]} >= {"Rudin", "Wei"}


# the notebooks run from top to bottom, and are kept without outputs ---------------------------------------------------
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
