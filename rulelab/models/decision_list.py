"""Ordered rules of which the first that applies decides: what rule lists and falling ones share, and rule lists."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import pandas as pd

from ..arguments import ModelError
from ..data.metrics import Confusion
from ..data.problem import Problem
from ..shown import digits
from . import serialisation, text
from .base import Model, Saved, column_of, indices, weights_of
from .rule import DEFAULT, Branch, Literal, Rule, conjunction, literal_of
from .tables import satisfied

_NEARLY = 1e-9
Counts = tuple[int | float, int | float]
"""Weights of positives and of negatives."""


class Ordered(Saved):
    """Rules in order, the first that a row satisfies decides, of two classes or of several."""

    default: Any

    @property
    def complexity(self) -> int:
        return len(self.rules)

    @property
    def n_conditions(self) -> int:
        """Conditions of all rules without the default; an antecedent whose conditions are not known counts as one."""
        return sum(1 if rule.conditions is None else len(rule.conditions) for rule in self.rules)

    @property
    def errors(self) -> int | float:
        """Training errors, a count or a weight."""
        return sum(rule.errors for rule in (*self.rules, self.default))

    @property
    def weight(self) -> int | float:
        """Total weight of the training rows."""
        return sum(rule.captured for rule in (*self.rules, self.default))

    @property
    def antecedents(self) -> tuple[int, ...]:
        """Indices of the rules' antecedents, in order."""
        return tuple(rule.antecedent for rule in self.rules)

    def fired(self, A: Any) -> np.ndarray:
        """Which rule decides each row.

        Parameters
        ----------
        A : array or DataFrame
            As for `predict`.

        Returns
        -------
        int array, shape (n_rows,)
            Index into ``rules``; ``len(rules)`` for the default.
        """
        hits = satisfied(A, self.rules, self.n_antecedents)
        out = np.full(len(hits), len(self.rules), dtype=np.intp)
        for j in reversed(range(len(self.rules))):
            out[hits[:, j]] = j
        return out

    def explain(self, A: Any) -> pd.DataFrame:
        """Say for each row which rule decides it.

        Parameters
        ----------
        A : array or DataFrame
            As for `predict`.

        Returns
        -------
        DataFrame
            One row per row of ``A`` (with its index): ``rule`` (index into ``rules``, ``len(rules)`` for the default),
            ``because`` (the rule's name, ``default`` for the default), ``prediction``, ``probability`` of the positive
            class, or of several of the predicted one.
        """
        fired = self.fired(A)
        every = (*self.rules, self.default)
        because = [*(rule.name for rule in self.rules), "default"]
        return pd.DataFrame(
            {
                "rule": fired,
                "because": np.array(because, dtype=object)[fired],
                "prediction": np.asarray([rule.prediction for rule in every])[fired],
                "probability": np.array([rule.probability for rule in every])[fired],
            },
            index=A.index if isinstance(A, pd.DataFrame) else None,
        )

    def to_text(self, target: str | None = None) -> str:
        return text.list_as_text(self.rules, self.default, target)

    def _table(self, names: Sequence[str], counts: Sequence[Sequence[Any]]) -> pd.DataFrame:
        """The rules, with what they are and columns of counts."""
        every = (*self.rules, self.default)
        sizes = [0 if rule.antecedent is None else len(rule.conditions or (rule.name,)) for rule in every]
        rows = [
            (rule.name, size, rule.prediction, rule.probability, *own)
            for rule, size, own in zip(every, sizes, counts, strict=True)
        ]
        return pd.DataFrame(rows, columns=["rule", "conditions", "prediction", "probability", *names])

    @abc.abstractmethod
    def _decided(self) -> Iterable[Branch]:
        """What each rule, and at last the default, says, without what it asks for."""

    def branches(self) -> tuple[tuple[Branch, ...], Branch]:
        *said, default = self._decided()
        tests = [((conjunction(rule.name, rule.conditions),),) for rule in self.rules]
        return tuple(replace(each, test=test) for each, test in zip(said, tests, strict=True)), default

    def _body(self) -> dict[str, Any]:
        return {**super()._body(), "default": self.default.to_dict()}


