"""A part of the page made in the browser, which asks for something to be done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from panel.custom import JSComponent


class Asking(JSComponent):
    """Hands what the browser asks for to the view.

    Parameters
    ----------
    act : callable
        Takes what is wanted: a mapping with the entry ``do``.
    """

    __abstract = True

    def __init__(self, act: Callable[[dict[str, Any]], None], **params: Any) -> None:
        super().__init__(**params)
        self._act = act

    def _handle_msg(self, data: Any) -> None:
        if isinstance(data, dict):
            self._act(data)
