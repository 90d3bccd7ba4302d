"""The rules of a model in words, as an HTML table. All text from data goes through `esc`, or is filled in as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from ...data.conditions import Condition
from ...data.distribution import distribution
from ...data.metrics import wilson_interval
from ...models import DecisionList, FallingRuleList, Model, MultiClassRuleList, RuleList, RuleSet
from ...shown import percent
from ..live.prepared import ClassRows, TrainingRows
from ..live.wording import SIGNS, breakable, count, filled, in_signs
from ..widgets.esc import esc, plain

_LONG_WORD = 13  # characters of a class; longer words are broken
_OF_CLAUSES = ("positives", "negatives", "alone_positives", "alone_negatives")


def n_lines(model: Model | MultiClassRuleList) -> int:
    """Lines of the table of a model, its heading among them."""
    return 1 if isinstance(model, RuleSet) and not model.rules else 2 + len(model.rules)


def rules_table(
    model: Model | MultiClassRuleList,
    names: Mapping[Any, Any],
    target: str = "",
    remarks: Sequence[str] = (),
    beside: bool = False,
    only: bool = False,
    counted: bool = False,
    training: TrainingRows | None = None,
) -> str:
    """The rules with what each captured, and got right, in training.

    `names`: what to call the labels. `target`: what is predicted. `remarks`: of each line, of a list also of its
    default. `beside`: whether lines without a remark are pale, as other models have them, too; `only`: whether these
    are left out and only counted. `counted`: whether weights are numbers of rows, of which a chance has an interval.
    `training`: unfolds how the columns of each rule are spread.
    """
    made = _TABLES[model.family](model, names, target)
    for line, rule in zip(made["lines"], model.rules, strict=False):  # a list has its default besides
        if training is not None:
            line["columns"] = _columns(rule, model, names, target, training)
    for line in made["lines"]:
        if counted and line.get("chance") is not None and line["captured"]:
            low, high = wilson_interval(line["hits"], line["captured"])
            line["between"] = float(low), float(high)
    lines: list[dict[str, Any]] = []
    for k, (line, remark) in enumerate(zip(made["lines"], remarks or [""] * len(made["lines"]), strict=True)):
        alike = beside and not remark and k < len(model.rules)
        if not (alike and only):
            lines.append({**line, "remark": remark, "pale": alike, "left_out": 0})
        elif lines and lines[-1]["left_out"]:
            lines[-1]["left_out"] += 1
        else:
            lines.append({"left_out": 1})
    most = max((line["captured"] for line in made["lines"]), default=0)
    weighted = training is not None and not counted and not isinstance(model, MultiClassRuleList)
    more = {"lines": lines, "most": most, "weighted": weighted}
    return filled("rules.html", **{"form": "", "look": "rules", **made, **more})


def _list(model: RuleList | MultiClassRuleList, names: Mapping[Any, Any], target: str) -> dict[str, Any]:
    lines = [
        {
            "words": words,
            "label": (label := plain(names[rule.prediction], 40)),
            "longest": min(max(map(len, f"{label} {target}".replace("_", " ").split()), default=0), _LONG_WORD),
            "chance": rule.probability,
            "hits": rule.correct if isinstance(model, MultiClassRuleList) else rule.positives,
            "right": rule.correct,
            "captured": rule.captured,
            "numbers": (count(rule.captured), count(rule.correct)),
        }
        for words, rule in _in_words(model)
    ]
    of_label = isinstance(model, MultiClassRuleList)
    chance = "label" if of_label else breakable(names[model.classes[-1]], 16)
    heads = {"label": breakable(target, 40), "chance": chance, "numbers": ("captured", "correct")}
    return {"heads": heads, "key": ("right", "wrong"), "lines": lines}


def _falling(model: FallingRuleList, names: Mapping[Any, Any], target: str) -> dict[str, Any]:
    """Strata of risk: the probability falls from line to line, and each holds a share of the rows."""
    lines = [
        {
            "words": words,
            "chance": rule.probability,
            "hits": rule.positives,
            "own": own if rule.probability < own else None,  # where a softly falling list was lowered
            "right": rule.positives,
            "captured": rule.captured,
            "numbers": (percent(rule.captured / model.weight), count(rule.positives), count(rule.captured)),
        }
        for (words, rule), own in zip(_in_words(model), model.proportions, strict=True)
    ]
    positive = breakable(names[model.classes[-1]], 16)
    chance = breakable(target, 40) + Markup(" = ") + positive if target else positive
    heads = {"chance": chance, "numbers": ("rows, %", "positive", "captured")}
    return {"heads": heads, "key": (positive, "other"), "lines": lines}


def _set(model: RuleSet, names: Mapping[Any, Any], target: str) -> dict[str, Any]:
    """Clauses with the rows that each decides, in all and where no other does."""
    negative, positive = (plain(names[label], 40) for label in (model.classes[0], model.classes[-1]))
    said, dnf = f"{plain(target, 40)} = {positive}" if target else positive, model.form == "dnf"
    if not model.rules:
        return {"form": f"always {negative if dnf else said}", "lines": []}
    between = f' <span class="kw">{"and" if dnf else "or"}</span> '
    lines = [
        {
            "words": Markup(between.join(conditions_in_words(each.conditions, each.name) for each in clause.literals)),
            "right": clause.positives if dnf else clause.negatives,
            "captured": clause.positives + clause.negatives,
            "numbers": [count(getattr(clause, name)) for name in _OF_CLAUSES],
        }
        for clause in model.rules
    ]
    quantifier, verb = ("any", "covered") if dnf else ("all", "rejected")
    return {
        "form": f"{said} if {quantifier} of these hold, else {negative}",
        "look": "rules many",
        "heads": {"numbers": (f"{verb}: positive", "negative", "alone: positive", "negative")},
        "key": ("right", "wrong"),
        "lines": lines,
    }


def _in_words(model: DecisionList | MultiClassRuleList) -> list[tuple[Markup, Any]]:
    """The rules of a list and its default, each in words: if ..., else if ..., else."""
    rules: Sequence[Any] = model.rules
    heads = ["else if" if k else "if" for k in range(len(rules))] + ["else" if rules else "always"]
    words = [*(conditions_in_words(rule.conditions, rule.name) for rule in rules), ""]
    said = [Markup(f'<span class="kw">{head}</span> {asked}') for head, asked in zip(heads, words, strict=True)]
    return list(zip(said, (*rules, model.default), strict=True))


_TABLES: dict[str, Callable[..., dict[str, Any]]] = {
    RuleList.family: _list,
    FallingRuleList.family: _falling,
    RuleSet.family: _set,
    MultiClassRuleList.family: _list,
}


def _columns(
    rule: Any, model: Model | MultiClassRuleList, names: Mapping[Any, Any], target: str, training: TrainingRows
) -> list[dict[str, Any]]:
    """How the columns of a rule are spread, and how often the rows where its conditions hold are of the class."""
    of_label = isinstance(model, MultiClassRuleList)
    hits = (training.labels == (rule.prediction if of_label else 1)).to_numpy()
    of = plain(names[rule.prediction if of_label else model.classes[-1]], 40)
    shown = []
    for antecedent in rule.literals if isinstance(model, RuleSet) else [rule]:
        on: dict[str, list[Condition]] = {}
        for condition in antecedent.conditions or ():
            on.setdefault(condition.column, []).append(condition)
        for column, conditions in on.items():
            if column in training.X:
                found = distribution(training.X[column], hits, training.weight, conditions)
                said = conditions_in_words(tuple(conditions), "")
                shown.append({"of": f"{target} = {of}" if target else of, "words": Markup(said), "spread": found})
    return shown


def conditions_in_words(conditions: tuple[Condition, ...] | None, name: str) -> str:
    """HTML of an antecedent: its conditions joined by "and", or its name where they are not known."""
    if not conditions:
        return esc(in_signs(name))
    return ' <span class="kw">and</span> '.join(map(_condition, conditions))


def plain_words(conditions: tuple[Condition, ...] | None, name: str) -> str:
    """The same as text, for what shows no HTML; it is not escaped."""
    return " and ".join(map(_said, conditions)) if conditions else in_signs(name)


def _said(condition: Condition) -> str:
    if condition.operator not in SIGNS or isinstance(condition.value, bool):
        return str(condition)
    return f"{condition.column} {SIGNS[condition.operator]} {_value(condition)}"


def _condition(condition: Condition) -> str:
    if condition.operator not in SIGNS or isinstance(condition.value, bool):
        return f'<span class="cond">{esc(condition)}</span>'
    value = esc(_value(condition))
    return f'<span class="cond">{esc(condition.column)} {esc(SIGNS[condition.operator])}&nbsp;<b>{value}</b></span>'


def _value(condition: Condition) -> str:
    return f"{condition.value:.12g}" if isinstance(condition.value, float) else str(condition.value)


def class_tables(model: Any, rows: ClassRows | None = None) -> str:
    """Confusion tables of the training rows and of those kept out; empty for models of two classes."""
    if not isinstance(model, MultiClassRuleList):
        return ""
    tables = _class_table("Training rows by class", model.classes, confusions(model))
    if rows is not None and len(rows.test):
        found = confusions_of(model, rows)
        tables += _class_table("Test rows by class", model.classes, found)
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


def _class_table(title: str, classes: tuple[Any, ...], found: np.ndarray) -> str:
    """A row per class: how it is predicted, and how much of it is wrong; then all of them."""
    sums, right = found.sum(axis=0).tolist(), int(np.trace(found))
    return filled("class_table.html", title=title, classes=classes, found=found.tolist(), sums=sums, right=right)
