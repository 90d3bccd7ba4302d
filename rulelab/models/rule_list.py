"""Rule lists: each rule, and the default, predicts the majority of what it captures, or a label of choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..data.metrics import Confusion
from ..data.problem import Problem
from .decision_list import Captured, Counts, DecisionList, capture
from .errors import ModelError
from .rule import Rule


def rule_list_objective(errors: int | float, weight: int | float, n_rules: int, regularization: float) -> float:
    """Errors / n + regularization * rules (Angelino et al., JMLR 18(234), 2018, section 3.2)."""
    return errors / weight + regularization * n_rules


@dataclass(frozen=True, repr=False)
class RuleList(DecisionList):
    """An ordered list of rules; the first that a row satisfies decides.

    Build one from the antecedents' indices with `from_problem`.

    Attributes
    ----------
    rules : tuple of Rule
        In order.
    default : Rule
        For the rows that satisfy none of them.
    classes : tuple
        The two labels, the positive one last.
    n_antecedents : int
        Of the problem that it was made from.

    Notes
    -----
    A tie between the classes is labelled negative. A rule that captures nothing takes its label and probability from
    the training rows that are left when it is reached, or from all of them when none is left.
    """

    family: ClassVar[str] = "rule_list"

    @classmethod
    def from_problem(
        cls, problem: Problem, antecedents: Sequence[int | str], labels: Sequence[int] | None = None
    ) -> RuleList:
        """The list of these antecedents with its exact training counts.

        Parameters
        ----------
        problem : Problem
        antecedents : sequence of int or str
            Indices or names of antecedents, in order; may be empty.
        labels : sequence of 0 or 1, optional
            What each rule, and at last the default, predicts: the index of a class. By default the majority.

        Raises
        ------
        ModelError
            When there is no such antecedent.
        """
        total = (problem.total_positive, problem.total_negative)
        chosen = [None] * (len(antecedents) + 1) if labels is None else labels
        if len(chosen) != len(antecedents) + 1:
            raise ModelError(f"there are {len(chosen)} labels for {len(antecedents)} rules and the default")
        captured = zip(capture(problem, antecedents), chosen, strict=True)
        *rules, default = (_rule(problem, c, total, label) for c, label in captured)
        return cls(
            rules=tuple(rules),
            default=default,
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
        default = Captured.by_default(positives, negatives).rule(classes, positive, positives / (positives + negatives))
        return cls(rules=(), default=default, classes=tuple(classes), n_antecedents=0)

    def objective(self, regularization: float) -> float:
        """The objective on the training rows.

        Parameters
        ----------
        regularization : float
            Cost of a rule.
        """
        return rule_list_objective(self.errors, self.weight, len(self.rules), regularization)

    def _objective(self, counted: Confusion, regularization: float) -> float:
        return rule_list_objective(counted.errors, counted.weight, len(self.rules), regularization)


def _rule(problem: Problem, captured: Captured, total: Counts, label: int | None) -> Rule:
    p, n = next(counts for counts in (captured.counts, captured.left, total) if sum(counts) > 0)
    most = captured.mostly_positive if sum(captured.counts) > 0 else p > n
    positive = most if label is None else bool(label)
    return captured.rule(problem.classes, positive, p / (p + n))
