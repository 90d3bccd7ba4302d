"""Falling rule lists: the probability of the positive class falls from rule to rule."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from ..arguments import ModelError
from ..data.exact_weights import in_units
from ..data.metrics import Confusion, wilson_interval
from ..data.problem import Problem
from . import serialisation, text
from .decision_list import Captured, Counts, DecisionList, capture
from .rule import Rule

_PROBABILITY_TOLERANCE = 1e-12  # of saved probabilities, which other programs may have printed
ROUNDING = 1e-9
"""Of proportions of weights that are no integers: a rise by no more is none."""


@dataclass(frozen=True, repr=False)
class FallingRuleList(DecisionList):
    """An ordered list of rules for the largest risk first; the first that a row satisfies decides.

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
    positive_weight : float
        Cost of a missed positive, where a false alarm costs 1. A rule predicts the positive class when the proportion
        of positives that it captured in training is above ``threshold``.
    violation_penalty : float or None
        Cost of a proportion that rises by 1, of a softly falling list; None for a list that must fall.

    Notes
    -----
    Chen and Rudin, "An optimization approach to learning falling rule lists", AISTATS 2018. A rule of a softly
    falling list predicts by its own proportion, as in training; its ``probability`` is the least proportion of the
    rules up to it (section 5), so that the probabilities fall.

    A rule that captures nothing takes the proportion of the training rows that are left when it is reached, which
    keeps a falling list falling; where none is left, the least proportion above it.
    """

    positive_weight: float
    violation_penalty: float | None

    family: ClassVar[str] = "falling_rule_list"

    @classmethod
    def from_problem(
        cls,
        problem: Problem,
        antecedents: Sequence[int | str],
        positive_weight: float = 1.0,
        violation_penalty: float | None = None,
    ) -> Self:
        """The list of these antecedents with its exact training counts.

        Parameters
        ----------
        problem : Problem
        antecedents : sequence of int or str
            Indices or names of antecedents, in order; may be empty.
        positive_weight : float
            Above 0.
        violation_penalty : float, optional
            At least 0; makes the list softly falling.

        Raises
        ------
        ModelError
            When there is no such antecedent, or a parameter is out of range.
        """
        found = list(capture(problem, antecedents))
        return cls._build(found, problem.classes, problem.n_antecedents, positive_weight, violation_penalty)

    @classmethod
    def without_rules(
        cls,
        classes: Sequence[Any],
        positives: int | float,
        negatives: int | float,
        positive_weight: float = 1.0,
        violation_penalty: float | None = None,
    ) -> Self:
        """The list that is only its default, where no problem can be made: no antecedents, or a single class.

        Parameters
        ----------
        classes : sequence of two labels, or of one
        positives, negatives : int or float
            Training weight of the last and of the other label.
        positive_weight, violation_penalty : float
            As for `from_problem`.
        """
        default = Captured.by_default(positives, negatives)
        return cls._build([default], tuple(classes), 0, positive_weight, violation_penalty)

    @classmethod
    def _build(
        cls,
        found: Sequence[Captured],
        classes: tuple[Any, ...],
        n_antecedents: int,
        positive_weight: Any,
        violation_penalty: Any,
    ) -> Self:
        weight = _parameter("positive_weight", positive_weight)
        penalty = None if violation_penalty is None else _parameter("violation_penalty", violation_penalty)
        if not weight > 0:
            raise ModelError(f"positive_weight must be a number above 0, not {positive_weight!r}")
        counts = [c.counts for c in found]
        if not any(map(sum, counts)):
            raise ModelError("a falling rule list needs training rows: its rules and its default captured nothing")
        rules, lowest = [], Fraction(1)
        for one, proportion in zip(found, _proportions(counts), strict=True):
            lowest = min(lowest, proportion)
            positive = proportion * (1 + _exact(weight)) > 1 or len(classes) == 1
            rules.append(one.rule(classes, positive, float(proportion if penalty is None else lowest)))
        return cls(tuple(rules[:-1]), rules[-1], classes, n_antecedents, weight, penalty)

    @property
    def threshold(self) -> float:
        """The proportion above which a rule predicts the positive class: 1 / (1 + positive_weight), Thm 2.8."""
        return float(1 / (1 + _exact(self.positive_weight)))

    @property
    def proportions(self) -> tuple[float, ...]:
        """Proportion of positives among what each rule, and the default, captured in training."""
        return tuple(map(float, _proportions(self._counts)))

    @property
    def lowered(self) -> tuple[bool, ...]:
        """Where the softened probability differs from the proportion: for each rule, and the default."""
        every = (*self.rules, self.default)
        return tuple(rule.probability < own for rule, own in zip(every, self.proportions, strict=True))

    @property
    def falls(self) -> bool:
        """Whether no proportion is above the one before, up to rounding where weights are not integers.

        Rules that captured nothing do not count.
        """
        counted = all(isinstance(weight, int) for counts in self._counts for weight in counts)
        return self.rise <= (0 if counted else ROUNDING)

    def objective(self, regularization: float) -> float:
        """The objective on the training rows, summed exactly and rounded once.

        L of Definition 2.7 and Program 2.9, for a softly falling list that of Program 5.1.

        Parameters
        ----------
        regularization : float
            Cost of a rule.
        """
        return float(self.exact_objective(regularization))

    def exact_objective(self, regularization: float) -> Fraction:
        """As `objective`, without rounding; parameters stand for the decimal numbers that they print as.

        Parameters
        ----------
        regularization : float
            Cost of a rule.
        """
        w = _exact(self.positive_weight)
        counts = _exactly(self._counts)
        return self._add(sum(min(w * p, q) for p, q in counts), sum(p + q for p, q in counts), regularization)

    def _objective(self, counted: Confusion, regularization: float) -> float:
        """The weighted loss on the given rows; the penalty is that of the proportions in training."""
        missed = _exact(self.positive_weight) * Fraction(counted.false_negative)
        loss = missed + Fraction(counted.false_positive)
        return float(self._add(loss, Fraction(counted.weight), regularization))

    def _add(self, loss: Fraction | int, weight: Fraction | int, regularization: float) -> Fraction:
        soft = 0 if self.violation_penalty is None else _exact(self.violation_penalty) * self.rise
        return Fraction(loss) / weight + _exact(regularization) * len(self.rules) + soft

    @property
    def _counts(self) -> list[Counts]:
        return [(rule.positives, rule.negatives) for rule in (*self.rules, self.default)]

    @property
    def rise(self) -> Fraction:
        """By how much proportions rise above the least one before them, in all."""
        return rise_of(_exactly(self._counts))

    def explain(self, A: Any) -> pd.DataFrame:
        """Say for each row which rule decides it.

        Parameters
        ----------
        A : array or DataFrame
            As for `predict`.

        Returns
        -------
        DataFrame
            As for other lists, with one more column: ``proportion``, by which the rule predicts. It is above
            ``probability`` where a softly falling list was lowered.
        """
        explained = super().explain(A)
        return explained.assign(proportion=np.array(self.proportions)[explained["rule"].to_numpy()])

    def strata(self, confidence: float = 0.95, effective: float | None = None) -> pd.DataFrame:
        """The risk groups that the rules make of the training rows.

        Parameters
        ----------
        confidence : float
            Of the intervals.
        effective : float, optional
            As how many rows the weighted training rows count for the intervals, such as (sum w)^2 / sum w^2; by default
            weights are counts.

        Returns
        -------
        DataFrame
            One row per rule and one for the default: ``name`` (``default`` for the default), ``probability``,
            ``proportion`` with its Wilson interval from ``low`` to ``high``, ``share`` (of the training weight),
            ``positives``, ``negatives``, ``captured``, ``prediction``.

        Raises
        ------
        ValueError
            When the confidence is not between 0 and 1.
        """
        every = (*self.rules, self.default)
        captured = [rule.captured for rule in every]
        scale = 1.0 if effective is None else effective / self.weight
        successes, trials = [scale * rule.positives for rule in every], [scale * n for n in captured]
        low, high = wilson_interval(successes, trials, confidence)
        return pd.DataFrame(
            {
                "name": [*self.antecedent_names, "default"],
                "probability": [rule.probability for rule in every],
                "proportion": self.proportions,
                "low": low,
                "high": high,
                "share": [c / self.weight for c in captured],
                "positives": [rule.positives for rule in every],
                "negatives": [rule.negatives for rule in every],
                "captured": captured,
                "prediction": [rule.prediction for rule in every],
            },
            index=pd.RangeIndex(len(every), name="rule"),
        )

    def to_text(self, target: str | None = None) -> str:
        return text.falling_as_text(self.rules, self.default, self._own(), self.classes[-1], target)

    def _repr_html_(self) -> str:
        return text.falling_as_html(self.rules, self.default, self._own(), self.classes[-1])

    def _own(self) -> tuple[float | None, ...]:
        """The proportions where they differ from the probabilities."""
        return tuple(own if low else None for own, low in zip(self.proportions, self.lowered, strict=True))

    def _body(self) -> dict[str, Any]:
        return {"positive_weight": self.positive_weight, "violation_penalty": self.violation_penalty, **super()._body()}

    @classmethod
    def _from_body(cls, data: dict[str, Any]) -> Self:
        weight = serialisation.read(data, "positive_weight", (int, float))
        penalty = serialisation.read(data, "violation_penalty", (int, float, type(None)))
        read = cls._read(data)
        saved: list[Rule] = [*read["rules"], read["default"]]
        found = [Captured(r, (r.positives, r.negatives), (0, 0), r.positives > r.negatives) for r in saved]
        model = cls._build(found, read["classes"], read["n_antecedents"], weight, penalty)
        for k, (rule, given) in enumerate(zip((*model.rules, model.default), saved, strict=True)):
            where = f"rules[{k}]" if k < len(model.rules) else "default"
            if given.prediction != rule.prediction:
                raise ModelError(
                    f"'{where}.prediction' of the saved model is {given.prediction!r}, but by its counts and the "
                    f"positive weight {model.positive_weight:g} it must be {rule.prediction!r}"
                )
            if not math.isclose(given.probability, rule.probability, rel_tol=0, abs_tol=_PROBABILITY_TOLERANCE):
                raise ModelError(
                    f"'{where}.probability' of the saved model is {given.probability}, but its counts make it "
                    f"{rule.probability}"
                )
        return model


def rise_of(counts: Iterable[tuple[int | Fraction, int | Fraction]]) -> Fraction:
    """By how much proportions of positives rise above the least one before them, in all."""
    rise, lowest = Fraction(0), Fraction(1)
    for p, q in counts:
        if p + q > 0:
            proportion = Fraction(p, p + q)
            rise += max(Fraction(0), proportion - lowest)
            lowest = min(lowest, proportion)
    return rise


def _proportions(counts: Sequence[Counts]) -> list[Fraction]:
    """The proportion of positives of each rule and of the default; see the notes of the class for empty ones."""
    out: list[Fraction] = []
    exactly = _exactly(counts)
    for k, (p, q) in enumerate(exactly):
        if p + q > 0:
            out.append(p / (p + q))
            continue
        left_p, left_q = (sum((each[side] for each in exactly[k:]), Fraction(0)) for side in range(2))
        out.append(left_p / (left_p + left_q) if left_p + left_q > 0 else min(out))
    return out


def _exactly(counts: Sequence[Counts]) -> list[tuple[Fraction, Fraction]]:
    """Weights as they were given, all read together."""
    (units,), unit = in_units([np.array(counts)])
    return [(int(p) * unit, int(q) * unit) for p, q in units.tolist()]


def _exact(parameter: float) -> Fraction:
    """The decimal number that a parameter prints as."""
    return Fraction(repr(float(parameter)))


def _parameter(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and number >= 0):
        raise ModelError(f"{name} must be a finite number that is not negative, not {value!r}")
    return number
