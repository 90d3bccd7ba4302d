"""Rules as text, as an HTML table and as Python source; names from data are escaped for each."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from ..conditions import Condition
from . import serialisation
from .rule import Rule

_PYTHON_HEAD = '''\
def missing(value):
    return value is None or value != value


def predict(row):
    """Label of one row, a mapping from column names to values."""
'''


def number(value: int | float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def printable(text: str) -> str:
    """Line breaks, control and direction characters written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def label_text(label: Any) -> str:
    return printable(str(label))


def list_as_text(rules: Sequence[Rule], default: Rule, target: str | None = None) -> str:
    """One line per rule, aligned: ``if age <= 23 then 1   (probability 0.65, 312 of 480)``."""
    every = [*rules, default]
    heads = ["if"] + ["else if"] * (len(rules) - 1) if rules else []
    names = [printable(rule.name) for rule in rules]
    answers = [label_text(rule.prediction) for rule in every]
    if target is not None:
        answers = [f"{printable(target)} = {answer}" for answer in answers]
    head_width = len("else if") if len(rules) > 1 else len("else") if rules else 0
    lines = [f"{head:<{head_width}} {name}" for head, name in zip(heads, names, strict=True)]
    width = max(map(len, lines), default=0)
    lines = [f"{line:<{width}} then " for line in lines]
    lines.append(f"{'else':<{width}}      " if rules else "always ")
    positives = [number(rule.positives) for rule in every]
    captured = [number(rule.captured) for rule in every]
    wide = (max(map(len, answers)), max(map(len, positives)), max(map(len, captured)))
    return "\n".join(
        f"{line}{answer:<{wide[0]}}   (probability {rule.probability:.2f}, {p:>{wide[1]}} of {c:>{wide[2]}})"
        for line, answer, rule, p, c in zip(lines, answers, every, positives, captured, strict=True)
    )


def list_as_html(rules: Sequence[Rule], default: Rule, positive: Any) -> str:
    """A table with one row per rule; all text is escaped."""
    heads = ["if"] + ["else if"] * (len(rules) - 1) if rules else []
    cells = [(head, printable(rule.name), rule) for head, rule in zip(heads, rules, strict=True)]
    cells.append(("else" if rules else "always", "", default))
    right = ' style="text-align:right"'
    body = "".join(
        f"<tr><td>{head}</td><td>{html.escape(name)}</td><td>{html.escape(label_text(rule.prediction))}</td>"
        f"<td{right}>{rule.probability:.2f}</td><td{right}>{number(rule.captured)}</td>"
        f"<td{right}>{number(rule.correct)}</td></tr>"
        for head, name, rule in cells
    )
    titles = ("", "rule", "predict", f"probability of {label_text(positive)}", "captured", "correct")
    head_row = "".join(f"<th>{html.escape(title)}</th>" for title in titles)
    return f"<table><thead><tr>{head_row}</tr></thead><tbody>{body}</tbody></table>"


def list_as_python(rules: Sequence[Rule], default: Rule) -> str:
    """Source of a function ``predict(row)`` that needs no library.

    A missing number is ``nan``; a row without conditions is looked up by the antecedent's name.
    """
    lines = [_PYTHON_HEAD.rstrip("\n")]
    for rule in rules:
        if rule.conditions is None:
            test = f"row[{rule.name!r}]"
        else:
            test = " and ".join(map(_python_condition, rule.conditions)) or "True"
        lines += [f"    if {test}:", f"        return {_literal(rule.prediction)}"]
    lines.append(f"    return {_literal(default.prediction)}")
    return "\n".join(lines) + "\n"


def _python_condition(condition: Condition) -> str:
    cell = f"row[{condition.column!r}]"
    if condition.operator == "is missing":
        return f"missing({cell})"
    if condition.operator == "is present":
        return f"not missing({cell})"
    value = _literal(condition.value)
    if condition.operator == "!=":
        return f"not missing({cell}) and {cell} != {value}"
    return f"{cell} {condition.operator} {value}"


def _literal(value: Any) -> str:
    return repr(serialisation.plain(value, "a value of the model"))
