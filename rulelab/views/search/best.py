"""The box of the best model at the moment that is shown: its rules, its doubts, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable

import panel as pn

from ...families.account import equation, title
from ...models import Model
from ...snapshot import Snapshot, Status
from ..cards.card import Card, in_words, of_search
from ..cards.incumbent import doubt_list, fairness_notes, in_place_of, incumbent_card, on_test_rows
from ..cards.rule_tables import class_tables
from ..live.prepared import Prepared
from ..live.recorded import RecordedSession
from ..live.session import SearchSession
from ..widgets import icons
from ..widgets.buttons import KEEP
from ..widgets.esc import esc
from ..widgets.explained import WORD_CSS, word
from ..widgets.fields import WIDE, button
from ..widgets.html import Html
from ..widgets.style import BAR_CSS, CARD_CSS, LOW_CSS
from .exports import AnswerExports
from .families import Look

_EMPTY = '<p class="empty">What is found stands here, and changes as the search improves it.</p>'


def _kept_card(session: RecordedSession, snapshot: Snapshot) -> Card:
    """The card that came with a recorded run, which is of its end; raises ValueError."""
    end = session.snapshot.incumbent
    if session.card is None:
        raise ValueError("A recording holds no rows, without which there is no model card: Run, and pin its model.")
    if snapshot.incumbent is None or end is None or snapshot.incumbent.model != end.model:
        raise ValueError("Of a kept run only the model at its end has a card: move the slider to its end.")
    card: Card = session.card
    return card


class BestModel:
    """What stands in the box, and four buttons under it: keep to compare, edit, one person, export.

    `session` gives the present run. `keep`, `edit`, `ask`: what three of the buttons do.
    """

    def __init__(
        self,
        session: Callable[[], SearchSession],
        keep: Callable[..., None],
        edit: Callable[..., None],
        ask: Callable[..., None],
    ) -> None:
        self.shown: Snapshot | None = None  # the moment of the run; None: before it
        self._session = session
        self._look: Look
        self._model: Model | None = None
        self._status = Status.RUNNING
        self._rows = 0  # places in the table: while a search runs it never becomes shorter
        self._before = ""  # what stood there until now
        self.heading = Html("", stylesheets=[CARD_CSS, WORD_CSS], margin=0)
        self.card = Html("", stylesheets=[CARD_CSS, LOW_CSS], css_classes=["rl-rules"], **WIDE)
        self.exports = AnswerExports(session, lambda: self.in_words, self.model_card, lambda: self.shown)
        self._keep = button(KEEP, keep, 172, icon=icons.PIN)
        self._edit = button("Edit", edit, 64)
        self._ask = button("One person", ask, 104)
        bar = pn.Row(self._keep, self._edit, self._ask, self.exports.button, stylesheets=[BAR_CSS], margin=0)
        beneath = {**WIDE, "margin": (10, 0, 0, 0)}
        self.person = pn.Column(visible=False, **beneath)
        self._actions = bar, self.exports.menu, self.person
        self.actions = pn.Column(visible=False, **beneath)
        self.offer(False, False)

    def clear(self, look: Look) -> None:
        """Show that nothing has been found, in the words of this kind of search."""
        self.shown, self._look = None, look
        self._before = "" if self._model is None else self.card.object
        self._show_no_model()
        self._name()
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
            tables = class_tables(best.model, prepared.classes)
            over, named = latest.status is not Status.RUNNING, in_words(best.model, prepared.labels)
            known = prepared.known(named, latest) if over else None
            said = on_test_rows(known) + doubt_list(known) if known else ""
            self.card.object = rules + tables + said + fairness_notes(latest, prepared.unconstrained)
            self.prepare()
            self.send(None)
            self.actions.visible = True
            self.say_pinned("")
            self.exports.refresh()
        self._name(title(prepared.search, latest) if best is not None else "")

    def _places(self, latest: Snapshot) -> int:
        """How many rules there is place for."""
        assert latest.incumbent is not None
        rules = len(latest.incumbent.model.rules)
        return max(rules, self._rows) if latest.status is Status.RUNNING else rules

    def say_pinned(self, letter: str) -> None:
        """Say which card the model has become; an empty letter takes it away."""
        label = f"Pinned as {letter} in Compare" if letter else KEEP
        self._keep.label = label

    def model_card(self) -> Card:
        """The model card at the moment that is shown; ValueError when there is no model yet, or no card of it."""
        assert self.shown is not None
        return self.card_at(self.shown)

    def card_at(self, snapshot: Snapshot) -> Card:
        """The model card of another moment."""
        session = self._session()
        if isinstance(session, RecordedSession):
            return _kept_card(session, snapshot)
        assert session.search is not None
        return of_search(session.search, snapshot, session.prepared)

    @property
    def in_words(self) -> Model:
        """The model with the labels of the data; it is asked for where there is one."""
        assert self._model is not None
        prepared = self._session().prepared
        return in_words(self._model, None if prepared is None else prepared.labels)

    def offer(self, keep: bool, edit: bool, ask: bool = False) -> None:
        """Show the buttons that keep the model, edit it, and send a person through, where there is what does that."""
        for each, shown in ((self._keep, keep), (self._edit, edit), (self._ask, ask)):
            each.visible = shown

    def send(self, panel: pn.viewable.Viewable | None) -> None:
        """Show what the model says of one person; None: take it away."""
        if panel is not None or self.person.visible:
            self.person.param.update(objects=[] if panel is None else [panel], visible=panel is not None)

    def prepare(self) -> None:
        """Make the buttons, hidden as yet, when a run begins, and keep the place of the model before.

        What comes late moves what stands beneath it.
        """
        if not self.actions.objects:
            self.actions.objects = list(self._actions)
        if self._model is None and self._before:
            self.card.object = in_place_of(self._before, _EMPTY)

    def _show_no_model(self) -> None:
        self._model = None
        self.send(None)
        if self.card.object not in (_EMPTY, in_place_of(self._before, _EMPTY)):
            self.card.object = _EMPTY
        if self.actions.visible:
            self.actions.visible = False
        self.exports.fold()

    def _name(self, title: str = "") -> None:
        """Say what the best model is, as far as that is proven."""
        heading = title or self._look.heading
        text = f'<h2 aria-label="{esc(heading)}">{word(heading, self._look.heading)}</h2>'
        self.heading.object = text
