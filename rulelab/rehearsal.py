"""Making kernels ready before a clock runs: small problems that a search rehearses on, once per process.

Kernels compile where they are first called, some of them only in a later phase of a search: seconds that would count as
search time, and that a time limit would be spent on.
"""

from __future__ import annotations

import contextlib
import gc
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator

import numba
import numpy as np

from .data.multiclass import MultiClassProblem
from .data.problem import Problem

_NEW_OBJECTS = 50_000  # between two collections while kernels are compiled; 40 MB more than by default
_YOUNG = 2  # such collections before one of what they left: each stops all threads for as long as it has objects

_lock = threading.RLock()
rehearsed: set[object] = set()
beside: list[subprocess.Popen[bytes]] = []
"""Processes that compile for later, see `rulelab.warming`."""


def once(key: object, rehearse: Callable[[], None]) -> None:
    """Rehearse, once in this process for this key, while other threads wait and what compiles for later rests."""
    with _lock:
        if key not in rehearsed and not numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
            with _alone(), _seldom_collecting():
                rehearse()
            rehearsed.add(key)


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Two threads of one core compile at half their speed, whatever their niceness."""
    held = beside if hasattr(signal, "SIGSTOP") else []  # not on Windows
    for process in held:
        process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for process in held:
            process.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def _seldom_collecting() -> Iterator[None]:
    """A compiler makes millions of objects that stay: looking for those that do not took a quarter of its time."""
    before = gc.get_threshold()
    if before[0]:
        gc.set_threshold(max(before[0], _NEW_OBJECTS), min(before[1], _YOUNG), before[2])
    try:
        yield
    finally:
        gc.set_threshold(*before[:2], gc.get_threshold()[2])


def tiny_problem() -> Problem:
    """Four patterns of two antecedents, for searches of lists."""
    return Problem.from_counts([[0, 1], [1, 0], [1, 1], [0, 0]], [9, 0, 1, 2], [0, 9, 2, 1])


def unequal_problem() -> Problem:
    """Four patterns of which one outweighs the others, for searches of lists that learn cores."""
    return Problem.from_counts([[0, 1], [1, 0], [1, 1], [0, 0]], [90, 0, 1, 2], [0, 1, 2, 1])


def three_classes() -> MultiClassProblem:
    """Two patterns of one antecedent."""
    return MultiClassProblem.from_arrays([[False], [True]] * 2, [0, 1, 2, 1])


def noisy_problem() -> Problem:
    """For searches of rule sets, in all phases: no set is right, and the linear programme is not integer."""
    rng = np.random.default_rng(0)
    matrix = rng.random((200, 12)) < 0.5
    label = ((matrix[:, 0] & matrix[:, 1]) | (matrix[:, 2] & matrix[:, 3])) ^ (rng.random(200) < 0.4)
    return Problem.from_arrays(matrix, label)


def grouped_problem() -> Problem:
    """Sixteen rows of two groups, both classes in each, for searches of fair lists."""
    matrix = [[i & 1, i >> 1 & 1, (i >> 2 ^ i) & 1] for i in range(16)]
    return Problem.from_arrays(matrix, [i % 3 == 0 for i in range(16)], groups=[i // 5 % 2 for i in range(16)])
