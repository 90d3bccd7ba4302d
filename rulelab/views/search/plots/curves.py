"""The numbers that plots over time share, streamed point by point."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from bokeh.models import ColumnDataSource

from ....search import Snapshot
from ...widgets.style import LENGTHS
from .base import Columns

AXES = {"time": "seconds", "work": "work", "log work": "log_work"}
"""Horizontal axes, and their columns."""
QUEUED = tuple(f"length_{i + 1}" for i in range(len(LENGTHS)))
"""Columns of the queue by length."""

Column = Callable[[Snapshot], float]


def curve_columns(snapshots: Sequence[Snapshot], further: Mapping[str, Column] | None = None) -> Columns:
    """What the plots over time show of some snapshots: lists, because arrays do not survive a reconnection.

    Parameters
    ----------
    snapshots : sequence of Snapshot
    further : mapping of name to function, optional
        Columns besides time, work, objective and bound; by default the queue by length.
    """
    columns = {**_COMMON, **(LENGTHS_QUEUED if further is None else further)}
    return {name: [column(snapshot) for snapshot in snapshots] for name, column in columns.items()}


class Curves:
    """The shared source, and the axis that its plots are drawn against.

    Attributes
    ----------
    source : ColumnDataSource
    axis : str
        Column of the horizontal axis.
    """

    def __init__(self, further: Mapping[str, Column]) -> None:
        self._further = further
        self.source = ColumnDataSource(curve_columns([], further))
        self.axis = "seconds"

    def extend(self, snapshots: Sequence[Snapshot], whole: bool) -> None:
        """Add snapshots or, when they are the ``whole`` history, draw them anew."""
        columns = curve_columns(snapshots, self._further)
        if whole:
            self.source.data = columns
        elif snapshots:
            self.source.stream({**columns})

    def clear(self) -> None:
        self.source.data = curve_columns([], self._further)

    @property
    def empty(self) -> bool:
        return not self.source.data["work"]

    @property
    def end(self) -> float:
        """How far the horizontal axis goes."""
        return (self.source.data[self.axis] or [0])[-1] or 1

    def known(self, name: str) -> list[float]:
        """The numbers of a column without those that are not known yet."""
        return [value for value in self.source.data[name] if value == value]


def finite(value: float, digits: int = 5) -> float:
    """A number rounded; ``nan``, which is not drawn, where it is infinite."""
    return round(float(value), digits) if math.isfinite(value) else math.nan


def _of_length(first: int, last: int | None) -> Column:
    return lambda snapshot: sum(snapshot.queue_by_length[first:last])


_COMMON: dict[str, Column] = {
    "seconds": lambda s: round(s.seconds, 3),
    "work": lambda s: s.work,
    "log_work": lambda s: round(math.log10(max(s.work, 1)), 3),
    "objective": lambda s: math.nan if s.incumbent is None else round(s.incumbent.objective, 5),
    "lower_bound": lambda s: round(s.lower_bound, 5),
    "gap_top": lambda s: round(s.lower_bound if s.incumbent is None else s.incumbent.objective, 5),
}
LENGTHS_QUEUED: dict[str, Column] = {
    name: _of_length(i + 1, None if i + 1 == len(QUEUED) else i + 2) for i, name in enumerate(QUEUED)
}
"""Queued prefixes of length 1, 2, ... and the rest."""
