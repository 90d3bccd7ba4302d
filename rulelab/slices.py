"""How much work a search is asked for at once; a large table is prepared in several calls, none of them long."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from .data.problem import Problem
from .snapshot import Incumbent, Snapshot, Status

Pace = tuple[str, ...]
"""The phases of a search and of those within it that do its work: with any of them changes what a unit takes."""

_SLICE_SECONDS = 0.03
_FIRST_SLICE = 1
_LARGEST_SLICE = 1 << 20
_MOST_EFFORT = 1 << 62


def effort_of(units: int, each: int) -> int:
    """What so many units of work may look at, in 64 bits."""
    return min(units * each, _MOST_EFFORT)


class Slices:
    """How many units of work, ``size``, to ask a search for at once, so that it answers after about 30 ms."""

    def __init__(self) -> None:
        self.size = _FIRST_SLICE
        self._pace: Pace | None = None

    def took(self, seconds: float, pace: Pace) -> None:
        """Learn from a slice of this size; a unit of work takes longer in one phase than in another."""
        if pace != self._pace:
            self.size, self._pace = _FIRST_SLICE, pace
        elif seconds < _SLICE_SECONDS / 2:
            self.size = min(2 * self.size, _LARGEST_SLICE)
        elif seconds > _SLICE_SECONDS * 2:
            self.size = max(self.size // 2, 1)

    def advance(self, search: Any, units: int) -> Snapshot:
        """Advance a search by at most so many units; of a slice that was cut short one learns only that it was slow."""
        began = time.perf_counter()
        snapshot: Snapshot = search.advance(units)
        seconds = time.perf_counter() - began
        if units >= self.size or search.pace != self._pace or seconds > _SLICE_SECONDS * 2:
            self.took(seconds, search.pace)
        return snapshot


LARGEST_AT_ONCE = 1 << 26
"""Cells of a table, patterns by antecedents, that are prepared in the first call, which then begins to search."""


def is_large(problem: Problem) -> bool:
    """Whether the table is prepared in several calls."""
    return problem.n_patterns * problem.n_antecedents > LARGEST_AT_ONCE


def preparing_snapshot(
    problem: Problem, incumbent: Incumbent, phase: str, counts: Iterable[str], pruned: Iterable[str], **detail: Any
) -> Snapshot:
    """The state of a search that is still preparing: nothing is known but a first model."""
    return Snapshot(
        step=0,
        work=0,
        seconds=0.0,
        status=Status.RUNNING,
        incumbent=incumbent,
        lower_bound=0.0,
        counts=dict.fromkeys(counts, 0),
        pruned=dict.fromkeys(pruned, 0),
        phase=phase,
        detail={"antecedents": problem.n_antecedents, "patterns": problem.n_patterns, **detail},
    )
