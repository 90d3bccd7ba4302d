"""What comes with an extra of the package alone, and what is said where it is missing."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

_PAGE = {"bokeh", "holoviews", "panel", "panel_material_ui", "param", "sqlalchemy"}


def missing(error: ModuleNotFoundError, what: str) -> ModuleNotFoundError:
    """How to get a module that is not installed, where the extra of the page brings it; else the error itself.

    ``what``: what needs it, as the beginning of a sentence.
    """
    name = (error.name or "").split(".")[0]
    if name not in _PAGE:
        return error
    said = f'{what} needs {name}, which is not installed: pip install "rulelab[page]"'
    return ModuleNotFoundError(said, name=name)


def require_pyarrow(what: str, error: type[Exception]) -> None:
    """Raise an error that says how to get PyArrow, where it is not installed.

    ``what``: what needs it, as the beginning of a sentence.
    """
    if find_spec("pyarrow") is None:
        raise error(f'{what} needs PyArrow, which is not installed: pip install "rulelab[parquet]", or pyarrow')


def as_pandas(frame: Any, what: str, error: type[Exception]) -> Any:
    """A dataframe of narwhals as one of pandas, which takes PyArrow but for Polars.

    ``frame`` (narwhals.DataFrame). ``what``, ``error``: as for `require_pyarrow`.
    """
    if str(frame.implementation) == "polars" and find_spec("pyarrow") is None:
        import pandas as pd

        return pd.DataFrame({name: frame.get_column(name).to_list() for name in frame.columns})
    if str(frame.implementation) != "pandas":
        require_pyarrow(what, error)
    return frame.to_pandas()
