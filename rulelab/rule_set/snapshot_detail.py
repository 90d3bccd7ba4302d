"""What a search tells of its columns and of its prices, as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..kernels import bits
from .demands import clauses_of
from .generation import ColumnGeneration
from .program import by_place

if TYPE_CHECKING:
    from ..data.problem import Problem
    from ..models import RuleSet
    from .pool import Pool

POOL_COLUMNS = ("rule", "complexity", "rows", "reduced_cost", "use", "chosen")
PRICE_COLUMNS = ("conditions", "rows", "wanted", "price", "cost", "covered")


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
        }
    )
    frame.attrs["pool"] = len(pool)
    return frame


def price_frame(
    problem: Problem, form: str, generation: ColumnGeneration | None, best: RuleSet | None, most: int
) -> pd.DataFrame:
    """See `rulelab.RuleSetSearch.prices`."""
    if generation is None or generation.point is None:
        return pd.DataFrame(columns=list(PRICE_COLUMNS))
    program, point = generation.program, generation.point
    one, n = float(program.unit / program.per_loss), program.n_patterns
    watched, wanted = program.watched, program.leave[program.kind] > 0
    paid = np.maximum(point.taken, 0) / float(point.grid) * one
    price = by_place(paid, program.pattern[watched], n)
    cost = np.maximum(0.0, price - point.weight / float(point.grid) * one)
    masses = program.whole.astype(float) * float(program.unit)
    order = np.flatnonzero(price > 0)
    order = order[np.argsort(-price[order], kind="stable")]
    shown = order[:most]
    matrix = bits.unpack(problem.words[shown], problem.n_antecedents).astype(bool)
    covered = np.zeros(len(shown), dtype=bool)
    for clause in () if best is None else clauses_of(best, problem, form):
        inside = matrix[:, list(clause)]
        covered |= inside.all(axis=1) if form == "dnf" else ~inside.any(axis=1)
    frame = pd.DataFrame(
        {
            "conditions": [" and ".join(problem.names[j] for j in np.flatnonzero(row)) for row in matrix],
            "rows": by_place(masses, program.pattern, n)[shown],
            "wanted": by_place(masses[wanted], program.pattern[wanted], n)[shown],
            "price": price[shown],
            "cost": cost[shown],
            "covered": covered,
        }
    )
    frame.attrs.update(priced=len(order), total=float(price.sum()))
    return frame
