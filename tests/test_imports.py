"""The layers import in one direction only, and importing the package is light."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import rulelab

PACKAGE = Path(rulelab.__file__).parent
ENGINES = {"rule_list", "falling_rule_list", "rule_set"}
LAYERS: list[set[str]] = [
    {"arguments", "compiling", "exact_weights", "interrupts", "limits", "penalties", "strict_json"},
    {"jit"},
    {"bits", "growing", "heap", "remaining"},
    {"bit_kernels"},
    {"planes"},
    {"conditions"},
    {"columns", "boolean_table", "mining_kernels"},
    {"binarize"},
    {"antecedents"},
    {"mining"},
    {"metrics"},
    {"gaps"},
    {"problem"},
    {"rehearsal"},
    {"models"},
    {"search"},
    {"preparing"},
    {"certificate"},
    ENGINES,
    {"warming"},
    {"estimators"},
    {"sweeps"},
    {"views"},
    {"console"},
    {"cli_families"},
    {"cli_verify"},
    {"cli_fit"},
    {"cli"},
    {"__main__"},
]
"""From left to right; a module imports from layers to its left, and from its own layer only as `SIBLINGS` says."""

ALONE = "datasets"
ANYBODY = {"sweeps", "views", "cli_families", "cli_verify", "cli_fit", "cli"}
"""Who may import the data sets."""

UI = {"panel", "bokeh", "holoviews", "panel_material_ui", "param"}
HEAVY = ["numba", "panel", "bokeh", "holoviews", "sklearn", "pandas", "pyarrow", "pooch"]


def imports(source: str, module: tuple[str, ...], is_package: bool = False) -> set[tuple[str, ...]]:
    """Absolute dotted names that a module's source imports, at any depth of the code.

    ``from . import x`` counts as an import of ``x`` of that package, whether x is a module or a name in it.
    """
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {tuple(alias.name.split(".")) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            package = module if is_package else module[:-1]
            base = package[: len(package) - node.level + 1] if node.level else ()
            base += tuple(node.module.split(".")) if node.module else ()
            found |= {base} if node.module else {(*base, alias.name) for alias in node.names}
    return found


def layer(name: str) -> int:
    return next(k for k, names in enumerate(LAYERS) if name in names)


def backward(importer: str, imported: str) -> bool:
    """Whether one top-level part of the package must not import another."""
    if importer == imported:
        return False
    if importer == ALONE:
        return True
    if imported == ALONE:
        return importer not in ANYBODY
    return layer(imported) >= layer(importer)


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def dotted(path: Path) -> tuple[str, ...]:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def internal(path: Path) -> set[str]:
    """Top-level parts of the package that a module imports."""
    names = {
        name[1]
        for name in imports(path.read_text(encoding="utf-8"), dotted(path), path.name == "__init__.py")
        if name[0] == "rulelab" and len(name) > 1
    }
    return names - {"__version__"}


def test_every_module_has_its_place() -> None:
    placed = set().union(*LAYERS) | {ALONE}
    tops = {dotted(path)[1] for path in modules() if len(dotted(path)) > 1}
    assert tops <= placed


@pytest.mark.parametrize("path", modules(), ids=lambda path: ".".join(dotted(path)))
def test_arrows_go_one_way(path: Path) -> None:
    name = dotted(path)
    if len(name) == 1:
        assert not internal(path), "the package itself imports lazily"
        return
    wrong = sorted(imported for imported in internal(path) if backward(name[1], imported))
    assert not wrong, f"{'.'.join(name)} imports {', '.join(wrong)}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: ".".join(dotted(path)))
def test_only_views_know_the_user_interface(path: Path) -> None:
    name = dotted(path)
    used = {imported[0] for imported in imports(path.read_text(encoding="utf-8"), name)}
    if len(name) < 2 or name[1] != "views":
        assert not used & UI


def test_the_walk_sees_every_kind_of_import() -> None:
    source = (
        "from ..search import Search\nfrom . import kernels\nimport numba.core\n"
        "def f():\n    from rulelab.views.pages.page import serve\n    from .. import bits\n"
    )
    assert imports(source, ("rulelab", "rule_list", "search")) == {
        ("rulelab", "search"),
        ("rulelab", "rule_list", "kernels"),
        ("numba", "core"),
        ("rulelab", "views", "page"),
        ("rulelab", "bits"),
    }
    assert imports("from . import cache", ("rulelab", "datasets"), is_package=True) == {
        ("rulelab", "datasets", "cache")
    }


@pytest.mark.parametrize(
    ("importer", "imported", "wrong"),
    [
        ("search", "rule_list", True),
        ("rule_list", "search", False),
        ("rule_list", "rule_set", True),
        ("rule_list", "views", True),
        ("views", "estimators", False),
        ("datasets", "bits", True),
        ("views", "datasets", False),
        ("problem", "datasets", True),
        ("models", "models", False),
    ],
)
def test_which_arrows_are_backward(importer: str, imported: str, wrong: bool) -> None:
    assert backward(importer, imported) is wrong


@pytest.mark.parametrize("module", ["rulelab", "rulelab.cli.commands"])
def test_importing_is_light(module: str) -> None:
    code = f"import sys, json; import {module}; print(json.dumps(sorted(sys.modules)))"
    command = [sys.executable, "-c", code]
    loaded = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert not set(HEAVY) & set(loaded)
    assert len(loaded) < 200


@pytest.mark.parametrize("name", rulelab.__all__)
def test_public_names_resolve(name: str) -> None:
    assert getattr(rulelab, name) is not None
    assert name in dir(rulelab)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'RuleForest'"):
        rulelab.RuleForest  # noqa: B018