@dataclass(frozen=True, repr=False)
class DecisionList(Ordered, Model):
    """Rules in order, and a default for the rows that satisfy none of them.

    Attributes
    ----------
    provenance : Provenance or None
        What was proven of it when its search was left; two models are equal whatever that was.
    """

    rules: tuple[Rule, ...]
    default: Rule
    classes: tuple[Any, ...]
    n_antecedents: int
    provenance: serialisation.Provenance | None = field(default=None, compare=False, kw_only=True)

    def __repr__(self) -> str:
        rules = "1 rule" if len(self) == 1 else f"{len(self)} rules"
        return f"{type(self).__name__}({rules}, {digits(self.errors)} errors in {digits(self.weight)})"

    def _repr_html_(self) -> str:
        return text.list_as_html(self.rules, self.default)

    @property
    def antecedent_names(self) -> tuple[str, ...]:
        """Names of the rules' antecedents, in order."""
        return tuple(rule.name for rule in self.rules)

    def predicts_positive(self, A: Any) -> np.ndarray:
        positive = [rule.prediction == self.classes[-1] for rule in (*self.rules, self.default)]
        return np.array(positive, dtype=bool)[self.fired(A)]

    def predict_proba(self, A: Any) -> np.ndarray:
        """Proportion of each class among what the deciding rule captured in training.

        Parameters
        ----------
        A : array or DataFrame
            As for `predict`.

        Returns
        -------
        float array, shape (n_rows, len(classes))
            Columns in the order of ``classes``.
        """
        positive = np.array([rule.probability for rule in (*self.rules, self.default)])[self.fired(A)]
        return np.column_stack([1 - positive, positive])[:, -len(self.classes) :]

    def relabelled(self, classes: tuple[Any, Any]) -> Self:
        new = dict(zip(self.classes[::-1], classes[::-1], strict=False))
        rules = [replace(rule, prediction=new[rule.prediction]) for rule in (*self.rules, self.default)]
        return replace(self, rules=tuple(rules[:-1]), default=rules[-1], classes=tuple(classes))

    def to_frame(self) -> pd.DataFrame:
        """The rules as a table, the default last.

        Returns
        -------
        DataFrame
            rule (empty for the default), conditions (their number), prediction, probability, positives, negatives and
            correct as of `Rule`.
        """
        names = ("positives", "negatives", "correct")
        return self._table(names, [[getattr(rule, name) for name in names] for rule in (*self.rules, self.default)])

    def _decided(self) -> Iterable[Branch]:
        for rule in (*self.rules, self.default):
            yield Branch.of_two(rule.prediction, rule.probability, rule.negatives, rule.positives, len(self.classes))

    @classmethod
    def _from_body(cls, data: dict[str, Any]) -> Self:
        return cls(**cls._read(data))

    @staticmethod
    def _read(data: dict[str, Any]) -> dict[str, Any]:
        """The fields that all lists have; raises ModelError."""
        classes = serialisation.read_classes(data)
        m = serialisation.read_width(data)
        return {
            "rules": tuple(
                Rule.from_dict(item, where, classes, m, default=False)
                for where, item in serialisation.read_items(data, "rules")
            ),
            "default": Rule.from_dict(serialisation.read(data, "default", dict), "default", classes, m, default=True),
            "classes": classes,
            "n_antecedents": m,
        }


class Captured(NamedTuple):
    """What one rule of a list (or its default) is the first to capture, and what is left when it is reached."""

    literal: Literal
    counts: Counts
    left: Counts
    mostly_positive: bool

    @classmethod
    def by_default(cls, positives: int | float, negatives: int | float) -> Self:
        """By the default of a list without rules."""
        counts = (positives, negatives)
        return cls(DEFAULT, counts, counts, positives > negatives)

    def rule(self, classes: Sequence[Any], positive: bool, probability: float) -> Rule:
        """The rule that predicts so."""
        p, n = self.counts
        label, correct = (classes[-1], p) if positive else (classes[0], n)
        of = self.literal
        return Rule(of.antecedent, of.name, of.conditions, label, p, n, correct, probability)


def capture(problem: Problem, antecedents: Sequence[int | str]) -> Iterator[Captured]:
    """Let the antecedents capture patterns in order; the default comes last. Raises ModelError."""
    free = np.ones(problem.n_patterns, dtype=bool)
    left = (problem.total_positive, problem.total_negative)
    for j in indices(antecedents, problem.names):
        hit = free & column_of(problem, j)
        counts = weights_of(problem, hit)
        yield Captured(literal_of(problem, j), counts, left, _mostly_positive(problem, hit, counts))
        free &= ~hit
        left = weights_of(problem, free)
    yield Captured(DEFAULT, left, left, _mostly_positive(problem, free, left))


def _mostly_positive(problem: Problem, patterns: np.ndarray, counts: Counts) -> bool:
    """Which class weighs more, also where sums of weights that are no whole numbers round to the same."""
    p, n = counts
    if problem.integral or abs(p - n) > _NEARLY * (p + n):
        return p > n
    masses = problem.masses
    return sum(masses.positives[patterns].tolist()) > sum(masses.negatives[patterns].tolist())


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
        The two labels, the positive one last; only one label when the training data had no other.
    n_antecedents : int
        Of the problem that it was made from: the width of the arrays that `predict` takes.

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
        return cls(rules=tuple(rules), default=default, classes=problem.classes, n_antecedents=problem.n_antecedents)

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
