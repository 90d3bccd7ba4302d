"""The fields of the form of a search: numbers, choices and switches for parameters of settings.

What cannot be read as a number is complained about beneath its field, and the setting stays as it was.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import panel as pn
import param

from ...families import NAMING, Parameter, typed
from ...families.wording import MEGABYTE, shown
from ..widgets.esc import plain
from ..widgets.explained import term_slug
from ..widgets.html import Html
from ..widgets.style import CARD_CSS, sheet

WIDE: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": (5, 12)}


def note(html: str) -> Html:
    """A line of small text between fields; ``html`` is escaped already."""
    return Html(
        f'<p class="note">{html}</p>', stylesheets=[CARD_CSS], margin=(4, 12, 0, 12), sizing_mode="stretch_width"
    )


class _Card(pn.Card):
    """The heading is one of the second level, below that of the page."""

    def _update_header(self, *events: Any) -> None:
        super()._update_header(*events)
        if self._header is not None:
            style = "h2 { font-size: 1.17em; margin: 1em 0; }"
            self._header.param.update(object=f"<h2>{self.title}</h2>", stylesheets=[style])


def card(title: str, *items: Any) -> pn.Card:
    """Fields under a heading, to be folded away."""
    return _Card(
        *items,
        title=title,
        collapsible=True,
        sizing_mode="stretch_width",
        margin=(0, 0, 10, 0),
        stylesheets=[sheet("card_head.css")],
    )


class Settings(param.Parameterized):
    """Settings with the complaints about their fields."""

    wrong = param.Dict(default={}, doc="What is wrong with the fields that hold no value, by parameter.")
    refused = param.Dict(default={}, doc="What the data have against values, as the last run has found, by parameter.")


def read(parameter: Parameter, text: str) -> Any:
    """The value that a text stands for; raises ValueError in the words of the page."""
    if parameter.kind in NAMING:
        return _read_names(parameter, text)
    text = text.strip()
    if not text and parameter.optional:
        return None
    value = _number(text)
    whole, size = parameter.kind == "whole", parameter.kind == "size"
    asked = replace(parameter, least=1, most=1_000_000) if size else parameter  # in megabytes, up to a terabyte
    if value is None or (whole and value != int(value)) or not asked.accepts(value):
        given = f"“{plain(text, 40)}”" if text else "an empty field"
        raise ValueError(f"{parameter.title}: {given} is not {asked.required}{_hint(text, whole)}")
    if size:
        return round(value * MEGABYTE)
    return int(value) if whole else value


def _read_names(parameter: Parameter, text: str) -> Any:
    """Names, or columns with what is said of each; see `rulelab.families.typed`."""
    try:
        return typed.read(parameter.kind, text)
    except typed.NotReadError as error:
        said = f"{parameter.title}: “{plain(error.part, 40)}”"
        if not error.wanted:
            raise ValueError(f"{said} is there twice") from None
        raise ValueError(f"{said} is not {error.wanted}; write {parameter.example}") from None


def _number(text: str) -> float | None:
    """A finite number; None when the text is none."""
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", text, re.IGNORECASE):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def _hint(text: str, whole: bool) -> str:
    """What to write instead, where that can be guessed."""
    if found := re.fullmatch(r"([+-]?\d*)[,.]?(\d*) ?%", text):
        value = _number(f"{found[1] or 0}.{found[2] or 0}")
        return "" if value is None or whole else f"; write {value / 100:g} for a share"
    if not whole and re.fullmatch(r"[+-]?\d*,\d+", text):
        return f"; write {text.replace(',', '.')}, with a point"
    return ""


Options = Mapping[str, Any] | Callable[[], Mapping[str, Any]]
"""Values by what they are called."""


def always() -> bool:
    """A field that is always seen."""
    return True


@dataclass(frozen=True)
class Fixed:
    """The only value that a setting can have beside other ones."""

    value: Any
    why: str


class Control:
    """A field for one parameter of settings, see `rulelab.views.widgets.field_cards.Field`; itself a check box."""

    kind: str = "switch"

    def __init__(self, owner: Any, name: str, visible: Callable[[], bool] = always) -> None:
        self._owner, self._name, self.shown = owner, name, visible
        # what its value is and why, where other settings leave no choice; None where they do. The setting keeps what
        # was chosen, for when the choice is free again
        self.fixed: Callable[[], Fixed | None] = lambda: None
        self.label = str(owner.param[name].label)
        self.term = term_slug(name) or term_slug(self.label)
        self.owners: tuple[param.Parameterized, ...] = (owner,)

    @property
    def value(self) -> Any:
        """That which counts: of the parameter, unless it is fixed."""
        fixed = self.fixed()
        return getattr(self._owner, self._name) if fixed is None else fixed.value

    @property
    def off(self) -> str:
        """Why nothing can be chosen; empty: it can."""
        fixed = self.fixed()
        return "" if fixed is None else fixed.why

    def state(self) -> dict[str, Any]:
        """What is seen of it."""
        return {"value": bool(self.value)}

    def take(self, value: Any) -> None:
        """Set what the browser says."""
        if isinstance(value, bool):
            self._owner.param.update(**{self._name: value})


class Choice(Control):
    """One of several values."""

    kind = "choice"

    def __init__(self, owner: Any, name: str, options: Options, visible: Callable[[], bool] = always) -> None:
        super().__init__(owner, name, visible)
        self._options = options

    @property
    def options(self) -> dict[str, Any]:
        """Values by what they are called."""
        found = self._options() if callable(self._options) else self._options
        return {plain(said): value for said, value in found.items()}

    def state(self) -> dict[str, Any]:
        options = self.options
        chosen = [said for said, value in options.items() if value == self.value]
        return {"options": list(options), "value": chosen[0] if chosen else "", "off": self.off}

    def take(self, value: Any) -> None:
        options = self.options
        if isinstance(value, str) and value in options:
            self._owner.param.update(**{self._name: options[value]})


class Switches(Control):
    """Several check boxes with one name."""

    kind = "switches"

    def __init__(self, owner: Any, name: str, options: Mapping[str, Any], visible: Callable[[], bool] = always) -> None:
        super().__init__(owner, name, visible)
        self.options = dict(options)

    def state(self) -> dict[str, Any]:
        return {
            "options": list(self.options),
            "value": [said for said, one in self.options.items() if one in self.value],
        }

    def take(self, value: Any) -> None:
        if isinstance(value, list):
            self._owner.param.update(**{self._name: [one for said, one in self.options.items() if said in value]})


class Number(Control):
    """A number, or names, typed; what cannot be read is complained about, and the setting stays as it was."""

    kind = "number"

    def __init__(self, owner: Settings, parameter: Parameter, visible: Callable[[], bool] = always) -> None:
        super().__init__(owner, parameter.name, visible)
        self._parameter = parameter
        self.label = parameter.title
        self.text = shown(self._parameter, self.value)  # what stands in the field
        owner.param.watch(self._follow, parameter.name)

    @property
    def wrong(self) -> str:
        """What is complained about: that it cannot be read, or what the last run found wrong with its value."""
        return str(self._owner.wrong.get(self._name) or self._owner.refused.get(self._name, ""))

    def state(self) -> dict[str, Any]:
        placeholder = self._parameter.none if self._parameter.optional else ""
        if self._parameter.example:
            placeholder = f"such as {self._parameter.example}"
        fixed = self.fixed()
        text, wrong = (self.text, self.wrong) if fixed is None else (shown(self._parameter, fixed.value), "")
        return {"value": text, "placeholder": placeholder, "wrong": wrong, "off": self.off}

    def take(self, value: Any) -> None:
        if not isinstance(value, str):
            return
        self.text = value
        try:
            self._owner.param.update(**{self._name: read(self._parameter, value)})
        except ValueError as error:
            self._complain(str(error))
        else:
            self._complain("")

    def _complain(self, message: str) -> None:
        others = {key: value for key, value in self._owner.wrong.items() if key != self._name}
        now = {**others, self._name: message} if message else others
        if now != self._owner.wrong:
            self._owner.wrong = now

    def _follow(self, event: param.parameterized.Event) -> None:
        """Show a value that was set elsewhere."""
        try:
            same = not self.wrong and read(self._parameter, self.text) == event.new
        except ValueError:
            same = False
        if not same:
            self.text = shown(self._parameter, event.new)
            self._complain("")


class Note:
    """A line of small text between fields."""

    kind: str = "note"
    term: str = ""
    owners: tuple[param.Parameterized, ...] = ()

    def __init__(self, label: str, visible: Callable[[], bool] = always) -> None:
        self.label, self.shown = label, visible

    def state(self) -> dict[str, Any]:
        """Nothing but its text."""
        return {}

    def take(self, value: Any) -> None:
        """Nothing can be chosen."""
