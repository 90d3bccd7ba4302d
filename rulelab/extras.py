"""What comes with an extra of the package alone, and what is said where it is missing."""

from __future__ import annotations

from importlib.util import find_spec


def require_pyarrow(what: str, error: type[Exception]) -> None:
    """Raise an error that says how to get PyArrow, where it is not installed.

    Parameters
    ----------
    what : str
        What needs it, as the beginning of a sentence.
    error : type of Exception
    """
    if find_spec("pyarrow") is None:
        raise error(f'{what} needs PyArrow, which is not installed: pip install "rulelab[parquet]", or pyarrow')
