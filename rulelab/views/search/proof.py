"""Beside the certificate of a search: the button that checks it, and what the check says, in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn

from ...search import Search
from ...snapshot import Snapshot, Status
from ..cards.card import Card
from ..cards.check import Check
from ..cards.verifying import refusal
from ..widgets.html import Html
from ..widgets.style import BAR_CSS, CARD_CSS, sheet

_NOT_PROVEN = "Verify checks a proof: the search has not proven this model optimal."
_NO_CERTIFICATES = "Searches of this family make no certificates that Verify could check."
_CHECKABLE = "Verify checks the proof by plain numpy, without the search."
_CSS = sheet("proof.css")
"""There is a place for the answer, so that nothing moves when it comes."""


class ProofCheck:
    """The check of the model that a search has proven optimal.

    Parameters
    ----------
    card : callable
        Gives the card of the best model.

    Attributes
    ----------
    row : Row
    check : Check
    """

    def __init__(self, card: Callable[[], Card]) -> None:
        self.check = Check(card, width=96)
        self._offered = "", False
        self.check.line.margin = 0
        self._note = Html("", stylesheets=[CARD_CSS], sizing_mode="stretch_width", margin=0)
        self.check.line.param.watch(self._arrange, "phase")
        self._said = pn.Column(self._note, self.check.line, sizing_mode="stretch_width", min_width=190, margin=0)
        self.row = pn.Row(
            visible=False,
            stylesheets=[BAR_CSS, _CSS],
            sizing_mode="stretch_width",
            margin=(10, 0, 0, 0),
        )

    def prepare(self) -> None:
        """Make the button and the place for the answer."""
        if not self.row.objects:
            self.row.objects = [self.check.button, self._said]

    def offer(self, search: Search, latest: Snapshot, kept: Card | None = None) -> None:
        """Let the proof be checked, of a run that was ``kept`` with what is kept of it, or say why it cannot be."""
        optimal = latest.status is Status.OPTIMAL
        able = optimal and (hasattr(search, "certificate") if kept is None else not refusal(kept))
        said = _CHECKABLE if able else _NO_CERTIFICATES if optimal else _NOT_PROVEN
        if kept is not None and optimal and not able:
            said = f"Verify checks a proof: {refusal(kept)}."
        found = latest.incumbent is not None
        if (said, found) == self._offered:
            return
        self._offered = said, found
        self.check.button.disabled = not able
        self._note.object = f'<p class="note" role="note">{said}</p>'
        self.row.visible = found
        self._arrange()

    def _arrange(self, *_: Any) -> None:
        """What the check says takes the place of the note, but speaks of the end of the run only."""
        able = not self.check.button.disabled
        self.check.line.visible = able
        self._note.visible = not (able and self.check.line.phase)

    def forget(self) -> None:
        """Hide until there is another model."""
        self.check.forget()
        self.row.visible, self._offered = False, ("", False)
