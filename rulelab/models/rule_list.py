"""Rule lists: each rule, and the default, predicts the majority of what it captures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..problem import Problem
from .decision_list import DecisionList
from .errors import ModelError
from .rule import Rule


def rule_list_objective(errors: int | float, weight: int | float, n_rules: int, regularization: float) -> float:
    """Errors / n + regularization * rules (Angelino et al., JMLR 18(234), 2018, section 3.2)."""
    return errors / weight + regularization * n_rules


@dataclass(frozen=True, repr=False)
class RuleList(DecisionList):
    """An ordered list of rules; the first that a row satisfies decides.

    Build one from the antecedents' indices with `from_problem`.

    Notes
    -----
    A tie between the classes is labelled negative. A rule that captures nothing takes its label and probability from
    the training rows that are left when it is reached, or from all of them when none is left.
    """

    family: ClassVar[str] = "rule_list"

    @classmethod
    def from_problem(cls, problem: Problem, antecedents: Sequence[int]) -> RuleList:
        """The list of these antecedents with its exact training counts.

        Parameters
        ----------
        problem : Problem
        antecedents : sequence of int
            Indices of antecedents, in order; may be empty.

        Raises
        ------
        ModelError
            When an index is out of range.
        """
        free = np.ones(problem.n_patterns, dtype=bool)
        left = total = (problem.total_positive, problem.total_negative)
        rules = []
        for j in map(int, antecedents):
            if not 0 <= j < problem.n_antecedents:
                raise ModelError(f"there is no antecedent {j}; the problem has {problem.n_antecedents}")
            hit = free & (problem.words[:, j >> 6] >> np.uint64(j & 63) & np.uint64(1)).astype(bool)
            captured = _counts(problem, hit)
            rules.append(_rule(problem, j, captured, left, total))
            free &= ~hit
            left = _counts(problem, free)
        return cls(
            rules=tuple(rules),
            default=_rule(problem, None, left, left, total),
            classes=problem.classes,
            n_antecedents=problem.n_antecedents,
        )

    @classmethod
    def without_rules(cls, classes: Sequence[Any], positives: int | float, negatives: int | float) -> RuleList:
        """The list that is only its default, where no problem can be made: no antecedents, or a single class.

        Parameters
        ----------
        classes : sequence of two labels, or of one
        positives, negatives : int or float
            Training weight of the last and of the other label.
        """
        positive = positives > negatives or len(classes) == 1
        default = Rule(
            antecedent=None,
            name="",
            conditions=None,
            prediction=classes[-1] if positive else classes[0],
            positives=positives,
            negatives=negatives,
            correct=positives if positive else negatives,
            probability=positives / (positives + negatives),
        )
        return cls(rules=(), default=default, classes=tuple(classes), n_antecedents=0)

    def objective(self, regularization: float) -> float:
        """The objective on the training rows."""
        return self._objective(self.errors, self.weight, regularization)

    def _objective(self, errors: int | float, weight: int | float, regularization: float) -> float:
        return rule_list_objective(errors, weight, len(self.rules), regularization)


Counts = tuple[int | float, int | float]


def _counts(problem: Problem, patterns: np.ndarray) -> Counts:
    return problem.positives[patterns].sum().item(), problem.negatives[patterns].sum().item()


def _rule(problem: Problem, antecedent: int | None, captured: Counts, left: Counts, total: Counts) -> Rule:
    positives, negatives = captured
    p, n = next(counts for counts in (captured, left, total) if sum(counts) > 0)
    conditions: Any = None
    if antecedent is not None and problem.conditions is not None:
        conditions = problem.conditions[antecedent]
    return Rule(
        antecedent=antecedent,
        name="" if antecedent is None else problem.names[antecedent],
        conditions=conditions,
        prediction=problem.classes[1] if p > n else problem.classes[0],
        positives=positives,
        negatives=negatives,
        correct=positives if p > n else negatives,
        probability=p / (p + n),
    )
