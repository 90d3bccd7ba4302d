"""The rules that column generation has gathered, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..kernels import bits
from .arguments import clauses_of

if TYPE_CHECKING:
    from ..data.problem import Problem
    from ..models import RuleSet
    from .generation import ColumnGeneration
    from .pool import Pool

COLUMNS = ("rule", "complexity", "rows", "reduced_cost", "use", "chosen")


def pool_frame(
    problem: Problem, form: str, pool: Pool, generation: ColumnGeneration | None, best: RuleSet | None, most: int
) -> pd.DataFrame:
    """See `rulelab.RuleSetSearch.pool`."""
    names, every = problem.names, np.arange(len(pool))
    chosen = set() if best is None else set(clauses_of(best, problem, form))
    inside = np.array([tuple(sorted(rule)) in chosen for rule in pool.rules], dtype=bool)
    use, reduced = np.zeros(len(pool)), np.full(len(pool), np.nan)
    if generation is not None:
        use = generation.use(every)
        known = np.flatnonzero(pool.complexity <= 1 + generation.max_conditions)
        if generation.point is not None and len(known):
            unit = float(generation.program.unit / generation.program.per_loss)
            reduced[known] = -generation.values(known) / float(generation.point.grid) * unit
    order = np.lexsort((reduced, -use, ~inside))[:most]  # nan comes last
    weights = np.asarray(problem.positives + problem.negatives, dtype=float)
    if weights.ndim == 2:
        weights = weights.sum(axis=0)
    rows = bits.unpack(pool.covers[order], pool.program.n_patterns)[:, : len(weights)] @ weights
    between = " and " if form == "dnf" else " or "
    frame = pd.DataFrame(
        {
            "rule": [between.join(names[j] for j in pool.rules[k]) for k in order.tolist()],
            "complexity": pool.complexity[order],
            "rows": rows,
            "reduced_cost": reduced[order],
            "use": use[order],
            "chosen": inside[order],
        },
        columns=list(COLUMNS),
    )
    frame.attrs["pool"] = len(pool)
    return frame
