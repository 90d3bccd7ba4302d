"""Pages of the book that the package writes itself: the tour's contents, the glossary, the API reference."""

from __future__ import annotations

import json
import re
from pathlib import Path

import rulelab as rl
from rulelab import lazy
from rulelab.glossary import Term
from rulelab.glossary.entries import read_files

ROOMS = {
    "Every search": "searching",
    "Rule lists": "rule_list",
    "The search of the CORELS papers": "corels",
    "Rule lists under fairness constraints": "fair_rule_list",
    "Falling rule lists": "falling_rule_list",
    "Rule sets": "rule_set",
    "Fairness": "fairness",
    "Many good models": "near_optimal",
    "Lists edited by hand": "what_if",
    "Data": "data",
    "The page": "page",
}
PAGES = {
    "data": ("Data: conditions, antecedents, problems", ("data",), ("datasets", "tables")),
    "searching": (
        "Searching: the contract of all searches",
        ("questions", "arguments", "stepping", "proving", "snapshot", "recording", "ablation"),
        ("engines", "results", "errors"),
    ),
    "rule_lists": ("Rule lists", ("rule_list", "near", "frontiers", "multiclass"), ()),
    "falling_rule_lists": ("Falling rule lists", ("falling_rule_list",), ()),
    "rule_sets": ("Rule sets and fairness criteria", ("rule_set",), ()),
    "models": ("Models", ("models", "report"), ()),
    "certificates": ("Certificates", ("certificate",), ()),
    "estimators": ("scikit-learn estimators", ("estimators", "fitting"), ()),
    "sweeps": ("Sweeps", ("sweeps",), ()),
    "looking": ("Looking: plots and views", ("views",), ("plots", "views")),
    "keeping": ("Keeping runs, and the words", ("glossary",), ("store", "glossary")),
}
"""For each page its title, the rooms whose public names it has, and the public modules."""


def write_tour(folder: Path) -> None:
    """The contents of the tour: each notebook with its heading."""
    stems = sorted(path.stem for path in folder.glob("*.ipynb"))
    lines = ["# Tour", "", "Notebooks, in this order. `rulelab examples` copies them to a folder of your own.", ""]
    for stem in stems:
        cells = json.loads((folder / f"{stem}.ipynb").read_text(encoding="utf-8"))["cells"]
        title = "".join(cells[0]["source"]).splitlines()[0].removeprefix("# ")
        lines.append(f"- [{title}]({stem}.ipynb)")
    toctree = ["", "```{toctree}", ":hidden:", *stems, "```", ""]
    (folder / "index.md").write_text("\n".join([*lines, *toctree]), encoding="utf-8")


def write_glossary(folder: Path) -> None:
    """All terms of `rulelab.glossary`, by room."""
    home = Path(rl.glossary.__file__).parent
    listed = {title: read_files(home, (f"{room}.md",)).values() for title, room in ROOMS.items()}
    assert {term.name for terms in listed.values() for term in terms} == set(rl.glossary.TERMS)
    lines = [*_heading("Glossary", "="), "What ``rulelab explain``, the page and notebooks say, in one place.", ""]
    for title, terms in listed.items():
        lines += _heading(title, "-")
        lines += [".. glossary::", ""]
        for term in sorted(terms, key=lambda term: term.name):
            lines += [*_entry(term), ""]
    (folder / "glossary.rst").write_text("\n".join(lines), encoding="utf-8")


def write_reference(folder: Path) -> None:
    """A page for each part of the package, with every public name."""
    folder.mkdir()
    public = lazy.homes(rl.__file__)
    homes = {name: home.split(".")[0] for name, home in public.items() if home}
    placed = {room for _, rooms, _ in PAGES.values() for room in rooms}
    assert set(homes.values()) <= placed, f"no page has the names of {sorted(set(homes.values()) - placed)}"
    assert {module for _, _, modules in PAGES.values() for module in modules} == {
        name for name, home in public.items() if not home
    }
    for page, (title, rooms, modules) in PAGES.items():
        lines = _heading(title, "=")
        lines += _names("rulelab", sorted(name for name, home in homes.items() if home in rooms))
        for module in modules:
            whole = f"rulelab.{module}"
            lines += [*_heading(whole, "-"), f".. automodule:: {whole}", ""]
            lines += _names(whole, sorted(getattr(rl, module).__all__), members=module != "views")
        (folder / f"{page}.rst").write_text("\n".join(lines), encoding="utf-8")
    index = [*_heading("API reference", "="), "Every public name, from the docstrings. ``import rulelab as rl``.", ""]
    index += [".. toctree::", "   :maxdepth: 1", "", *(f"   {page}" for page in PAGES), ""]
    (folder / "index.rst").write_text("\n".join(index), encoding="utf-8")


def _names(module: str, names: list[str], members: bool = True) -> list[str]:
    lines = [f".. currentmodule:: {module}", ""]
    home = rl if module == "rulelab" else getattr(rl, module.split(".")[1])
    for name in names:
        value = getattr(home, name)
        if isinstance(value, type):
            lines += [f".. autoclass:: {name}", *(["   :members:"] if members else []), ""]
        elif callable(value):
            lines += [f".. autofunction:: {name}", ""]
        else:
            lines += [f".. autodata:: {name}", "   :no-value:", ""]
    return lines


def _heading(text: str, line: str) -> list[str]:
    return [text, line * len(text), ""]


def _entry(term: Term) -> list[str]:
    lines = [f"   {_plain(term.name)}"]
    said = " ".join(part for part in (term.sentence, term.text) if part)
    lines += [f"      {_plain(said)}"]
    lines += ["", f"      ``{term.formula}``"] if term.formula else []
    lines += ["", f"      *Source:* {_plain(term.source)}."] if term.source else []
    see = ", ".join(f":term:`{_plain(name)}`" for name in term.see)
    lines += ["", f"      *See also:* {see}."] if see else []
    return lines


def _plain(text: str) -> str:
    """Text that reStructuredText does not take for markup."""
    return re.sub(r"([\\*`|_])", r"\\\1", text)
