"""The box beside the gap: the tree of the search, and the other plots, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import panel as pn

from ...families import FAMILIES
from ...prefixes import PrefixSearch
from ...recording import Course
from ...rule_set import RuleSetSearch
from ...snapshot import Snapshot
from ...stepping import Search
from ..live.recorded import RecordedSearch
from ..live.session import SearchSession
from ..live.state import TICK_SECONDS, State
from ..prefixes.frames import LARGEST_COPY, NOT_BEGUN, TreeFrame, recorded_frame, tree_frame
from ..prefixes.tree_view import TreePane
from ..widgets.browser import Strip
from ..widgets.explained import WORD_CSS, word
from ..widgets.fields import WIDE, column
from ..widgets.html import Html
from ..widgets.style import CARD_CSS, STACK_CSS, STRIP_CSS, TAB_CSS
from .families import Look
from .plots.base import PlotBox
from .plots.generation import MOST_BARS, PoolPlot, PricesPlot

TREE, GROUPS, POOL, PRICES = "Tree", "Groups", "Pool", "Prices"
MOST_NODES = 400  # prefixes of a tree on the page


def tree_of(search: Search, moment: Snapshot | None, course: Course | None, prefix: Sequence[str] | None) -> TreeFrame:
    """The tree with one of its prefixes, as it is or was at a moment."""
    if isinstance(search, RecordedSearch):
        return recorded_frame(search.recording, None if moment is None else moment.step, MOST_NODES, prefix)
    if not isinstance(search, PrefixSearch):
        return TreeFrame()
    return tree_frame(search, MOST_NODES, moment, course, prefix, LARGEST_COPY)


PICTURES: dict[str, tuple[Any, Callable[[RuleSetSearch], pd.DataFrame]]] = {
    POOL: (PoolPlot, lambda search: search.pool()),
    PRICES: (PricesPlot, lambda search: search.prices(MOST_BARS)),
}
"""Plots of a table each, and what makes it: the rules of column generation, and what covering rows would earn."""


def table_of(search: Search, name: str) -> pd.DataFrame:
    """What one of `PICTURES` shows of a search."""
    plot, made = PICTURES[name]
    return made(search) if isinstance(search, RuleSetSearch) else plot.empty


_WATCHED = (TREE, *PICTURES)
_HEIGHT = 210
_LOW = "@media (max-height: 820px) { :host { height: 92px !important; } }"
"""In a low window the sentence under the tree is seen with it."""
_EVERY = 1.0  # seconds between two pictures of a search that runs faster than one can follow
_SETTLING = 2  # beats of the page in which the browser makes what is opened for the first time
_SLOW = 10  # units of work per beat of the page that can be followed
_NOW = '<p class="note">This is the present: of earlier moments the curves are kept, and not each rule and price.</p>'


class WhyBox:
    """What is shown of it is made when it is first opened, and looked at only while it is open."""

    def __init__(
        self,
        session: Callable[[], SearchSession],
        name_of_files: Callable[[], str],
        start_beat: Callable[[], None],  # sees to it that `refresh` is called soon, and as long as `waits`
    ) -> None:
        self._session, self._name_of_files, self._start_beat = session, name_of_files, start_beat
        self._settling = 0
        self._asked: tuple[Any, ...] = ()
        self._drawn: Any = None
        self._pictured = {"dark": False, "large": False}
        self.tree: TreePane | None = None
        self.pictures: dict[str, tuple[Any, PlotBox]] = {}
        self._now = Html(_NOW, stylesheets=[CARD_CSS], visible=False, **WIDE)
        self._places: dict[str, pn.Column] = {}
        # the names of what there is to see, and the open one
        self.strip = Strip(caption="Why", stylesheets=[STRIP_CSS], **WIDE)
        self.strip.param.watch(self._opened, "open")
        self.body = column(sheets=[STACK_CSS])

    def take(self, look: Look, groups: Html, further: Mapping[str, Callable[[], Sequence[Any]]]) -> None:
        """Begin anew, for another kind of search; ``further``: what makes its plots, and what else there is."""
        self._look = look
        self.tree = None
        self.pictures = {}
        self._make: dict[str, Callable[[], Sequence[Any]]] = {}
        if look.family:
            self._make = {TREE: self._new_tree}
        if look.fair:
            self._make[GROUPS] = lambda: [groups]
        if look.pooled:
            self._make |= {name: partial(self._new_picture, name) for name in PICTURES}
        self._make |= further
        self._named = {each.kind.title.lower(): each.name for each in look.plots if each.name}
        self._named |= {PICTURES[name][0].title.lower(): name for name in PICTURES if look.pooled}
        self._named |= {name: TREE for name in ("search tree", "next rules") if look.family}
        self._named |= {GROUPS.lower(): GROUPS} if look.fair else {}
        self._places = {name: column(visible=False, sheets=[TAB_CSS]) for name in self._make}
        note = [Html(f'<p class="note">{look.no_tree}</p>', stylesheets=[CARD_CSS], **WIDE)] if look.no_tree else []
        self.body.objects = [self._now, *self._places.values(), *note]
        names = list(self._make)
        stays = self.strip.open in names and names[0] in self.strip.names  # what is first, and new, is opened
        self.strip.param.update(names=names, open=self.strip.open if stays else names[0])
        self._show()

    @property
    def waits(self) -> bool:
        """Whether there is more to see soon, although the search rests."""
        session, name = self._session(), self.strip.open
        if self._settling or session.unseen:
            return True
        if name not in _WATCHED or session.state is State.IDLE:
            return False
        return self._asked[:2] != (session, name) or session.watching.frame(name) is not self._drawn

    def turn_to(self, plot: str) -> bool:
        """Open what has this name, in small letters; whether there is such a thing."""
        if plot in self._named:
            self.strip.open = self._named[plot]
        return plot in self._named

    def use_look(self, dark: bool, large: bool) -> None:
        """Colour what the page's theme does not reach, and make its text fit for a screen or for a projector."""
        self._pictured = {"dark": dark, "large": large}
        if self.tree is not None:
            self.tree.param.update(**self._pictured)
        for plot, _ in self.pictures.values():
            plot.use_dark(dark)
            plot.use_size(large)

    def refresh(self, moment: Snapshot | None = None) -> None:
        """Ask for what is open, and show what has come; ``moment``: as it was then."""
        session, name = self._session(), self.strip.open
        if name == TREE and self.tree is None and session.state is not State.IDLE:
            self._places[TREE].objects, self._settling = self._new_tree(), _SETTLING
        if self._settling:
            self._settling -= 1
            return
        self._now.visible = moment is not None and name in PICTURES
        if name not in _WATCHED:
            return
        pace, prefix = session.pace, None if self.tree is None else self.tree.prefix
        slow = pace.steady and (pace.units or 0) <= _SLOW
        asked = (session, name, slow, *((moment, prefix) if name == TREE else ()))
        if asked != self._asked:
            self._forget()
            self._asked = asked
            look: Callable[[Search], Any] = partial(table_of, name=name)
            if name == TREE:
                look = partial(tree_of, moment=moment, course=session.course, prefix=prefix)
            session.watch(name, look, TICK_SECONDS if slow else _EVERY)
        frame = session.watching.frame(name)
        if frame is not None and frame is not self._drawn:
            self._drawn = frame
            with pn.io.hold():
                self._draw(name, frame)

    def clear(self) -> None:
        """Show that nothing is searched."""
        self._forget()
        if self.tree is not None:
            self.tree.prefix = None
            self._draw(TREE, TreeFrame())
        for name in self.pictures:
            self._draw(name, PICTURES[name][0].empty)

    def _forget(self) -> None:
        if self._asked:
            self._asked[0].watching.drop(self._asked[1])
        self._asked, self._drawn = (), None

    def _opened(self, *_: Any) -> None:
        """Show another one; what is new to the browser changes only when it has made it."""
        if self.strip.open in self._places:
            if not self._places[self.strip.open].objects:
                self._settling = _SETTLING
            self._show()
            self._start_beat()

    def _show(self) -> None:
        """Show what is open, made when it is first seen."""
        place = self._places[self.strip.open]
        if not place.objects:
            place.objects = list(self._make[self.strip.open]())
        for name, other in self._places.items():
            other.visible = name == self.strip.open
        if self.strip.open not in _WATCHED:
            self._forget()

    def _new_tree(self) -> list[Any]:
        """The tree; before anything is searched, that there is none: it is a third of the work of opening the page."""
        if self._session().state is State.IDLE:
            said = f'<h2>{word("Search tree")}</h2><p class="note">{NOT_BEGUN}</p>'
            return [Html(said, stylesheets=[CARD_CSS, WORD_CSS], **WIDE)]
        self.tree = TreePane(FAMILIES[self._look.family].unit, _HEIGHT, self._name_of_files, **self._pictured)
        self.tree.box.fill(_LOW)
        self.tree.param.watch(lambda _: self._start_beat(), "prefix")
        return [self.tree]

    def _new_picture(self, name: str) -> Sequence[Any]:
        plot = PICTURES[name][0]()
        box = PlotBox(plot, self._name_of_files)
        self.pictures[name] = plot, box
        self.use_look(**self._pictured)
        self._draw(name, PICTURES[name][0].empty)
        return box.items

    def _draw(self, name: str, frame: Any) -> None:
        if name in self.pictures:
            plot, box = self.pictures[name]
            plot.draw(frame)
            box.refresh()
        elif self.tree is not None:
            prepared = self._session().prepared
            if prepared is not None and prepared.labels is not None and (classes := prepared.search.problem.classes):
                frame = frame.in_words(classes, prepared.labels)  # as the answer calls them
            self.tree.draw(frame)
