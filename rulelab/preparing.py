"""Preparing a large table takes several calls of `Search.advance`, none of them long; what is shown meanwhile."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .snapshot import Incumbent, Snapshot, Status

if TYPE_CHECKING:
    from .data.problem import Problem

LARGEST_AT_ONCE = 1 << 26
"""Cells of a table, patterns by antecedents, that are prepared in the first call, which then begins to search."""


def is_large(problem: Problem) -> bool:
    """Whether the table is prepared in several calls."""
    return problem.n_patterns * problem.n_antecedents > LARGEST_AT_ONCE


def snapshot(
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
