"""How good a model is on the rows of a card: confusion counts, AUC, rates per group."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from ...assets import texts
from ...data.gaps import Gap, largest_gap
from ...data.metrics import Confusion, confusion, group_confusions, group_labels, rates_table, roc_auc
from ...models import DecisionList, Model, MultiClassRuleList, RuleSet
from ...report.known import predicted, training_confusion
from ...sweeps.plan import compared_groups
from ..live.prepared import ClassRows
from ..live.wording import count
from .card import Card
from .rows import Rows
from .rule_tables import confusions

_OUTCOMES = {
    "found": "true_positive",
    "missed": "false_negative",
    "alarms": "false_positive",
    "passed": "true_negative",
}
_OF_CLASSES = {"right": "true_positive", "wrong": "false_positive"}
"""What becomes of rows, and where it is counted."""
_WHY = texts("unknown figures")
MAX_GROUPS = 12
"""Attributes with more values are not shown."""


@dataclass(frozen=True)
class Score:
    """What a model gets right on some rows."""

    counted: Confusion  # counts, or weights
    auc: float = math.nan  # area under the ROC curve; ``nan`` where it is not defined or not known
    blind: bool = False  # whether only weights are known, and not of how many rows: there are no intervals
    several: bool = False  # whether it is of several classes, of which the accuracy alone needs no positive one

    def rate(self, name: str) -> float:
        """One of `rulelab.data.metrics.RATES`; ``nan`` where no row counts, or there is no such rate."""
        return math.nan if self.several and name != "accuracy" else self.counted.rate(name)

    def interval(self, name: str) -> tuple[float, float]:
        """The 95 % Wilson interval of the rate; ``nan`` where it is not known."""
        return (math.nan, math.nan) if self.blind else self.counted.interval(name)

    def why_not(self, name: str) -> str:
        """Why there is no such rate, or no AUC."""
        return "of two classes only" if self.several else _WHY[name]

    @property
    def outcomes(self) -> Sequence[tuple[str, int | float]]:
        """What becomes of the rows, in words, and how many they are."""
        counts = _OF_CLASSES if self.several else _OUTCOMES
        return [(words, getattr(self.counted, name)) for words, name in counts.items()]


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of one model."""

    training: Score | None
    test: Score | None = None
    # per sensitive attribute the table of `rulelab.data.metrics.group_rates`
    groups: dict[str, pd.DataFrame] = field(default_factory=dict)
    on_test: bool = False  # whether the groups are of test rows
    # per sensitive attribute the groups that are compared, as in sweeps: those with enough rows of both classes
    compared: dict[str, dict[str, Confusion]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()  # sensitive attributes that are not shown, with the reason
    # of the model without the fairness constraint: on the training rows and on the test rows
    free: tuple[Score | None, Score | None] = (None, None)

    def gap(self, criterion: str, attribute: str = "") -> Gap | None:
        """How far the groups of an attribute are apart; empty: of the first. None where it is not known."""
        found = self.compared.get(attribute or next(iter(self.compared), ""))
        return None if found is None else largest_gap(found, criterion)


def of_counts(card: Card) -> Scores:
    """What the models of a card themselves remember of their training."""
    if isinstance(card.model, MultiClassRuleList):
        found = confusions(card.model)
        right, whole = int(np.trace(found)), int(found.sum())
        return Scores(_of_classes(Confusion(right, whole - right, 0, 0)))
    rows = "" if "training weight" in card.data else card.data.get("training rows")
    known = [None if model is None else _remembered(model) for model in (card.model, card.unconstrained)]
    training, without = (
        score and replace(score, blind=rows not in (None, count(score.counted.weight))) for score in known
    )
    return Scores(training, free=(without, None))


def of_card(card: Card, report: Callable[[str], None]) -> Scores:
    """Let the model predict the rows of its card; ValueError when the data lack the columns of the model's rules."""
    rows, classes = card.rows, card.classes
    if isinstance(card.model, MultiClassRuleList) and classes is not None:
        report("predicting the rows")
        training, test = (_of_class_rows(card.model, classes, at) for at in (classes.training, classes.test))
        return Scores(training, test, on_test=test is not None)
    if rows is None or isinstance(card.model, MultiClassRuleList):
        return of_counts(card)
    report("predicting the rows")
    groups: dict[str, pd.DataFrame] = {}
    left_out: list[str] = []
    compared: dict[str, dict[str, Confusion]] = {}
    sensitive, heads = rows.data.sensitive, rows.data.heads
    of_groups = rows.training if rows.test is None else rows.test
    for name in [] if sensitive is None else map(str, sensitive.columns):
        everybody = group_labels(sensitive[name], len(rows.data.y))  # type: ignore[index]
        labels = everybody[of_groups]
        if (values := len(set(labels))) > MAX_GROUPS:
            left_out.append(f"{name} has {values} values, more than {MAX_GROUPS}")
            continue
        report(f"rates by {name}")
        counted = group_confusions(groups=labels, **predicted(card.model, rows.weighted, of_groups))
        large = compared_groups(everybody, rows.data.y.to_numpy() == 1, None, heads)
        compared[name] = {group: counted[group] for group in large if group in counted}
        groups[name] = rates_table(counted)

    def scored(model: Model | None, at: np.ndarray | None) -> Score | None:
        return None if model is None or at is None else _score(model, rows, at)

    return Scores(
        training=scored(card.model, rows.training),
        test=scored(card.model, rows.test),
        groups=groups,
        on_test=rows.test is not None,
        compared=compared,
        left_out=tuple(left_out),
        free=(scored(card.unconstrained, rows.training), scored(card.unconstrained, rows.test)),
    )


def _of_classes(counted: Confusion) -> Score | None:
    """Of what a list of several classes gets right, as found positives, and wrong, as alarms; None of no rows."""
    return Score(counted, several=True) if counted.weight else None


def _of_class_rows(model: MultiClassRuleList, rows: ClassRows, at: np.ndarray) -> Score | None:
    """On the rows at these positions; those of classes that no training row has are wrong."""
    labels = rows.labels.iloc[at].to_numpy(dtype=object)
    right = np.asarray(model.predict(rows.data.X.iloc[at]), dtype=object) == labels
    weights = (None if each is None else each.iloc[at].to_numpy() for each in (rows.data.weight, rows.data.heads))
    return _of_classes(confusion(right, np.ones(len(at), dtype=bool), *weights))


def _remembered(model: Model) -> Score | None:
    """Scores on the training rows, from the counts in the model."""
    if isinstance(model, RuleSet):
        t = model.training
        yes, no = model.probabilities
        return Score(t, roc_auc([yes, no], [t.true_positive, t.false_negative], [t.false_positive, t.true_negative]))
    assert isinstance(model, DecisionList)
    every, counted = (*model.rules, model.default), training_confusion(model)
    if not counted.weight:
        return None
    p, positives, negatives = zip(*((rule.probability, rule.positives, rule.negatives) for rule in every), strict=True)
    return Score(counted, roc_auc(p, positives, negatives))


def _score(model: Model, rows: Rows, at: np.ndarray) -> Score:
    seen = predicted(model, rows.weighted, at)
    actual, weights = seen["actual"], seen["sample_weight"]
    weight = np.ones(len(at)) if weights is None else weights
    likely = model.predict_proba(rows.data.X.iloc[at])[:, -1]
    return Score(confusion(**seen), roc_auc(likely, weight * actual, weight * ~actual))
