"""Names that are imported when first used; what does as those that are gone; what comes with an extra alone."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PARTS = ("errors", "results", "engines")  # the modules beside this one that have more public names of the package


@cache
def gone() -> dict[str, str]:
    """What to use instead of names that are gone: ``rl.NAME``, ``rulelab COMMAND``, ``rulelab COMMAND --OPTION``."""
    import tomllib

    listed = tomllib.loads(Path(__file__).with_name("gone.toml").read_text(encoding="utf-8"))
    return {name: instead for instead, names in listed.items() for name in names}


def homes(file: str) -> dict[str, str | None]:
    """The public names of the package with this ``__init__.py`` and their modules, by its stub; None: a module."""
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    imported = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {name.name: node.module for node in imported for name in node.names}


@cache
def called(name: str) -> str:
    """How one who imports the package as ``rl`` calls a name, such as "rl.engines.CorelsBounds"; or the name alone."""
    places = ((part, homes(str(Path(__file__).with_name(part)))) for part in ("__init__", *PARTS))
    return next((f"rl.{part}.{name}".replace("__init__.", "") for part, known in places if name in known), name)


def attach(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package or module that has names of others; its name and its file."""
    known = homes(file)
    beside = package if Path(file).stem == "__init__" else package.rpartition(".")[0]

    def load(name: str) -> Any:
        full = f"{package}.{name}".replace("rulelab", "rl", 1)
        if name not in known:
            instead = gone().get(full) or (f"it is {called(name)}" if called(name) != name else "")
            raise AttributeError(f"module {package!r} has no attribute {name!r}{f': {instead}' if instead else ''}")
        home = known[name]
        try:
            module = importlib.import_module(f"{beside}.{home or name}")
        except ModuleNotFoundError as error:
            raise missing(error, full) from None
        value = module if home is None else getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted({*vars(sys.modules[package]), *known})


_PAGE = {"bokeh", "holoviews", "panel", "panel_material_ui", "param", "segno", "sqlalchemy"}


def missing(error: ModuleNotFoundError, what: str) -> ModuleNotFoundError:
    """How to get a module that is not installed, where the extra of the page brings it; else the error itself."""
    name = (error.name or "").split(".")[0]
    if name not in _PAGE:
        return error
    said = f'{what} needs {name}, which is not installed: pip install "rulelab[page]"'
    return ModuleNotFoundError(said, name=name)


def require_pyarrow(what: str, error: type[Exception]) -> None:
    """Raise an error that says how to get PyArrow, where it is not installed; ``what`` needs it, as its subject."""
    if find_spec("pyarrow") is None:
        raise error(f'{what} needs PyArrow, which is not installed: pip install "rulelab[parquet]", or pyarrow')


def as_pandas(frame: Any, what: str, error: type[Exception]) -> Any:
    """A dataframe of narwhals as one of pandas, which takes PyArrow but for Polars."""
    if str(frame.implementation) == "polars" and find_spec("pyarrow") is None:
        import pandas as pd

        return pd.DataFrame({name: frame.get_column(name).to_list() for name in frame.columns})
    if str(frame.implementation) != "pandas":
        require_pyarrow(what, error)
    return frame.to_pandas()
