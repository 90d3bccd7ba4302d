"""How good a model is on the rows of a card: confusion counts, AUC and loss, rates per group."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import pandas as pd

from ...data.metrics import RATES as _PARTS
from ...data.metrics import Confusion, group_labels, roc_auc, wilson_interval
from ...models import DecisionList, Evaluation, FallingRuleList, Model, MultiClassRuleList, RuleSet
from ..live.class_rows import ClassRows
from .card import Card
from .class_tables import confusions, confusions_of
from .rows import Rows

RATES = {
    "true_positive_rate": "TPR",
    "false_positive_rate": "FPR",
    "selection_rate": "selected",
    "accuracy": "accuracy",
}
"""The rates of a group that a card shows, with their short names."""
_OUTCOMES = (
    ("found", "true_positive"),
    ("missed", "false_negative"),
    ("alarms", "false_positive"),
    ("passed", "true_negative"),
)
_WHY = {
    "accuracy": "there are no rows",
    "true_positive_rate": "there are no positives",
    "precision": "nobody is predicted positive",
    "AUC": "only one class",
}
MAX_GROUPS = 12
"""Attributes with more values are not shown."""


@dataclass(frozen=True)
class Score:
    """What a model gets right on some rows.

    Attributes
    ----------
    counted : Confusion
        Counts, or weights.
    auc : float
        Area under the ROC curve; ``nan`` where it is not defined or not known.
    loss : float
        What the family minimizes besides the size of the model, per row; ``nan`` where it is not known.
    """

    counted: Confusion
    auc: float = math.nan
    loss: float = math.nan

    def rate(self, name: str) -> float:
        """One of `rulelab.data.metrics.RATES`; ``nan`` where no row counts."""
        return self.counted.rate(name)

    def interval(self, name: str) -> tuple[float, float]:
        """The 95 % Wilson interval of the rate."""
        low, high = wilson_interval(*_PARTS[name](self.counted))
        return float(low), float(high)

    def why_not(self, name: str) -> str:
        """Why there is no such rate, or no AUC."""
        return _WHY[name]

    @property
    def outcomes(self) -> Sequence[tuple[str, int | float]]:
        """What becomes of the rows, in words, and how many they are."""
        return [(words, getattr(self.counted, name)) for words, name in _OUTCOMES]


class ClassScore(Score):
    """What a list of several classes gets right: of the rates only accuracy needs no positive class."""

    @classmethod
    def of(cls, found: np.ndarray, unknown: int = 0) -> Self | None:
        """From the weight by class and by what is predicted; None where there are no rows.

        Parameters
        ----------
        found : int array, shape (n_classes, n_classes)
        unknown : int
            Weight of rows of other classes, which are wrong whatever is predicted.
        """
        right, whole = int(np.trace(found)), int(found.sum()) + unknown
        return cls(Confusion(right, whole - right, 0, 0), loss=(whole - right) / whole) if whole else None

    def rate(self, name: str) -> float:
        """The accuracy; ``nan`` for what is of two classes."""
        return super().rate(name) if name == "accuracy" else math.nan

    def why_not(self, name: str) -> str:
        """Why there is no such rate, or no AUC."""
        return "of two classes only"

    @property
    def outcomes(self) -> Sequence[tuple[str, int | float]]:
        """Those that are right, and those that are not."""
        return ("right", self.counted.true_positive), ("wrong", self.counted.false_positive)


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of one model.

    Attributes
    ----------
    training, test : Score or None
    groups : dict of str to DataFrame
        Per sensitive attribute the table of `rulelab.data.metrics.group_rates`.
    on_test : bool
        Whether the groups are of test rows.
    left_out : tuple of str
        Sensitive attributes that are not shown, with the reason.
    free : tuple of two Score or None
        Of the model without the fairness constraint: on the training rows and on the test rows.
    """

    training: Score | None
    test: Score | None = None
    groups: dict[str, pd.DataFrame] = field(default_factory=dict)
    on_test: bool = False
    left_out: tuple[str, ...] = ()
    free: tuple[Score | None, Score | None] = (None, None)


def of_counts(card: Card) -> Scores:
    """What the models of a card themselves remember of their training."""
    if isinstance(card.model, MultiClassRuleList):
        return Scores(ClassScore.of(confusions(card.model)))
    free = card.unconstrained
    return Scores(
        _remembered(card.model, card.loss), free=(None if free is None else _remembered(free, card.loss), None)
    )


