"""Compiling the searches of a family before one of them is at hand."""

from __future__ import annotations

from .families import FAMILIES
from .rehearsal import noisy_problem, tiny_problem

__all__ = ["noisy_problem", "tiny_problem", "warm_up"]


def warm_up(family: str) -> None:
    """Compile, or load from the disk cache, the kernels of a family's search; once per process.

    Softly falling lists, the Monte-Carlo method, other losses, forms and fairness constraints have the kernels of their
    family. Of a search that is at hand use `rulelab.search.Search.compile`.

    Parameters
    ----------
    family : str
        As in `rulelab.search.Search.family`.
    """
    FAMILIES[family].rehearsal().compile()
