"""The box beside the gap: the tree of the search, its last step, and the other plots, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import panel as pn

from ...families import FAMILIES
from ...search import Search
from ...snapshot import Snapshot
from ..live.pacing import TICK_SECONDS
from ..live.session import SearchSession
from ..live.state import State
from ..prefixes.frames import StepFrame, TreeFrame
from ..prefixes.step_view import StepPane
from ..prefixes.tree_view import TreePane
from ..widgets.html import Html
from ..widgets.strip import Strip
from ..widgets.style import CARD_CSS, STACK_CSS, STRIP_CSS, TAB_CSS
from .families import Look
from .plot_box import PlotBox
from .seeing import PICTURES, STEP, TREE, step_of, tree_of

_WATCHED = (TREE, STEP, *PICTURES)
_OFFERED, _HEIGHT = 40, 210
_EVERY = 1.0
"""Seconds between two pictures of a search that runs faster than one can follow."""
_SETTLING = 2
"""Beats of the page in which the browser makes what is opened for the first time."""
_SLOW = 10
"""Units of work per beat of the page that can be followed."""
_TOO_FAST = '<p class="note">The search is faster than the picture: Pause or Step to see one step after the other.</p>'
_BACK = '<p class="note">This is the present: of earlier moments the tree is kept, and not each step.</p>'
_NOW = '<p class="note">This is the present: of earlier moments the curves are kept, and not each rule and price.</p>'
_STEP_FIRST = '<p class="empty">No prefix is expanded yet. Step shows one prefix after the other.</p>'
_LOOKING = '<p class="empty">Looking into the search …</p>'
_NO_ROWS = '<p class="note">A recording holds no rows: what would become of each next rule cannot be told from it.</p>'
_WIDE: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": 0}


class WhyBox:
    """What is shown of it is made when it is first opened, and looked at only while it is open.

    Parameters
    ----------
    session : callable
        Gives the present run.
    name_of_files : callable
    start_beat : callable
        Sees to it that `refresh` is called soon, and as long as `waits`.

    Attributes
    ----------
    strip, body : viewable
        The names of what there is to see, and the open one.
    """

    def __init__(
        self, session: Callable[[], SearchSession], name_of_files: Callable[[], str], start_beat: Callable[[], None]
    ) -> None:
        self._session, self._name_of_files, self._start_beat = session, name_of_files, start_beat
        self._settling, self._refusal = 0, ""
        self._asked: tuple[Any, ...] = ()
        self._drawn: Any = None
        self._pictured = {"dark": False, "large": False}
        self._tree: TreePane | None = None
        self._step: StepPane | None = None
        self._pictures: dict[str, tuple[Any, PlotBox]] = {}
        self._now = Html(_NOW, stylesheets=[CARD_CSS], visible=False, **_WIDE)
        self._places: dict[str, pn.Column] = {}
        self.strip = Strip(caption="Why", stylesheets=[STRIP_CSS], **_WIDE)
        self.strip.param.watch(self._opened, "open")
        self.body = pn.Column(stylesheets=[STACK_CSS], **_WIDE)

    def take(
        self,
        look: Look,
        plots: Mapping[str, Callable[[], Sequence[Any]]],
        further: Mapping[str, Callable[[], Sequence[Any]]] | None = None,
    ) -> None:
        """Begin anew, for another kind of search, with what makes its plots, and what else there is, by their names."""
        self._look = look
        self._tree = self._step = None
        self._pictures = {}
        self._make: dict[str, Callable[[], Sequence[Any]]] = {}
        if look.family:
            self._make = {TREE: self._new_tree, STEP: self._new_step}
        if look.pooled:
            self._make |= {name: partial(self._new_picture, name) for name in PICTURES}
        self._make |= {**plots, **(further or {})}
        self._named = {each.kind.title.lower(): each.name for each in look.plots if each.name}
        self._named |= {PICTURES[name][0].title.lower(): name for name in PICTURES if look.pooled}
        self._named |= {name: place for name, place in (("search tree", TREE), ("this step", STEP)) if look.family}
        self._places = {name: pn.Column(visible=False, stylesheets=[TAB_CSS], **_WIDE) for name in self._make}
        note = [Html(f'<p class="note">{look.no_tree}</p>', stylesheets=[CARD_CSS], **_WIDE)] if look.no_tree else []
        self.body.objects = [self._now, *self._places.values(), *note]
        names = list(self._make)
        self.strip.param.update(names=names, open=self.strip.open if self.strip.open in names else names[0])
        self._show()

    @property
    def open(self) -> str:
        """The name of what is seen."""
        return self.strip.open

    @property
    def waits(self) -> bool:
        """Whether there is more to see soon, although the search rests."""
        session, name = self._session(), self.open
        if self._settling or self._refusal or session.unseen:
            return True
        if name not in _WATCHED or session.state is State.IDLE:
            return False
        return self._asked[:2] != (session, name) or session.seen(name) is not self._drawn

    def turn_to(self, plot: str) -> bool:
        """Open what has this name, in small letters; whether there is such a thing."""
        if plot in self._named:
            self.strip.open = self._named[plot]
        return plot in self._named

    def use_look(self, dark: bool, large: bool) -> None:
        """Colour what the page's theme does not reach, and make its text fit for a screen or for a projector."""
        self._pictured = {"dark": dark, "large": large}
        for pane in (self._tree, self._step):
            if pane is not None:
                pane.param.update(**self._pictured)
        for plot, _ in self._pictures.values():
            plot.use_dark(dark)
            plot.use_size(large)

    def refresh(self, moment: Snapshot | None = None) -> None:
        """Ask for what is open, and show what has come; ``moment``: as it was then."""
        session, name = self._session(), self.open
        if self._settling:
            self._settling -= 1
            return
        if name not in _WATCHED:
            self._say_now(False)
            return
        pace, prefix = session.pace, None if self._step is None else self._step.prefix
        slow = pace.units is not None and pace.units <= _SLOW and pace.growth == 1
        columns = 0 if self._tree is None else self._tree.columns
        asked = (session, name, slow, *((moment, columns) if name == TREE else (prefix,)))
        if asked != self._asked:
            self._forget()
            self._asked = asked
            looks: dict[str, Callable[[Search], Any]] = {
                TREE: partial(tree_of, moment=moment, course=session.course, columns=columns),
                STEP: partial(step_of, prefix=prefix),
                **{name: see for name, (_, _, see) in PICTURES.items()},
            }
            session.watch(name, looks[name], TICK_SECONDS if slow else _EVERY)
        self._say_now(moment is not None)
        frame = session.seen(name)
        if name == STEP and self._step is not None and session.state is not State.IDLE:
            fast = session.state.busy and not slow
            back = _NO_ROWS if session.recorded else _BACK
            self._step.remark(back if session.recorded or moment is not None else _TOO_FAST if fast else "")
        if frame is None or frame is self._drawn:
            return
        self._drawn = frame
        with pn.io.hold():
            if name == TREE and self._tree is not None:
                self._tree.draw(frame)
            elif name in self._pictures:
                self._draw(name, frame)
            elif self._step is not None:
                self._draw_step(self._step, frame)

    def clear(self) -> None:
        """Show that nothing is searched."""
        self._forget()
        if self._tree is not None:
            self._tree.node = None
            self._tree.draw(TreeFrame())
        if self._step is not None:
            self._step.prefix = None
            self._step.clear(_STEP_FIRST)
        for name in self._pictures:
            self._draw(name, PICTURES[name][1])

    def _look_into(self, prefix: Sequence[str]) -> None:
        """Show the rules that could come next after a prefix."""
        self.strip.open = STEP
        assert self._step is not None
        self._step.ask(list(prefix))
        self._start_beat()

    def _say_now(self, back: bool) -> None:
        if self._now.visible is not (back and self.open in PICTURES):
            self._now.visible = not self._now.visible

    def _draw_step(self, pane: StepPane, frame: StepFrame | str) -> None:
        """Show a step; where there is none, what was seen before, and why."""
        if isinstance(frame, str):
            pane.prefix, self._refusal = pane.path or None, frame
            return
        pane.draw(frame)
        if self._refusal:
            pane.refuse(self._refusal)
            self._refusal = ""

    def _forget(self) -> None:
        if self._asked:
            self._asked[0].unwatch(self._asked[1])
        self._asked, self._drawn = (), None

    def _opened(self, *_: Any) -> None:
        """Show another one; what is new to the browser changes only when it has made it."""
        if self.open in self._places:
            if not self._places[self.open].objects:
                self._settling = _SETTLING
            self._show()
            self._start_beat()

    def _show(self) -> None:
        """Show what is open, made when it is first seen."""
        place = self._places[self.open]
        if not place.objects:
            place.objects = list(self._make[self.open]())
        for name, other in self._places.items():
            if other.visible != (name == self.open):
                other.visible = name == self.open
        if self.open not in _WATCHED:
            self._forget()

    def _new_tree(self) -> list[Any]:
        self._tree = TreePane(_OFFERED, _HEIGHT, self._name_of_files, self._look_into, **self._pictured)
        self._tree.param.watch(lambda _: self._start_beat(), "width")
        return [self._tree]

    def _new_step(self) -> list[Any]:
        self._step = StepPane(FAMILIES[self._look.family].unit, self._look.family, **self._pictured)
        self._step.clear(_STEP_FIRST if self._session().state is State.IDLE else _LOOKING)
        return [self._step]

    def _new_picture(self, name: str) -> Sequence[Any]:
        plot = PICTURES[name][0]()
        box = PlotBox(plot, plot.picture, self._name_of_files)
        self._pictures[name] = plot, box
        plot.on_tap = box.refresh
        self.use_look(**self._pictured)
        self._draw(name, PICTURES[name][1])
        return self._pictures[name][1].items

    def _draw(self, name: str, frame: pd.DataFrame) -> None:
        plot, box = self._pictures[name]
        plot.draw(frame)
        box.refresh()
