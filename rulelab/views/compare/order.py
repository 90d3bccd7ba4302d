"""The pinned cards by name, to be put into order, renamed and removed by mouse, finger and keyboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param
from panel.custom import JSComponent

from ...assets import asset
from ..widgets.style import sheet


class Order(JSComponent):
    """A name for each card, in order.

    Parameters
    ----------
    move : callable
        Takes the present place of a card and the one that it is to have.
    remove : callable
        Takes the place of a card.
    rename : callable
        Takes the place of a card and its new name.
    """

    cards = param.List(default=[], doc="Letter and name of each card.")

    _esm = asset("dom.js", "order.js")
    _stylesheets = [sheet("order.css")]

    def __init__(
        self,
        move: Callable[[int, int], None],
        remove: Callable[[int], None],
        rename: Callable[[int, str], Any],
        **params: Any,
    ) -> None:
        super().__init__(**params)
        self._on_move, self._on_remove, self._on_rename = move, remove, rename

    def _handle_msg(self, data: Any) -> None:
        """What the browser asks for; what does not fit the cards there are is ignored."""
        if not isinstance(data, dict) or not self._is_place(data.get("at")):
            return
        at, asked = data["at"], data.get("do")
        if asked == "move" and self._is_place(data.get("to")):
            self._on_move(at, data["to"])
        elif asked == "remove":
            self._on_remove(at)
        elif asked == "rename" and isinstance(data.get("name"), str):
            self._on_rename(at, data["name"])

    def _is_place(self, value: Any) -> bool:
        return type(value) is int and 0 <= value < len(self.cards)
