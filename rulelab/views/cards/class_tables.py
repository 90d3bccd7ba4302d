"""What a list of several classes gets right of each class, as HTML. All text from data goes through `esc`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...models import MultiClassRuleList
from ...shown import percent
from ..live.class_rows import ClassRows
from ..live.wording import count
from ..widgets.esc import esc

_LONG = 24
"""Characters of a class."""


def by_class(model: Any, rows: ClassRows | None = None) -> str:
    """Confusion tables of the training rows and of those kept out; empty for models of two classes.

    Parameters
    ----------
    model : Model or MultiClassRuleList
    rows : ClassRows, optional
    """
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
    heads = "".join(f'<th class="num" scope="col">{esc(label, _LONG)}</th>' for label in classes)
    body = "".join(_row(esc(label, _LONG), row, k) for k, (label, row) in enumerate(zip(classes, found, strict=True)))
    total, right = int(found.sum()), int(np.trace(found))
    sums = "".join(f'<td class="num">{count(int(n))}</td>' for n in found.sum(axis=0))
    return (
        f'<div class="across" tabindex="0" role="region" aria-label="{title}"><table class="confusion">'
        f"<caption>{title}: what they are, and what is predicted</caption>"
        f'<thead><tr><th scope="col">class</th>{heads}<th class="num" scope="col">wrong</th></tr></thead>'
        f'<tbody>{body}<tr class="all"><th scope="row">all</th>{sums}<td class="num">{_wrong(total - right, total)}'
        "</td></tr></tbody></table></div>"
    )


def _row(name: str, row: np.ndarray, at: int) -> str:
    cells = "".join(
        f'<td class="num{" right" if k == at else "" if n else " none"}">{count(int(n))}</td>'
        for k, n in enumerate(row)
    )
    total = int(row.sum())
    return f'<tr><th scope="row">{name}</th>{cells}<td class="num">{_wrong(total - int(row[at]), total)}</td></tr>'


def _wrong(wrong: int, of: int) -> str:
    share = f" ({percent(wrong / of)}&nbsp;%)" if of else ""
    return f"{count(wrong)} of {count(of)}{share}"
