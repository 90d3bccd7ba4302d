"""The parts beside the list that is edited: one person, groups of people, and the room of a class."""

from __future__ import annotations

from functools import partial
from typing import Any

import panel as pn
import param
from panel.viewable import Viewer

from ...data.gaps import largest_difference
from ...data.metrics import rates_table
from ..cards import html as card_html
from ..live.ticker import Beat
from ..widgets.esc import plain
from ..widgets.explained import WORD_CSS, word
from ..widgets.html import Html
from ..widgets.live_text import LiveText
from ..widgets.style import BAR_CSS, CARD_CSS, MODEL_CSS, NUMBER_CSS, PANEL_CSS, SELECT_CSS, sheet
from . import wording
from .boards import BOARDS, MOST_CHARACTERS, Entry, table
from .hand import Hand
from .person import Person
from .person_form import PersonForm

ANY = ""
WIDE: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": 0}
_ENTER = (
    '<p class="note">Enter the name of a room: all who enter the same one, with the same data and settings, see each '
    "other’s names and objectives here. Nothing else of them is seen.</p>"
)
_LASTS = '<p class="note">This server keeps the board: who comes back goes on under the same name.</p>'


def pane(*sheets: str, **more: Any) -> Html:
    """A pane of words."""
    return Html("", stylesheets=[*(sheets or (CARD_CSS,)), sheet("what_if_words.css"), WORD_CSS], **{**WIDE, **more})


def panel(heading: str, term: str, *items: Any, **more: Any) -> pn.Column:
    """A box with a heading that can be asked about."""
    head = Html(f"<h2>{word(heading, term)}</h2>", stylesheets=[CARD_CSS, WORD_CSS], **WIDE)
    return pn.Column(head, *items, stylesheets=[PANEL_CSS], **{**WIDE, **more})


class PersonPanel(Viewer):
    """One person before the list: which rule decides, and the nearest change that flips the decision."""

    row = param.Integer(default=1, bounds=(1, None), label="Row of the data")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._hand: Hand | None = None
        self._person = Person()
        self._alert = LiveText(role="alert", caption="Error of the person", **WIDE)
        self._row = pn.widgets.IntInput.from_param(
            self.param.row, start=1, width=150, margin=0, stylesheets=[NUMBER_CSS]
        )
        self.form = PersonForm(self.enter, **WIDE)
        self.said = pane()
        self._layout = panel("One person", "nearest change", self._alert, self._row, self.form, self.said)

    def __panel__(self) -> Any:
        return self._layout

    def begin(self, hand: Hand) -> None:
        """Take the rows of other data."""
        self._person = Person(hand.prepared.data)
        rows = self._person.n_rows
        self._row.visible = bool(rows)
        self.param["row"].bounds = (1, rows or None)
        self._row.end = rows or None
        self.row = min(self.row, rows or 1)
        self._person.take_row(self.row)

    def follow(self, hand: Hand) -> None:
        """Say what the list says."""
        self._hand = hand
        model = hand.model
        fields, said = self._person.fields(model), self._person.said(hand, model)
        if fields != self.form.fields:
            self.form.fields = fields
        if said != self.said.object:
            self.said.object = said

    def enter(self, wanted: dict[str, Any]) -> None:
        """Do what the form asks for; what makes no sense is left alone."""
        hand = self._hand
        if hand is None:
            return
        self._alert.phase = ""
        try:
            if wanted.get("do") == "set":
                self._person.enter(hand.model, wanted.get("at"), wanted.get("value"))
            elif wanted.get("do") == "tick":
                self._person.tick(hand.model, wanted.get("at"), wanted.get("on"))
        except ValueError as error:
            self._alert.phase = plain(error, 200)
        self.follow(hand)

    @param.depends("row", watch=True)
    def _take_row(self) -> None:
        if self._hand is not None:
            self._person.take_row(self.row)
            self.follow(self._hand)


