"""What some rule of a set must use, as constraints of the integer program: rows that nobody has count who uses it.

A row that has all conditions is covered by every rule, and one that has all but those of a demand by every rule that
does not use it. The rules that use it are those that cover the first row and not the second, so that

    times that the second is covered <= times that the first is covered - 1

says that there is one. Bounds, pricing and branching treat it as they treat a fairness constraint. A rule that covers
no training row uses nothing: it is none of the rules that a set is made of.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..data.naming import as_names, used_by
from ..data.problem import Problem
from .pool import Clause, Pool
from .program import Constraint, Program


def demands_of(problem: Problem, must_use: Any) -> np.ndarray:
    """Which conditions meet each demand: bool array, shape (n_demands, n_antecedents).

    Parameters
    ----------
    problem : Problem
    must_use : sequence of str, or None
        Columns and conditions; see `rulelab.data.naming.users`.

    Raises
    ------
    ValueError
        When nothing has a name, or a name is left out.
    """
    wanted = as_names(must_use, "must_use")
    for name in wanted:
        if name in problem.left_out:
            raise ValueError(f"must_use and must_not_use both have {name!r}; a rule cannot use what is left out")
    found = used_by(wanted, problem.names, problem.conditions, "must_use")
    return np.array(found, dtype=bool).reshape(len(wanted), problem.n_antecedents)


def counting_rows(demands: np.ndarray) -> np.ndarray:
    """The rows that nobody has: bool array, shape (n_demands + 1, n_antecedents), or none where nothing is demanded."""
    everything = np.ones((min(1, len(demands)), demands.shape[1]), dtype=bool)
    return np.vstack([everything, ~demands])


def demanding(program: Program, n_demands: int) -> Program:
    """The program with a constraint for each demand, whose patterns end with the rows that count."""
    if not n_demands:
        return program
    more, mass = n_demands + 1, max([1, *program.whole.tolist()])  # no lighter than a row: linear programs are floats
    kinds, none = program.n_kinds + np.arange(more), np.zeros(more, dtype=np.int64)
    nothing = (Fraction(0),) * more
    rows = [Constraint((*c.leave, *nothing), (*c.cover, *nothing), c.bound) for c in program.constraints]
    for r in range(1, more):
        cover = [Fraction(0)] * (program.n_kinds + more)
        cover[program.n_kinds], cover[program.n_kinds + r] = Fraction(-1), Fraction(1)
        rows.append(Constraint((Fraction(0),) * len(cover), tuple(cover), Fraction(-mass)))
    whole = np.append(program.whole, np.full(more, mass, dtype=program.whole.dtype))
    scaled = np.full(more, mass * program.scale if not program.exact else mass).astype(program.mass.dtype)
    return replace(
        program,
        pattern=np.append(program.pattern, program.n_patterns + np.arange(more)),
        kind=np.append(program.kind, kinds),
        whole=whole,
        mass=whole if program.exact else np.append(program.mass, scaled),
        leave=np.append(program.leave, none),
        cover=np.append(program.cover, none),
        constraints=tuple(rows),
        n_patterns=program.n_patterns + more,
    )


def first_to_meet(demands: np.ndarray, pool: Pool) -> tuple[Clause, ...] | None:
    """For each demand the condition of least cost, taken into the pool; None where no condition covers a row."""
    found = []
    for which in demands:
        known = pool.find_all([(int(j),) for j in np.flatnonzero(which)])
        if not known:
            return None
        costs = [pool.program.cost(*pool.measure([k])) for k in known]
        found.append(pool.rules[known[costs.index(min(costs))]])
    return tuple(dict.fromkeys(found))
