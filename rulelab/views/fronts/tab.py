"""Sweeps on the page: the form, the buttons that start and end them, and what they find."""

from __future__ import annotations

from typing import Any

import panel as pn
import param
from panel.viewable import Viewer

from ..forms.address import Address, Part
from ..widgets import icons
from ..widgets.style import BAR_CSS, BUTTON_CSS, STACK_CSS
from .setup import SHARED, SweepSetup
from .view import FrontView


class FrontsView(Viewer):
    """A sweep with its settings and controls.

    Parameters
    ----------
    address : Address, optional
        Of the page, to be followed.

    Attributes
    ----------
    setup : SweepSetup
    view : FrontView
    complaints : list of str
        About the address.
    """

    dark = param.Boolean(default=False, doc="Whether the page around is dark.")
    on_pin = param.Callable(default=None, doc="As that of `FrontView`.")

    def __init__(self, address: Address | None = None, **params: Any) -> None:
        super().__init__(**params)
        self.setup = SweepSetup()
        self.view = FrontView(dark=self.dark, on_pin=self.on_pin)
        self.complaints: list[str] = []
        if address is not None:
            self.complaints += address.follow(Part(self.setup, SHARED, steps=["sweep_data"]))
            self.complaints += address.follow(Part(self.view, ["on", "criterion", "measure"]))
        button = {"stylesheets": [BUTTON_CSS], "margin": 0, "height": 38}
        self._start = pn.widgets.Button(
            label="Run sweep", icon=icons.RUN, on_click=self.run, color="primary", width=130, **button
        )
        self._cancel = pn.widgets.Button(
            label="Cancel sweep", icon=icons.STOP, on_click=self.cancel, disabled=True, width=140, **button
        )
        self.view.param.watch(lambda event: self._cancel.param.update(disabled=not event.new), "sweeping")
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
