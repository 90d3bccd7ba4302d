"""Where the parts of a search stand: what steers it above, then the gap, the reasons and the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import panel as pn

from ..widgets.style import FILL_CSS, PANEL_CSS, SEARCH_CSS, STACK_CSS
from .best import BestModel
from .boxes import PlotBoxes


class Layout:
    """The boxes of a search, which are filled anew for each kind of search.

    Parameters
    ----------
    top, bottom : sequence of viewable
        What stands above and beneath the boxes.
    why : sequence of viewable
        What stands in the box beside the gap.
    stands_alone : bool
        Whether there is no page around it.

    Attributes
    ----------
    column : Column
    why, model : Column
        The boxes beside the gap, and of the best model.
    """

    def __init__(self, top: Sequence[Any], bottom: Sequence[Any], why: Sequence[Any], stands_alone: bool) -> None:
        self._top, self._bottom = top, bottom
        self._gap, self.why, self.model = _box("rl-gap", FILL_CSS), _box("rl-why", FILL_CSS, *why), _box("rl-best")
        self._by_name: dict[str, pn.viewable.Viewable] = {}
        self.column = pn.Column(
            *top,
            stylesheets=[SEARCH_CSS],
            sizing_mode="stretch_width",
            margin=0,
            css_classes=["rl-view", "rl-alone"] if stands_alone else ["rl-view"],
        )

    def take(self, boxes: PlotBoxes, best: BestModel, first: Any, several: bool) -> None:
        """Lay out the plots of a kind of search, and its best model; ``first`` stands there before anything runs."""
        gap, under = boxes.always()
        gap.fill()
        self._gap.objects = list(gap.items)
        further = [best.classes.column] if several else []
        model = [first, best.card, best.account, best.exports, *further, best.proof.row]
        shown = [each for each in model if each is not None]  # a row that is empty as yet is false
        beneath = {box.name.lower(): _stack(box.items) for box in under}
        self.model.objects = [best.heading, *shown, *beneath.values()]
        self._by_name = {gap.name.lower(): self._gap, **beneath}

    def fill(self) -> None:
        """Show all boxes."""
        self.column.objects = [*self._top, self._gap, self.why, self.model, *self._bottom]

    def part(self, name: str) -> pn.viewable.Viewable | None:
        """The box of a plot that is always seen, by its name."""
        return self._by_name.get(name)


def _stack(items: Sequence[Any]) -> pn.Column:
    return pn.Column(*items, stylesheets=[STACK_CSS], sizing_mode="stretch_width", margin=0)


def _box(place: str, further_css: str = "", *items: Any) -> pn.Column:
    """A frame around plots or texts, in the place of the grid that its CSS class says."""
    sheets = [PANEL_CSS, further_css] if further_css else [PANEL_CSS]
    return pn.Column(*items, css_classes=["rl-wide", place], stylesheets=sheets, sizing_mode="stretch_width", margin=0)
