"""The box of the best model at the moment that is shown: its rules, what they have shown, its check and its files."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import panel as pn

from ...families.account import Account, account, equation, title
from ...models import Model
from ...search import Search
from ...snapshot import Snapshot, Status
from ..cards.card import Card, in_words, of_classes, of_search
from ..cards.class_tables import by_class
from ..cards.incumbent import doubt_list, empty_card, fairness_notes, in_place_of, incumbent_card, proof_block
from ..live.prepared import Prepared
from ..live.recorded import RecordedSession
from ..live.session import SearchSession
from ..widgets import icons
from ..widgets.esc import esc
from ..widgets.explained import WORD_CSS, word
from ..widgets.html import Html
from ..widgets.pinned import pinned_note
from ..widgets.style import BAR_CSS, BUTTON_CSS, CARD_CSS, LOW_CSS, SMALL_CSS
from .class_files import ClassFiles
from .families import Look
from .proof import ProofCheck

RECORDING = "Recording"
_TURN_SECONDS = 0.05
_BUTTON: dict[str, Any] = {"stylesheets": [BUTTON_CSS, SMALL_CSS], "margin": 0, "height": 34, "width": 104}


class Turns:
    """Moments for what can wait, of all pages of this process, one after the other."""

    def __init__(self) -> None:
        self._next = 0.0

    def milliseconds(self) -> int:
        """From now to the next one that nobody has."""
        now = time.monotonic()
        at = max(now, self._next)
        self._next = at + _TURN_SECONDS
        return int(1000 * (at - now)) + 1


TURNS = Turns()


def _kept_card(session: RecordedSession, snapshot: Snapshot) -> Card:
    """The card that came with a recorded run, which is of its end; raises ValueError."""
    end = session.snapshot.incumbent
    if session.card is None:
        raise ValueError("A recording holds no rows, without which there is no model card: Run, and pin its model.")
    if snapshot.incumbent is None or end is None or snapshot.incumbent.model != end.model:
        raise ValueError("Of a kept run only the model at its end has a card: move the slider to its end.")
    card: Card = session.card
    return card


def _shown(search: Search, latest: Snapshot, prepared: Prepared | None) -> Account:
    """What a search has shown, of rules of how many conditions where these had to be fewer than were asked for."""
    found = account(search, latest)
    if prepared is None or not prepared.fewer or not found.search_space:
        return found
    return replace(found, search_space=f"{found.search_space} {prepared.fewer[0].upper()}{prepared.fewer[1:]}.")


class BestModel:
    """What stands in the box.

    Parameters
    ----------
    session : callable
        Gives the present run.
    pin : callable
        What the button "Pin model" does.

    Attributes
    ----------
    shown : Snapshot or None
        The moment of the run; None: before it.
    heading, card, account, exports : viewable
    classes : ClassFiles
        Of lists of several classes alone.
    proof : ProofCheck
    pin : Button
    """

    def __init__(self, session: Callable[[], SearchSession], pin: Callable[..., None]) -> None:
        self.shown: Snapshot | None = None
        self._session = session
        self._look: Look
        self._several = False  # more than two classes
        self._model: Model | None = None
        self._in_line = 0  # parts that are still to be made
        self._status = Status.RUNNING
        self._rows = 0  # places in the table: while a search runs it never becomes shorter
        self._before = ""  # what stood there until now
        wide: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": 0}
        self.heading = Html("", stylesheets=[CARD_CSS, WORD_CSS], margin=0)
        self.card = Html("", stylesheets=[CARD_CSS, LOW_CSS], css_classes=["rl-rules"], **wide)
        self.account = Html("", stylesheets=[CARD_CSS, WORD_CSS], css_classes=["rl-account"], **wide)
        self.proof = ProofCheck(self.model_card)
        self.pin = pn.widgets.Button(label="Pin model", icon=icons.PIN, on_click=pin, visible=False, **_BUTTON)
        self._pinned = Html(pinned_note(), stylesheets=[CARD_CSS], margin=0, visible=False)
        self.exports = pn.Row(visible=False, stylesheets=[BAR_CSS], margin=(10, 0, 0, 0))
        self.classes = ClassFiles(session, self._at_hand)
        self._files: list[pn.widgets.FileDownload] = []
        self._pinnable = False

    def clear(self, look: Look) -> None:
        """Show that nothing has been found, in the words of this kind of search."""
        self.shown, self._look, self._several = None, look, look.several
        self._show_files()
        self._before = "" if self._model is None else self.card.object
        self._show_no_model()
        self._name()
        self.proof.forget()
        self.say_pinned("")

    def show(self, prepared: Prepared, latest: Snapshot) -> None:
        """Show the best model of a moment of the run."""
        self.shown, best = latest, latest.incumbent
        if best is None:
            self._show_no_model()
        elif best.model is not self._model or (self._places(latest), latest.status) != (self._rows, self._status):
            self._model, self._rows, self._status = best.model, self._places(latest), latest.status
            rows = self._rows
            parts, spare = equation(prepared.search, latest), rows - len(best.model.rules)
            rules = incumbent_card(best, prepared.labels, prepared.target, parts, spare, prepared.n_rows)
            tables = by_class(best.model, prepared.classes)
            over, named = latest.status is not Status.RUNNING, in_words(best.model, prepared.labels)
            said = doubt_list(prepared.known(named, latest)) if over else ""
            self.card.object = rules + tables + said + fairness_notes(latest, prepared.unconstrained)
            self.prepare()
            self.exports.visible = True
        session = self._session()
        if not isinstance(session, RecordedSession):
            self.proof.offer(prepared.search, latest)
        elif session.card is not None:
            self.proof.offer(prepared.search, latest, session.card)
        if best is not None and self._several:
            self.classes.show(prepared, latest)
        self._name(prepared.search, latest)

    def _places(self, latest: Snapshot) -> int:
        """How many rules there is place for."""
        assert latest.incumbent is not None
        rules = len(latest.incumbent.model.rules)
        return max(rules, self._rows) if latest.status is Status.RUNNING else rules

    def say_pinned(self, letter: str) -> None:
        """Say which card the model has become; an empty letter takes it away."""
        self._pinned.object = pinned_note(letter)

    def model_card(self) -> Card:
        """The model card at the moment that is shown.

        Raises
        ------
        ValueError
            When there is no model yet, or no card of it.
        """
        assert self.shown is not None
        return self.card_at(self.shown)

    def card_at(self, snapshot: Snapshot) -> Card:
        """The model card of another moment."""
        session = self._session()
        if isinstance(session, RecordedSession):
            return _kept_card(session, snapshot)
        assert session.search is not None
        if self._several:
            return of_classes(session.search, snapshot, session.prepared)
        return of_search(session.search, snapshot, session.prepared)

    def model_json(self) -> io.StringIO:
        """The model as a file, with the labels of the data."""
        return io.StringIO(self._in_words.to_json())

    def rule_text(self) -> io.StringIO:
        """The rules in words."""
        prepared = self._session().prepared
        target = None if prepared is None else prepared.target or None
        return io.StringIO(self._in_words.to_text(target) + "\n")

    def trace(self) -> io.StringIO:
        """The whole history of the run as a table."""
        return io.StringIO(self._session().history.frame().to_csv(index=False))

    def recording(self) -> io.BytesIO:
        """The run as a file that the page and `rulelab.views.Replay` open again."""
        return io.BytesIO(self._session().recording().to_bytes())

    def offer_pin(self, able: bool) -> None:
        """Show the button that pins the model, where there is something to pin it to."""
        self._pinnable = able
        self._show_files()

    def _at_hand(self) -> tuple[Model, str]:
        """The model, and the name of what it predicts."""
        prepared = self._session().prepared
        return self._in_words, "" if prepared is None else prepared.target

    @property
    def _in_words(self) -> Model:
        assert self._model is not None, "it is offered to be saved where there is one"
        prepared = self._session().prepared
        return in_words(self._model, None if prepared is None else prepared.labels)

    def prepare(self) -> None:
        """Make the buttons, hidden as yet, when a run begins, and keep the place of the model before.

        What comes late moves what stands beneath it. On a server each part has a turn of its own, with a pause after
        it, so that others who press Run at the same time are answered before.
        """
        if self._model is None and self._before:
            self.card.object = in_place_of(self._before, empty_card(self._look.looks_for))
        parts = [make for made, make in self._parts if not made.objects]
        document = pn.state.curdoc
        if document is None or document.session_context is None:
            self._make(parts)
        elif not self._in_line:
            for part in parts:
                self._in_line += 1
                document.add_timeout_callback(partial(self._make_in_turn, part), TURNS.milliseconds())

    def _make_in_turn(self, part: Callable[[], None]) -> None:
        self._in_line -= 1
        self._make([part])

    @property
    def _parts(self) -> Sequence[tuple[Any, Callable[[], None]]]:
        """Where the buttons stand, and what makes them."""
        return (self.proof.row, self.proof.prepare), (self.exports, self._prepare_exports)

    def _make(self, parts: Sequence[Callable[[], None]]) -> None:
        document = pn.state.curdoc
        with nullcontext() if document is None else document.models.freeze():  # looked through once, not for each part
            for part in parts:
                part()

    def _prepare_exports(self) -> None:
        if not self.exports.objects:
            files = (
                ("Model (JSON)", "model.json", self.model_json),
                ("Rules (text)", "rules.txt", self.rule_text),
                ("Trace (CSV)", "trace.csv", self.trace),
                (RECORDING, "run.rulelab", self.recording),
            )
            buttons = [
                pn.widgets.FileDownload(
                    callback=callback, filename=file, label=label, embed=False, auto=True, color="default", **_BUTTON
                )
                for label, file, callback in files
            ]
            self._files = buttons
            self._show_files()

    def _show_files(self) -> None:
        """Offer the files, and the pin, that there are of this kind of search."""
        self.pin.visible = self._pinned.visible = self._pinnable
        if self._files:
            shown = [*self._files, self.pin, self._pinned]
            if shown != self.exports.objects:
                self.exports.objects = shown

    def _show_no_model(self) -> None:
        self._model = None
        text = empty_card(self._look.looks_for)
        if self.card.object not in (text, in_place_of(self._before, text)):
            self.card.object = text
        if self.exports.visible:
            self.exports.visible = False
        self.classes.hide()

    def _name(self, search: Search | None = None, latest: Snapshot | None = None) -> None:
        """Say what the best model is and, once the search has ended, what it has shown."""
        heading, said = self._look.heading, ""
        if search is not None and latest is not None and latest.incumbent is not None:
            heading = title(search, latest)
            over = latest.status is not Status.RUNNING and not self._session().recorded
            said = proof_block(_shown(search, latest, self._session().prepared)) if over else ""
        text = f'<h2 aria-label="{esc(heading)}">{word(heading, self._look.heading)}</h2>'
        if text != self.heading.object:
            self.heading.object = text
        if said != self.account.object:
            self.account.object = said
