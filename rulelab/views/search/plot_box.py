"""A plot in its box: its name, what is seen now, a menu that saves it and shows its figures, and the plot."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import panel as pn
import param
from panel.custom import Child, JSComponent

from ...assets import asset
from ..widgets.explained import term_slug
from ..widgets.html import Html
from ..widgets.style import CARD_CSS, FIGURE_CSS, PLOT_CSS
from .plots.base import Plot

_MOST_ROWS = 20
_BELOW, _BAR = 42, 24
"""Least height of what stands under a plot: two lines, so that what follows does not move when they appear."""


class PlotHead(JSComponent):
    """Name and caption of a plot, all as text, and its menu: PNG, SVG, CSV and a table of the last figures."""

    heading = param.String(doc="The name of the plot.")
    caption = param.String(doc="What is seen now.")
    term = param.String(doc="Its entry in the glossary; empty: none.")
    control = Child(default=None, doc="Chooses what an axis counts; None: nothing does.")

    _esm = asset("dom.js", "plot_head.js")
    _stylesheets = [PLOT_CSS]

    def __init__(self, answer: Callable[[str], dict[str, Any]], **params: Any) -> None:
        super().__init__(**params)
        self._answer = answer

    def _handle_msg(self, data: Any) -> None:
        self._send_msg({"text": json.dumps(self._answer(data["want"]))})


class PlotBox:
    """What stands in the box of a plot."""

    def __init__(
        self,
        plot: Plot,
        name: Callable[[], str],  # gives the beginning of the names of saved files
        control: Any = None,  # stands beside the name of the plot, and chooses what an axis counts
        picture: Callable[[], dict[str, Any]] | None = None,  # makes the one to be saved; by default that of the plot
    ) -> None:
        self.plot = plot
        self._picture, self._file_name = picture or plot.picture, name
        title: Any = plot.figure.title
        title.visible, self.name = False, ""
        plot.figure.stylesheets = [FIGURE_CSS]
        plot.figure.css_classes = []  # the sign stands beside the name
        self._head = PlotHead(self.answer, control=control, sizing_mode="stretch_width", margin=0)
        self.rename(str(title.text))
        self.pane = pn.pane.Bokeh(plot.figure, sizing_mode="stretch_width", margin=0)
        self._below = None
        if plot.below is not None:
            self._below = Html("", stylesheets=[CARD_CSS], sizing_mode="stretch_width", margin=0, min_height=_BELOW)
        self.items = tuple(item for item in (self._head, self.pane, self._below) if item is not None)

    def fill(self, height: str = ":host { height: 100% !important; }") -> None:
        """Let the figure be as high as its box leaves it, or as a style sheet says; other parts take a line each."""
        self.plot.figure.stylesheets = [FIGURE_CSS, height]
        self.pane.css_classes = ["rl-plot"]
        self._head.stylesheets = [".caption { min-height: 1.35em; }"]
        if self._below is not None:
            self._below.min_height = _BAR

    def rename(self, name: str) -> None:
        """Call what is shown by another name."""
        if name != self.name:
            self.name = name
            self._head.param.update(term=term_slug(name), heading=name)
            self.plot.figure.html_attributes = {"role": "figure", "aria-label": name}

    def refresh(self) -> None:
        """Show what the plot says beside its picture, where that has changed."""
        self._head.caption = self.plot.caption
        self.pane.visible = not self.plot.blank
        if self._below is not None and self._below.object != self.plot.below:
            self._below.object = self.plot.below

    def answer(self, want: str) -> dict[str, Any]:
        """What the menu asks for: "table", "csv", "png" or "svg"."""
        if want == "table":
            frame = self.plot.frame()
            rows = frame.tail(_MOST_ROWS)
            said = f"The last {len(rows)} of {len(frame)} rows" if len(rows) < len(frame) else ""
            texts = [[_text(value) for value in row] for row in rows.itertuples(index=False)]
            return {"kind": want, "columns": list(frame.columns), "rows": texts, "said": said}
        file = f"{self._file_name()}_{re.sub(r'[^a-z]+', '_', self.name.lower())}.{want}"
        if want == "csv":
            return {"kind": want, "name": file, "csv": self.plot.frame().to_csv(index=False)}
        return {"kind": want, "name": file, **self._picture()}


def _text(value: Any) -> str:
    return "" if value != value else f"{value:.6g}" if isinstance(value, float) else str(value)
