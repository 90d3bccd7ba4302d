"""Progress of what takes long, where it is asked for: the bars of tqdm, in a terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .arguments import ParameterError


@contextmanager
def bar(verbose: Any, what: str, total: int | None = None, unit: str = "it") -> Iterator[Any]:
    """A bar on stderr, or in the cell of a notebook, that ends with the block; None where none is asked for.

    ``verbose``: whether it is asked for. ``what``: stands before it. ``total``: how many units there will be. ``unit``:
    what is counted.
    """
    check(verbose)
    if not verbose:
        yield None
        return
    from tqdm.auto import tqdm

    with tqdm(desc=what, total=total, unit=unit) as shown:
        yield shown


def check(verbose: Any) -> None:
    """Refuse what neither asks for progress nor declines it: ValueError."""
    if not (isinstance(verbose, bool) or (isinstance(verbose, int) and verbose >= 0)):
        raise ParameterError("verbose", verbose, "True, False or a whole number")
