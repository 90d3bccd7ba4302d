"""The alternatives to the best model: all that are nearly as good, seen together, and the chosen one, to be edited."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import panel as pn
import param

from ...datasets import Dataset
from ...models import Model, RuleList
from ...rule_list import RuleListSearch
from ...rule_set import RuleSetSearch
from ...snapshot import Snapshot
from ..cards.card import Card, of_search, prepared_of
from ..live.job import POOL, Job
from ..live.prepared import Prepared
from ..live.ticker import Work, Working
from ..live.wording import EARLIER
from ..widgets.browser import Strip
from ..widgets.esc import plain
from ..widgets.explained import Explained, term_classes
from ..widgets.fields import WIDE, Pinning, alert, column, download, row, select, when_page_ends
from ..widgets.html import Html, LiveText, Press
from ..widgets.style import CARD_CSS, PANEL_CSS, STRIP_CSS, sheet
from . import wording
from .counting import explorer_of_sets
from .editing import Source, WhatIfView
from .fairer import CountView, FairerView
from .good import LISTED, Good, find, refusal
from .hand import editable, edited_of
from .offline import explorer
from .parts import NO_MODEL, Builder, Choosing, spaced

TOGETHER, MADE_OF, FAIRER = "All together", "What they are made of", "Fairer ones"
BUILD, COUNT = "Build a list", "Count all"
_NARROW = ":host { min-width: 0 !important; }"
_WHOLE = ":host { min-height: 100vh; }"
"""Of the place of the good models before they are there: what stands under it on a phone does not jump then."""
EFFORTS = ((10_000, 2.0, 300_000_000), (100_000, 60.0, 1_000_000_000), (100_000, 300.0, 1_000_000_000))
"""Models, seconds and bytes, at most: at once, and each time that more is asked for."""


class AlternativesView(Working, Pinning, Choosing):
    """All rule lists or rule sets near the optimum, as pictures and a list; the chosen one is edited beside them.

    Parameters
    ----------
    search : RuleListSearch or RuleSetSearch, optional
        The optimum's search; it is brought to its proof where it has not come to it.
    data : Dataset, optional
        That the search's problem was made from, row by row: adds groups of people and test scores.
    source : callable, optional
        Instead of a search: gives what makes the search of a game. What is shown is then taken by `take`.
    run : callable, optional
        Begins the search whose alternatives will be here.

    Attributes
    ----------
    distance : float
        How far above the optimum models are found, as a share of its objective.
    attribute, criterion : str
        Groups of which attribute are compared, and in which rate; attribute empty: none are.
    uses, without, column : str
        An antecedent that the models which are shown have, one that they lack, and a column that they use; empty: any.
    rules : int
        Rules that the models which are shown have, at most; 0: any number.
    model : int
        The number of the one that is chosen.

    Examples
    --------
    In a notebook::

        rl.views.AlternativesView(rl.RuleListSearch(problem, regularization=0.01))
    """

    distance: param.Selector[float] = param.Selector(
        default=0.02,
        objects={f"{100 * share:g} %": share for share in (0.01, 0.02, 0.05, 0.1, 0.2)},
        label="Above the optimum, at most",
    )
    sensitive = param.String(default="", doc="The attribute whose groups are compared where none is chosen here.")
    searching = param.Boolean(default=False, doc="Whether the search whose alternatives will be here goes on.")
    earlier = param.Boolean(default=False, doc="Whether other things are asked now than what was searched for.")

    def __init__(
        self,
        search: RuleListSearch | RuleSetSearch | None = None,
        data: Dataset | None = None,
        *,
        source: Source | None = None,
        run: Callable[[], None] = lambda: None,
        **params: Any,
    ) -> None:
        if (search is None) == (source is None):
            raise ValueError("give either a search or source")
        if search is not None and type(search) not in (RuleListSearch, RuleSetSearch):
            raise TypeError(
                "search must be a rulelab.RuleListSearch or RuleSetSearch without a fairness constraint, not "
                f"{search!r}"
            )
        super().__init__(**params)
        if search is not None:
            prepared = prepared_of(search, data)
            source = lambda: lambda report: replace(prepared)  # noqa: E731
        assert source is not None
        self.editor = WhatIfView(source=source, playing=False, on_pin=self.on_pin)
        self.editor.groups.chosen_here = False
        self.editor.on_shown = self._mark
        self._own: Any = None  # the chosen model, as it is edited
        self._run = run
        self._make: Callable[[Callable[[str], None]], Prepared] | None = None
        self._known: tuple[Prepared, Snapshot] | None = None
        self._effort = 0
        self._work = Work(self._say_busy, POOL, what="the search for good models")
        self._builder: Builder | None = None
        self._build(alone=search is not None)
        when_page_ends(self.close)
        self.editor.param.watch(self._lay_out, "playing")
        self.param.watch(lambda event: self.editor.param.update(on_pin=event.new), "on_pin")
        self._lay_out()
        if search is not None:
            self.take(source(), prepared, search.advance(1) if search.certified else None)

    @property
    def playing(self) -> bool:
        """Whether a game against the optimizer goes on: its optimum is hidden, and so is what is near it."""
        return self.editor.playing

    def take(
        self,
        make: Callable[[Callable[[str], None]], Prepared],  # the search; it is brought to its proof if need be
        prepared: Prepared | None = None,  # the search that has ended
        latest: Snapshot | None = None,  # its last state
    ) -> None:
        """Find the alternatives to what a search has found, and edit its best model, also where none is found."""
        self._make, self._effort = make, 0
        self._known = None if prepared is None or latest is None else (prepared, latest)
        self.found = None
        with pn.io.hold():
            self._edit_best()
            self.find()

    def _edit_best(self) -> None:
        """Edit the best model of the search that has ended; it does not wait for those beside it."""
        prepared, latest = self._known or (None, None)
        if prepared is None or latest is None or self.playing or not editable(prepared.search):
            return
        if latest.incumbent is not None:
            self.edit(prepared, latest, latest.incumbent.model)

    @param.depends("distance", watch=True)
    def find(self) -> None:
        """Look for good models, with the present settings."""
        self.complain("")
        make = self._make
        if make is None:
            return
        if self._known is not None and (refused := refusal(self._known[0].search)):
            self._work.forget()
            self._take_none(refused)
            self._lay_out()
            return
        ratio, effort = self.distance, EFFORTS[self._effort]
        self.counting.seconds = max(effort[1], 60.0)
        self._work.begin(lambda progress: find(make, progress, ratio, *effort), self._end)
        self.refresh()
        self._lay_out()

    def find_more(self) -> None:
        """Look for more good models than the first time; while that goes on, end it and keep what it has found."""
        if self._work.busy:
            self._work.cancel()
            return
        self._effort = min(self._effort + 1, len(EFFORTS) - 1)
        self.find()

    def edit(self, prepared: Prepared, latest: Snapshot, model: Model) -> None:
        """Edit a model that a search which has ended has found; ValueError when its models are not edited."""
        best = latest.incumbent is not None and latest.incumbent.model == model
        card = (prepared.card or of_search(prepared.search, latest, prepared)) if best else None
        self.editor.edit(prepared, model, card, latest=latest)
        if not self._work.busy:  # else it is seen together with the others
            self._lay_out()

    def play(self) -> None:
        """Begin a game: an empty model against the optimizer."""
        self.editor.play()

    def leave_game(self) -> None:
        """Show the alternatives again."""
        self.editor.leave()
        self._edit_best()
        self.find()

    def close(self) -> None:
        """End what is under way."""
        super().close()
        for each in (self.counting, self.fairer, self.editor):
            each.close()

    def _say_busy(self, doing: str) -> None:
        with pn.io.hold():
            self._more.label, self._more.visible = "Stop", self._effort > 0 or self.found is not None
            self._status.param.update(tone="busy", phase=f"Finding good models: {doing}")

    def _end(self, job: Job) -> None:
        with pn.io.hold():
            self._more.label, self._more.visible = "Find more", self._effort > 0 or self.found is not None
            if job.result is not None:
                self._take(job.result)
            elif self.found is not None and job.progress.cancelled:
                self._say(self.found)
            else:
                self._take_none(job.error or "nothing was found")
            self._lay_out()

    def explorer_html(self) -> io.StringIO:
        """All that was found as one file that needs no network."""
        found = self.found
        assert found is not None
        if found.graph is None:
            return io.StringIO(explorer_of_sets(found.result, found.snapshot, found.labels))
        return io.StringIO(explorer(found.result, found.graph, found.labels))

    @param.depends("earlier", watch=True)
    def _say_again(self) -> None:
        self.editor.earlier = self.earlier
        if self.found is not None:
            self._say(self.found)

    def _say(self, found: Good) -> None:
        tone, said = ("earlier", EARLIER + found.verdict()[1]) if self.earlier else found.verdict()
        self._status.param.update(tone=tone, phase=said)
        self._more.visible, self._distance.visible = not found.result.complete, True

    def _take(self, found: Good) -> None:
        self._say(found)
        self._make = lambda report: found.prepared  # its optimum is not searched for again
        self._take_overview(found)
        self._explorer.visible = bool(found.result.count)
        of_lists = found.graph is not None
        grouped = bool(found.prepared.attributes)
        self.strip.names = [TOGETHER, MADE_OF, *grouped * [FAIRER], *of_lists * [BUILD], COUNT]
        if self.strip.open not in self.strip.names:
            self.strip.open = TOGETHER
        self.counting.begin(found)
        self._look_for_fairer()
        if of_lists and self._builder is not None:
            self._builder.begin(found)
        hand = self.editor.hand
        if self.playing:
            return
        if hand is not None and hand.search is found.prepared.search and hand.edited not in hand.known:
            self.editor.compare(found)
        elif found.answer is not None:
            self.choose(found.answer)

    def _take_none(self, why: str) -> None:
        """Say why nothing was found beside the best model."""
        self._status.param.update(tone="limit", phase=plain(f"{why[:1].upper()}{why[1:]}", 600))
        self.found = None
        self._more.visible = self._distance.visible = not why.startswith(LISTED)

    @param.depends("searching", watch=True)
    def _lay_out(self, *_: Any) -> None:
        """Show what there is, and nothing that is empty."""
        playing, found = self.playing, self.found is not None
        with pn.io.hold():
            self._waiting.visible = self._make is None and not playing
            self._begin.label = "Searching ..." if self.searching else "Run the search"
            self._begin.able = not self.searching
            self._top.visible = self._make is not None and not playing
            self._left.visible = found and not playing
            self._coming.visible = self._work.busy and not (found or playing)
            self._right.visible = playing or self.editor.hand is not None
            self._leave.visible = playing
            self._details.css_classes = ["rl-both" if self._left.visible or self._coming.visible else "rl-one"]

    def _open(self, *_: Any) -> None:
        """Show one of the views of what was found; the builder is made when it is first opened."""
        if self.strip.open == BUILD and self._builder is None and self.found is not None:
            self._builder = Builder(self._ended, **WIDE)
            waiting = Html(wording.UNPACKING, stylesheets=[CARD_CSS], **WIDE)
            self._builder.param.watch(lambda event: waiting.param.update(visible=not event.new), "ready")
            self._building.objects = [waiting, self._builder]
            self._builder.begin(self.found)
        for name, place in self._places.items():
            place.visible = name == self.strip.open
        self._look_for_fairer()

    @param.depends("attribute", "criterion", watch=True)
    def _look_for_fairer(self) -> None:
        """Look for fairer models while they are seen; of the first attribute, where none is chosen."""
        found = self.found
        if self.strip.open != FAIRER or found is None or self._filling:
            return
        if not self.attribute:
            known = found.prepared.attributes
            self.attribute = self.sensitive if self.sensitive in known else known[0]  # which looks for them
            return
        self.fairer.begin(found, self.attribute, self.criterion)

    def _ended(self, antecedents: tuple[int, ...]) -> None:
        """Edit a list that was built: one of the models, or, in another order, one of its own."""
        found = self.found
        assert found is not None
        assert found.graph is not None
        k = int(found.graph.model[found.graph.node(antecedents)])
        self.choose(k)
        if antecedents != found.result.lists[k]:
            self._edit_chosen(found.card_of(RuleList.from_problem(found.result.problem, antecedents)))

    def choose(self, k: int) -> None:
        """Let one of the models be the chosen one, which is edited."""
        if k == self.model:
            self._choose()
        super().choose(k)

    @param.depends("model", watch=True)
    def _choose(self) -> None:
        if self._filling or self.found is None:
            return
        if self.model != NO_MODEL:
            self._edit_chosen(self.found.card(self.model))
        self._show_chosen_in_pictures()

    def _edit_chosen(self, card: Card) -> None:
        assert self.found is not None
        assert isinstance(card.model, Model)
        self._own = edited_of(self.found.prepared.search, card.model)
        self._edit(card)

    def _mark(self) -> None:
        """Let no good model be the chosen one once another model is in hand."""
        if self.model != NO_MODEL and self.editor.hand is not None and self.editor.hand.edited != self._own:
            self.model = NO_MODEL

    def _edit_model(self, model: RuleList) -> None:
        """Edit a list of the same problem, which need not be one of the models."""
        assert self.found is not None
        self._edit(self.found.card_of(model))

    def _edit(self, card: Card) -> None:
        assert self.found is not None
        if self.playing:  # a message of what is hidden
            return
        assert isinstance(card.model, Model)
        with self.complaining():
            self.editor.edit(self.found.prepared, card.model, card, self.found)
        self._follow_groups()

    @param.depends("attribute", "criterion", watch=True)
    def _follow_groups(self) -> None:
        """The count and the editor speak of the same groups."""
        self.counting.groups = (self.attribute, self.criterion)
        if self.attribute in self.editor.groups.param["attribute"].objects.values():
            self.editor.groups.attribute = self.attribute

    def _begin_search(self) -> None:
        self.complain("")
        with self.complaining():
            self._run()

    def _build(self, alone: bool) -> None:
        self._status = LiveText(caption="Good models", min_width=280, **WIDE)
        self._alert = alert()
        self._distance = select(self.param.distance, 190, css_classes=term_classes("near-optimal"))
        self._more = Press(self.find_more, label="Find more", width=96, height=34, margin=0, align="end", visible=False)
        self._explorer = download("Explorer (HTML)", "explorer.html", self.explorer_html, width=140, small=True)
        self._begin = Press(self._begin_search, width=150, height=38, margin=0)
        self._waiting = column(Html(wording.WAITING, stylesheets=[CARD_CSS], **WIDE), self._begin, sheets=[PANEL_CSS])
        self._exports.append(self._explorer)
        self._top = row(self._status, self._distance, self._more)
        self.strip = Strip(
            names=[TOGETHER, MADE_OF, COUNT], open=TOGETHER, caption="Good models", stylesheets=[STRIP_CSS],
            **WIDE,
        )  # fmt: skip
        self.strip.param.watch(self._open, "open")
        self.counting = CountView()
        groups = [select(self.param.attribute, 150), select(self.param.criterion, 260)]
        self.fairer = FairerView(self._edit_model, groups)
        self.param.watch(lambda event: self.fairer.dots.use_dark(event.new), "dark")
        self.fairer.dots.use_dark(self.dark)
        self._building = column(sheets=[PANEL_CSS])
        self._places = {
            name: column(spaced(*parts), visible=name == TOGETHER, sheets=[_NARROW])
            for name, parts in (
                (TOGETHER, [self._overview]),
                (MADE_OF, [self._made_of]),
                (FAIRER, [self.fairer]),
                (BUILD, [self._building]),
                (COUNT, [self.counting]),
            )
        }
        self._left = column(self.strip, *self._places.values(), sheets=[_NARROW])
        self._leave = Press(self.leave_game, label="Leave the game", width=130, height=34, margin=0)
        self._right = column(self._leave, self.editor, sheets=[_NARROW])
        self._coming = column(Html(wording.COMING, stylesheets=[CARD_CSS], **WIDE), sheets=[PANEL_CSS, _WHOLE])
        self._details = column(self._left, self._coming, self._right, sheets=[sheet("alternatives.css")])
        parts = (self._waiting, self._alert, self._top, self._details, *([Explained()] if alone else []))
        self._layout = spaced(*parts, classes="rl-alternatives")
