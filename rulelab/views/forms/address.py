"""The settings in the address of the page: what is not data, and only where it differs from the default."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

import param

from ...arguments import is_number
from ...families import typed
from ..widgets.esc import plain
from .data import UPLOADED

MAX_ENTRIES = 100
NOT_KEPT = "a file that was uploaded is not kept when the page is loaded again; upload it once more"


class Typed:
    """Of a parameter whose value may stand in an address as it is typed in its field, too."""

    of_kind: str
    check: Any = None  # a method that refuses what is no value of this kind; None: all texts are

    def typed(self, text: str) -> Any:
        """The value of a text; raises ValueError."""
        return typed.read(self.of_kind, text)

    def shown(self, value: Any) -> str:
        """The text of a value that is no list and no mapping."""
        return typed.written(self.of_kind, value)

    def _validate_value(self, val: Any, allow_None: bool) -> None:
        super()._validate_value(val, allow_None)  # type: ignore[misc]
        if self.check is not None:
            self.check(val)


@dataclass(frozen=True)
class Part:
    """Settings of one object that the address holds."""

    owner: param.Parameterized
    names: Sequence[str]  # its parameters, those first that others depend on
    shown: Callable[[], bool] = lambda: True  # whether they count at present
    # names of parameters by the names that older addresses have
    formerly: Mapping[str, str] = field(default_factory=dict)
    steps: Sequence[str] = ()  # those of the names of which a change is a step of its own for the browser's Back


def read(query: str, *parts: Part, reset: bool = False) -> list[str]:
    """Set parameters from a query, with ``reset`` others to defaults; returns complaints about what is wrong."""
    complaints, unused = [], dict(entries(query))
    for part in parts:  # what one allows depends on those before
        if not part.shown():
            continue
        asked = {part.formerly.get(name, name): name for name in reversed(unused)}
        for name in part.names:
            if name not in asked:
                if reset:
                    with suppress(ValueError):  # a default that the data do not allow: what is there stays
                        part.owner.param.update(**{name: part.owner.param[name].default})
                continue
            text = unused.pop(asked[name])
            try:
                part.owner.param.update(**{name: _read(part.owner.param[name], text)})
            except (ValueError, TypeError, OverflowError):
                complaints.append(
                    NOT_KEPT
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
    found: dict[str, str | None] = dict.fromkeys(_names(parts))
    for part in parts:
        for name in part.names if part.shown() else ():
            value = getattr(part.owner, name)
            parameter = part.owner.param[name]
            found[name] = None if value == parameter.default else _written(parameter, value)
    return found


class Address:
    """The query of a page's address, which follows the parameters of several objects, and they follow it."""

    # `show` takes each new query, and whether it is a step that the browser's Back takes back
    def __init__(self, query: str = "", show: Callable[[str, bool], None] = lambda query, step: None) -> None:
        self.query = query  # as it is now
        self._show = show
        self._followed: list[tuple[Part, ...]] = []
        self._at: list[Any] = []
        self._going = False

    def follow(self, *parts: Part) -> list[str]:
        """Set parameters from the address and follow them; returns complaints. If one has steps, Back sets them all."""
        complaints = read(self.query, *parts)
        self._followed.append(parts)
        self._at += _steps([parts])
        for part in parts:
            part.owner.param.watch(self._changed, list(part.names))
        return complaints

    def asks(self, name: str) -> bool:
        """Whether it has an entry of this name."""
        return any(key == name for key, _ in entries(self.query))

    def go(self, query: str) -> list[str]:
        """The browser has gone back or forward: set everything as the address says; returns complaints."""
        self.query, complaints = query, []
        with self.together():
            for parts in self._followed:  # it grows where a tab is opened for the first time
                complaints += read(query, *parts, reset=True) if any(part.steps for part in parts) else []
            self._at = _steps(self._followed)
        return complaints

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let all that changes meanwhile be one step."""
        self._going = True
        try:
            yield
        finally:
            self._going = False
            self._changed()

    def _changed(self, *_: Any) -> None:
        if self._going:
            return
        found: dict[str, str | None] = dict(entries(self.query))
        for parts in self._followed:
            found |= write(*parts)
        query = urlencode({name: text for name, text in found.items() if text is not None})
        query, steps = f"?{query}" if query else "", _steps(self._followed)
        if query != self.query:
            self._show(query, steps != self._at)
        self.query, self._at = query, steps


def _steps(followed: Sequence[Sequence[Part]]) -> list[Any]:
    return [getattr(part.owner, name) for parts in followed for part in parts for name in part.steps]


def _names(parts: Sequence[Part]) -> list[str]:
    """All names that entries of these parts may have, or have had."""
    return [name for part in parts for name in (*part.names, *part.formerly)]


def entries(query: str) -> list[tuple[str, str]]:
    """Names and texts of a query; none where there are more than anyone has chosen."""
    try:
        return parse_qsl(query.removeprefix("?"), max_num_fields=MAX_ENTRIES)
    except ValueError:
        return []


def _written(parameter: param.Parameter, value: Any) -> str:
    if isinstance(value, str):
        return parameter.shown(value) if isinstance(parameter, Typed) else value
    return json.dumps(value)


def _read(parameter: param.Parameter, text: str) -> Any:
    """The value for a parameter; ValueError for what is no finite number where one is needed."""
    if isinstance(parameter, param.String):
        return parameter.typed(text) if isinstance(parameter, Typed) else text
    value = _value(text)
    if isinstance(parameter, Typed) and not isinstance(value, list | dict | None):
        return parameter.typed(text)
    if isinstance(parameter, param.Number) and not is_number(value) and not (value is None and parameter.allow_None):
        raise ValueError("no finite number")
    return value


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text
    except RecursionError:
        raise ValueError("nested too deeply") from None
