"""What `RuleSetSearch` accepts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..arguments import ParameterError, Text, is_number, is_whole, require
from ..data.fairness import Criterion
from ..data.problem import Problem
from ..models import RuleSet
from .program import FORMS, LOSSES

MOST_COMPLEXITY = 10_000
"""Beyond it linear programs lose their precision."""


def check(
    problem: Any,
    max_complexity: Any,
    max_conditions: Any,
    loss: Any,
    form: Any,
    fairness: Any,
    min_group_size: Any,
    regularization: Any,
    column_limit: Any,
    memory_limit: Any,
    random_state: Any,
) -> None:
    """ValueError with what is allowed, for the first argument that is out of range."""
    whole = "an integer >= {}"
    require(
        ("problem", problem, isinstance(problem, Problem), "a rulelab.Problem"),
        (
            "max_complexity",
            max_complexity,
            is_whole(max_complexity, 2) and max_complexity <= MOST_COMPLEXITY,
            f"an integer from 2 to {MOST_COMPLEXITY}",
        ),
        ("max_conditions", max_conditions, max_conditions is None or is_whole(max_conditions, 1), whole.format(1)),
        ("loss", loss, isinstance(loss, str) and loss in LOSSES, f"one of {', '.join(LOSSES)}"),
        ("form", form, isinstance(form, str) and form in FORMS, f"one of {', '.join(FORMS)}"),
        (
            "fairness",
            fairness,
            fairness is None or isinstance(fairness, Criterion),
            "a criterion such as rulelab.EqualOpportunity(0.05), or None",
        ),
        ("min_group_size", min_group_size, is_whole(min_group_size, 0), whole.format(0)),
        ("regularization", regularization, is_number(regularization) and regularization >= 0, "a number >= 0"),
        ("column_limit", column_limit, is_whole(column_limit, 1), whole.format(1)),
        ("memory_limit", memory_limit, memory_limit is None or is_whole(memory_limit, 1), "bytes > 0 or None"),
        ("random_state", random_state, random_state is None or is_whole(random_state, 0), "an integer or None"),
    )


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
