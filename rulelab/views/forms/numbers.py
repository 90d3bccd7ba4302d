"""Fields for numbers: what cannot be read is complained about beneath the field, and the setting stays as it was."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import panel as pn
import param

from ...families import Parameter
from ..widgets.esc import plain
from ..widgets.html import Html
from ..widgets.style import CARD_CSS, CARD_HEAD_CSS, CARD_TITLE_CSS

WIDE: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": (5, 12)}
_MEGABYTE = 1_000_000


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
