"""What the editor asks for, done to the model in hand; nothing of Panel."""

from __future__ import annotations

from typing import Any

from ..live.wording import in_signs
from ..widgets.esc import plain
from .hand import Hand

_MOST_FOUND = 40
_CHARACTERS = 200


def matching(hand: Hand, wanted: dict[str, Any]) -> dict[str, Any]:
    """The antecedents that were searched for: ``text``, ``items``, ``note``."""
    text = str(wanted.get("text", ""))[:_CHARACTERS]
    items, more = hand.matching(text, _MOST_FOUND)
    note = "no antecedent has these words" if not items else f"and {more} more: type more of it" if more else ""
    return {"text": text, "items": [[j, plain(in_signs(name), _CHARACTERS)] for j, name in items], "note": note}


def perform(hand: Hand, wanted: dict[str, Any]) -> str:
    """Do what is asked for; what makes no sense, or what the family does not have, is left alone.

    Returns
    -------
    str
        What was done; empty: nothing.

    Raises
    ------
    ValueError
        When the model cannot be like that, in words.
    """
    doing, at, to = wanted.get("do"), wanted.get("at"), wanted.get("to")
    n = len(hand.edited)
    if not isinstance(doing, str) or type(at) is not int:
        return ""
    if doing == "insert":
        return _insert(hand, at, wanted.get("antecedent")) if 0 <= at <= n else ""
    there, other_there = 0 <= at < n, type(to) is int and 0 <= to < n
    if not (there and other_there if doing == "move" else there or (doing == "flip" and at == n)):
        return ""
    said = {
        "move": f"rule {at + 1} is now rule {to + 1}" if type(to) is int else "",
        "delete": f"rule {at + 1} is deleted",
        "flip": "the label is flipped",
        "remove": f"a condition of rule {at + 1} is taken out",
    }
    if doing not in said:
        return ""
    other: Any = wanted.get("antecedent") if doing == "remove" else to
    try:
        hand.edit(doing, at, other)
    except LookupError:
        return ""
    return said[doing]


def _insert(hand: Hand, place: int, antecedent: Any) -> str:
    if type(antecedent) is not int or not 0 <= antecedent < hand.problem.n_antecedents:
        return ""
    before = len(hand.edited)
    hand.insert(place, antecedent)
    return f"rule {place + 1} is put in" if len(hand.edited) > before else f"rule {place + 1} has it now"
