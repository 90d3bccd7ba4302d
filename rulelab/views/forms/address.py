"""The settings in the address of the page: what is not data, and only where it differs from the default."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

import param

from ...arguments import is_number
from ..widgets.esc import plain
from .data import UPLOADED


@dataclass(frozen=True)
class Part:
    """Settings of one object that the address holds.

    Attributes
    ----------
    owner : Parameterized
    names : sequence of str
        Its parameters, those first that others depend on.
    shown : callable
        Whether they count at present.
    formerly : mapping of str to str
        Names of parameters by the names that older addresses have.
    """

    owner: param.Parameterized
    names: Sequence[str]
    shown: Callable[[], bool] = lambda: True
    formerly: Mapping[str, str] = field(default_factory=dict)


def read(query: str, *parts: Part) -> list[str]:
    """Set parameters from a query such as ``?data="diabetes"&thresholds=5``; returns complaints about what is wrong."""
    complaints, unused = [], dict(parse_qsl(query.removeprefix("?"), max_num_fields=50))
    for part in parts:  # what one allows depends on those before
        if not part.shown():
            continue
        asked = {part.formerly.get(name, name): name for name in reversed(unused)}
        for name in filter(asked.__contains__, part.names):
            text = unused.pop(asked[name])
            try:
                part.owner.param.update(**{name: _read(part.owner.param[name], text)})
            except (ValueError, TypeError, OverflowError):
                complaints.append(
                    "a file that was uploaded is not kept when the page is loaded again; upload it once more"
                    if text == UPLOADED
                    else f"the address asks for {asked[name]} = {plain(text, 40)}, which is not possible; it is ignored"
                )
    known = _names(parts)
    complaints += [
        f"the address asks for {name} = {plain(text, 40)}, which is no setting of what it chooses; it is ignored"
        for name, text in unused.items()
        if name in known
    ]
    return complaints


def write(*parts: Part) -> dict[str, str | None]:
    """The query's entries: those that differ from the default, and None for the others."""
    entries: dict[str, str | None] = dict.fromkeys(_names(parts))
    for part in parts:
        for name in part.names if part.shown() else ():
            value = getattr(part.owner, name)
            default = part.owner.param[name].default
            entries[name] = None if value == default else value if isinstance(value, str) else json.dumps(value)
    return entries


def follow(location: Any, *parts: Part) -> list[str]:
    """Read the address now, and keep it up to date from now on; returns complaints."""
    complaints = read(location.search, *parts)

    def update(*_: Any) -> None:
        entries = write(*parts)
        kept = [entry for entry in parse_qsl(location.search.removeprefix("?")) if entry[0] not in entries]
        location.search = _query({**dict(kept), **{k: v for k, v in entries.items() if v is not None}})

    for part in parts:
        part.owner.param.watch(update, list(part.names))
    return complaints


def _names(parts: Sequence[Part]) -> list[str]:
    """All names that entries of these parts may have, or have had."""
    return [name for part in parts for name in (*part.names, *part.formerly)]


def _query(entries: dict[str, Any]) -> str:
    return "?" + urlencode(entries) if entries else ""


def _read(parameter: param.Parameter, text: str) -> Any:
    """The value for a parameter; ValueError for what is no finite number where one is needed."""
    if isinstance(parameter, param.String):
        return text
    value = _value(text)
    if isinstance(parameter, param.Number) and not is_number(value):
        raise ValueError("no finite number")
    return value


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text
    except RecursionError:
        raise ValueError("nested too deeply") from None
