"""Looking back: the line in the plots over time as a slider along their axis, and a button that plays a run."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

from ...assets import asset
from ..widgets.explained import term_classes
from ..widgets.style import SELECT_CSS, sheet

SPEEDS = {"¼ ×": 128, "½ ×": 64, "1 ×": 32, "2 ×": 16, "4 ×": 8}
"""Beats of the page that a run is played in, about, by what they are called."""


class Moments(JSComponent):
    """What is seen of it under the first plot.

    `ask` takes what a person asks for: to ``press`` the button, to ``move`` by so many moments, or a ``place``.
    """

    able = param.Boolean(default=False, doc="Whether there is anything to look back at.")
    playing = param.Boolean(default=False, doc="Whether the moments go by.")
    moments = param.Integer(default=0, doc="How many there are.")
    at = param.Integer(default=0, doc="Which one is shown, from 0.")
    place = param.Number(default=1.0, doc="Where that is on the axis, from 0 to 1.")

    _esm = asset("dom.js", "moments.js")
    _stylesheets = [sheet("moments.css")]

    def __init__(self, ask: Callable[[dict[str, Any]], None], **params: Any) -> None:
        super().__init__(**params)
        self._ask = ask

    def _handle_msg(self, data: Any) -> None:
        if self.able and isinstance(data, dict):
            self._ask(data)


class Rewind(param.Parameterized):
    """The moments of a run, from the first to the present one.

    `start_beat` sees to it that `tick` is called while the run is played. `places` gives where the moments are on the
    axis of the plots, and its two ends.
    """

    at = param.Integer(default=None, allow_None=True, bounds=(0, None), doc="The moment shown; None: the present one.")
    playing = param.Boolean(default=False, doc="Whether the moments go by.")

    def __init__(
        self, start_beat: Callable[[], None], places: Callable[[], tuple[Sequence[float], float, float]]
    ) -> None:
        super().__init__()
        self._start_beat, self._places, self._beats = start_beat, places, 0
        self.bar = Moments(self._asked, css_classes=["rl-moments"], sizing_mode="stretch_width", margin=0)
        # how fast a run is played
        self.pace = pn.widgets.Select(
            label="Replay pace",
            options=SPEEDS,
            value=SPEEDS["1 ×"],
            css_classes=term_classes("moment"),
            stylesheets=[SELECT_CSS],
            width=150,
            margin=0,
        )

    def offer(self, moments: int, busy: bool) -> None:
        """Let the user look at so many moments; while the run goes on, or once it has gone on, at the present only."""
        if busy or moments != self.bar.moments:
            self.param.update(at=None, playing=False)
        able = not busy and moments > 1
        self.bar.param.update(able=able, moments=moments)

    def tick(self) -> None:
        """Go on to the next moment, while the run is played."""
        self._beats += 1
        ticks, moments = self.pace.value, self.bar.moments
        if self.playing and self._beats % max(1, ticks // moments) == 0:
            self._go((moments if self.at is None else self.at) + math.ceil(moments / ticks))
            self.playing = self.at is not None

    def move(self, by: int) -> None:
        """Go so many moments on, or back."""
        if self.bar.able:
            self.playing = False
            self._go((self.bar.moments - 1 if self.at is None else self.at) + by)

    def press(self) -> None:
        """Play the run, or hold what is played."""
        if self.bar.able:
            if not self.playing and self.at is None:
                self.at = 0
            self._beats = 0
            self.playing = not self.playing

    def move_to(self, place: float) -> None:
        """Go to the moment that is the nearest to a place on the axis."""
        at, _, _ = self._places()
        if self.bar.able and len(at) == self.bar.moments:
            after = min(bisect_left(at, place), len(at) - 1)
            nearest = min((max(after - 1, 0), after), key=lambda k: abs(at[k] - place))
            self.playing = False
            self._go(nearest)

    def _go(self, at: int) -> None:
        self.at = max(0, at) if at < self.bar.moments - 1 else None

    def _asked(self, wanted: dict[str, Any]) -> None:
        if wanted.get("press"):
            self.press()
        elif isinstance(wanted.get("move"), int):
            self.move(wanted["move"])
        elif isinstance(wanted.get("place"), int | float):
            _, start, end = self._places()
            self.move_to(start + wanted["place"] * (end - start))

    def follow(self) -> None:
        """Let the slider stand where the moment is on the axis."""
        places, start, end = self._places()
        at = max(0, self.bar.moments - 1) if self.at is None else self.at
        place = (places[at] - start) / (end - start) if at < len(places) and end > start else 1.0
        self.bar.param.update(at=at, place=place)

    @param.depends("playing", watch=True)
    def _play(self) -> None:
        self.bar.playing = self.playing
        if self.playing:
            self._start_beat()
