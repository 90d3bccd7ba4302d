"""Sweeps on the page: which setting of the question is swept, the button that starts and ends it, and what it finds."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any

import panel as pn
import param

from ...arguments import text_of
from ..forms.address import Address, Part
from ..live.recipe import PageRecipe
from ..live.wording import counted
from ..widgets import icons
from ..widgets.esc import esc
from ..widgets.fields import WIDE, LayoutViewer, button, column, row, select
from ..widgets.html import Html
from ..widgets.style import BAR_CSS, CARD_CSS, NUMBER_CSS, STACK_CSS
from .order import Order, sweepable
from .run import Run, Started
from .view import FrontView

_ALL_FITTED = "All of these are fitted; other values, or another setting, ask for more."


class FrontsView(LayoutViewer):
    """The fronts of a question, and what fills them.

    `question` gives the recipe whose setting is swept, with the attribute whose groups are compared; raises ValueError.
    `address`: of the page, to be followed.
    """

    swept: param.Selector[str] = param.Selector(
        default="regularization", objects=["regularization"], check_on_set=False, label="Setting to sweep"
    )
    values = param.String(default="", label="Its values", doc="Empty: the usual ones.")

    def __init__(self, question: Callable[[], PageRecipe], address: Address | None = None, **params: Any) -> None:
        super().__init__(**params)
        self._question = question
        self._asked: tuple[Any, ...] = ()  # the question of the points
        self._filled: tuple[Any, ...] = ()  # the last fits that were begun
        self.view = FrontView(apart=True)
        self._swept = select(self.param.swept, 250)
        low = ".bk-input { height: 36px !important; min-height: 0 !important; }"  # as high as the list beside it
        look: dict[str, Any] = {"width": 230, "margin": 0, "stylesheets": [NUMBER_CSS, low]}
        self._values = pn.widgets.TextInput.from_param(self.param["values"], description=None, **look)
        self._said = Html("", stylesheets=[CARD_CSS, ":host { flex: 1 1 280px; }"], align="center", **WIDE)
        self._fill = button("Fill the front", self.run, 150, 38, small=False, icon=icons.RUN)
        self._cancel = button("Stop", self.cancel, 150, 38, small=False, icon=icons.STOP, visible=False)
        self.view.param.watch(lambda event: self._show_sweeping(event.new), "sweeping")
        parts = self._swept, self._values, self._fill, self._cancel, self._said
        bar = row(*parts, sheets=[BAR_CSS, ":host { align-items: center; }"])
        self.complaints: list[str] = []  # about the address
        if address is not None:
            self.complaints += address.follow(Part(self, ["swept", "values"]))
            self.complaints += address.follow(Part(self.view, ["on", "criterion"]))
        self._layout = column(bar, self.view, sheets=[STACK_CSS, ":host { gap: 2px; }"], classes="rl-view")

    def order(self) -> Order:
        """What would be swept now; raises ValueError with a message for the user."""
        question = self._question()
        known = sweepable(question)
        swept = self.swept if self.swept in known else next(iter(known))
        return Order.of(question, swept, self.values or known[swept][1])

    @param.depends("swept", "values", watch=True)
    def follow_question(self, *_: Any) -> None:
        """Offer the settings of the present question, and say what filling the front takes."""
        refused = True
        with contextlib.suppress(ValueError):  # what is said tells why
            known = sweepable(self._question())
            refused = False
            asked = self.swept if self.swept in known else next(iter(known))
            self.param.swept.objects = {title: name for name, (title, _) in known.items()}
            self.swept = asked
            self._values.placeholder = known[asked][1]
        told = self.told
        self._fill.disabled = refused or told == _ALL_FITTED
        self._said.object = f'<p class="note">{esc(told)}</p>'

    @property
    def told(self) -> str:
        """What filling the front takes, or why it cannot be."""
        try:
            order = self.order()
        except ValueError as error:
            return text_of(error)
        run, limit = self.view.run, f"each ends with a proof or after {order.time_limit:g} s"
        if run is not None and self._filled == _fits_of(order) and not run.sweeping and run.whole:
            return _ALL_FITTED
        same = run is not None and self._asked == _said_of(order.question)
        progress = [sweep.progress for sweep in run.started.sweeps] if run is not None and same else []
        if not (done := sum(each.done for each in progress)):
            return f"{counted(order.n_fits, 'fits')}, other methods among them; {limit}."
        seconds = math.ceil(order.n_fits * sum(each.seconds for each in progress) / done)
        return f"{counted(order.n_fits, 'more fits')}, other methods among them, about {seconds} s; {limit}."

    def run(self, *_: Any) -> None:
        """Fill the front beside what is known of the same question; a sweep that runs is cancelled."""
        try:
            self._begin(self.order())
        except ValueError as error:
            self.view.complain(text_of(error))

    def begin(self) -> None:
        """Let there be some points of the present question, unless there are."""
        with contextlib.suppress(ValueError):  # what is said tells why
            if self._asked != _said_of(question := self._question()):
                self._begin(Order.at_once(question))

    def _begin(self, order: Order) -> None:
        before, asked = self.view.run, _said_of(order.question)
        known = before.started if before is not None and self._asked == asked else Started(())
        self._asked, self._filled = asked, _fits_of(order)
        self.view.follow(Run(lambda report: known.and_more(order(report))))

    def cancel(self, *_: Any) -> None:
        """End the sweep and keep what it has found."""
        if self.view.run is not None:
            self.view.run.cancel()

    @param.depends("swept", watch=True)
    def _usual(self) -> None:
        """The values of one setting are none of another."""
        self.values = ""

    def _show_sweeping(self, sweeping: bool) -> None:
        self._cancel.visible, self._fill.visible = sweeping, not sweeping
        self.follow_question()


def _fits_of(order: Order) -> tuple[Any, ...]:
    """Equal for the same fits."""
    return _said_of(order.question), dict(order.grid), order.baselines


def _said_of(question: PageRecipe) -> tuple[Any, ...]:
    """Equal for the same question."""
    return question.family.name, dict(question.parameters), question.load_code, question.sensitive, question.test_share
