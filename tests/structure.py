"""The modules of the package and what they import, read from their source."""

import ast
from functools import cache
from pathlib import Path
from typing import Any

import rulelab as rl
from rulelab.lazy import PARTS, homes

PACKAGE = Path(rl.__file__).parent


def imports(source: str, module: tuple[str, ...], is_package: bool = False) -> frozenset[tuple[str, ...]]:
    """Absolute dotted names that a module's source imports, at any depth of the code.

    ``from . import x`` and ``from .a import x`` count as imports of ``x``, whether it is a module or a name in one.
    """
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {tuple(alias.name.split(".")) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            package = module if is_package else module[:-1]
            base = package[: len(package) - node.level + 1] if node.level else ()
            base += tuple(node.module.split(".")) if node.module else ()
            found |= {(*base, alias.name) for alias in node.names}
    return frozenset(found)


def is_public(name: str) -> bool:
    return not name.startswith("_")


@cache
def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


@cache
def known() -> set[tuple[str, ...]]:
    return {dotted(path) for path in modules()}


def dotted(path: Path) -> tuple[str, ...]:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


@cache
def imported(path: Path) -> frozenset[tuple[str, ...]]:
    """What a module imports."""
    return imports(path.read_text(encoding="utf-8"), dotted(path), path.name == "__init__.py")


@cache
def internal(path: Path) -> frozenset[str]:
    """Modules of the package that a module imports, as dotted names."""
    names = set()
    for name in imported(path):
        if name[0] == "rulelab" and len(name) > 1:
            names.add(".".join(name[1:] if name in known() else name[1:-1]))
    return frozenset(names - {""})


def public() -> dict[str, Any]:
    """What is called by a public name, such as "fit" or "errors.ModelError"; those of modules are in the modules."""
    own = {name: getattr(rl, name) for name, home in homes(rl.__file__).items() if home}
    parts = [getattr(rl, part) for part in PARTS]
    named = {f"{part.__name__.split('.')[1]}.{name}": getattr(part, name) for part in parts for name in part.__all__}
    return own | named
