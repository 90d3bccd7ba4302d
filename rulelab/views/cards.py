"""The incumbent in words: a rule list as an HTML table. All text from data goes through `esc`."""

from __future__ import annotations

from typing import Any

from ..conditions import Condition
from ..models import RuleList
from ..search import Incumbent
from .esc import esc
from .words import count, objective

_OPERATORS = {"<=": "≤", ">": "&gt;", "==": "=", "!=": "≠"}


def rule_list_card(best: Incumbent | None, labels: tuple[Any, Any] | None = None, target: str = "") -> str:
    """The incumbent rule list: if ... then ..., with probability, captured and correct training rows per rule.

    Parameters
    ----------
    best : Incumbent or None
    labels : tuple, optional
        What to call the negative and the positive class; default: the model's labels.
    target : str
        What is predicted.
    """
    if best is None:
        return (
            '<p class="empty">The search looks for the rule list with the fewest errors, where each rule costs as much '
            "as a fixed share of the rows, and proves that there is no better one. The best list found so far appears "
            "here and changes as the search improves it.</p>"
        )
    model: RuleList = best.model
    negative, positive = labels or model.classes
    names = dict(zip(model.classes, (negative, positive), strict=True))
    every = (*model.rules, model.default)
    rows = []
    for i, rule in enumerate(every):
        last = i == len(model.rules)
        words = "" if last else conditions_in_words(rule.conditions, rule.name)
        head = ("else" if model.rules else "always") if last else "if" if i == 0 else "else if"
        rows.append(
            f'<tr><td><span class="kw">{head}</span> {words}</td>'
            f'<td class="label">{esc(names[rule.prediction], 40)}</td>'
            f'<td class="num"><span class="share" style="--share:{100 * rule.probability:.1f}%">'
            f"{rule.probability:.2f}</span></td>"
            f'<td class="num">{count(rule.captured)}</td><td class="num">{count(rule.correct)}</td></tr>'
        )
    wrong, weight = best.errors, model.weight
    return (
        '<table class="rules"><thead><tr><th>rule</th>'
        f"<th>{esc(target, 40) or 'predict'}</th>"
        f'<th class="num">P({esc(positive, 16)})</th><th class="num">captured</th><th class="num">correct</th>'
        "</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
        f'<p class="sum">{_rules(len(model.rules))}, {count(wrong)} of {count(weight)} training rows wrong '
        f"({100 * wrong / weight:.1f}&nbsp;%), objective {objective(best.objective)}; "
        f"found after {best.found_at[0]:.2f}&nbsp;s.</p>"
    )


def conditions_in_words(conditions: tuple[Condition, ...] | None, name: str) -> str:
    """HTML of an antecedent: its conditions joined by "and", or its name where they are not known."""
    if not conditions:
        return esc(name)
    return ' <span class="kw">and</span> '.join(map(_condition, conditions))


def _condition(condition: Condition) -> str:
    if condition.operator not in _OPERATORS or isinstance(condition.value, bool):
        return f'<span class="cond">{esc(condition)}</span>'
    value = f"{condition.value:.12g}" if isinstance(condition.value, float) else condition.value
    return f'<span class="cond">{esc(condition.column)} {_OPERATORS[condition.operator]} <b>{esc(value)}</b></span>'


def _rules(n: int) -> str:
    return "no rule, only the default" if n == 0 else "1 rule" if n == 1 else f"{n} rules"
