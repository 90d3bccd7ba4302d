"""A button that may become able or unable at any moment, also while the browser is still making it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param
from panel.custom import JSComponent

from ...assets import asset
from .style import sheet


class Press(JSComponent):
    """A button. Bokeh's own fails in the browser when it is disabled between being sent and being drawn.

    Parameters
    ----------
    press : callable
        What it does.
    """

    label = param.String(default="", doc="What stands on it.")
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
