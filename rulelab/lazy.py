"""Packages whose names are imported when first used; and what does the same as names that there are no more."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any


@cache
def gone() -> dict[str, str]:
    """What to use instead of names that are gone: ``rl.NAME``, ``rulelab COMMAND``, ``rulelab COMMAND --OPTION``."""
    import tomllib

    listed = tomllib.loads(Path(__file__).with_name("gone.toml").read_text(encoding="utf-8"))
    return {name: instead for instead, names in listed.items() for name in names}


def homes(file: str) -> dict[str, str | None]:
    """The public names of a package, and the module that defines each; None for a module of its own.

    ``file``: the ``__init__.py``, with a stub beside it that imports every name.
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    imported = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {name.name: node.module for node in imported for name in node.names}


def attach(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package. ``package``, ``file``: its ``__name__`` and ``__file__``."""
    known = homes(file)

    def load(name: str) -> Any:
        full = f"{package}.{name}".replace("rulelab", "rl", 1)
        if name not in known:
            instead = gone().get(full)
            raise AttributeError(f"module {package!r} has no attribute {name!r}{f': {instead}' if instead else ''}")
        home = known[name]
        try:
            module = importlib.import_module(f"{package}.{home or name}")
        except ModuleNotFoundError as error:
            raise importlib.import_module("rulelab.extras").missing(error, full) from None
        value = module if home is None else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted({*vars(sys.modules[package]), *known})
