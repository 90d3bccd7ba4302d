"""The history of a search: every snapshot at first, thinned out as it grows, as a table when it is exported."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ...recording.recording import trace_row
from ...snapshot import Snapshot, Status

MAX_POINTS = 4000


@dataclass(frozen=True)
class Mark:
    """How much of a history a reader has seen."""

    generation: int = -1
    length: int = 0


class History:
    """Snapshots in the order of the search, safe to append to in one thread and to read in another.

    When ``limit`` is reached every second snapshot is dropped, and from then on only every second (fourth, ...) one is
    kept. Snapshots with a new incumbent and the last one of a search are always kept.

    `limit`: at least 2.
    """

    def __init__(self, limit: int = MAX_POINTS) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._kept: list[Snapshot] = []
        self._new: list[bool] = []
        self._stride = 1
        self._skipped = 0
        self._generation = 0
        self._objective: float | None = None

    def __len__(self) -> int:
        return len(self._kept)

    def append(self, snapshot: Snapshot) -> None:
        """Add a snapshot, or leave it out when the history is thinned and nothing new happened."""
        objective = None if snapshot.incumbent is None else snapshot.incumbent.objective
        improved = objective is not None and (self._objective is None or objective < self._objective)
        notable = improved or snapshot.status is not Status.RUNNING
        self._skipped += 1
        if not notable and self._skipped < self._stride:
            return
        self._skipped = 0
        self._objective = objective
        with self._lock:
            self._kept.append(snapshot)
            self._new.append(notable)
            if len(self._kept) > self._limit:
                self._thin()

    def since(self, mark: Mark) -> tuple[list[Snapshot], Mark, bool]:
        """What came after ``mark``.

        Returns
        -------
        snapshots : list of Snapshot
        mark : Mark
            To be passed next time.
        whole : bool
            Whether the snapshots are the whole history, because it was thinned (or never read) before.
        """
        with self._lock:
            whole = mark.generation != self._generation
            snapshots = self._kept[0 if whole else mark.length :]
            return snapshots, Mark(self._generation, len(self._kept)), whole

    def frame(self) -> pd.DataFrame:
        """One row per kept snapshot: time, work, objective, bound, counts, pruned per bound, queue by length."""
        with self._lock:
            kept = list(self._kept)
        return pd.DataFrame([trace_row(snapshot) for snapshot in kept])

    def _thin(self) -> None:
        keep = [new or i % 2 == 0 for i, new in enumerate(self._new)]
        self._kept = [s for s, k in zip(self._kept, keep, strict=True) if k][-self._limit :]
        self._new = [n for n, k in zip(self._new, keep, strict=True) if k][-self._limit :]
        self._stride *= 2
        self._generation += 1


def relabelled(snapshots: Sequence[Snapshot], labels: tuple[Any, Any] | None) -> list[Snapshot]:
    """Snapshots with models that have the labels of the data; equal models are one, as before."""
    known: dict[int, Any] = {}
    out = []
    for each in snapshots:
        best = each.incumbent
        if best is not None and labels is not None:
            key = id(best.model)
            known[key] = known[key] if key in known else best.model.relabelled(labels)
            each = replace(each, incumbent=replace(best, model=known[key]))
        out.append(each)
    return out
