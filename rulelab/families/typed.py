"""Names as people type them: on the command line one to an option, in a field of the page several, one after the other.

Names in a field stand between commas or semicolons. One that holds such a sign itself, or that is to be taken letter by
letter, stands in double quotes, in which two of them are one. Elsewhere the signs by which conditions are shown are
read as the operators that they stand for: ``age ≤ 36`` is ``age <= 36``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

SIGNS = {"<=": "≤", ">": ">", "==": "=", "!=": "≠"}
"""How conditions are shown."""
_OPERATORS = {sign: operator for operator, sign in SIGNS.items()}
_SHOWN = re.compile(f" ({'|'.join(_OPERATORS)}) ")
_QUOTED = r'"(?P<quoted>(?:[^"]|"")*)"'
_END = r"\s*(?:[,;]|$)"
_NAME = re.compile(rf"\s*(?:{_QUOTED}|(?P<bare>[^\s,;\"](?:[^,;]*[^\s,;])?)){_END}")
_ALONE = re.compile(rf"\s*{_QUOTED}\s*$")
_AS_TYPED = re.IGNORECASE | re.ASCII
_MOST_DIGITS = 9


class NotReadError(ValueError):
    """A part of a text is not what is wanted there; where that is empty, it names a column that is there twice."""

    def __init__(self, part: str, wanted: str = "") -> None:
        super().__init__(f"{part!r} is not {wanted}" if wanted else f"{part!r} is there twice")
        self.part, self.wanted = part, wanted


def entry(kind: str, text: str) -> tuple[str, Any]:
    """A column and what is said of it, as ``age:1`` or ``age:increasing``; ValueError says what it must be."""
    column, _, said = text.rpartition(":")
    found = re.fullmatch(_said(kind), said.strip(), _AS_TYPED)
    if not column.strip() or not found:
        raise ValueError(f"{_wanted(kind)}, such as age:{'1' if kind == 'limits' else 'increasing'}")
    return column, _value(kind, found[0])


def _value(kind: str, said: str) -> Any:
    return int(said) if kind == "limits" else said.lower()


def _said(kind: str) -> str:
    """A pattern of what can be said of a column."""
    from ..data.directions import DIRECTIONS

    return rf"\d{{1,{_MOST_DIGITS}}}" if kind == "limits" else "|".join(DIRECTIONS)


def _wanted(kind: str) -> str:
    return "a column and a number" if kind == "limits" else f"a column and {_said(kind).replace('|', ' or ')}"


def read(kind: str, text: str) -> Any:
    """What a field of this kind says, None where it is empty; NotReadError for another form, or a column said twice."""
    text = text.strip()
    if not text:
        return None
    if kind == "name":
        alone = _ALONE.match(text)
        return _unquoted(alone["quoted"]) if alone else _in_operators(text)
    if kind == "names":
        found = _all_of(_NAME, text, "a name, or one in double quotes")
        return list(dict.fromkeys(_in_operators(one["bare"]) if one["bare"] else _name_of(one) for one in found))
    return _by_column(kind, text)


def written(kind: str, value: Any) -> str:
    """The text of a value, which `read` gives back."""
    if not value:
        return ""
    if kind == "name":
        return _as_typed(kind, value, "", value)
    if kind == "names":
        return ", ".join(_as_typed(kind, name, "", [name]) for name in value)
    assert isinstance(value, Mapping)
    return ", ".join(_as_typed(kind, column, f": {of}", {column: of}) for column, of in value.items())


def _by_column(kind: str, text: str) -> dict[str, Any]:
    one_of = re.compile(rf"\s*(?:{_QUOTED}|(?P<bare>.*?\S))\s*:\s*(?P<last>{_said(kind)}){_END}", _AS_TYPED)
    found: dict[str, Any] = {}
    for one in _all_of(one_of, text, _wanted(kind)):
        column = _name_of(one)
        if column in found:
            raise NotReadError(column)
        found[column] = _value(kind, one["last"])
    return found


def _all_of(one_of: re.Pattern[str], text: str, wanted: str) -> list[re.Match[str]]:
    found, at = [], 0
    while at < len(text):
        one = one_of.match(text, at)
        if one is None:
            raise NotReadError(text[at:].strip(), wanted)
        found.append(one)
        at = one.end()
    return found


def _name_of(one: re.Match[str]) -> str:
    return one["bare"] if one["quoted"] is None else _unquoted(one["quoted"])


def _unquoted(text: str) -> str:
    return text.replace('""', '"')


def _in_operators(name: str) -> str:
    return _SHOWN.sub(lambda found: f" {_OPERATORS[found[1]]} ", name)


def _as_typed(kind: str, name: str, rest: str, value: Any) -> str:
    """The name and the rest, which are read as the value; the name in quotes where it is not as it is."""
    try:
        plain = read(kind, name + rest) == value
    except ValueError:
        plain = False
    return f"{name}{rest}" if plain else '"{}"{}'.format(name.replace('"', '""'), rest)
