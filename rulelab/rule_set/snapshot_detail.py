"""What the snapshots of a search tell about its columns, masters and branching."""

from __future__ import annotations

from typing import Any

from .closing.closing import Closing
from .generation import ColumnGeneration
from .program import Program


def counts(n_columns: int, generation: ColumnGeneration | None, closing: Closing | None, ended: bool) -> dict[str, int]:
    """The counts of a snapshot."""
    return {
        "columns": n_columns,
        "masters": 0 if generation is None else generation.iterations,
        "simplex_iterations": 0 if generation is None else generation.simplex_iterations,
        "newton_steps": 0 if generation is None else generation.newton_steps,
        "pricing_nodes": 0 if generation is None else generation.nodes,
        "closing_columns": 0 if closing is None else closing.n_columns,
        "branching_nodes": 0 if closing is None else closing.branching_nodes,
        "queued": 0 if ended or closing is None else closing.queued,
    }


def detail(program: Program, conditions: int, generation: ColumnGeneration | None, by_value: bool) -> dict[str, Any]:
    """The details of a snapshot; where equal rates are searched value by value, no linear programme is that of all."""
    out: dict[str, Any] = {
        "conditions": conditions,
        "patterns": program.n_patterns,
        "resolution": float(program.exactness),
    }
    if generation is not None:
        out |= {
            "least_reduced_cost": generation.least_reduced_cost,
            "columns_in_master": len(generation.working),
        }
        if not by_value:
            out["master_value"] = generation.value * float(program.unit / program.scale / program.per_loss)
    return out
