"""Buttons that pin the chosen model, or take it in hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn

from ..widgets import icons
from ..widgets.html import Html
from ..widgets.pinned import pinned_note
from ..widgets.style import BUTTON_CSS, MODEL_CSS

_BUTTON: dict[str, Any] = {
    "stylesheets": [BUTTON_CSS], "margin": 0, "height": 38, "align": "end", "width": 120, "visible": False
}  # fmt: skip


class PinOrEdit:
    """Two buttons, and what came of them.

    Parameters
    ----------
    pin, edit : callable
        What they do.

    Attributes
    ----------
    items : tuple of viewable
        To be shown side by side.
    """

    def __init__(self, pin: Callable[..., None], edit: Callable[..., None]) -> None:
        self._pin = pn.widgets.Button(label="Pin model", icon=icons.PIN, on_click=pin, **{**_BUTTON, "width": 126})
        self._edit = pn.widgets.Button(label="Edit by hand", on_click=edit, **_BUTTON)
        self._said = Html(pinned_note(), stylesheets=[MODEL_CSS], margin=0, visible=False)
        self.items = (self._pin, self._edit, self._said)

    def offer(self, pin: bool, edit: bool) -> None:
        """Show the buttons that do something."""
        self._pin.visible = self._said.visible = pin
        self._edit.visible = edit

    def say(self, letter: str) -> None:
        """Which card the model has become, where that button is shown; empty: none yet."""
        self._said.object = pinned_note(letter if self._pin.visible else "")
