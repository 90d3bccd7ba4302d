"""What a list of several classes gets right of each class, as HTML."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...models import MultiClassRuleList
from ..live.class_rows import ClassRows
from ..live.wording import count
from .templates import filled


def by_class(model: Any, rows: ClassRows | None = None) -> str:
    """Confusion tables of the training rows and of those kept out; empty for models of two classes."""
    if not isinstance(model, MultiClassRuleList):
        return ""
    tables = _table("Training rows by class", model.classes, confusions(model))
    if rows is not None and len(rows.test):
        found = confusions_of(model, rows)
        tables += _table("Test rows by class", model.classes, found)
        weight = rows.data.weight_of(rows.test)
        if unknown := (len(rows.test) if weight is None else int(weight.sum())) - int(found.sum()):
            tables += f'<p class="note">{count(unknown)} test rows are of classes that no training row has.</p>'
    return tables


def confusions(model: MultiClassRuleList) -> np.ndarray:
    """Training weight by class, and by what is predicted: shape (n_classes, n_classes)."""
    found = np.zeros((len(model.classes),) * 2, dtype=np.int64)
    for rule in (*model.rules, model.default):
        found[:, model.classes.index(rule.prediction)] += np.array(rule.counts, dtype=np.int64)
    return found


def confusions_of(model: MultiClassRuleList, rows: ClassRows) -> np.ndarray:
    """The same of the rows that were kept out of training, without those of classes that no training row has."""
    found = np.zeros((len(model.classes),) * 2, dtype=np.int64)
    decides = model.fired(rows.data.X.iloc[rows.test]).tolist()
    said_by = [model.classes.index(rule.prediction) for rule in (*model.rules, model.default)]
    weight = rows.data.weight_of(rows.test)
    places = {label: k for k, label in enumerate(model.classes)}
    rest = [1] * len(decides) if weight is None else weight.astype(int).tolist()
    for actual, rule, n in zip(rows.labels.iloc[rows.test].tolist(), decides, rest, strict=True):
        if actual in places:
            found[places[actual], said_by[rule]] += n
    return found


def _table(title: str, classes: tuple[Any, ...], found: np.ndarray) -> str:
    """A row per class: how it is predicted, and how much of it is wrong; then all of them."""
    sums, right = found.sum(axis=0).tolist(), int(np.trace(found))
    return filled("class_table.html", title=title, classes=classes, found=found.tolist(), sums=sums, right=right)
