"""The tabs of the page, each made when it is first opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

import panel as pn
import param

from ...assets import texts
from ...families import OF_SEVERAL
from ...models import Model
from ...recording import Recording
from ...snapshot import Snapshot
from ..alternatives.hand import editable
from ..alternatives.person import one_person
from ..alternatives.view import AlternativesView
from ..cards.card import Card
from ..compare.table import ModelTable
from ..compare.view import CompareView
from ..forms.address import NOT_KEPT, Address, Part, entries
from ..forms.family_settings import Sentence, names_of
from ..front import EXAMPLES, Front
from ..fronts.tab import FrontsView
from ..kept_runs.runs import KeptRuns
from ..learn.view import LearnTab
from ..live.prepared import Prepared
from ..live.recipe import PageRecipe
from ..live.state import FULL_SPEED, State
from ..search.controls import OPENING, SPEEDS
from ..search.setup import Setup
from ..search.view import SearchView
from ..widgets.browser import Kept, Presenter, Strip
from ..widgets.explained import explain_all
from ..widgets.fields import WIDE, column, row
from ..widgets.html import Press
from ..widgets.style import COMPARE_CSS, LARGE_PRESS_CSS, PAGE_CSS, TAB_CSS
from .script import Remote

_SEVERAL = texts("several classes")["other tabs"]
_CHOOSING = "The data are being chosen in the tab Search: press “Accept” or “Cancel” there."


class SearchTab:
    """The question, the answer and how it was found; the settings stand beside them when they are asked for."""

    def __init__(self, address: Address) -> None:
        self.setup = Setup()
        look: dict[str, Any] = {"height": 38, "width": 92, "margin": 0, "visible": False}
        self.leave = Press(lambda: self.presenter.press("p"), label="Leave", stylesheets=[LARGE_PRESS_CSS], **look)
        question = row(self.setup.sentence, self.leave)
        self.view = SearchView(new_session=self.setup.new_session, question=question, alone=False)
        self.complain = self.view.complain
        self.setup.on_change(self._settings_changed)
        self.view.param.watch(lambda _: self.setup.show_refused(self.view.session), "status")
        self.setup.param.watch(lambda event: self.view.param.update(refusal=event.new), "refusal")
        self.setup.table.param.watch(lambda event: self.view.param.update(blocked=event.new), "pending")
        self.complaints = address.follow(*self.setup.parts)
        self.complaints += address.follow(Part(self.view, ["speed", "axis"]))
        self._was_open = False  # the settings, before presenting
        self.presenter = Presenter(self._keys, self._present, width=0, height=0, margin=0)
        self.layout = column(self.setup, self.view, self.setup.table.dialog, self.presenter, sheets=[PAGE_CSS])

    def source(self) -> Callable[[Callable[[str], None]], Prepared]:
        """Makes the search of the present run, or of other settings; ValueError when none may begin."""
        prepared = self.view.session.prepared
        if self.setup.family in OF_SEVERAL:
            raise ValueError(_SEVERAL)
        if prepared is not None and prepared.search.family in OF_SEVERAL:
            return self.setup.recipe()
        if prepared is not None and self._is_of_run:
            return lambda report: prepared
        if self.refused:
            raise ValueError(self.refused)
        return self.setup.recipe()

    def question(self) -> PageRecipe:
        """The present settings, with the groups that are compared; raises ValueError as `source`."""
        if self.setup.family in OF_SEVERAL:
            raise ValueError(_SEVERAL)
        if self.view.blocked or self.view.refusal:
            raise ValueError(self.refused or self.view.refusal)
        return replace(self.setup.recipe(), sensitive=self.setup.table.sensitive)

    def answer(self) -> None:
        """Search as fast as it can, for a tab that waits for what is found; ValueError when no search may begin."""
        if self.refused:
            raise ValueError(self.refused)
        self.view.run()
        self.view.session.pace = FULL_SPEED

    @property
    def refused(self) -> str:
        """What keeps a search of the settings from beginning, and what to do about it; empty: nothing."""
        if self.view.opening:
            return OPENING
        if self._is_of_run:
            return ""
        if self.view.blocked:
            return _CHOOSING
        return f"In the tab Search: {self.view.refusal}" if self.view.refusal else ""

    @property
    def ended(self) -> bool:
        """Whether a run of the present settings is over."""
        return self._is_of_run and self.view.session.state in (State.ENDED, State.STOPPED)

    @property
    def _is_of_run(self) -> bool:
        """Whether what was run here has the present settings."""
        session = self.view.session
        return session.prepared is not None and not (self.view.stale or session.recorded)

    @property
    def _keys(self) -> dict[str, Callable[[], Any]]:
        """What keys do in presenter mode."""
        view = self.view
        speeds = {str(k): partial(view.param.update, speed=name) for k, name in enumerate(SPEEDS, 1)}
        moves: dict[str, Callable[[], Any]] = {
            " ": view.run_or_pause,
            "arrowright": view.forward,
            "arrowleft": partial(view.rewind.move, -1),
        }
        return {**moves, "r": view.rewind.press, "0": view.reset, **speeds}

    def _present(self, on: bool) -> None:
        """Leave figure and model alone on the page, in large type, or undo it."""
        sentence = self.setup.sentence
        self._was_open, sentence.open = sentence.open, self._was_open and not on
        sentence.visible, self.leave.visible = not on, on
        self.view.present(on)

    def begin(self, data: str, speed: str, **settings: Any) -> None:
        """Set the form to this, all else as it was at first, and search."""
        self.setup.choose(family="rule_list")
        usual = {name: self.setup.settings.param[name].default for name in names_of(self.setup.settings)}
        usual["test_share"] = self.setup.table.param["test_share"].default
        self.setup.choose(data=data, **{**usual, **settings})
        self.view.speed = speed
        self.view.run()

    def _settings_changed(self, *_: Any) -> None:
        """Say whether they are still those of the run; show the plots of the chosen kind of search where none is."""
        session, known = self.view.session, self.setup.table.own is None  # two files are called the same in a query
        self.view.stale = not (known and session.query == self.setup.query) or session.recorded
        if self.view.session.state is State.IDLE and self.view.session.look != self.setup.look:
            self.view.reset()


_NOT_OF_ROOM = {"tab", "run", "pins", "walk", "step", "theme", "speed", "axis", "distance"}


def _joined_by(address: Address) -> str:
    """The address by which others come into the room that this one names, with its data and settings."""
    location = pn.state.location
    if location is None or not location.href:
        return ""
    asked = {name: text for name, text in entries(address.query) if name not in _NOT_OF_ROOM}
    return f"{location.href.partition('?')[0].partition('#')[0]}?{urlencode(asked)}"


class CompareTab:
    """The fronts of the question of the tab Search over the pinned model cards."""

    def __init__(self, address: Address, kept: Kept | None = None, table: ModelTable | None = None) -> None:
        self.search: Callable[[], SearchTab] = lambda: SearchTab(address)
        self.fronts = FrontsView(lambda: self.search().question(), address)
        self.view = CompareView(kept, table, below=self.fronts.view.details, files=self.fronts.view.files)
        shown = self.fronts.view
        shown.on_pin = self.pin
        shown.table.param.watch(
            lambda _: self.view.param.update(
                points=shown.table.more, criterion=shown.measured, attribute=shown.attribute
            ),
            "more",
        )
        self.view.on_tick = shown.pin
        self.view.on_choose = shown.choose
        self.view.param.watch(lambda event: shown.param.update(dark=event.new), "dark")
        self.complain = self.view.complain
        self.complaints = [*self.fronts.complaints, *address.follow(Part(self.view, ["against", "only"]))]
        self.layout = column(self.fronts, self.view, sheets=[COMPARE_CSS])

    def follow(self, search: SearchTab) -> None:
        """Say at the fronts what the present question asks for."""
        search.setup.on_change(self.fronts.follow_question)
        search.view.param.watch(self.fronts.follow_question, ["refusal", "blocked", "stale"])
        self.fronts.follow_question()

    def pin(self, card: Card) -> str:
        """Pin a card, unless it is; return its letter."""
        if letter := self.view.letter_of(card):
            raise ValueError(f"This model is pinned already, as {letter} in the tab Compare.")
        return self.view.pin(card)


class AlternativesTab:
    """All that is nearly as good as the model of the tab Search, and one of them edited by hand; or a game."""

    def __init__(self, address: Address) -> None:
        self.search: Callable[[], SearchTab] = lambda: SearchTab(address)
        self.view = AlternativesView(source=lambda: self.search().source(), run=lambda: self.search().answer())
        self.complain = self.view.complain
        self.complaints = address.follow(Part(self.view, ["distance"]), Part(self.view.editor.room, ["room"]))
        self.view.editor.room.link = partial(_joined_by, address)
        self._taken: Any = None
        self.layout = column(self.view, sheets=[COMPARE_CSS])

    def follow(self, search: SearchTab) -> None:
        """Show the alternatives to what each run ends with; who comes to a room plays."""

        def look(*_: Any) -> None:
            session, work = search.view.session, search.view.session.workshop
            standing = {"searching": session.state.busy, "earlier": search.view.stale and session.state.over}
            self.view.param.update(sensitive=str(search.setup.table.sensitive or ""), **standing)
            if not isinstance(work, tuple) or work[1] is self._taken:
                return
            prepared, self._taken = work
            self.view.take(lambda report: prepared, prepared, self._taken)

        search.view.param.watch(look, ["snapshot", "status", "edits", "stale"])
        look()
        if self.view.editor.room.room:
            pn.state.onload(self.view.play)


TABS: dict[str, Callable[[Address], Any]] = {
    "Search": SearchTab,
    "Alternatives": AlternativesTab,
    "Compare": CompareTab,
    "Learn": LearnTab,
}
_ANSWERS = ("Alternatives", "Compare")  # tabs of what is asked in Search


class _Place(pn.Column):
    """Where a tab is shown: a part of the page with a name."""

    def _get_properties(self, doc: Any) -> dict[str, Any]:
        return {**super()._get_properties(doc), "html_attributes": {"role": "tabpanel", "aria-label": self.name}}


class Tabs(param.Parameterized):
    """The tabs, of which the address says which one is open; each is made when first opened, and stays.

    A plot that is taken out of the page while it is fed does not come back whole, so that tabs are hidden instead.

    `complaints`: to be shown in the tab that is opened first.
    """

    tab: param.Selector[str] = param.Selector(
        default="", objects=["", *TABS], doc="The one that is open; empty: none, but the front."
    )
    dark = param.Boolean(default=False, doc="Whether the page is dark.")
    simple = param.Boolean(default=False, doc="Whether there is the search alone, and no front.")

    def __init__(self, address: Address, complaints: Sequence[str] = (), **params: Any) -> None:
        super().__init__(**params)
        if self.simple:  # no strip leads from one to another; who comes to a room plays
            self.param["tab"].objects = ["", "Search", *["Alternatives"] * address.asks("room")]
        self._address = address
        self._made: dict[str, Any] = {}
        # holds the pinned models of the tab Compare, which is made when there are some; it has to be on the page
        self.kept = Kept(width=0, height=0, margin=0)
        self.kept.param.watch(self._found, "found")
        self._is_there = False
        self.remote = Remote(self, **WIDE)
        self.runs = KeptRuns(
            self._show_run,
            self._pin,
            self.complain,
            lambda: self.param.update(tab="Search"),
            lambda table: self.made("Search").setup.table.bring(table),
        )
        self.kept.param.watch(lambda event: self.runs.follow_pins(event.new), "kept")
        # holds what the last run was, for the front; it has to be on the page, too
        self.last = Kept(key="rulelab-last", lasting=True, width=0, height=0, margin=0)
        self.last.param.watch(lambda event: self._front.remember(event.new), ["found", "kept"])
        self.runs.param.watch(lambda event: self.last.param.update(kept=event.new), "last")
        self.strip = Strip(names=list(TABS), open=self.tab, margin=0)  # the names of the tabs, and the open one
        self._places: dict[str, pn.Column] = {
            name: _Place(name=name, visible=False, stylesheets=[TAB_CSS], css_classes=["rl-tab"], **WIDE)
            for name in TABS
        }
        self._front = Front(self._begin, self._receive, lambda run: self.runs.act("open", [run]), **WIDE)
        self._places[""] = column(visible=False, sheets=[TAB_CSS])
        self.body = column(*self._places.values(), sheets=[TAB_CSS])
        self._complaints = list(complaints)
        found = address.follow(Part(self, ["tab"], steps=["tab"]))
        self._complaints += found
        if found or (self.simple and not self.tab):  # a tab was asked for, which there is not
            self.tab = "Search"
        self._show()
        if not self.tab:
            self.complain("; ".join(self._complaints))
        pn.state.onload(self._bring_back)
        self.strip.link(self, open="tab", bidirectional=True)

    def made(self, name: str) -> Any:
        """A tab, opened before or not."""
        if name not in self._made:
            make: Callable[..., Any] = TABS[name]
            if make is CompareTab:
                make = partial(CompareTab, kept=self.kept, table=self.runs.list)
            tab = self._made[name] = make(self._address)
            brought = self.runs.keeps and self._address.asks("run")  # with its rows, or it says why not
            own = [each for each in tab.complaints if not (brought and each == NOT_KEPT)]
            tab.complain("; ".join([*self._complaints, *own]))
            self._complaints = []
            tab.view.dark = self.dark
            if "on_pin" in tab.view.param and not self.simple:
                tab.view.on_pin = self._pin
            if isinstance(tab, SearchTab):
                tab.view.on_standing = self.runs.follow
                tab.view.opening = self.runs.opening or (brought and not self._is_there)
                self.runs.param.watch(lambda event: tab.view.param.update(opening=event.new), "opening")
                if not self.simple:
                    tab.view.param.update(on_edit=self._edit, editable=editable, on_person=one_person)
            if isinstance(tab, AlternativesTab | CompareTab):
                tab.search = lambda: self.made("Search")
            if isinstance(tab, AlternativesTab):
                tab.follow(self.made("Search"))
            if isinstance(tab, LearnTab):
                tab.view.param.update(on_game=partial(self._begin, "game"), on_script=self.remote.begin)
            if name in ("Search", "Compare") and {"Search", "Compare"} <= self._made.keys():
                self._made["Compare"].follow(self._made["Search"])
        return self._made[name]

    def complain(self, message: str) -> None:
        """Show an error in the open tab, or on the front; an empty text takes it away."""
        (self.made(self.tab) if self.tab else self._front).complain(message)

    def _begin(self, card: str) -> None:
        """Do what a card of the front says, as one step of the browser."""
        with self._address.together():
            self.tab = "Alternatives" if card == "game" else "Search"
            if card == "game":
                self.made("Alternatives").view.play()
            else:
                self.made("Search").begin(**EXAMPLES[card])

    def _receive(self, contents: bytes, name: str) -> None:
        """A file was brought to the front."""
        self.tab = "Search"
        self.made("Search").setup.table.receive(contents, name)

    def _bring_back(self) -> None:
        """Once the page is there, show the kept run and the pinned models of the address."""
        document = pn.state.curdoc
        self._is_there = True
        self._address.follow(Part(self.runs, ["run"]))
        self.runs.param.trigger("opening")  # whether that is being read
        if self.kept.found is not None or document is None or document.session_context is None:
            self._address.follow(Part(self.runs, ["pins"]))

    def _found(self, event: param.parameterized.Event) -> None:
        """The browser says which pinned models it kept: they are those of the address, if it kept any."""
        if event.new:
            self.runs.own_pins(event.new)
            self.made("Compare")
        if event.old is None and self._is_there:
            self._address.follow(Part(self.runs, ["pins"]))

    def _pin(self, card: Card) -> str:
        return str(self.made("Compare").pin(card))

    def _edit(self, prepared: Prepared, latest: Snapshot, model: Model) -> None:
        """Edit the model that the tab Search shows."""
        self.tab = "Alternatives"
        self.made("Alternatives").view.edit(prepared, latest, model)

    def _show_run(self, recording: Recording, name: str, query: str | None, card: Card | None = None) -> None:
        """Show a kept run, with its settings in the form and the card of its model."""
        search = self.made("Search")
        said = "" if query is None else search.setup.go_back_to(query)
        known = query is not None and not (said or search.view.refusal or search.view.blocked)
        search.view.open(recording, name, card, search.setup.recipe() if known else None)
        search.complain(said)

    def _question(self) -> Sentence:
        """What the tab Search asks, over what else answers it; a part that is pressed leads there."""
        asked = self.made("Search").setup.sentence
        shown = Sentence(parts=asked.parts, sizing_mode="stretch_width", margin=(12, 16, 0, 16))
        asked.link(shown, parts="parts")
        shown.param.watch(self._to_settings, "open")
        return shown

    def _to_settings(self, event: param.parameterized.Event) -> None:
        if event.new:
            event.obj.open = False
            self.tab = "Search"
            self.made("Search").setup.sentence.open = True

    @param.depends("tab", watch=True)
    def _show(self) -> None:
        place = self._places[self.tab]
        if self.tab == "Compare":  # before it is drawn, which what changes meanwhile would disturb
            if self.made("Search").ended:
                self.made("Compare").fronts.begin()
            self.runs.look()
        if not place.objects:
            if self.tab in _ANSWERS:
                place.append(self._question())
            place.append(explain_all(self.made(self.tab).layout) if self.tab else self._front)
        self.strip.open = self.tab
        for name, other in self._places.items():
            other.visible = name == self.tab
        self.strip.shown = self.tab
        if "Search" in self._made:
            self._made["Search"].presenter.possible = self.tab == "Search"

    @param.depends("dark", watch=True)
    def _restyle(self) -> None:
        for name in sorted(self._made, key=lambda name: name != self.tab):  # what is seen first
            self._made[name].view.dark = self.dark
