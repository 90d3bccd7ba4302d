"""Buttons: one that may become able at any moment, one that saves a file, and what stands beside one that pins."""

from __future__ import annotations

import io
from collections.abc import Awaitable, Callable
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

from ...assets import asset
from .esc import esc
from .style import BUTTON_CSS, SMALL_CSS, sheet


class Press(JSComponent):
    """A button that stays the same element whatever stands on it.

    Bokeh's own is replaced when that changes: it loses the focus of the keyboard, and a press at that moment. It fails,
    too, when it is disabled between being sent and being drawn.
    """

    label = param.String(default="", doc="What stands on it.")
    icon = param.String(default="", doc="SVG that stands before it.")
    primary = param.Boolean(default=False, doc="Whether it is the one to press.")
    able = param.Boolean(default=True, doc="Whether it can be pressed.")
    why = param.String(default="", doc="What keeps it from being pressed, while something does.")

    _esm = asset("press.js")
    _stylesheets = [sheet("press.css")]

    def __init__(self, press: Callable[[], Any], **params: Any) -> None:
        super().__init__(**params)
        self._press = press

    def _handle_msg(self, _message: Any) -> None:
        if self.able:
            self._press()


Content = io.StringIO | io.BytesIO


def download(
    label: str,
    file: str,
    callback: Callable[[], Content | Awaitable[Content]],
    width: int = 118,
    height: int = 34,
    small: bool = False,
) -> pn.widgets.FileDownload:
    """A button that saves a file, made when it is pressed, by a coroutine function where that takes long."""
    return pn.widgets.FileDownload(
        callback=callback,
        filename=file,
        label=label,
        embed=False,
        auto=True,
        color="default",
        stylesheets=[BUTTON_CSS, SMALL_CSS] if small else [BUTTON_CSS],
        margin=0,
        width=width,
        height=height,
    )


KEEP = "Keep to compare"  # what stands on the button
_WIDEST = "M"  # of the letters of cards


def pinned_note(letter: str = "") -> str:
    """The note, as HTML; without a letter its place alone, so that nothing moves when it comes."""
    hidden = "" if letter else ' aria-hidden="true" style="visibility: hidden"'
    return f'<p class="note"{hidden}>pinned as {esc(letter or _WIDEST)} in the tab Compare</p>'
