"""Where the parts of a search stand: what steers it above, the answer on the left, how it was found on the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import panel as pn

from ..widgets.fields import WIDE
from ..widgets.style import FILL_CSS, PANEL_CSS, SEARCH_CSS, STACK_CSS
from .best import BestModel
from .run_plots import RunPlots


class Layout:
    """The halves of a search: its answer, and how that was found; their boxes are filled anew for each kind of search.

    `head`, `answer`, `bottom`: what stands above and beneath both halves, and above the model. `under`: what stands in
    the box of the gap, and under it. `why`: what stands in the box under that. `stands_alone`: whether there is no page
    around it. `why`, `model`: the boxes of the reasons, and of the best model.
    """

    def __init__(
        self,
        head: Sequence[Any],
        answer: Sequence[Any],
        under: tuple[Any, Any],
        why: Sequence[Any],
        bottom: Sequence[Any],
        stands_alone: bool,
    ) -> None:
        self._head, self._bottom = head, bottom
        self._rewind, counts = under
        self._gap, self.why, self.model = _box("rl-gap", FILL_CSS), _box("rl-why", FILL_CSS, *why), _box("rl-best")
        self._by_name: dict[str, pn.viewable.Viewable] = {}
        halves = _part("rl-answer", *answer, self.model), _part("rl-found", self._gap, counts, self.why)
        self._halves = _part("rl-halves", *halves)
        self.column = _part("rl-view", *head)
        if stands_alone:
            self.column.css_classes = [*self.column.css_classes, "rl-alone"]

    def take(self, plots: RunPlots, best: BestModel, first: Any) -> None:
        """Lay out the plots of a kind of search, and its best model; ``first`` stands there before anything runs."""
        gap, under = plots.always()
        gap.fill()
        self._gap.objects = [*gap.items, self._rewind]
        beneath = {box.name.lower(): _stack(box.items) for box in under}
        model = [best.heading, first, best.card, best.actions, *beneath.values()]
        self.model.objects = [each for each in model if each is not None]  # a row that is empty as yet is false
        self._by_name = {gap.name.lower(): self._gap, **beneath}

    def await_answer(self, idle: bool, empty: bool) -> None:
        """Let the boxes be small while nothing has run, and a sketch stand for the gap until there is one to draw."""
        for box, waits in ((self.model, idle), (self._gap, empty), (self.why, idle)):
            others = [name for name in box.css_classes if name != "rl-waits"]  # a walk outlines it, too
            if waits is not ("rl-waits" in box.css_classes):
                box.css_classes = [*others, "rl-waits"] if waits else others

    def fill(self) -> None:
        """Show all boxes."""
        self.column.objects = [*self._head, self._halves, *self._bottom]

    def part(self, name: str) -> pn.viewable.Viewable | None:
        """The box of a plot that is always seen, by its name."""
        return self._by_name.get(name)


def _part(place: str, *items: Any) -> pn.Column:
    """Parts under each other, or side by side, as the style sheet says for this place."""
    return pn.Column(*items, css_classes=[place], stylesheets=[SEARCH_CSS], **WIDE)


def _stack(items: Sequence[Any]) -> pn.Column:
    return pn.Column(*items, stylesheets=[STACK_CSS], **WIDE)


def _box(place: str, further_css: str = "", *items: Any) -> pn.Column:
    """A frame around plots or texts, in the place of the grid that its CSS class says."""
    sheets = [PANEL_CSS, further_css] if further_css else [PANEL_CSS]
    return pn.Column(*items, css_classes=["rl-wide", place], stylesheets=sheets, **WIDE)
