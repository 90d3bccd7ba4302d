"""What a model itself remembers of the rows that it was trained on."""

from __future__ import annotations

import numpy as np

from ..data.metrics import Confusion
from .base import Model
from .decision_list import DecisionList
from .multiclass import MultiClassRuleList
from .rule_set import RuleSet


def training_confusion(model: Model) -> Confusion:
    """Weights of what it predicts against the truth, of two classes."""
    if isinstance(model, RuleSet):
        return model.training
    assert isinstance(model, DecisionList)
    every = (*model.rules, model.default)
    kinds = [[rule for rule in every if (rule.prediction == model.classes[-1]) == said] for said in (True, False)]
    (hits, alarms), (missed, passed) = (
        (sum(rule.positives for rule in kind), sum(rule.negatives for rule in kind)) for kind in kinds
    )
    return Confusion(hits, alarms, passed, missed)


def training_classes(model: Model | MultiClassRuleList) -> tuple[int | float, ...]:
    """Weight of each class, in the order of the model's labels."""
    if isinstance(model, MultiClassRuleList):
        return tuple(np.array([rule.counts for rule in (*model.rules, model.default)]).sum(axis=0).tolist())
    counted = training_confusion(model)
    return (counted.actual_negative, counted.actual_positive)[-len(model.classes) :]
