"""What differs between cards side by side: rules by what they say, whatever words they are written in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from string import ascii_uppercase
from typing import Any, NamedTuple, TypeVar

from ...assets import texts
from ...data.conditions import Condition
from ...families import EVERY_FAMILY
from ...models import Clause, DecisionList, Model, MultiClassRuleList, RuleSet
from ...report.known import training_classes
from .card import Card, setting, short_name

Name = TypeVar("Name")
ELSE = "else"  # what the default of a list stands for


class Line(NamedTuple):
    """One line of a model's table of rules."""

    meaning: Any  # equal for rules that ask the same, in any order, wording and family
    # whether the line says the positive class, or which of several; None where it does not stand for a class
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
        every = [c for literal in clause.literals for c in literal.conditions or (Condition(literal.name, "==", True),)]
        return Line(joined(every, ""), True)
    return Line(parts[0] if len(parts) == 1 else ("any of", frozenset(parts)), None)


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


LETTERS = (*ascii_uppercase, *(one + other for one in "ABC" for other in ascii_uppercase))[:100]
"""Names of the cards on the page, in order; there are no more places."""
OBJECTIVE = ("positive weight", "loss", "regularization", "violation penalty", "criterion")
"""Parameters that an objective is made of."""
_CAN = "Accuracy, recall, precision and AUC can."


def remarks(cards: Sequence[Card]) -> list[tuple[str, ...]]:
    """What to remark on the lines of each card's table of rules; nothing where all cards have the rule."""
    rules = [lines(card.model) for card in cards]
    return [tuple(_remark(line, own, rules) for line in own) for own in rules]


def facts_apart(cards: Sequence[Card]) -> list[frozenset[str]]:
    """For each card the facts about data and parameters that are not the same on all cards that have them."""
    return [frozenset(name for name, _ in own) for own in differing([_told(card, cards) for card in cards])]


def differing(settings: Sequence[Mapping[Name, Any]]) -> list[dict[Name, Any]]:
    """Of the settings of each those that are not the same in all that have them."""
    values: dict[Name, set[Any]] = {}
    for one in settings:
        for name, value in one.items():
            values.setdefault(name, set()).add(value)
    return [{name: value for name, value in one.items() if len(values[name]) > 1} for one in settings]


def default_names(cards: Sequence[Card]) -> list[str]:
    """What to call each card that has been given no name: family and price, such as "rule list 0.01", and where others
    are called so, too, the shortest of its facts that no other one has, else two of them, else a number."""
    names = [short_name(card) for card in cards]
    akin = [[other.facts for other, name in zip(cards, names, strict=True) if name == own] for own in names]
    names = [", ".join([name, *_apart(card, others)]) for card, name, others in zip(cards, names, akin, strict=True)]
    numbers = [names[:k].count(name) for k, name in enumerate(names, 1)]
    return [name if n == 1 else f"{name} ({n})" for name, n in zip(names, numbers, strict=True)]


def _apart(card: Card, akin: Sequence[Mapping[str, str]]) -> list[str]:
    """The fewest and shortest facts that no card has of other facts, or the shortest that tell it from some."""
    own = card.facts
    others = [facts for facts in akin if facts != own]
    said = {fact: setting(card, fact) for fact in own if any(facts.get(fact) != own[fact] for facts in others)}
    known = sorted(said, key=lambda fact: len(said[fact]))
    for few in (*combinations(known, 1), *combinations(known, 2)):
        if all(any(facts.get(fact) != own[fact] for fact in few) for facts in others):
            return [said[fact] for fact in few]
    return [said[fact] for fact in known[:2]]


def same_rows(card: Card, other: Card) -> bool:
    """Whether two models were trained on the same rows, and tested on the same, as far as the cards tell."""
    return _trained_on(card) == _trained_on(other) and _split(card) == _split(other)


