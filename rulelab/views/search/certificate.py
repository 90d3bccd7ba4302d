"""What is proven of a run: how it stands, not more often than one can read it, its sums, and the check of the proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...assets import texts
from ...families.account import account
from ...proving import is_quick
from ...snapshot import Snapshot, Status
from ...stepping import Search
from ..cards.card import Card
from ..cards.scores import proof_block
from ..cards.verifying import Check, refusal
from ..live.prepared import Prepared
from ..live.recorded import RecordedSession
from ..live.session import SearchSession
from ..live.state import State
from ..live.wording import Standing, count, filled
from ..widgets.esc import esc
from ..widgets.explained import WORD_CSS
from ..widgets.fields import WIDE, column, mark
from ..widgets.html import Html, LiveText
from ..widgets.style import CARD_CSS, sheet
from .families import Look

_WATCHED = ("objective", "lower bound", "gap", "search time")
"""Figures that stand beside what is proven; the others count how it was found."""
_OF_PREFIXES = ("made", "cut", "expanded", "queue")  # a sum that does not hold of an engine that counts otherwise
_EVERY = 4
"""Ticks between two changes of what is said while a search runs, so that readers, and screen readers, can follow."""
_SAID = texts("check of the proof")
_CERTIFICATE_CSS = sheet("certificate.css")


class Certificate:
    """One box: what is proven, the sum that shows it, and the button that checks the proof with what the check says."""

    def __init__(self, session: Callable[[], SearchSession], card: Callable[[], Card]) -> None:
        self._session = session
        # how the search stands; what changes its phase is said at once
        look = {"stylesheets": [sheet("standing.css")], **WIDE}
        self.text = LiveText(css_classes=["rl-status"], **look)
        # how it was found; stands elsewhere
        self.counts = LiveText(role="group", caption="Counts", css_classes=["rl-counts"], **look)
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
        self._engine_counts: Mapping[str, str] = {}
        self._shown: tuple[Snapshot | None, State] | None = None
        self._tone = "idle"
        self.box.css_classes = ["rl-row", "rl-certificate", "rl-idle"]

    @property
    def due(self) -> bool:
        """Whether what changes all the time may change at this tick."""
        return self._ticks % _EVERY == 0

    def clear(self, look: Look) -> None:
        """Nothing is proven yet of what is looked for; what will be said has its place, so that nothing moves."""
        self.text.css_classes = ["rl-status", f"rl-claim-{look.claim}"]
        self._engine_counts = look.counts
        mark(self.counts, "rl-many", bool(look.counts))
        self._looks_for = f'<p class="sum">{look.looks_for}</p>'
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
                mark(self.box, f"rl-{self._tone}", now.tone == self._tone)
                mark(self.box, f"rl-{now.tone}", True)
                self._tone = now.tone
            self.counts.figures = [*self._counted(now)]

    def _counted(self, now: Standing) -> Iterator[list[str]]:
        """How it was found: what all searches count, without what this one does not, and what its engine counts."""
        snapshot = self._session().snapshot
        counts = {} if snapshot is None else snapshot.counts
        first = {} if snapshot is None else snapshot.sought_first
        own = {} if first.get("running") else self._engine_counts  # all was done to find the best model of all
        left_out = (*_WATCHED, *_OF_PREFIXES) if own else _WATCHED
        yield from (list(pair) for pair in now.figures if pair[0] not in left_out)
        yield from ([said, count(counts[name])] for name, said in own.items() if name in counts)

    def show(self, latest: Snapshot | None, prepared: Prepared | None = None) -> None:
        """Show what a moment of the run has proven, and let the proof be checked or say why it cannot be."""
        session, able, note, said = self._session(), False, _SAID["waits"], ""
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
            return False, _SAID["waits"]
        if latest.incumbent is None:
            why = _SAID["no model"]
        elif latest.status is not Status.OPTIMAL:
            why = _SAID["not proven"]
        elif kept is not None:
            why = refusal(kept)
            if why and not is_quick(search, latest):
                why = _SAID["not quick"].format(count(latest.counts["stored"]))
        elif session.recorded:
            why = _SAID["no rows"]
        elif not hasattr(search, "certificate"):
            why = _SAID["no certificates"]
        return not why, _SAID["no proof"].format(esc(why)) if why else _SAID["checkable"]

    def _arrange(self, *_: Any) -> None:
        """What the check says takes the place of the note, but speaks of the end of the run only."""
        said = self.check.button.visible and bool(self.check.line.phase)
        self.check.line.visible, self._note.visible = said, not said


MAX_LEFT_OUT = 500  # most entries of the list of what no condition was made of


def notes(prepared: Prepared | None) -> str:
    """HTML of how the data were prepared; empty before anything is known."""
    return "" if prepared is None else filled("prepared.html", prepared=prepared, MOST=MAX_LEFT_OUT)
