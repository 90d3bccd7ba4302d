"""Sweeps on the page: the form, the buttons that start and end them, and what they find."""

from __future__ import annotations

from typing import Any

import panel as pn
import param
from panel.viewable import Viewer

from ..forms import address
from ..widgets import icons
from ..widgets.style import BAR_CSS, BUTTON_CSS, STACK_CSS
from .setup import SHARED, SweepSetup
from .view import FrontView


class FrontsView(Viewer):
    """A sweep with its settings and controls.

    Attributes
    ----------
    setup : SweepSetup
    view : FrontView
    """

    dark = param.Boolean(default=False, doc="Whether the page around is dark.")
    on_pin = param.Callable(default=None, doc="As that of `FrontView`.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.setup = SweepSetup()
        self.view = FrontView(dark=self.dark, on_pin=self.on_pin)
        location = pn.state.location
        if location is not None:
            self.view.complain("; ".join(address.follow(location, address.Part(self.setup, SHARED))))
        button = {"stylesheets": [BUTTON_CSS], "margin": 0, "height": 38}
        self._start = pn.widgets.Button(
            label="Run sweep", icon=icons.RUN, on_click=self.run, color="primary", width=130, **button
        )
        self._cancel = pn.widgets.Button(
            label="Cancel sweep", icon=icons.STOP, on_click=self.cancel, width=140, **button
        )
        bar = pn.Row(
            self._start, self._cancel, stylesheets=[BAR_CSS], sizing_mode="stretch_width", margin=(0, 0, 12, 0)
        )
        self._layout = pn.Column(
            bar,
            self.view,
            stylesheets=[STACK_CSS],
            css_classes=["rl-view"],
            sizing_mode="stretch_width",
            margin=0,
        )

    def __panel__(self) -> Any:
        return self._layout

    def run(self, *_: Any) -> None:
        """Start a sweep with the present settings; one that runs is cancelled."""
        try:
            run = self.setup.new_run()
        except ValueError as error:
            self.view.complain(str(error))
        else:
            self.view.follow(run)

    def cancel(self, *_: Any) -> None:
        """End the sweep and keep what it has found."""
        if self.view.run is not None:
            self.view.run.cancel()

    @param.depends("dark", "on_pin", watch=True)
    def _hand_on(self) -> None:
        self.view.param.update(dark=self.dark, on_pin=self.on_pin)
