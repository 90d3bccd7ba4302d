"""The prices that the linear programme gives to groups of equal rows, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..kernels import bits
from .arguments import clauses_of
from .program import by_place

if TYPE_CHECKING:
    from ..data.problem import Problem
    from ..models import RuleSet
    from .generation import ColumnGeneration

COLUMNS = ("conditions", "rows", "wanted", "price", "cost", "covered")


def price_frame(
    problem: Problem, form: str, generation: ColumnGeneration | None, best: RuleSet | None, most: int
) -> pd.DataFrame:
    """See `rulelab.RuleSetSearch.prices`."""
    if generation is None or generation.point is None:
        return pd.DataFrame(columns=list(COLUMNS))
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
        },
        columns=list(COLUMNS),
    )
    frame.attrs.update(priced=len(order), total=float(price.sum()))
    return frame
