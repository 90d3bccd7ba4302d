"""Looking back: a slider over the moments of a run, and a button that plays them."""

from __future__ import annotations

import math
from collections.abc import Callable

import panel as pn
import panel_material_ui as pmui
import param

from ..widgets import icons
from ..widgets.explained import term_classes
from ..widgets.style import BAR_CSS, BUTTON_CSS, MUI_FOCUS_CSS, SELECT_CSS

SPEEDS = {"¼ ×": 128, "½ ×": 64, "1 ×": 32, "2 ×": 16, "4 ×": 8}
"""Beats of the page that a run is played in, about, by what they are called."""


_SLIDER_CSS = ".MuiFormLabel-root { white-space: nowrap; font-size: 13px !important; }"


class Rewind(param.Parameterized):
    """The moments of a run, from the first to the present one.

    Parameters
    ----------
    start_beat : callable
        Sees to it that `tick` is called while the run is played.

    Attributes
    ----------
    bar : Row
    """

    at = param.Integer(default=None, allow_None=True, bounds=(0, None), doc="The moment shown; None: the present one.")
    playing = param.Boolean(default=False, doc="Whether the moments go by.")

    def __init__(self, start_beat: Callable[[], None]) -> None:
        super().__init__()
        self._start_beat, self._moments, self._beats = start_beat, 0, 0
        self._button = pn.widgets.Button(
            label="Replay",
            icon=icons.RUN,
            on_click=self.press,
            disabled=True,
            stylesheets=[BUTTON_CSS],
            margin=0,
            height=34,
            width=92,
        )
        self._slider = pmui.IntSlider(
            label="Moment",
            start=0,
            end=1,
            value=1,
            disabled=True,
            size="small",
            tooltips=False,
            css_classes=term_classes("moment"),
            stylesheets=[_SLIDER_CSS, MUI_FOCUS_CSS],
            sizing_mode="stretch_width",
            margin=0,
        )
        self._slider.param.watch(self._slid, "value")
        self.pace = pn.widgets.Select(
            label="Replay pace",
            options=SPEEDS,
            value=SPEEDS["1 ×"],
            css_classes=term_classes("moment"),
            stylesheets=[SELECT_CSS],
            width=104,
            margin=0,
        )
        self.bar = pn.Row(
            self._button,
            self._slider,
            self.pace,
            stylesheets=[BAR_CSS, ":host { flex-wrap: nowrap; gap: 14px; padding-right: 12px; }"],
            sizing_mode="stretch_width",
            margin=(0, 0, 6, 0),
            height=46,
        )

    def offer(self, moments: int, busy: bool) -> None:
        """Let the user look at so many moments; while the run goes on, or once it has gone on, at the present only."""
        if busy or moments != self._moments:
            self._moments = moments
            self.param.update(at=None, playing=False)
        able = not busy and moments > 1
        if self._slider.disabled is able:
            self._slider.disabled = self._button.disabled = not able
        first, last = (1, moments) if moments > 1 else (0, 1)
        if (able or moments < 2) and self._slider.end != last:
            self._slider.param.update(start=first, end=last, value=last)

    def tick(self) -> None:
        """Go on to the next moment, while the run is played."""
        self._beats += 1
        ticks = self.pace.value
        if self.playing and self._beats % max(1, ticks // self._moments) == 0:
            at = (self._moments if self.at is None else self.at) + math.ceil(self._moments / ticks)
            self.at = at if at < self._moments - 1 else None
            self.playing = self.at is not None

    def move(self, by: int) -> None:
        """Go so many moments on, or back."""
        if not self._slider.disabled:
            at = max(0, (self._moments - 1 if self.at is None else self.at) + by)
            self.param.update(at=at if at < self._moments - 1 else None, playing=False)

    def press(self, *_: object) -> None:
        """Play the run, or hold what is played."""
        if self._slider.disabled:
            return
        if not self.playing and self.at is None:
            self.at = 0
        self._beats = 0
        self.playing = not self.playing

    def _slid(self, event: param.parameterized.Event) -> None:
        at = event.new - 1
        self.playing = self.playing and at == self.at
        self.at = at if at < self._moments - 1 else None

    @param.depends("at", watch=True)
    def _follow(self) -> None:
        if not self._slider.disabled:
            self._slider.value = self._moments if self.at is None else self.at + 1

    @param.depends("playing", watch=True)
    def _name_button(self) -> None:
        label, icon = ("Hold", icons.PAUSE) if self.playing else ("Replay", icons.RUN)
        self._button.param.update(label=label, icon=icon)
        if self.playing:
            self._start_beat()
