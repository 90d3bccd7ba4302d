"""Compiling a search before a clock runs: a small search of the same family goes through all of its kernels."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from .falling_rule_list import ExactSearch
from .problem import Problem
from .rule_list import RuleListSearch
from .rule_set import RuleSetSearch
from .search import Search, solve

_WORK = 200

_lock = threading.Lock()
_warm: set[str] = set()


def tiny_problem() -> Problem:
    """Four patterns of two antecedents, for searches of lists."""
    return Problem.from_counts([[0, 1], [1, 0], [1, 1], [0, 0]], [9, 0, 1, 2], [0, 9, 2, 1])


def noisy_problem() -> Problem:
    """A small problem that takes all phases of a search for rule sets.

    No set is right, and the linear programme is not integer.
    """
    rng = np.random.default_rng(0)
    matrix = rng.random((200, 12)) < 0.5
    label = ((matrix[:, 0] & matrix[:, 1]) | (matrix[:, 2] & matrix[:, 3])) ^ (rng.random(200) < 0.4)
    return Problem.from_arrays(matrix, label)


_SMALL: dict[str, Callable[[], Search]] = {
    "rule_list": lambda: RuleListSearch(tiny_problem(), regularization=0.01, beam_width=2),
    "falling_rule_list": lambda: ExactSearch(tiny_problem(), regularization=0.0, iterations=2),
    "rule_set": lambda: RuleSetSearch(noisy_problem(), max_complexity=10, max_conditions=3),
}


def warm_up(family: str) -> None:
    """Compile, or load from the disk cache, the kernels of a family's search; once per process.

    Kernels compile where they are first called, some of them only in a later phase of a search: seconds that would
    count as search time. Softly falling lists, the Monte-Carlo method, other losses, forms and fairness constraints
    have the kernels of their family.

    Parameters
    ----------
    family : str
        As in `rulelab.search.Search.family`.
    """
    with _lock:  # other threads wait for the one that compiles
        if family not in _warm:
            solve(_SMALL[family](), work_limit=_WORK)
            _warm.add(family)
