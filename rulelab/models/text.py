"""Rules as text, as an HTML table and as Python source; names from data are escaped for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..data.conditions import Condition
from ..shown import as_table, printable
from . import serialisation
from .rule import Rule

_HELPERS = {
    "missing": '''\
def missing(value):
    """Whether a cell has no value: None, nan or pandas.NA."""
    return value is None or type(value).__name__ == "NAType" or value != value
''',
    "number": '''\
def number(value):
    """A cell as a number, also one that is written as text."""
    return value if isinstance(value, int) else float((value.strip() or "nan") if isinstance(value, str) else value)
''',
    "text": '''\
def text(value):
    """A cell as text, where a whole number has no decimals."""
    value = float(value) if type(value).__name__ == "Decimal" else value
    real = isinstance(value, float) or type(value).__name__.startswith("float")
    return str(int(value)) if real and value.is_integer() else str(value)
''',
    "equals": '''\
def equals(value, other):
    """Whether a cell is a number or a Boolean."""
    return bool((float(value) if type(value).__name__ == "Decimal" else value) == other)
''',
}
_PREDICT = '''\
def predict(row):
    """Label of one row, a mapping from column names to values."""
'''


def number(value: int | float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def label_text(label: Any) -> str:
    return printable(str(label))


def list_as_text(rules: Sequence[Rule], default: Rule, target: str | None = None) -> str:
    """One line per rule, aligned: ``if age <= 23 then 1   (probability 0.65, 312 of 480)``."""
    every = [*rules, default]
    answers = _answers(every, target)
    positives = _aligned([number(rule.positives) for rule in every])
    captured = _aligned([number(rule.captured) for rule in every])
    return "\n".join(
        f"{line}{answer}   (probability {rule.probability:.2f}, {p} of {c})"
        for line, answer, rule, p, c in zip(_openings(rules), answers, every, positives, captured, strict=True)
    )


def falling_as_text(
    rules: Sequence[Rule], default: Rule, proportions: Sequence[float | None], target: str | None = None
) -> str:
    """One line per rule, aligned: ``if age <= 23 then probability 0.65   (312 positive, 168 negative, predicts 1)``.

    ``proportions`` are given where they differ from the rules' probabilities, and are shown there.
    """
    every = [*rules, default]
    answers = _answers(every, target)
    positives = _aligned([number(rule.positives) for rule in every])
    negatives = _aligned([number(rule.negatives) for rule in every])
    return "\n".join(
        f"{line}probability {rule.probability:.2f}   ({p} positive, {n} negative, predicts {answer.rstrip()}"
        f"{'' if own is None else f', proportion {own:.2f}'})"
        for line, answer, rule, p, n, own in zip(
            _openings(rules), answers, every, positives, negatives, proportions, strict=True
        )
    )


def list_as_html(rules: Sequence[Rule], default: Rule, positive: Any) -> str:
    """A table with one row per rule; all text is escaped."""
    titles = ("captured", "correct")
    return _html(rules, default, positive, titles, [(r.captured, r.correct) for r in (*rules, default)])


def falling_as_html(rules: Sequence[Rule], default: Rule, proportions: Sequence[float | None], positive: Any) -> str:
    """As `list_as_html`, with positives and negatives; ``proportions`` as in `falling_as_text`."""
    titles = ("positive", "negative", *(["proportion"] if any(own is not None for own in proportions) else []))
    cells = [
        (rule.positives, rule.negatives, "" if own is None else f"{own:.2f}")[: len(titles)]
        for rule, own in zip((*rules, default), proportions, strict=True)
    ]
    return _html(rules, default, positive, titles, cells)


def _answers(rules: Sequence[Rule], target: str | None) -> list[str]:
    """What each rule predicts, padded on the right."""
    answers = [label_text(rule.prediction) for rule in rules]
    if target is not None:
        answers = [f"{printable(target)} = {answer}" for answer in answers]
    width = max(map(len, answers))
    return [f"{answer:<{width}}" for answer in answers]


def _aligned(numbers: Sequence[str]) -> list[str]:
    width = max(map(len, numbers))
    return [f"{n:>{width}}" for n in numbers]


def _heads(rules: Sequence[Rule]) -> list[str]:
    return ["if"] + ["else if"] * (len(rules) - 1) if rules else []


def _openings(rules: Sequence[Rule]) -> list[str]:
    """What comes before the answer in each line, padded."""
    head_width = len("else if") if len(rules) > 1 else len("else") if rules else 0
    lines = [f"{head:<{head_width}} {printable(rule.name)}" for head, rule in zip(_heads(rules), rules, strict=True)]
    width = max(map(len, lines), default=0)
    return [*(f"{line:<{width}} then " for line in lines), f"{'else':<{width}}      " if rules else "always "]


def _html(
    rules: Sequence[Rule],
    default: Rule,
    positive: Any,
    titles: Sequence[str],
    cells: Sequence[Sequence[int | float | str]],
) -> str:
    heads = [*_heads(rules), "else" if rules else "always"]
    body = [
        [
            head,
            rule.name,
            label_text(rule.prediction),
            f"{rule.probability:.2f}",
            *(cell if isinstance(cell, str) else number(cell) for cell in own),
        ]
        for head, rule, own in zip(heads, (*rules, default), cells, strict=True)
    ]
    every = ("", "rule", "predict", f"probability of {label_text(positive)}", *titles)
    return as_table(every, body, right=range(3, len(every)))


def list_as_python(rules: Sequence[Rule], default: Rule) -> str:
    """Source of a function ``predict(row)`` that needs no library.

    A cell may be of any type that `Condition.evaluate` takes; what has no conditions is looked up by its name.
    """
    lines = []
    for rule in rules:
        test = python_test(rule.name, rule.conditions)
        lines += [f"    if {test}:", f"        return {python_literal(rule.prediction)}"]
    lines.append(f"    return {python_literal(default.prediction)}")
    return python_source(lines)


def python_source(lines: Sequence[str]) -> str:
    """The function of these lines, after the functions that they call."""
    used = [source for name, source in _HELPERS.items() if any(f"{name}(row[" in line for line in lines)]
    return "\n\n".join([*used, _PREDICT]) + "\n".join(lines) + "\n"


def python_test(name: str, conditions: Sequence[Condition] | None) -> str:
    """A Python expression on ``row`` for an antecedent; without known conditions it is looked up by its name."""
    if conditions is None:
        return f"row[{name!r}]"
    return " and ".join(map(_python_condition, conditions)) or "True"


def python_literal(value: Any) -> str:
    """A label or the value of a condition as Python source."""
    return repr(serialisation.plain(value, "a value of the model"))


def _python_condition(condition: Condition) -> str:
    cell = f"row[{condition.column!r}]"
    if condition.operator == "is missing":
        return f"missing({cell})"
    if condition.operator == "is present":
        return f"not missing({cell})"
    value, operator = python_literal(condition.value), condition.operator
    if operator in ("<=", ">"):
        return f"not missing({cell}) and number({cell}) {operator} {value}"
    if isinstance(condition.value, str):
        return f"not missing({cell}) and text({cell}) {operator} {value}"
    return f"not missing({cell}) and {'' if operator == '==' else 'not '}equals({cell}, {value})"
