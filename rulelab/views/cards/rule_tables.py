"""The rules of a model in words, as an HTML table for each family. All text from data goes through `esc`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...data.conditions import Condition
from ...models import Clause, DecisionList, FallingRuleList, Model, MultiClassRuleList, Rule, RuleList, RuleSet
from ...shown import percent, share
from ..live.prepared import ClassRows
from ..live.wording import SIGNS, count, in_signs
from ..widgets.esc import esc, plain
from .templates import filled

_LONG_WORD = 13
"""Characters of a class; longer words are broken."""


class Marks(NamedTuple):
    """What is remarked on the lines of a table."""

    remarks: Sequence[str] = ()  # per line, of a list also for its default; empty: none on any
    pale: bool = False  # whether lines without a remark are pale, as those that other models have too
    only: bool = False  # whether they are left out, but for the default, and only counted


def n_lines(model: Model | MultiClassRuleList) -> int:
    """Lines of the table of a model, its heading among them."""
    return 1 if isinstance(model, RuleSet) and not model.rules else 2 + len(model.rules)


def rules_table(
    model: Model | MultiClassRuleList,
    names: Mapping[Any, Any],  # what to call the labels
    target: str = "",  # what is predicted
    marks: Marks | None = None,
) -> str:
    """The rules with what each captured, and got right, in training."""
    return _TABLES[model.family](model, names, target, marks or Marks())


def _list_table(model: RuleList | MultiClassRuleList, names: Mapping[Any, Any], target: str, marks: Marks) -> str:
    every: Sequence[Any] = (*model.rules, model.default)
    most = max(rule.captured for rule in every)
    rows = [
        (
            words + _flow(rule.correct, rule.captured, most),
            _label(names[rule.prediction]) + _nums(_share(rule.probability), count(rule.captured), count(rule.correct)),
        )
        for words, rule in zip(_lines(model), every, strict=True)
    ]
    of_label = isinstance(model, MultiClassRuleList)
    positive = "label" if of_label else _breakable(names[model.classes[-1]], 16)
    label = f"<th>{_breakable(target, 40)}</th>" if target else '<th class="label">label</th>'
    heads = label + _nums(f"P(<wbr>{positive})", "captured", "correct", cell="th")
    return _table(heads, rows, marks, len(model.rules), key=("right", "wrong"))


def _falling_table(model: FallingRuleList, names: Mapping[Any, Any], target: str, marks: Marks) -> str:
    """Strata of risk: the probability falls from line to line, and each holds a share of the rows."""
    every = (*model.rules, model.default)
    most = max(rule.captured for rule in every)
    rows = [
        (
            words + _flow(rule.positives, rule.captured, most),
            _nums(
                _share(rule.probability) + _own(rule, own),
                percent(rule.captured / model.weight),
                count(rule.positives),
                count(rule.captured),
            ),
        )
        for words, rule, own in zip(_lines(model), every, model.proportions, strict=True)
    ]
    positive = _breakable(names[model.classes[-1]], 16)
    what = f"{_breakable(target, 40)} = {positive}" if target else positive
    heads = _nums(f"P(<wbr>{what})", "rows, %", "positive", "captured", cell="th")
    return _table(heads, rows, marks, len(model.rules), key=(positive, "other"))


def _own(rule: Rule, own: float) -> str:
    """The rule's own proportion where a softly falling list was lowered."""
    return f'<span class="own">own {share(own)}</span>' if rule.probability < own else ""


def _set_table(model: RuleSet, names: Mapping[Any, Any], target: str, marks: Marks) -> str:
    """Clauses with the rows that each decides, in all and where no other does."""
    negative, positive = (esc(names[label], 40) for label in (model.classes[0], model.classes[-1]))
    said = f"{esc(target, 40)} = {positive}" if target else positive
    if not model.rules:
        return f'<p class="form">always {negative if model.form == "dnf" else said}</p>'
    dnf, most = model.form == "dnf", max(clause.positives + clause.negatives for clause in model.rules)
    rows = [
        (
            _clause(clause, model.form)
            + _flow(clause.positives if dnf else clause.negatives, clause.positives + clause.negatives, most),
            _nums(*map(count, (clause.positives, clause.negatives, clause.alone_positives, clause.alone_negatives))),
        )
        for clause in model.rules
    ]
    quantifier, verb = ("any", "covered") if dnf else ("all", "rejected")
    heads = _nums(f"{verb}: positive", "negative", "alone: positive", "negative", cell="th")
    form = f'<p class="form">{said} if {quantifier} of these hold, else {negative}</p>'
    return form + _table(heads, rows, marks, len(rows), "rules many", ("right", "wrong"))


