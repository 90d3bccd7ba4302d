"""What a set must use, and how much of a column it may, as constraints of the integer program: rows that nobody has.

A row that has all conditions is covered by every rule, and one that has all but some of them by every rule that does
not use those. The rules that use them are those that cover the first row and not the second, so that

    times that the second is covered <= times that the first is covered - 1

says that there is one, and, over the conditions on a column, each with a row that has all but this one,

    sum of the times that the first is covered and theirs is not <= k

that at most k of them are used. Bounds, pricing and branching treat it as they treat a fairness constraint. A rule that
covers no training row uses nothing: it is none of the rules that a set is made of.

The other arguments of a search for rule sets are checked here, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..arguments import ParameterError, Text, check_choice
from ..data.naming import as_names, limits_of, refuse_left_out, used_by, uses_of
from ..data.problem import Problem
from ..models import RuleSet
from ..parameters import check_arguments
from .pool import Clause, Pool
from .program import FORMS, LOSSES, Constraint, Program

_LARGEST = 1 << 62


def check_arguments_of_sets(loss: Any, form: Any, max_complexity: Any, **others: Any) -> None:
    """Refuse the first argument that is out of range. Raises ParameterError."""
    check_arguments(max_complexity=max_complexity)
    check_choice("loss", loss, LOSSES)
    check_choice("form", form, FORMS)
    check_arguments(**others)


def clauses_of(start: Any, problem: Problem, form: str) -> tuple[tuple[int, ...], ...]:
    """The rules of a warm start as ascending antecedents of this problem.

    Raises ValueError for another form, an antecedent that the problem does not have, and a rule without conditions.
    """
    if isinstance(start, RuleSet):
        if start.form != form:
            text = Text("{warm_start} is of the form {!r}, but the search is for {!r}", start.form, form)
            raise ParameterError("warm_start", start, f"of the form {form!r}", text)
        place = {name: j for j, name in enumerate(problem.names)}
        names = [[literal.name for literal in rule.literals] for rule in start.rules]
        unknown = [name for rule in names for name in rule if name not in place]
        if unknown:
            text = Text("{warm_start} uses antecedents that the problem does not have, such as {!r}", unknown[0])
            raise ParameterError("warm_start", start, "of antecedents of the problem", text)
        start = [[place[name] for name in rule] for rule in names]
    try:
        clauses = tuple(tuple(sorted({int(j) for j in rule})) for rule in start)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("warm_start", start, "a RuleSet or rules of indices of antecedents") from None
    m = problem.n_antecedents
    if any(not rule or rule[0] < 0 or rule[-1] >= m for rule in clauses):
        wanted = f"rules of at least one antecedent, all below {m}"
        raise ParameterError("warm_start", start, wanted, Text("{warm_start} must hold {}", wanted))
    return clauses


@dataclass(frozen=True, eq=False)
class Demands:
    """What a set has to obey."""

    meets: np.ndarray
    """bool, shape (n_demands, n_antecedents): which antecedents meet each demand; some rule must have one of them."""
    uses: np.ndarray  # int64, shape (n_limits, n_antecedents): conditions on a column that each antecedent has
    most: np.ndarray  # int64, shape (n_limits,): how many of them a set may have

    def __bool__(self) -> bool:
        return bool(len(self.meets) or len(self.most))

    @property
    def limited(self) -> np.ndarray:
        """The antecedents whose uses are counted: int64 array."""
        return np.flatnonzero(self.uses.any(axis=0))

    @property
    def rows(self) -> np.ndarray:
        """The rows that nobody has: bool array, shape (n, n_antecedents); none where nothing is demanded.

        The first has all antecedents, the next all but those that meet each demand, the last all but one of `limited`.
        """
        m = self.meets.shape[1]
        if not self:
            return np.zeros((0, m), dtype=bool)
        return np.vstack([np.ones((1, m), dtype=bool), ~self.meets, ~np.eye(m, dtype=bool)[self.limited]])

    @property
    def bounds(self) -> list[tuple[list[int], int]]:
        """For each constraint the factors of the times that `rows` are covered, and what they may come to."""
        n, limited = len(self.meets), self.limited
        out = [([-1, *(int(q == r) for q in range(n)), *([0] * len(limited))], -1) for r in range(n)]
        for uses, most in zip(self.uses[:, limited].tolist(), self.most.tolist(), strict=True):
            out.append(([sum(uses), *([0] * n), *(-k for k in uses)], most))
        return out

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """What a certificate holds of them, but for their prices; nothing without demands."""
        if not self:
            return {}
        limits = {"uses": self.uses.astype(np.uint8), "most_uses": self.most} if len(self.most) else {}
        return {"demands": self.meets.astype(np.uint8), **limits}

    def prices(self, program: Program, gamma: np.ndarray, grid: int) -> np.ndarray:
        """The dual values of a certificate, int64: of demands rounded down, of limits up: no rule gains more."""
        own = [any(constraint.cover[-len(self.rows) :]) for constraint in program.constraints]
        values = [Fraction(max(0.0, g)) * grid for g in gamma[own].tolist()]
        n = len(self.meets)
        whole = [*map(math.floor, values[:n]), *map(math.ceil, values[n:])]
        exact = [min(program.denominator * value, _LARGEST) for value in whole]  # larger ones are refused anyway
        return np.array(exact, dtype=np.int64)


def demands_of(problem: Problem, must_use: Any, max_uses: Any) -> Demands:
    """The demands on sets of a problem, see `rulelab.data.naming.users`; ValueError for names that it does not have."""
    wanted = as_names(must_use, "must_use")
    refuse_left_out(wanted, problem.left_out)
    found = used_by(wanted, problem.names, problem.conditions, "must_use")
    limits = limits_of(max_uses)
    return Demands(
        meets=np.array(found, dtype=bool).reshape(len(wanted), problem.n_antecedents),
        uses=uses_of(limits, problem.conditions, problem.n_antecedents),
        most=np.array(list(limits.values()), dtype=np.int64),
    )


def demanding(program: Program, demands: Demands) -> Program:
    """The program with the constraints of the demands, whose patterns end with the rows that count."""
    if not demands:
        return program
    more = len(demands.rows)
    mass = max([1, *program.whole.tolist()])  # no lighter than a row: linear programs are floats
    kinds, none = program.n_kinds + np.arange(more), np.zeros(more, dtype=np.int64)
    nothing = (Fraction(0),) * more
    rows = [Constraint((*c.leave, *nothing), (*c.cover, *nothing), c.bound) for c in program.constraints]
    before = (Fraction(0),) * program.n_kinds
    for factors, bound in demands.bounds:
        times = (Fraction(factor, mass) for factor in factors)
        rows.append(Constraint((*before, *nothing), (*before, *times), Fraction(bound)))
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


def first_to_meet(demands: Demands, pool: Pool) -> tuple[Clause, ...] | None:
    """For each demand the condition of least cost, taken into the pool; None where no condition covers a row."""
    found = []
    for which in demands.meets:
        known = pool.find_all([(int(j),) for j in np.flatnonzero(which)])
        if not known:
            return None
        costs = [pool.program.cost(*pool.measure([k])) for k in known]
        found.append(pool.rules[known[costs.index(min(costs))]])
    return tuple(dict.fromkeys(found))
