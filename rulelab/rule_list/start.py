"""Lists that searches begin with."""

from __future__ import annotations

from collections.abc import Sequence

from ..arguments import short
from ..data.problem import Problem
from ..models import RuleList


def antecedents_of(start: RuleList | Sequence[int], problem: Problem) -> tuple[int, ...]:
    """Indices of a warm start's antecedents in this problem."""
    if isinstance(start, RuleList):
        index = {name: j for j, name in enumerate(problem.names)}
        unknown = [name for name in start.antecedent_names if name not in index]
        if unknown:
            raise ValueError(f"warm_start uses antecedents that the problem does not have, such as {unknown[0]!r}")
        return tuple(index[name] for name in start.antecedent_names)
    try:
        antecedents = tuple(map(int, start))
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"warm_start must be a RuleList or indices of antecedents, not {short(start)}") from None
    if any(not 0 <= j < problem.n_antecedents for j in antecedents):
        raise ValueError(f"warm_start must hold indices below {problem.n_antecedents}, not {list(antecedents)}")
    return antecedents