class GroupsPanel(Viewer):
    """What the list does to groups of people.

    Attributes
    ----------
    gap : float or None
        The largest difference of true positive rates, but for groups of few rows; None without groups.
    """

    attribute: param.Selector[str] = param.Selector(default=ANY, objects={"(none)": ANY}, label="Groups by")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.gap: float | None = None
        self._hand: Hand | None = None
        self._choice = pn.widgets.Select.from_param(self.param.attribute, width=200, stylesheets=[SELECT_CSS], margin=0)
        self._rates = pane(MODEL_CSS)
        self._layout = panel("Groups", "group rates", self._choice, self._rates, visible=False)

    def __panel__(self) -> Any:
        return self._layout

    def begin(self, hand: Hand) -> None:
        """Offer the attributes of other data."""
        self._hand = None
        options = {"(none)": ANY, **{plain(name, 60): name for name in hand.attributes}}
        self.param["attribute"].objects = options
        self._choice.options = options
        if self.attribute not in options.values():
            self.attribute = ANY
        self._layout.visible = len(options) > 1

    def follow(self, hand: Hand) -> None:
        """Count the rates of the list."""
        self._hand = hand
        self._count()

    @param.depends("attribute", watch=True)
    def _count(self) -> None:
        self.gap, text = None, ""
        if self._hand is not None and self.attribute:
            rates = rates_table(self._hand.groups(self.attribute))
            largest = largest_difference(rates, "true_positive_rate")
            self.gap = None if largest is None else largest.value
            text = (
                f"{card_html.group_table(self.attribute, rates)}"
                '<p class="note">Training rows, in %, with 95&nbsp;% intervals.</p>'
            )
        if self._rates.object != text:
            self._rates.object = text


class RoomPanel(Viewer):
    """The board of a class: the best objective of each who has entered the same room."""

    room = param.String(default="", label="Room")
    called = param.String(default="", label="Your name")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._session = object()
        self._hand: Hand | None = None
        self._game = self._entered = self._unnamed = ""
        self._seen = -1
        self._hints, self._revealed = 0, False
        self._beat = Beat(self.refresh)
        room, self._name = (
            pn.widgets.TextInput.from_param(
                self.param[name], max_length=MOST_CHARACTERS, width=170, margin=0, stylesheets=[NUMBER_CSS]
            )
            for name in ("room", "called")
        )
        self._alert = LiveText(role="alert", caption="Error of the room", **WIDE)
        self.board = pane(MODEL_CSS)
        bar = pn.Row(room, self._name, stylesheets=[BAR_CSS], **WIDE)
        self._layout = panel("Room", "room", bar, self._alert, self.board)
        self.refresh()

    def __panel__(self) -> Any:
        return self._layout

    def begin(self, hand: Hand) -> None:
        """Leave the board of the game before."""
        BOARDS.leave(self._session)
        self._game = hand.game

    def close(self) -> None:
        """Leave the room."""
        BOARDS.leave(self._session)
        self._beat.stop()

    def follow(self, hand: Hand, hints: int, revealed: bool) -> None:
        """Tell the room what was reached."""
        self._hand, self._hints, self._revealed = hand, hints, revealed
        self._tell()

    def refresh(self) -> bool:
        """Show what others have reached; True while there is a room."""
        if self._entered and self._seen != BOARDS.version:
            self._seen = BOARDS.version
            assert self._hand is not None
            shown = partial(wording.worth, self._hand)
            text = table(BOARDS.board(self._entered, self._game), self._session, shown)
        elif self._entered:
            return True
        else:
            text = _ENTER if BOARDS.lasting is None else f"{_ENTER}{_LASTS}"
        if self.board.object != text:
            self.board.object = text
        return bool(self._entered)

    @param.depends("room", "called", watch=True)
    def _tell(self) -> None:
        hand, room = self._hand, plain(self.room.strip(), MOST_CHARACTERS)
        if hand is None:
            return
        if room and not (self.called.strip() or self._unnamed):  # beside the field: a name may be on its way from it
            self._unnamed = self._name.placeholder = BOARDS.new_name()
        if room != self._entered:
            BOARDS.leave(self._session)
        self._entered, self._seen, self._alert.phase = room, -1, ""
        if room and not hand.refusal:
            name = self.called.strip() or self._unnamed
            entry = Entry(name, hand.objective, len(hand.edited), self._hints, self._revealed)
            try:
                BOARDS.put(room, self._game, self._session, entry)
            except ValueError as error:
                self._alert.phase = str(error)
            self._beat.start()
        self.refresh()