def _flow(part: float, every: float, most: float) -> str:
    """The rows of a rule as a bar: as long as they are many, in two colours; the cells beside it say the numbers."""
    if not every > 0:
        return ""
    width, share_ = 100 * every / most, 100 * part / every
    return f'<span class="flow" aria-hidden="true" style="--rows:{width:.1f}%;--right:{share_:.1f}%"></span>'


def _clause(clause: Clause, form: str) -> str:
    between = f' <span class="kw">{"and" if form == "dnf" else "or"}</span> '
    return between.join(conditions_in_words(literal.conditions, literal.name) for literal in clause.literals)


def _lines(model: DecisionList | MultiClassRuleList) -> list[str]:
    """The rules of a list: if ..., else if ..., else."""
    rules: Sequence[Any] = model.rules
    heads = ["else if" if k else "if" for k in range(len(rules))] + ["else" if rules else "always"]
    words = [*(conditions_in_words(rule.conditions, rule.name) for rule in rules), ""]
    return [f'<span class="kw">{head}</span> {said}' for head, said in zip(heads, words, strict=True)]


_TABLES: dict[str, Callable[..., str]] = {
    RuleList.family: _list_table,
    FallingRuleList.family: _falling_table,
    RuleSet.family: _set_table,
    MultiClassRuleList.family: _list_table,
}


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
    return f'<span class="cond">{esc(condition.column)} {esc(SIGNS[condition.operator])} <b>{value}</b></span>'


def _value(condition: Condition) -> str:
    return f"{condition.value:.12g}" if isinstance(condition.value, float) else str(condition.value)


def _breakable(text: Any, limit: int) -> str:
    """Text with places where a narrow column may break it."""
    return esc(text, limit).replace("_", "_<wbr>")


def _label(name: Any) -> str:
    """The cell of a class, with room for its longest word as long as it is not too long for the table."""
    text = plain(name, 40)
    longest = min(max(map(len, text.split()), default=0), _LONG_WORD)
    return f'<td class="label" style="--longest:{longest}">{esc(text)}</td>'


def _share(probability: float) -> str:
    return f'<span class="share" style="--share:{100 * probability:.1f}%">{share(probability)}</span>'


def _nums(*texts: str, cell: str = "td") -> str:
    """Cells of numbers, or the headings over them."""
    return "".join(f'<{cell} class="num">{text}</{cell}>' for text in texts)


def _table(
    heads: str,
    rows: Sequence[tuple[str, str]],
    marks: Marks,
    n_rules: int,
    look: str = "rules",
    key: tuple[str, str] = ("", ""),
) -> str:
    """A table of rules: of each line what it asks and its other cells; the default comes after the rules.

    ``key`` says what the two colours of `_flow` are; it is escaped already.
    """
    lines: list[str] = []
    left_out = 0
    for k, ((words, cells), mark) in enumerate(zip(rows, marks.remarks or [""] * len(rows), strict=True)):
        alike = marks.pale and not mark and k < n_rules
        if alike and marks.only:
            left_out += 1
            continue
        lines += _left_out(left_out)
        left_out = 0
        kind = ' class="differs"' if mark else ' class="quiet"' if alike else ""
        badge = f' <span class="badge">{esc(mark)}</span>' if mark else ""
        lines.append(f"<tr{kind}><td>{words}{badge}</td>{cells}</tr>")
    lines += _left_out(left_out)
    of_bars = f'<span class="key" aria-hidden="true"><i></i>{key[0]} <i class="rest"></i>{key[1]}</span>'
    head = f"<thead><tr><th>rule {of_bars}</th>{heads}</tr></thead>"
    return (
        f'<div class="box"><table class="{look}" aria-label="Rules">{head}<tbody>{"".join(lines)}</tbody></table></div>'
    )


def _left_out(n: int) -> list[str]:
    if not n:
        return []
    said = "a rule that all cards have" if n == 1 else f"{n} rules that all cards have"
    return [f'<tr class="quiet"><td colspan="5">… {said}</td></tr>']


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
