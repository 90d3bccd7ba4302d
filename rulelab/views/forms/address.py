"""The settings in the address of the page: what is not data, and only where it differs from the default."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode

import param

from ...arguments import is_number
from ..widgets.esc import plain
from .data import UPLOADED


def read(query: str, owner: param.Parameterized, names: Sequence[str]) -> list[str]:
    """Set parameters from a query such as ``?data="diabetes"&quantiles=5``; returns complaints about what is wrong."""
    complaints = []
    entries = [entry for entry in parse_qsl(query.removeprefix("?"), max_num_fields=50) if entry[0] in names]
    for name, text in sorted(entries, key=lambda entry: names.index(entry[0])):  # what one allows depends on others
        try:
            owner.param.update(**{name: _read(owner.param[name], text)})
        except (ValueError, TypeError, OverflowError):
            complaints.append(
                "a file that was uploaded is not kept when the page is loaded again; upload it once more"
                if text == UPLOADED
                else f"the address asks for {name} = {plain(text, 40)}, which is not possible; it is ignored"
            )
    return complaints


def write(owner: param.Parameterized, names: Sequence[str]) -> dict[str, str | None]:
    """The query's entries: those that differ from the default, and None for the others."""
    entries: dict[str, str | None] = {}
    for name in names:
        value = getattr(owner, name)
        default = owner.param[name].default
        entries[name] = None if value == default else value if isinstance(value, str) else json.dumps(value)
    return entries


def follow(location: Any, owner: param.Parameterized, names: Sequence[str]) -> list[str]:
    """Read the address now, and keep it up to date from now on; returns complaints."""
    complaints = read(location.search, owner, names)

    def update(*_: Any) -> None:
        entries = write(owner, names)
        kept = [entry for entry in parse_qsl(location.search.removeprefix("?")) if entry[0] not in names]
        location.search = _query({**dict(kept), **{k: v for k, v in entries.items() if v is not None}})

    owner.param.watch(update, list(names))
    return complaints


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
