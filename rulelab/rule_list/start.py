"""Rule lists by their antecedents: what a search begins with, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ..arguments import ParameterError, Text
from ..data.problem import Problem
from ..models import RuleList
from ..models.base import column_of
from ..snapshot import Incumbent
from .costs import Costs


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


def incumbent_of(
    problem: Problem, antecedents: Sequence[int], regularization: float, found_at: tuple[float, int]
) -> Incumbent:
    """The list of these antecedents of the problem, as snapshots show it."""
    model = RuleList.from_problem(problem, antecedents)
    return Incumbent(
        model=model,
        objective=model.objective(regularization),
        errors=model.errors,
        complexity=model.complexity,
        found_at=found_at,
    )


def first_captures(
    problem: Problem, antecedents: Sequence[int], columns: Mapping[int, np.ndarray] | None = None
) -> Iterator[np.ndarray]:
    """Which patterns each rule of a list, and at last the default, is the first to capture: bool arrays.

    ``columns``: those of antecedents of which many lists are made, that they need not be unpacked each time.
    """
    known, left = columns or {}, np.ones(problem.n_patterns, dtype=bool)
    for antecedent in antecedents:
        holds = known[antecedent] if antecedent in known else column_of(problem, antecedent)
        yield left & holds
        left = left & ~holds
    yield left


def cost_of(antecedents: Sequence[int], problem: Problem, costs: Costs) -> int:
    """Cost of a list on the grid, counted on the problem's patterns."""
    hits = first_captures(problem, antecedents)
    wrong = sum(min(int(costs.positives[hit].sum()), int(costs.negatives[hit].sum())) for hit in hits)
    return costs.per_error * wrong + costs.per_rule * len(antecedents)


def labels_of(model: RuleList) -> list[int]:
    """Whether each rule of a list, and its default, predicts the positive class."""
    return [int(rule.prediction == model.classes[-1]) for rule in (*model.rules, model.default)]
