"""The line at the moment that is shown in a plot over time: a tap or a drag in the plot moves it."""

from __future__ import annotations

from collections.abc import Callable

from bokeh.events import Pan, PanEnd, Tap
from bokeh.models import CustomJS
from bokeh.models.annotations import Span
from bokeh.plotting import figure

from ....assets import asset
from ...widgets.style import INK


class Cursor:
    """A vertical line; the browser moves it at once, and says so a few times a second.

    Parameters
    ----------
    plot : figure
    on_move : callable
        Takes the place on the axis to which a person has moved it.
    """

    def __init__(self, plot: figure, on_move: Callable[[float], None]) -> None:
        self._line = Span(
            dimension="height", location=0, line_width=1.6, line_color=INK[False], visible=False, tags=[0]
        )
        self._on_move, self._ours = on_move, False
        plot.add_layout(self._line)
        for event in (Tap, Pan, PanEnd):
            plot.js_on_event(event, CustomJS(args={"line": self._line}, code=asset("cursor.js")))
        self._line.on_change("location", self._moved)

    def show(self, at: float | None, able: bool) -> None:
        """Put it to a place, or hide it; ``able``: whether it can be moved."""
        self._ours = True
        for name, value in (("location", at or 0.0), ("visible", at is not None), ("tags", [int(able)])):
            if getattr(self._line, name) != value:
                setattr(self._line, name, value)
        self._ours = False

    def use_dark(self, dark: bool) -> None:
        """Colour it for a dark or a light page."""
        self._line.line_color = INK[dark]

    def _moved(self, _name: str, _old: float, new: float) -> None:
        if not self._ours:
            self._on_move(new)
