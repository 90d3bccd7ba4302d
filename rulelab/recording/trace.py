"""A snapshot as a row of a table."""

from __future__ import annotations

from ..snapshot import Snapshot


def trace_row(snapshot: Snapshot) -> dict[str, object]:
    """Time, work, objective, bound, counts, pruned per bound, queue by length; None where there is no model yet."""
    best = snapshot.incumbent
    return {
        "step": snapshot.step,
        "work": snapshot.work,
        "seconds": snapshot.seconds,
        "status": str(snapshot.status),
        "phase": snapshot.phase,
        "objective": None if best is None else best.objective,
        "errors": None if best is None else best.errors,
        "complexity": None if best is None else best.complexity,
        "lower_bound": snapshot.lower_bound,
        "gap": snapshot.gap,
        "log10_remaining": snapshot.log10_remaining,
        "memory_bytes": snapshot.memory_bytes,
        **snapshot.counts,
        **{f"pruned {name}": count for name, count in snapshot.pruned.items()},
        **{f"queued of length {length}": count for length, count in enumerate(snapshot.queue_by_length)},
    }
