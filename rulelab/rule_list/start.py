"""Lists that searches begin with."""

from __future__ import annotations

from collections.abc import Sequence

from ..arguments import ParameterError, Text
from ..data.problem import Problem
from ..models import RuleList


def antecedents_of(start: RuleList | Sequence[int], problem: Problem) -> tuple[int, ...]:
    """Indices of a warm start's antecedents in this problem."""
    if isinstance(start, RuleList):
        index = {name: j for j, name in enumerate(problem.names)}
        unknown = [name for name in start.antecedent_names if name not in index]
        if unknown:
            text = Text("{warm_start} uses antecedents that the problem does not have, such as {!r}", unknown[0])
            raise ParameterError("warm_start", start, "of antecedents of the problem", text)
        return tuple(index[name] for name in start.antecedent_names)
    try:
        antecedents = tuple(map(int, start))
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("warm_start", start, "a RuleList or indices of antecedents") from None
    if any(not 0 <= j < problem.n_antecedents for j in antecedents):
        wanted = f"indices below {problem.n_antecedents}"
        text = Text("{warm_start} must hold {}, not {}", wanted, list(antecedents))
        raise ParameterError("warm_start", start, wanted, text)
    return antecedents
