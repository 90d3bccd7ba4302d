"""A model to edit by hand: what each edit costs, its distance from the optimum, one person, and the game of a class."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import panel as pn
import param

from ...arguments import short
from ...data.problem import Problem
from ...datasets import Dataset
from ...models import FallingRuleList, Model, RuleList, RuleSet
from ...rule_list import RuleListSearch
from ...snapshot import Snapshot
from ...stepping import Search
from ...what_if import Change
from ..cards.card import Card, prepared_of
from ..cards.exports import card_exports
from ..live.job import POOL, Job, Pool
from ..live.prepared import Prepared
from ..live.ticker import Work
from ..live.wording import EARLIER
from ..notebook import NotebookViewer
from ..widgets import icons
from ..widgets.browser import Pointer
from ..widgets.esc import esc, plain
from ..widgets.explained import WORD_CSS, Explained, explain_all, word
from ..widgets.fields import KEEP, WIDE, Pinning, alert, button, column, pinned_note, row, when_page_ends
from ..widgets.html import Html, LiveText
from ..widgets.style import CARD_CSS, LOW_CSS, PANEL_CSS, sheet
from . import wording
from .game import RoomPanel, find_best
from .good import Good
from .hand import KINDS, Best, Editable, Hand, editable, edited_of
from .parts import Editor, matching, pane, perform, spaced
from .person import GroupsPanel, PersonPanel

_APART = Pool(10_000)  # optimizers wait for the processors at each of their steps, and not in a line before it
Source = Callable[[], Callable[[Callable[[str], None]], Prepared]]


class WhatIfView(Pinning, NotebookViewer):
    """A rule list, falling rule list or rule set to edit by hand, with how far each edit is from the optimum.

    Parameters
    ----------
    search : RuleListSearch, FallingRuleListSearch, RuleSetSearch or Problem, optional
        Whose models are edited; it is brought to its proof beside it, where it has not come to it. A problem alone is
        searched for rule lists with ``regularization``.
    model : RuleList, FallingRuleList or RuleSet, optional
        To begin with; by default the best one of the search, or an empty one where none is known yet.
    data : Dataset, optional
        That the problem was made from, row by row: adds groups of people, and rows to choose a person from.
    regularization : float
        Price of a rule, where a problem alone is given.
    source : callable, optional
        Instead of a search: gives what makes the search, when a game begins.

    Attributes
    ----------
    seconds : float
        Time limit of the optimizer, in seconds.
    playing : bool
        Whether the optimum is hidden until it is revealed, and a room can be entered.
    hand : Hand or None
        The model that is edited; None before it begins.

    Examples
    --------
    In a notebook::

        rl.views.WhatIfView(rl.RuleListSearch(problem, regularization=0.01))
    """

    seconds = param.Number(default=60.0, bounds=(0, None))
    playing = param.Boolean(default=True)
    earlier = param.Boolean(default=False, doc="Whether other things are asked now than what was searched for.")

    def __init__(
        self,
        search: Search | Problem | None = None,
        model: Model | None = None,
        *,
        data: Dataset | None = None,
        regularization: float = 0.01,
        source: Source | None = None,
        **params: Any,
    ) -> None:
        if (search is None) == (source is None):
            raise ValueError("give either a search, or a problem, or source")
        if isinstance(search, Problem):
            search = RuleListSearch(search, regularization=regularization)
        if search is not None and not editable(search):
            raise TypeError(f"search must be one of {KINDS}, not {short(search)}")
        if model is not None and not isinstance(model, RuleList | FallingRuleList | RuleSet):
            raise TypeError(f"model must be a rulelab.RuleList, FallingRuleList or RuleSet, not {short(model)}")
        super().__init__(**params)
        self._source = source
        self.hand: Hand | None = None
        self._revealed, self._shown = False, False
        self.on_shown: Callable[[], None] = lambda: None  # called when another model may be in hand
        self._hints = 0  # how often a change was asked for
        self._change: Change[Any] | None = None  # the one that was found last, where it makes the model better
        self.person, self.groups, self.room = PersonPanel(), GroupsPanel(), RoomPanel()
        self.room.on_end = lambda: None if self._shown else self.reveal()
        self.room.on_begin = self._begin_anew
        self.room.param.watch(lambda _: self._offer_optimum(), "free")
        self.groups.param.watch(lambda _: self._say(), "attribute")
        self.param.watch(lambda _: self._say(), "earlier")
        self._preparing = Work(lambda doing: self._status.param.update(phase=doing), POOL, what="the preparing of data")
        self._finding = Work(lambda doing: self._say(), _APART)
        self._hinting = Work()
        self._build(alone=search is not None)
        when_page_ends(self.close)
        if search is not None:
            self._begin(prepared_of(search, data), edited_of(search, model))

    def play(self, *_: Any) -> None:
        """Begin with an empty list, while the optimizer searches beside."""
        self.complain("")
        assert self._source is not None
        with self.complaining():
            source = self._source()
            self._forget_work()
            if not self.playing or self._revealed:  # what is known is neither seen nor taken back while it is hidden
                self.hand, self._details.objects, self._status.figures = None, [], []
            self.playing = True
            self._preparing.begin(lambda progress: Hand(source(progress.report)), self._take_prepared)
            self._status.param.update(tone="busy", phase="preparing the data")

    def edit(
        self,
        prepared: Prepared,
        model: Model,
        card: Card | None = None,
        good: Good | None = None,
        latest: Snapshot | None = None,
    ) -> None:
        """Edit a model of a search that has ended; of the same search it is an edit to take back. ValueError."""
        self.complain("")
        search, hand = cast(Editable, prepared.search), self.hand
        edited = edited_of(search, model)
        if hand is None or hand.search is not search or self.playing:
            if latest is None and search.certified:
                latest = search.advance(1)
            self._forget_work()
            self.playing = False
            self._begin(prepared, edited, None if latest is None else Best.of(search, latest))
            hand = self._in_hand()
        if card is not None:
            hand.known[edited] = card
        hand.take(edited)
        self.compare(good, "another model is chosen" if hand.past else "")

    def compare(self, good: Good | None, said: str = "") -> None:
        """Say of the model in hand what the good models say, and whether it is as near to the optimum as they are."""
        self.person.good, self._in_hand().ratio = good, None if good is None else good.ratio
        self._show(said)

    def leave(self) -> None:
        """End the game: nothing is in hand."""
        self._forget_work()
        self.hand = None
        self.room.close()
        self._details.objects, self._status.phase, self.playing = [], "", False

    def close(self) -> None:
        """End what is under way, and leave the room."""
        for each in (self._preparing, self._finding, self._hinting, self.room):
            each.close()

    def _in_hand(self) -> Hand:
        assert self.hand is not None
        return self.hand

    def refresh(self) -> bool:
        """Show what the workers have done; True while more may come."""
        busy = [work.refresh() for work in (self._preparing, self._finding, self._hinting)]
        return any(busy)

    def act(self, wanted: dict[str, Any]) -> None:
        """Do what the editor asks for; what makes no sense is left alone."""
        hand = self.hand
        if hand is None:
            return
        if wanted.get("do") == "find":
            self._editor.found = matching(hand, wanted.get("text", ""))
            return
        try:
            said = perform(hand, wanted)
        except ValueError as error:
            self.complain(f"{str(error)[:1].upper()}{str(error)[1:]}.")
        else:
            if said:
                self._show(said)

    def undo(self, *_: Any) -> None:
        """Take the last edit back."""
        if self.hand is not None:
            self.hand.undo()
            self._show("the last edit is taken back")

    def redo(self, *_: Any) -> None:
        """Do again what was taken back."""
        if self.hand is not None:
            self.hand.redo()
            self._show("the edit is done again")

    def hint(self, *_: Any) -> None:
        """Look for the best single change, in another thread."""
        hand = self.hand
        if hand is not None and not self._hinting.busy:
            edited, bench, doing = hand.edited, hand.bench, "trying all single changes"
            self._hints += 1
            self._hint.object = '<p class="note">Trying all single changes …</p>'
            self._hinting.begin(
                lambda progress: bench.best_changes(edited, lambda: progress.report(doing)),
                partial(self._take_hint, hand, edited),
            )

    def apply_hint(self, *_: Any) -> None:
        """Make the change that was found last."""
        if self._change is not None:
            self._in_hand().take(self._change.result)
            self._show("the best single change is made")

    def reveal(self, *_: Any) -> None:
        """Show what the search has found, or hide it again; in a room that is for the one who leads it."""
        if not self.room.free:
            return
        self._revealed, self._shown = True, not self._shown
        self._show_best()
        self._tell_room()

    def _begin_anew(self) -> None:
        """All in the room begin with an empty list, and the optimum is hidden."""
        hand = self._in_hand()
        hand.edited, hand.past, hand.future = hand.bench.empty(), [], []
        self._hints, self._revealed, self._shown = 0, False, False
        self._show("all in the room begin with an empty list")
        self._show_best()

    def pin(self, *_: Any) -> None:
        """Hand the card to `on_pin`."""
        if self.hand is not None and (letter := self.hand_on(self.hand.card)):
            self.complain("")
            self._pinned.object = pinned_note(letter)

    def _forget_work(self) -> None:
        self._preparing.forget()
        self._finding.forget()

    def _take_prepared(self, job: Job) -> None:
        if job.result is None:
            self._status.param.update(tone="idle", phase="")
            self.complain(job.error or "the data cannot be prepared")
        else:
            with pn.io.hold():
                self._begin(job.result.prepared, None)

    def _begin(self, prepared: Prepared, edited: Any, best: Best | None = None) -> None:
        """Take a model in hand; where the best one is not known, let the optimizer search for it beside."""
        self.hand = hand = Hand(prepared, edited, self.hand)
        hand.best, self.person.good = best, None
        search, seconds = cast(Editable, hand.search), self.seconds
        self._hints, self._revealed, self._shown = 0, not self.playing, False
        self._finding.forget()
        if best is None:
            self._finding.begin(lambda progress: find_best(search, seconds, progress), self._take_best)
        panels: list[Any] = [self.person, self.groups, *([self.room] if self.playing else [])]
        for each in panels:
            each.begin(hand)
        shown = [explain_all(each.__panel__()) for each in panels]
        self._side.objects = shown[:2]
        self._editor.param.update(found={}, target=plain(prepared.target, 30), family=hand.bench.family)
        heading = "Your rule set" if hand.bench.family == "rule_set" else "Your list"
        self._heading.object = f"<h2>{word(heading, 'list edited by hand')}</h2>"
        self._editor.said = ""
        self._show("another list is begun, and Undo brings the one before back" if hand.past else "")
        self._show_best()
        self._details.objects = [*self._parts, *shown[2:]]

    def _take_best(self, job: Job) -> None:
        if job.result is None:
            self.complain(job.error or "the optimizer found nothing")
        else:
            with pn.io.hold():
                self._in_hand().best = job.result
                self._show("")
                self._show_best()

    def _show(self, said: str) -> None:
        """Everything that depends on the list."""
        hand, model = self._in_hand(), self._in_hand().model
        with pn.io.hold():
            self.complain("")
            rules = wording.rows_of(hand, model)
            if rules != self._editor.rules:
                self._editor.rules = rules
            self._undo.disabled, self._redo.disabled = not hand.past, not hand.future
            self._offer()
            self._equation.object = wording.equation(hand, model)
            self._pinned.object = pinned_note()
            self._offer_change(None)
            self.groups.follow(hand)
            self._say()
            if said:
                self._editor.said = f"{said}; objective {wording.worth(hand, hand.objective)}"
            self.person.follow(hand)
            self._tell_room()
            self.on_shown()

    def _tell_room(self) -> None:
        if self.playing and self.hand is not None:
            self.room.follow(self.hand, self._hints, self._revealed)

    def _say(self) -> None:
        hand = self.hand
        if hand is None:
            return
        tone, phase = wording.distance(hand, self._finding.standing or "the optimizer searches")
        if self.earlier:
            tone, phase = "earlier", EARLIER + phase
        figures = wording.figures(hand, hand.model, self.groups.gap)
        self._status.param.update(tone=tone, phase=phase, figures=figures)

    def _show_best(self) -> None:
        hand, best = self._in_hand(), self._in_hand().best
        self._offer_optimum()
        self._reveal.label = "Hide the optimum" if self._shown else "Reveal the optimum"
        self._offer()
        self._answer.object = wording.answer(hand, best) if best is not None and self._shown else ""
        self._answer.visible = bool(self._answer.object)

    def _offer_optimum(self) -> None:
        known = self.hand is not None and self.hand.best is not None
        self._reveal.visible = self.playing and known and self.room.free

    @param.depends("on_pin", watch=True)
    def _offer(self) -> None:
        """Offer to save and pin what has a card."""
        has_card = self.hand is not None and self.hand.best is not None and not self.hand.refusal
        self.exports.button.visible = has_card
        if not has_card:
            self.exports.fold()
        self.exports.refresh()
        self._pin.visible = self._pinned.visible = has_card and self.on_pin is not None

    def _take_hint(self, hand: Hand, edited: Any, job: Job) -> None:
        """Say what was found of a model; of one that is another one now it is forgotten."""
        if hand is not self.hand or hand.edited != edited:
            self._offer_change(None)
        elif job.result is None:
            self._offer_change(None)
            self.complain(job.error or "no change was found")
        else:
            best = next(iter(job.result), None)
            better = best is not None and (best.objective < hand.objective or bool(hand.refusal))
            self._offer_change(best if better else None, f"<p>{esc(wording.hint(hand, best), 600)}</p>")
            self._tell_room()

    def _offer_change(self, change: Change[Any] | None, said: str = wording.HINT) -> None:
        self._change, self._hint.object, self._make.visible = change, said, change is not None

    def _build(self, alone: bool) -> None:
        self._status = LiveText(caption="Your list", **WIDE)
        self._alert = alert("Error of your list")
        self._editor = Editor(self.act, **WIDE)
        self._equation = pane()
        self._hint = pane(css_classes=["rl-said"])
        ask = button("Best single change", self.hint, 150)
        self._make = button("Make this change", self.apply_hint, 150, visible=False)
        self._undo, self._redo = button("Undo", self.undo, 70), button("Redo", self.redo, 70)
        pointer = Pointer(head="rl-side", width=0, height=0, margin=0)
        send = button("One person", lambda _: pointer.param.update(heads=pointer.heads + 1), 104)
        self._reveal = button("Reveal the optimum", self.reveal, 160, visible=False)
        self._pin = button(KEEP, self.pin, 150, icon=icons.PIN)
        self._pinned = Html(pinned_note(), stylesheets=[CARD_CSS], margin=0)
        self.exports = card_exports(lambda: self._in_hand().card())
        self._answer = pane(CARD_CSS, LOW_CSS, PANEL_CSS, visible=False)
        self._heading = Html(stylesheets=[CARD_CSS, WORD_CSS], **WIDE)
        editing = column(
            self._heading,
            row(self._undo, self._redo, ask, self._make, send, self._reveal, pointer),
            self._hint,
            self._editor,
            self._equation,
            row(self._pin, self.exports.button, self._pinned),
            self.exports.menu,
            sheets=[PANEL_CSS],
        )
        left = spaced(editing, self._answer, classes="rl-edit")
        self._side = spaced(classes="rl-side")
        self._parts = [left, self._side]  # nothing of it is in the page before it begins
        self._details = column(sheets=[sheet("what_if.css")])
        further = [Explained()] if alone else []
        self._layout = spaced(self._alert, self._status, self._details, *further, classes="rl-what-if")
