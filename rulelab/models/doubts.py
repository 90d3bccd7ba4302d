"""What speaks against trusting a model, however optimal it is: records, in words and with what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..data.gaps import NEAR
from ..data.metrics import FEW, Confusion
from ..shown import percent
from .base import Model
from .decision_list import DecisionList
from .falling_rule_list import FallingRuleList
from .multiclass import MultiClassRuleList
from .rule_set import RuleSet


class Doubt(NamedTuple):
    """A reason not to trust a model, and what to do."""

    code: str
    words: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.words[:1].upper()}{self.words[1:]}: {self.remedy}"


def doubts(model: Model | MultiClassRuleList, rows: Sequence[float] = ()) -> tuple[Doubt, ...]:
    """What is to be doubted of a model, by what it does on the rows it was trained on.

    Parameters
    ----------
    model : Model or MultiClassRuleList
    rows : sequence of numbers, optional
        How many training rows each of its classes has, whatever they weigh; by default as many as they weigh.
    """
    classes, right = _training(model)
    whole, found = sum(classes), []
    rows = rows or classes
    scarce = [f"{n:.10g} {label}" for n, label in zip(rows, model.classes, strict=False) if n < FEW]
    if scarce:
        few = f"of {sum(rows):.10g} training rows only {' and '.join(scarce)}"
        found.append(Doubt("few_rows", few, f"with fewer than {FEW} of a class its rates say little of other rows"))
    if _is_constant(model):
        same = f"the best {'set' if isinstance(model, RuleSet) else 'list'} says the same of everybody"
        found.append(Doubt("constant", same, "lower the price of a rule, or give the rarer class more weight"))
        return tuple(found)
    columns = _columns(model)
    if len(columns) == 1 and whole:
        alone = f"one column decides alone, {columns.pop()}, and gets {percent(right / whole)} % right"
        without = f"one answer for everybody gets {percent(max(classes) / whole)} %"
        found.append(Doubt("one_column", alone, f"{without}; leave it out if it is known only after the outcome"))
    if len(classes) == 2 and not isinstance(model, FallingRuleList | MultiClassRuleList) and classes[1]:
        hit = training_confusion(model).true_positive / classes[1]
        if hit <= NEAR:
            missed = f"only {percent(hit)} % of {model.classes[-1]} are found"
            found.append(Doubt("missed", missed, "give that class more weight, or ask for less of the groups' rates"))
    return tuple(found)


def _is_constant(model: Model | MultiClassRuleList) -> bool:
    if isinstance(model, FallingRuleList):  # whose probabilities differ where its answers do not
        return not model.rules
    if isinstance(model, RuleSet):
        return model.training.predicted_positive in (0, model.training.weight)
    assert isinstance(model, DecisionList | MultiClassRuleList)
    return len({rule.prediction for rule in (*model.rules, model.default)}) == 1


def _columns(model: Model | MultiClassRuleList) -> set[str]:
    """The columns that a model looks at; an antecedent whose conditions are not known is one of its own."""
    parts: list[Any] = list(model.rules)
    if isinstance(model, RuleSet):
        parts = [literal for clause in model.rules for literal in clause.literals]
    return {c.column for part in parts for c in part.conditions or ()} | {p.name for p in parts if not p.conditions}


def _training(model: Model | MultiClassRuleList) -> tuple[list[float], float]:
    """The training weight of each class, and what is predicted right."""
    if isinstance(model, MultiClassRuleList):
        counts = np.array([rule.counts for rule in (*model.rules, model.default)]).sum(axis=0)
        return counts.tolist(), model.weight - model.errors
    counted = training_confusion(model)
    return [counted.actual_negative, counted.actual_positive][-len(model.classes) :], counted.weight - counted.errors


def training_confusion(model: Model) -> Confusion:
    """What the model itself remembers of its training."""
    if isinstance(model, RuleSet):
        return model.training
    assert isinstance(model, DecisionList)
    every = (*model.rules, model.default)
    kinds = [[rule for rule in every if (rule.prediction == model.classes[-1]) == said] for said in (True, False)]
    (hits, alarms), (missed, passed) = (
        (sum(rule.positives for rule in kind), sum(rule.negatives for rule in kind)) for kind in kinds
    )
    return Confusion(hits, alarms, passed, missed)
