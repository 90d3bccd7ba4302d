"""What differs between cards side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .card import Card
from .rule_tables import rule_keys

LETTERS = "ABCD"
"""Names of the cards on the page, in order; there are no more places."""


@dataclass(frozen=True)
class Differences:
    """What one card has that others do not.

    Attributes
    ----------
    rules : tuple of str
        A remark per line of the card's table of rules; empty where all cards have the rule.
    parameters, data : frozenset of str
        Names of the facts that are not the same on all cards.
    """

    rules: tuple[str, ...] = ()
    parameters: frozenset[str] = frozenset()
    data: frozenset[str] = frozenset()


def differences(cards: Sequence[Card]) -> list[Differences]:
    """What to highlight on each card; nothing on a card alone."""
    rules = [rule_keys(card.model) for card in cards]
    parameters = _unequal([card.parameters for card in cards])
    data = _unequal([card.data for card in cards])
    return [
        Differences(
            rules=tuple(_remark(key, i, rules) for key in keys),
            parameters=parameters & card.parameters.keys(),
            data=data & card.data.keys(),
        )
        for i, (card, keys) in enumerate(zip(cards, rules, strict=True))
    ]


def _remark(key: str, own: int, rules: Sequence[Sequence[str]]) -> str:
    lacking = [LETTERS[i] for i, keys in enumerate(rules) if i != own and key not in keys]
    if not lacking:
        return ""
    return f"not in {' or '.join([', '.join(lacking[:-1]), lacking[-1]] if len(lacking) > 1 else lacking)}"


def _unequal(facts: Sequence[Mapping[str, str]]) -> frozenset[str]:
    names = {name for own in facts for name in own}
    return frozenset(name for name in names if len({own.get(name) for own in facts}) > 1)
