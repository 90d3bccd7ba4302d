"""What rules say, whatever words they are written in: for finding the same rule on another card."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ...data.conditions import Condition
from ...models import Clause, DecisionList, Model, MultiClassRuleList, RuleSet

ELSE = "else"
"""What the default of a list stands for."""


class Line(NamedTuple):
    """One line of a model's table of rules.

    Attributes
    ----------
    meaning : hashable
        Equal for rules that ask the same, in any order, wording and family.
    says : bool, str or None
        Whether the line says the positive class, or which of several; None where it does not stand for a class.
    """

    meaning: Any
    says: bool | str | None


def lines(model: Model | MultiClassRuleList) -> list[Line]:
    """The lines of the model's table of rules, the default of a list as the last one."""
    if isinstance(model, DecisionList | MultiClassRuleList):
        rules: Sequence[Any] = model.rules
        asked = [joined(rule.conditions, rule.name) for rule in rules]
        every = [rule.prediction for rule in (*rules, model.default)]
        several = isinstance(model, MultiClassRuleList)
        said = [str(label) if several else label == model.classes[-1] for label in every]
        return [Line(meaning, says) for meaning, says in zip([*asked, ELSE], said, strict=True)]
    assert isinstance(model, RuleSet)
    return [_clause(clause, model.form) for clause in model.rules]


def joined(conditions: Iterable[Condition] | None, name: str) -> frozenset[tuple[str, str, Any]]:
    """What must hold: the conditions without those that others among them imply.

    An antecedent whose conditions are not known is a condition of its own, as a Boolean column of its name is.
    """
    plain = [_plain(c) for c in conditions] if conditions else [(name, "is", True)]
    lowest: dict[str, float] = {}
    highest: dict[str, float] = {}
    for column, operator, value in plain:
        if operator == ">":
            lowest[column] = max(value, lowest.get(column, value))
        elif operator == "<=":
            highest[column] = min(value, highest.get(column, value))
    out = {one for one in plain if one[1] not in ("<=", ">")}
    out |= {(column, ">", value) for column, value in lowest.items()}
    out |= {(column, "<=", value) for column, value in highest.items()}
    tested = {column for column, operator, _ in out if operator not in ("is missing", "is present")}
    equal = {(column, value) for column, operator, value in out if operator == "=="}
    return frozenset(
        (column, operator, value)
        for column, operator, value in out
        if not (operator == "is present" and column in tested)
        and not (operator == "!=" and any(on == column and other != value for on, other in equal))
    )


def _clause(clause: Clause, form: str) -> Line:
    parts = [joined(literal.conditions, literal.name) for literal in clause.literals]
    if form == "dnf":
        every = [c for literal in clause.literals for c in literal.conditions or (_named(literal.name),)]
        return Line(joined(every, ""), True)
    return Line(parts[0] if len(parts) == 1 else ("any of", frozenset(parts)), None)


def _named(name: str) -> Condition:
    return Condition(name, "==", True)


def _plain(condition: Condition) -> tuple[str, str, Any]:
    """A condition without the freedom of writing it: numbers as they are shown, Booleans one way only."""
    column, operator, value = condition.column, condition.operator, condition.value
    if isinstance(value, bool):
        return column, "is", value == (operator == "==")
    if operator in ("<=", ">"):
        return column, operator, float(f"{value:.12g}")
    if isinstance(value, int | float):
        value = f"{value:.12g}"
    return column, operator, value
