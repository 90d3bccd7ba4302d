"""Fields for numbers: what cannot be read is complained about beneath the field, and the setting stays as it was."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import panel as pn
import param

from ...families import Parameter
from ..widgets.esc import esc, plain
from ..widgets.explained import term_classes
from ..widgets.html import Html
from ..widgets.style import CARD_CSS, CARD_HEAD_CSS, CARD_TITLE_CSS, NUMBER_CSS, SELECT_CSS, WRONG_CSS

WIDE = {"sizing_mode": "stretch_width", "margin": (5, 12)}
_NUMBERS = (pn.widgets.IntInput, pn.widgets.FloatInput, pn.widgets.TextInput)
_STYLES: dict[Any, list[str]] = {pn.widgets.Select: [SELECT_CSS], **{kind: [NUMBER_CSS] for kind in _NUMBERS}}
_MEGABYTE = 1_000_000


def field(owner: param.Parameterized, name: str, widget: Any, **options: Any) -> Any:
    """A widget for one parameter, in the width of its card, with a "?" that explains it."""
    described = {"stylesheets": _STYLES.get(widget, []), "css_classes": term_classes(name)}
    return widget.from_param(owner.param[name], **{**WIDE, **described, **options})


def pair(*widgets: Any) -> pn.Row:
    """Two fields side by side."""
    first, second = widgets
    first.margin, second.margin = (5, 5, 5, 12), (5, 12, 5, 5)
    return pn.Row(first, second, sizing_mode="stretch_width", margin=0)


def note(html: str) -> Html:
    """A line of small text between fields; ``html`` is escaped already."""
    return Html(
        f'<p class="note">{html}</p>', stylesheets=[CARD_CSS], margin=(4, 12, 0, 12), sizing_mode="stretch_width"
    )


def column(*items: Any, **options: Any) -> pn.Column:
    """Fields under each other."""
    return pn.Column(*items, sizing_mode="stretch_width", margin=0, **options)


class _Card(pn.Card):
    """The heading is one of the second level, below that of the page."""

    def _update_header(self, *events: Any) -> None:
        super()._update_header(*events)
        if self._header is not None:
            self._header.param.update(object=f"<h2>{self.title}</h2>", stylesheets=[CARD_TITLE_CSS])


def card(title: str, *items: Any) -> pn.Card:
    """Fields under a heading, to be folded away."""
    return _Card(
        *items,
        title=title,
        collapsible=True,
        sizing_mode="stretch_width",
        margin=(0, 0, 10, 0),
        stylesheets=[CARD_HEAD_CSS],
    )


def worded(names: tuple[str, ...] | list[str]) -> dict[str, str]:
    """Options by their names in words."""
    return {name.replace("_", " "): name for name in names}


class Settings(param.Parameterized):
    """Settings with the complaints about their fields."""

    wrong = param.Dict(default={}, doc="What is wrong with the fields that hold no value, by parameter.")
    refused = param.Dict(default={}, doc="What the data have against values, as the last run has found, by parameter.")


def number_field(owner: Settings, parameter: Parameter) -> pn.Column:
    """A field for a number of the owner, which has a parameter of the same name."""
    name = parameter.name
    text = pn.widgets.TextInput(
        label=parameter.title,
        value=shown(parameter, getattr(owner, name)),
        placeholder=parameter.none if parameter.optional else "",
        css_classes=term_classes(name),
        stylesheets=[NUMBER_CSS],
        sizing_mode="stretch_width",
        margin=0,
    )
    said = Html(
        "",
        stylesheets=[CARD_CSS, WRONG_CSS],
        css_classes=["rl-wrong"],
        visible=False,
        margin=0,
        sizing_mode="stretch_width",
    )

    def complain(message: str) -> None:
        said.object, said.visible = f'<p role="alert">{esc(message)}</p>' if message else "", bool(message)
        others = {key: value for key, value in owner.wrong.items() if key != name}
        owner.wrong = {**others, name: message} if message else others

    def take(event: param.parameterized.Event) -> None:
        try:
            owner.param.update(**{name: read(parameter, event.new or "")})
        except ValueError as error:
            complain(str(error))
        else:
            complain("")

    def show(event: param.parameterized.Event) -> None:
        try:
            same = not owner.wrong.get(name) and read(parameter, text.value or "") == event.new
        except ValueError:
            same = False
        if not same:
            text.value = shown(parameter, event.new)

    text.param.watch(take, "value")
    owner.param.watch(show, name)
    return pn.Column(text, said, **WIDE)


def read(parameter: Parameter, text: str) -> float | int | None:
    """The value that a text stands for; raises ValueError in the words of the page."""
    text = text.strip()
    if not text and parameter.optional:
        return None
    value = _number(text)
    whole, asked = parameter.kind == "whole", _in_megabytes(parameter)
    if value is None or (whole and value != int(value)) or not asked.accepts(value):
        raise ValueError(f"{parameter.title}: {_given(text)} is not {asked.required}{_hint(text, whole)}")
    if parameter.kind == "size":
        return round(value * _MEGABYTE)
    return int(value) if whole else value


def shown(parameter: Parameter, value: float | int | None) -> str:
    """The text of a value."""
    if value is None:
        return ""
    return f"{value / _MEGABYTE:.12g}" if parameter.kind == "size" else f"{value:.12g}"


def _number(text: str) -> float | None:
    """A finite number; None when the text is none."""
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", text, re.IGNORECASE):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def _in_megabytes(parameter: Parameter) -> Parameter:
    """Sizes are asked for in megabytes, up to a terabyte."""
    return replace(parameter, least=1, most=1_000_000) if parameter.kind == "size" else parameter


def _given(text: str) -> str:
    return f"“{plain(text, 40)}”" if text else "an empty field"


def _hint(text: str, whole: bool) -> str:
    """What to write instead, where that can be guessed."""
    if found := re.fullmatch(r"([+-]?\d*)[,.]?(\d*) ?%", text):
        value = _number(f"{found[1] or 0}.{found[2] or 0}")
        return "" if value is None or whole else f"; write {value / 100:g} for a share"
    if not whole and re.fullmatch(r"[+-]?\d*,\d+", text):
        return f"; write {text.replace(',', '.')}, with a point"
    return ""
