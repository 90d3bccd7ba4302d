"""The boxes of the plots of one kind of search, each made when it is first seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import panel as pn

from .families import Look
from .figures import SearchFigures
from .plot_box import PlotBox


class PlotBoxes:
    """Plots in their boxes.

    Parameters
    ----------
    look : Look
    picture : callable
        Makes the picture of a plot, by its number, that is saved.
    name_of_files : callable
    on_move : callable
        Takes the place on the axis to which a person has moved the line at the moment that is shown.

    Attributes
    ----------
    figures : SearchFigures
    """

    def __init__(
        self,
        look: Look,
        picture: Callable[[int], dict[str, Any]],
        name_of_files: Callable[[], str],
        on_move: Callable[[float], None],
    ) -> None:
        self.figures = SearchFigures(look, on_move)
        self._look, self._picture, self._name_of_files = look, picture, name_of_files
        self._made: dict[int, PlotBox] = {}

    @property
    def all(self) -> list[PlotBox]:
        """Those of all plots."""
        return [self._box(number) for number in range(len(self._look.plots))]

    @property
    def panes(self) -> list[pn.pane.Bokeh]:
        """Those that have been made."""
        return [box.pane for box in self._made.values()]

    def always(self) -> tuple[PlotBox, list[PlotBox]]:
        """Those that are seen always: that of objective and bound, and those under the best model."""
        first, *under = (self._box(number) for number, each in enumerate(self._look.plots) if not each.name)
        return first, under

    def by_name(self) -> dict[str, Callable[[], Sequence[Any]]]:
        """What makes the others, of which one at a time is seen, by their short names."""
        return {each.name: partial(self._items, k) for k, each in enumerate(self._look.plots) if each.name}

    def refresh(self) -> None:
        """Show what the plots say beside their pictures."""
        for box in self._made.values():
            box.refresh()

    def _box(self, number: int) -> PlotBox:
        if number not in self._made:
            box = PlotBox(self.figures.plot(number), partial(self._picture, number), self._name_of_files)
            box.refresh()
            self._made[number] = box
        return self._made[number]

    def _items(self, number: int) -> Sequence[Any]:
        return self._box(number).items
