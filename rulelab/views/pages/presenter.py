"""Presenter mode: one key puts the settings away and makes type larger, others drive the search from a projector."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

from ...assets import asset


class Presenter(JSComponent):
    """Nothing to see: listens to the keyboard.

    `actions`: what keys do while it is on, by the names that browsers give them, in small letters. `switched` is called
    when it goes on or off.
    """

    on_stage = param.Boolean(default=False, doc="Whether it is on.")
    possible = param.Boolean(default=True, doc="Whether there is something to present.")
    keys = param.List(default=[], doc="Those that do something while it is on, beside P and Escape.")

    _esm = asset("presenter.js")

    def __init__(self, actions: dict[str, Callable[[], Any]], switched: Callable[[bool], Any], **params: Any) -> None:
        super().__init__(keys=list(actions), **params)
        self._actions, self._switched = actions, switched

    def _handle_msg(self, data: Any) -> None:
        self.press(data.get("key") if isinstance(data, dict) else None)

    def press(self, key: Any) -> None:
        """What a key does."""
        if key == "p" and self.possible:
            with pn.io.hold():  # the browser must not see that the settings are gone before it takes other keys
                self.on_stage = not self.on_stage
        elif self.on_stage and self.possible and isinstance(key, str) and key in self._actions:
            self._actions[key]()

    @param.depends("on_stage", watch=True)
    def _tell(self) -> None:
        self._switched(self.on_stage)

    @param.depends("possible", watch=True)
    def _leave(self) -> None:
        if not self.possible:
            self.on_stage = False
