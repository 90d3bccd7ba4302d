"""What `RuleSetSearch` accepts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..arguments import ParameterError, Text, check_arguments, check_choice, is_whole, require
from ..data.problem import Problem
from ..models import RuleSet
from .program import FORMS, LOSSES

MOST_COMPLEXITY = 10_000
"""Beyond it linear programs lose their precision."""


def check(loss: Any, form: Any, max_complexity: Any, **others: Any) -> None:
    """Refuse the first argument that is out of range. Raises ParameterError."""
    fits = is_whole(max_complexity, 2) and max_complexity <= MOST_COMPLEXITY
    require(("max_complexity", max_complexity, fits, f"an integer from 2 to {MOST_COMPLEXITY}"))
    check_choice("loss", loss, LOSSES)
    check_choice("form", form, FORMS)
    check_arguments(**others)


def clauses_of(start: Any, problem: Problem, form: str) -> tuple[tuple[int, ...], ...]:
    """The rules of a warm start as ascending antecedents of this problem.

    Raises
    ------
    ValueError
        For another form, an antecedent that the problem does not have, and a rule without conditions.
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


def refuse_twins(clauses: Sequence[Sequence[int]], problem: Problem, form: str) -> None:
    """ValueError for rules of a warm start that cover the same rows: under fairness, a set without one is another."""
    holds = problem.matrix() if form == "dnf" else ~problem.matrix()
    seen: dict[bytes, int] = {}
    for k, clause in enumerate(clauses, start=1):
        covers = holds[:, list(clause)].all(axis=1)
        first = seen.setdefault(covers.tobytes(), k)
        if first < k and covers.any():
            text = Text(
                "{warm_start}: rules {} and {} cover the same rows, and searches under fairness with the Hamming "
                "loss are over sets of rules that cover different rows; leave one of them out",
                *(first, k),
            )
            raise ParameterError("warm_start", clauses, "rules that cover different rows", text)
