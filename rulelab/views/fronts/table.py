"""The points of sweeps as rows of the table of models."""

from __future__ import annotations

import math
from typing import Any

from ..compare.table import row, same_of, unknown
from ..live.wording import NONE
from .card import title_of
from .points import Point, number, percent
from .run import Started


def row_of(started: Started, point: Point, gap: str | None) -> dict[str, Any]:
    """The row of a point, which can be chosen in the pictures; what has a model can be ticked."""
    sweep = started.sweeps[point.sweep]
    fold = started.first_of(point)
    proven = math.nan if point.baseline else point.proven / max(point.folds, 1)
    figures = [
        (percent(point, "accuracy"), point.value("accuracy")),
        unknown if gap is None else (percent(point, gap), point.value(gap)),
        (number(point, "rules"), point.value("rules")),
        ("none", 0.0) if point.baseline else (f"{point.proven} of {point.folds}", 2 * proven),
        (NONE, math.nan),
    ]
    dealt = sweep.plan.split or f"mean of {point.folds} of {sweep.plan.n_folds} folds"
    more: dict[str, Any] = {"acts": {"choose": "Show"}}
    if fold is not None:
        name = sweep.plan.identity["dataset"] if started.data is None else started.data.name
        first = next(r for r in sweep.results if (r.point, r.fold) == (point.point, fold))
        more |= {"tick": "pin", "same": same_of(title_of(name, sweep, fold), first.objective)}
    return row(point.key, point.label, f"sweep, {dealt}", figures, **more)
