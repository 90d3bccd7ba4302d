"""Many good models: find all rule lists or sets near the optimum, look at them together, choose one or build it."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import panel as pn
import param

from ...datasets import Dataset
from ...rule_list import RuleListSearch
from ...rule_set import RuleSetSearch
from ..cards.card import Card
from ..cards.view import ModelCard
from ..live.job import Job
from ..live.pool import POOL
from ..live.prepared import Prepared
from ..live.ticker import Beat
from ..live.wording import count, duration, objective
from ..widgets import icons
from ..widgets.download import download
from ..widgets.esc import plain
from ..widgets.explained import Explained, term_classes
from ..widgets.html import Html
from ..widgets.live_text import LiveText
from ..widgets.strip import Strip
from ..widgets.style import BAR_CSS, CARD_CSS, CARDS_CSS, PANEL_CSS, STRIP_CSS, VIEW_CSS
from . import html as explore_html
from .builder import Builder
from .count_view import CountView
from .finding import Found, Wanted, find
from .finding_sets import FoundSets
from .good import Good
from .good_models import BUTTON, LISTED, NO_MODEL, WIDE, Choosing
from .offline import explorer
from .offline_sets import explorer_of_sets
from .pin_or_edit import PinOrEdit

TOGETHER, BUILD, COUNT = "All together", "Build a list", "Count all"
_NARROW = ":host { min-width: 0 !important; }"
Source = Callable[[], Callable[[Callable[[str], None]], Prepared]]


class ExploreView(Choosing):
    """All rule lists or rule sets near the optimum, as pictures, tables and cards; lists are chosen rule by rule, too.

    Parameters
    ----------
    search : RuleListSearch or RuleSetSearch, optional
        The optimum's search; it is brought to its proof where it has not come to it.
    data : Dataset, optional
        That the search's problem was made from, row by row: adds groups of people and test scores.
    source : callable, optional
        Instead of a search: gives what makes the search, when models are to be found.

    Attributes
    ----------
    distance : float
        How far above the optimum models are found, as a share of its objective.
    most : int
        Models that are found, at most.
    seconds : float
        Time limit, in seconds.
    attribute, criterion : str
        Groups of which attribute are compared, and in which rate; attribute empty: none are.
    uses, without, column : str
        An antecedent that the models which are shown have, one that they lack, and a column that they use; empty: any.
    rules : int
        Rules that the models which are shown have, at most; 0: any number.
    order : str
        What they are sorted by.
    model : int
        The number of the one that is chosen.

    Examples
    --------
    In a notebook::

        rl.views.ExploreView(rl.RuleListSearch(problem, regularization=0.01))
    """

    distance: param.Selector[float] = param.Selector(
        default=0.02,
        objects={f"{100 * share:g} %": share for share in (0.01, 0.02, 0.05, 0.1, 0.2)},
        label="Above the optimum, at most",
    )
    most: param.Selector[int] = param.Selector(
        default=10_000, objects={count(n): n for n in (1_000, 10_000, 100_000)}, label="Models, at most"
    )
    seconds: param.Selector[float] = param.Selector(
        default=60.0, objects={f"{n} s": float(n) for n in (10, 60, 300)}, label="Time limit of the enumeration"
    )
    hindrance = param.String(default="", doc="Why nothing can be looked for now; empty: it can.")
    on_pin = param.Callable(
        default=None, doc="Takes the card that Pin model makes, and gives its letter; None: no button."
    )
    on_edit = param.Callable(
        default=None, doc="Takes the search, with its data, and a model of it to be edited by hand; None: no button."
    )

    def __init__(
        self,
        search: RuleListSearch | RuleSetSearch | None = None,
        data: Dataset | None = None,
        *,
        source: Source | None = None,
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
            source = partial(_given, search, data)
        assert source is not None
        self._source = source
        self._job: Job | None = None
        self._card: ModelCard | None = None
        self._builder: Builder | None = None
        self._beat = Beat(self.refresh)
        self._build(alone=search is not None)
        if pn.state.curdoc is not None:
            pn.state.on_session_destroyed(lambda _: self.close())
        self._draw()

    def __panel__(self) -> Any:
        return self._layout

    def find(self, *_: Any) -> None:
        """Look for good models, with the present settings."""
        self.complain("")
        if self.hindrance:
            return
        if self._job is not None:
            self._job.cancel()
        try:
            source = self._source()
        except ValueError as error:
            self.complain(str(error))
            return
        wanted = Wanted(self.distance, self.most, self.seconds)
        self._job = Job(lambda progress: find(source, wanted, progress), POOL)
        self.refresh()
        self._beat.start()

    def stop(self, *_: Any) -> None:
        """End the enumeration and keep what it has found."""
        if self._job is not None:
            self._job.cancel()

    def close(self) -> None:
        """End what is under way."""
        self.stop()
        if self._card is not None:
            self._card.close()
        self._counting.close()
        self._beat.stop()

    def complain(self, message: str) -> None:
        """Show an error; an empty text takes it away."""
        self._alert.phase = plain(message, 600)

    def refresh(self) -> bool:
        """Show what is new; True while more may come."""
        job = self._job
        busy = job is not None and job.busy
        with pn.io.hold():
            self._stop.disabled = not busy
            if job is not None and busy:
                self._status.param.update(tone="busy", phase=f"Finding good models: {job.standing}")
            elif job is not None:
                self._job = None
                if job.result is not None:
                    self._take(job.result)
                else:
                    self._status.param.update(tone="idle", phase="")
                    self.complain(job.error or "nothing was found")
        return busy

    def pin(self, *_: Any) -> None:
        """Hand the card to `on_pin`."""
        if self._card is None or self.on_pin is None:
            return
        try:
            letter = self.on_pin(self._card.card)
        except ValueError as error:
            self.complain(str(error))
        else:
            for pair in self._pairs:
                pair.say(letter)

    def edit(self, *_: Any) -> None:
        """Hand the model to `on_edit`."""
        if self._card is None or self._found is None or self.on_edit is None:
            return
        try:
            self.on_edit(self._found.prepared, self._card.card.model)
        except ValueError as error:
            self.complain(str(error))

    def explorer_html(self) -> io.StringIO:
        """All that was found as one file that needs no network."""
        found = self._found
        if isinstance(found, Found):
            return io.StringIO(explorer(found.result, found.graph, found.labels))
        assert isinstance(found, FoundSets)
        return io.StringIO(explorer_of_sets(found.result, found.snapshot, found.labels))

    def _take(self, found: Good) -> None:
        tone, said = found.verdict()
        self._status.param.update(
            tone=tone,
            phase=said,
            figures=[
                ["optimum", objective(found.result.optimum, found.base.model.family)],
                ["good models", count(found.result.count)],
                ["search time", duration(found.snapshot.seconds)],
            ],
        )
        self._take_overview(found)
        self._details.visible = True
        self._empty.visible = False
        lists = found if isinstance(found, Found) else None
        self._explorer.disabled = not found.result.count
        self._strip.names = [TOGETHER, BUILD, COUNT] if lists else [TOGETHER, COUNT]
        self._counting.begin(found)
        if self._strip.open not in self._strip.names:
            self._strip.open = TOGETHER
        if lists is not None and self._builder is not None:
            self._builder.begin(lists)
        if found.result.count:
            self._tapped(0)

    def _open(self, *_: Any) -> None:
        """Show the pictures, the count, or the builder, which is made when it is first opened."""
        building, counting = (self._strip.open == name for name in (BUILD, COUNT))
        if building and self._builder is None and isinstance(self._found, Found):
            self._builder = Builder(self._ended, **WIDE)
            waiting = Html(explore_html.UNPACKING, stylesheets=[CARD_CSS], **WIDE)
            self._builder.param.watch(lambda event: waiting.param.update(visible=not event.new), "ready")
            self._building.objects = [waiting, self._builder]
            self._builder.begin(self._found)
        self._building.visible = building
        self._counted.visible = counting
        for part in (self._together, self._overview):  # a grid shows itself also where it is not visible
            part.visible = not (building or counting)
        self._chosen.visible = not counting
        self._offer_pin()

    def _ended(self, antecedents: tuple[int, ...]) -> None:
        """Show the card of a list that was built: that of its model, or, in another order, one of its own."""
        found = self._found
        assert isinstance(found, Found)
        k = int(found.graph.model[found.graph.node(antecedents)])
        with pn.io.hold():  # the browser draws one card, never two at a time in one place
            self._tapped(k)
            if antecedents != found.result.lists[k]:
                self._show_card(found.card_of(antecedents))

    def _list_tapped(self, k: int) -> None:
        """Show the card of a random list, or set; where it is one of the models, that model."""
        sample = self._sample
        if sample is None:
            return
        place = sample.place(k)
        if place is not None:
            self._tapped(place)
            return
        self.model = NO_MODEL
        self._show_card(sample.card(k))

    @param.depends("model", watch=True)
    def _choose(self) -> None:
        """Show the card of the chosen model."""
        if self._filling or self._found is None:
            return
        self._show_card(None if self.model == NO_MODEL else self._found.card(self.model))
        self._show_chosen_in_pictures()

    def _show_card(self, card: Card | None) -> None:
        if self._card is not None:
            self._card.close()
        self._card = None if card is None else ModelCard(card)
        for pair in self._pairs:
            pair.say("")
        self._place.objects = [] if self._card is None else [self._card.__panel__()]
        self._offer_pin()

    @param.depends("seconds", watch=True)
    def _allow(self) -> None:
        """The time limit is that of all that is begun from now on."""
        self._counting.seconds = self.seconds

    @param.depends("hindrance", watch=True)
    def _say_hindrance(self) -> None:
        """Beside the button that cannot be pressed, why."""
        if self.hindrance:
            self.complain("")
        self._start.disabled = bool(self.hindrance)
        self._why.param.update(object=explore_html.hindrance(self.hindrance), visible=bool(self.hindrance))
        self._empty.object = explore_html.empty(not self.hindrance)

    @param.depends("on_pin", "on_edit", watch=True)
    def _offer_pin(self) -> None:
        for pair, here in zip(self._pairs, (self._strip.open == TOGETHER, self._strip.open == BUILD), strict=True):
            shown = here and self._card is not None
            pair.offer(pin=shown and self.on_pin is not None, edit=shown and self.on_edit is not None)

    def _build(self, alone: bool) -> None:
        self._status = LiveText(caption="Good models", css_classes=["rl-row"], **WIDE)
        self._alert = LiveText(role="alert", caption="Error", css_classes=["rl-row"], **WIDE)
        select = pn.widgets.Select.from_param
        self._start = pn.widgets.Button(
            label="Find good models", icon=icons.RUN, on_click=self.find, color="primary", width=190, **BUTTON
        )
        self._stop = pn.widgets.Button(
            label="Stop", icon=icons.STOP, on_click=self.stop, disabled=True, width=90, **BUTTON
        )
        settings = [
            select(self.param.distance, width=190, css_classes=term_classes("near-optimal"), **LISTED),
            select(self.param.most, width=140, **LISTED),
            select(self.param.seconds, width=200, **LISTED),
        ]
        self._explorer = download("Explorer (HTML)", "explorer.html", self.explorer_html, width=140, height=38)
        self._explorer.param.update(disabled=True, align="end")
        bar = {"stylesheets": [BAR_CSS], "css_classes": ["rl-row"], **WIDE}
        self._pairs = [PinOrEdit(self.pin, self.edit) for _ in range(2)]  # beside the pictures, and above the card
        self._head.extend(self._pairs[0].items)
        self._place = pn.Column(stylesheets=[CARDS_CSS], **WIDE)
        self._strip = Strip(
            names=[TOGETHER, BUILD, COUNT], open=TOGETHER, caption="Good models", stylesheets=[STRIP_CSS],
            css_classes=["rl-row"], **WIDE,
        )  # fmt: skip
        self._strip.param.watch(self._open, "open")
        self._building = pn.Column(visible=False, stylesheets=[PANEL_CSS], css_classes=["rl-row"], **WIDE)
        self._together = pn.Column(self._overview, stylesheets=[_NARROW], css_classes=["rl-row"], **WIDE)
        self._counting = CountView(self._take_sample)
        self._allow()
        self._counted = pn.Column(self._counting, visible=False, stylesheets=[_NARROW], css_classes=["rl-row"], **WIDE)
        self._chosen = pn.Column(
            pn.Row(*self._pairs[1].items, stylesheets=[BAR_CSS], margin=(6, 0)),
            self._place,
            css_classes=["rl-row"],
            **WIDE,
        )
        self._why = Html("", stylesheets=[CARD_CSS], css_classes=["rl-row"], visible=False, **WIDE)
        self._empty = Html(explore_html.empty(True), stylesheets=[CARD_CSS, PANEL_CSS], css_classes=["rl-row"], **WIDE)
        parts = (self._strip, self._building, self._counted, self._together, self._chosen)
        self._details = pn.Column(  # a grid shows itself also where it is not visible
            pn.Column(*parts, stylesheets=[VIEW_CSS], css_classes=["rl-row"], **WIDE),
            visible=False,
            stylesheets=[_NARROW],
            css_classes=["rl-row"],
            **WIDE,
        )
        self._layout = pn.Column(
            pn.Row(self._start, self._stop, *settings, self._explorer, **bar),
            self._why,
            self._alert,
            self._status,
            self._empty,
            self._details,
            *([Explained()] if alone else []),
            stylesheets=[VIEW_CSS],
            css_classes=["rl-explore"],
            **WIDE,
        )


def _given(search: Any, data: Dataset | None) -> Callable[[Callable[[str], None]], Prepared]:
    if data is None:
        prepared = Prepared(search)
    else:
        prepared = Prepared(search, (data.negative, data.positive), str(data.target), data.name, data=data)
    return lambda report: replace(prepared)
