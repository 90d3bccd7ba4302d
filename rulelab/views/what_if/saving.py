"""The model made by hand as files."""

from __future__ import annotations

import io
from collections.abc import Callable

import panel as pn

from .hand import Hand
from .hints import BUTTON


class Saving:
    """Buttons that save the model in hand.

    Parameters
    ----------
    hand : callable
        Gives the model in hand.

    Attributes
    ----------
    buttons : list of FileDownload
    """

    def __init__(self, hand: Callable[[], Hand]) -> None:
        self._hand = hand
        self.buttons = [
            pn.widgets.FileDownload(
                callback=callback,
                filename=f"by_hand{suffix}",
                label=label,
                embed=False,
                auto=True,
                color="default",
                width=104,
                **BUTTON,
            )
            for label, suffix, callback in (
                ("Model (JSON)", ".json", self.as_json),
                ("Rules (text)", ".txt", self.as_text),
                ("Python", ".py", self.as_python),
            )
        ]

    def as_json(self) -> io.StringIO:
        """The saved model, with what its card says."""
        return io.StringIO(self._hand().card().to_json())

    def as_text(self) -> io.StringIO:
        """The rules in words."""
        card = self._hand().card()
        return io.StringIO(f"{card.named.to_text(card.target or None)}\n")

    def as_python(self) -> io.StringIO:
        """A script that holds the model."""
        return io.StringIO(self._hand().card().code)