def of_card(card: Card, report: Callable[[str], None]) -> Scores:
    """Let the model predict the rows of its card.

    Raises
    ------
    ValueError
        When the data lack the columns of the model's rules.
    """
    if isinstance(card.model, MultiClassRuleList):
        report("predicting the rows")
        return _of_classes(card.model, card.classes)
    if card.rows is None:
        return of_counts(card)
    report("predicting the rows")
    rows, free = card.rows, card.unconstrained
    groups: dict[str, pd.DataFrame] = {}
    left_out: list[str] = []
    sensitive = rows.data.sensitive
    of_groups = rows.training if rows.test is None else rows.test
    for name in [] if sensitive is None else map(str, sensitive.columns):
        labels = group_labels(sensitive[name].iloc[of_groups], len(of_groups))  # type: ignore[index]
        if (values := len(set(labels))) > MAX_GROUPS:
            left_out.append(f"{name} has {values} values, more than {MAX_GROUPS}")
            continue
        report(f"rates by {name}")
        evaluated = _evaluate(card.model, rows, of_groups, labels)
        assert evaluated.groups is not None
        groups[name] = evaluated.groups
    return Scores(
        training=_score(card.model, rows, rows.training, card.loss),
        test=None if rows.test is None else _score(card.model, rows, rows.test, card.loss),
        groups=groups,
        on_test=rows.test is not None,
        left_out=tuple(left_out),
        free=(
            None if free is None else _score(free, rows, rows.training, card.loss),
            None if free is None or rows.test is None else _score(free, rows, rows.test, card.loss),
        ),
    )


def _of_classes(model: MultiClassRuleList, rows: ClassRows | None) -> Scores:
    training = ClassScore.of(confusions(model))
    if rows is None or not len(rows.test):
        return Scores(training)
    weight, found = rows.data.weight_of(rows.test), confusions_of(model, rows)
    whole = len(rows.test) if weight is None else int(weight.sum())
    return Scores(training, ClassScore.of(found, whole - int(found.sum())), on_test=True)


def _remembered(model: Model, loss: str) -> Score | None:
    """Scores on the training rows, from the counts in the model."""
    if isinstance(model, RuleSet):
        t = model.training
        yes, no = model.probabilities
        auc = roc_auc([yes, no], [t.true_positive, t.false_negative], [t.false_positive, t.true_negative])
        hamming = math.nan if loss != "hamming" else model.hamming_loss / model.weight
        return Score(t, auc, _loss(model, t, hamming))
    assert isinstance(model, DecisionList)
    every = (*model.rules, model.default)
    kinds = [[rule for rule in every if (rule.prediction == model.classes[-1]) == said] for said in (True, False)]
    (hits, alarms), (missed, passed) = (
        (sum(rule.positives for rule in kind), sum(rule.negatives for rule in kind)) for kind in kinds
    )
    counted = Confusion(hits, alarms, passed, missed)
    if not counted.weight:
        return None
    p, positives, negatives = zip(*((rule.probability, rule.positives, rule.negatives) for rule in every), strict=True)
    return Score(counted, roc_auc(p, positives, negatives), _loss(model, counted))


def _score(model: Model, rows: Rows, at: np.ndarray, loss: str) -> Score:
    evaluated = _evaluate(model, rows, at, loss=loss)
    weight = np.ones(len(at)) if rows.weight is None else rows.weight[at]
    positive = rows.data.y.iloc[at].to_numpy() == 1
    likely = model.predict_proba(rows.data.X.iloc[at])[:, -1]
    counted = evaluated.confusion
    hamming = math.nan if evaluated.objective is None else evaluated.objective / counted.weight
    return Score(counted, roc_auc(likely, weight * positive, weight * ~positive), _loss(model, counted, hamming))


def _loss(model: Model, counted: Confusion, hamming: float = math.nan) -> float:
    if isinstance(model, FallingRuleList):
        return (model.positive_weight * counted.false_negative + counted.false_positive) / counted.weight
    return counted.errors / counted.weight if math.isnan(hamming) else hamming


def _evaluate(model: Model, rows: Rows, at: np.ndarray, groups: Any = None, loss: str = "") -> Evaluation:
    """On some rows; with the Hamming loss of rule sets as the objective where it is asked for."""
    data = rows.data
    labels = np.asarray(model.classes)[[0, -1]][data.y.iloc[at].to_numpy()]
    weight = None if rows.weight is None else rows.weight[at]
    asked = {"regularization": 0.0} if isinstance(model, RuleSet) and loss == "hamming" else {}
    return model.evaluate(data.X.iloc[at], labels, weight, groups, **asked)
