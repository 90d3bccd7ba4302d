"""What is proven of a run: how it stands, not more often than one can read it, its sums, and the check of the proof."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...families.account import account
from ...search import Search
from ...snapshot import Snapshot, Status
from ..cards.card import Card
from ..cards.scores import proof_block
from ..cards.verifying import Check, refusal
from ..live.prepared import Prepared
from ..live.recorded import RecordedSession
from ..live.session import SearchSession
from ..live.state import State
from ..live.wording import Standing, count
from ..widgets.esc import esc
from ..widgets.explained import WORD_CSS
from ..widgets.fields import WIDE, column
from ..widgets.html import Html, LiveText
from ..widgets.style import CARD_CSS, STANDING_CSS, sheet

_WATCHED = ("objective", "lower bound", "gap", "search time")
"""Figures that stand beside what is proven; the others count how it was found."""
_EVERY = 4
"""Ticks between two changes of what is said while a search runs, so that readers, and screen readers, can follow."""
_MORE = '<span class="more"> {}</span>'  # where there is place for it
_WAITS = "Once the model is proven optimal, its proof can be checked here." + _MORE.format(
    "A second, simpler program does that, without the search."
)
_CHECKABLE = "A second, simpler program goes through the proof on the rows, without the search." + _MORE.format(
    "It takes every step by plain numpy, and some seconds."
)
_NO_PROOF = "No proof to check: {}."
_NOT_PROVEN = "the search has not proven this model optimal"
_NO_CERTIFICATES = "searches of this family make no certificates"
_NO_ROWS = "a recording holds no rows"
_NO_MODEL = "there is no model"
_CERTIFICATE_CSS = sheet("certificate.css")


class Certificate:
    """One box: what is proven, the sum that shows it, and the button that checks the proof with what the check says."""

    def __init__(self, session: Callable[[], SearchSession], card: Callable[[], Card]) -> None:
        self._session = session
        # how the search stands; what changes its phase is said at once
        self.text = LiveText(css_classes=["rl-status"], stylesheets=[STANDING_CSS], **WIDE)
        # how it was found; stands elsewhere
        self.counts = LiveText(
            role="group", caption="Counts", css_classes=["rl-counts"], stylesheets=[STANDING_CSS], **WIDE
        )
        # what is looked for, and what an ended search has shown
        self.account = Html("", stylesheets=[CARD_CSS, WORD_CSS, _CERTIFICATE_CSS], css_classes=["rl-account"], **WIDE)
        self.check = Check(card, width=124)
        self.check.button.param.update(visible=False, primary=False, css_classes=["rl-check"])
        self.check.line.param.update(margin=0, css_classes=["rl-verdict"], stylesheets=[_CERTIFICATE_CSS])
        self.check.line.param.watch(self._arrange, "phase")
        self._note = Html("", stylesheets=[CARD_CSS, _CERTIFICATE_CSS], css_classes=["rl-verdict"], **WIDE)
        parts = (self.text, self.check.button, self.account, self._note, self.check.line)
        self.box = column(*parts, sheets=[_CERTIFICATE_CSS])
        self._ticks, self._looks_for = 0, ""
        self._shown: tuple[Snapshot | None, State] | None = None
        self._colour("idle")

    @property
    def due(self) -> bool:
        """Whether what changes all the time may change at this tick."""
        return self._ticks % _EVERY == 0

    def clear(self, looks_for: str, claim: int) -> None:
        """Nothing is proven yet of what is looked for; what will be said has its place, so that nothing moves then."""
        self.text.css_classes = ["rl-status", f"rl-claim-{claim}"]
        self._looks_for = f'<p class="sum">{looks_for}</p>'
        self.check.forget()
        self._shown = None
        self.show(None)

    def tell(self, now: Standing) -> None:
        """One tick more."""
        self._ticks += 1
        text, phase = self.text, now.phase.replace(" %", "\u00a0%")  # stays on one line
        changed = (now.tone, phase) != (text.tone, text.phase)
        changed |= now.figures[:1] != [tuple(pair) for pair in text.figures[:1]]
        if changed or now.tone != "busy" or self.due or not text.figures:
            figures = [list(pair) for pair in now.figures if pair[0] in _WATCHED]
            if changed or figures != text.figures:
                text.param.update(tone=now.tone, phase=phase, figures=figures)
                self._colour(now.tone)
            self.counts.figures = [list(pair) for pair in now.figures if pair[0] not in _WATCHED]

    def show(self, latest: Snapshot | None, prepared: Prepared | None = None) -> None:
        """Show what a moment of the run has proven, and let the proof be checked or say why it cannot be."""
        session, able, note, said = self._session(), False, _WAITS, ""
        if self._shown is not None and self._shown[0] is latest and self._shown[1] is session.state:
            return
        self._shown = latest, session.state
        if latest is not None and prepared is not None:
            able, note = self._checkable(session, prepared.search, latest)
            over = latest.incumbent is not None and latest.status is not Status.RUNNING
            if over and getattr(prepared.search, "accounted", True):
                said = proof_block(account(prepared.search, latest))
        self.account.object = said if said or session.recorded else self._looks_for
        self._note.object = f'<p class="note" role="note">{note}</p>'
        self.check.button.visible = able
        self._arrange()

    @staticmethod
    def _checkable(session: SearchSession, search: Search, latest: Snapshot) -> tuple[bool, str]:
        """Whether there is a proof to check, and what is said of that."""
        kept = session.card if isinstance(session, RecordedSession) else None
        why = ""
        if latest.status is Status.RUNNING and not (session.state.over and latest is session.snapshot):
            return False, _WAITS
        if latest.incumbent is None:
            why = _NO_MODEL
        elif latest.status is not Status.OPTIMAL:
            why = _NOT_PROVEN
        elif kept is not None:
            why = refusal(kept)
        elif session.recorded:
            why = _NO_ROWS
        elif not hasattr(search, "certificate"):
            why = _NO_CERTIFICATES
        return not why, _NO_PROOF.format(esc(why)) if why else _CHECKABLE

    def _arrange(self, *_: Any) -> None:
        """What the check says takes the place of the note, but speaks of the end of the run only."""
        said = self.check.button.visible and bool(self.check.line.phase)
        self.check.line.visible, self._note.visible = said, not said

    def _colour(self, tone: str) -> None:
        self.box.css_classes = ["rl-row", "rl-certificate", f"rl-{tone}"]


MAX_LEFT_OUT = 500
"""Most entries of the list of what no condition was made of."""


def notes(prepared: Prepared | None) -> str:
    """HTML of how the data were prepared; empty before anything is known."""
    if prepared is None:
        return ""
    said, names = " · ".join(esc(note, 400) for note in prepared.notes), prepared.left_out
    html = f'<p class="note">{said}</p>' if said else ""
    if not names:
        return html
    items = "".join(f"<li>{esc(what, 300)}</li>" for what in names[:MAX_LEFT_OUT])
    more = len(names) - MAX_LEFT_OUT
    items += f"<li>and {count(more)} more</li>" if more > 0 else ""
    folded = f"{count(len(names))} not made into conditions: which, and why"
    return f'{html}<details class="note"><summary>{folded}</summary><ul>{items}</ul></details>'
