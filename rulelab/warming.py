"""Compiling the searches of a family before one of them is at hand."""

from __future__ import annotations

from collections.abc import Callable

from .falling_rule_list import ExactSearch
from .rehearsal import noisy_problem, tiny_problem
from .rule_list import RuleListSearch
from .rule_set import RuleSetSearch
from .search import Search

__all__ = ["noisy_problem", "tiny_problem", "warm_up"]

_SMALL: dict[str, Callable[[], Search]] = {
    "rule_list": lambda: RuleListSearch(tiny_problem(), regularization=0.01),
    "falling_rule_list": lambda: ExactSearch(tiny_problem()),
    "rule_set": lambda: RuleSetSearch(noisy_problem()),
}


def warm_up(family: str) -> None:
    """Compile, or load from the disk cache, the kernels of a family's search; once per process.

    Softly falling lists, the Monte-Carlo method, other losses, forms and fairness constraints have the kernels of their
    family. Of a search that is at hand use `rulelab.search.Search.compile`.

    Parameters
    ----------
    family : str
        As in `rulelab.search.Search.family`.
    """
    _SMALL[family]().compile()
