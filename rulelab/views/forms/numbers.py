"""Fields for numbers: what cannot be read is complained about beneath the field, and the setting stays as it was."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import panel as pn
import param

from ...families import Parameter
from ..widgets.esc import esc, plain
from ..widgets.explained import term_classes
from ..widgets.html import Html
from ..widgets.style import CARD_CSS, NUMBER_CSS, WRONG_CSS
from .fields import WIDE

_MEGABYTE = 1_000_000


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