def comparable(card: Card, other: Card) -> bool:
    """Whether the objectives of two cards measure the same on the same rows."""
    asked = [[one.parameters.get(name) for name in OBJECTIVE] for one in (card, other)]
    return card.model.family == other.model.family and asked[0] == asked[1] and same_rows(card, other)


def incomparable(cards: Sequence[Card]) -> str:
    """Which figures of the cards must not be compared, and why; empty where all can."""
    if len(set(map(_trained_on, cards))) > 1 or any(not same_rows(cards[0], card) for card in cards[1:]):
        return str(texts("cards")["other rows"])
    if all(comparable(cards[0], card) for card in cards[1:]):
        return ""
    which = "Accuracy can." if any(len(card.model.classes) > 2 for card in cards) else _CAN
    if len({card.model.family for card in cards}) > 1:
        return (
            f"Objectives of different families cannot be compared: each counts something else, in its own unit. {which}"
        )
    if len({(card.is_of_least_gap, card.parameters.get("criterion")) for card in cards}) > 1:
        return (
            f"A gap between groups cannot be compared with another objective, or with a gap in something else. {_CAN}"
        )
    return (
        f"Objectives with different costs cannot be compared: a higher cost of a rule alone makes them larger. {which}"
    )


def _split(card: Card) -> Any:
    """What was kept out of training: the rows themselves, or how many they say they are."""
    if card.rows is not None:
        return None if card.rows.test is None else card.rows.test.tobytes()
    if card.classes is not None:
        return card.classes.test.tobytes() if len(card.classes.test) else None
    return card.data.get("test rows")


def _trained_on(card: Card) -> tuple[Any, ...]:
    return (card.data.get("data set"), card.target, *training_classes(card.model))


def _remark(line: Line, own: Sequence[Line], rules: Sequence[Sequence[Line]]) -> str:
    if line.meaning == ELSE:
        return ""
    found = [next((other for other in others if other.meaning == line.meaning), None) for others in rules]
    lacking = [LETTERS[i] for i, one in enumerate(found) if one is None]
    opposite = [LETTERS[i] for i, one in enumerate(found) if one is not None and _opposed(line, one)]
    moved = [LETTERS[i] for i, others in enumerate(rules) if line.meaning in _moved(own, others)]
    missing = "only here" if len(lacking) == len(rules) - 1 > 2 else f"not in {_listed(lacking, 'or')}"
    remarks = [
        (lacking, missing),
        (opposite, f"the other label in {_listed(opposite, 'and')}"),
        (moved, f"in another order in {_listed(moved, 'and')}"),
    ]
    return ", ".join(said for letters, said in remarks if letters)


def _moved(own: Sequence[Line], others: Sequence[Line]) -> set[Any]:
    """What two lists both ask, but not in the same order."""
    if any(not one or one[-1].meaning != ELSE for one in (own, others)):
        return set()
    mine, theirs = ([line.meaning for line in one[:-1]] for one in (own, others))
    shared = set(mine) & set(theirs)
    mine, theirs = ([meaning for meaning in one if meaning in shared] for one in (mine, theirs))
    return {a for a, b in zip(mine, theirs, strict=False) if a != b}


def _opposed(line: Line, other: Line) -> bool:
    return None not in (line.says, other.says) and type(line.says) is type(other.says) and line.says != other.says


def _listed(letters: Sequence[str], between: str) -> str:
    return f" {between} ".join([", ".join(letters[:-1]), letters[-1]] if len(letters) > 1 else letters)


def _told(card: Card, cards: Sequence[Card]) -> dict[tuple[str, str], str | None]:
    """Facts by names and meanings; None where others of the family have a parameter, and this card has others only."""
    akin = [other for other in cards if other.model.family == card.model.family] if card.parameters else []
    names = dict.fromkeys([*card.facts, *(name for other in akin for name in other.parameters)])
    helps = {each.name.replace("_", " "): each.help for each in EVERY_FAMILY[card.model.family].own}
    return {(name, helps.get(name, "")): card.facts.get(name) for name in names}
