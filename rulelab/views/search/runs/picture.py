"""The picture of an ablation that has ended: `rulelab.plots.ablation`, as a notebook draws it."""

from __future__ import annotations

import threading
from importlib import import_module
from typing import Any

import panel as pn

from .ablating import Ablating

_PART = "holoviews.plotting.bokeh"
_LINE, _FRAME, _MOST = 24, 90, 520


class AblationPicture:
    """What each bound saves, in prefixes stored, when all runs of an ablation have ended.

    Attributes
    ----------
    pane : Column
        Empty where there is nothing to draw.
    """

    def __init__(self) -> None:
        self.pane = pn.Column(sizing_mode="stretch_width", margin=(8, 0, 0, 0))

    def get_ready(self) -> None:
        """Load what draws it while the runs go on, so that the page does not wait for that."""
        threading.Thread(target=import_module, args=(_PART,), daemon=True).start()

    def clear(self) -> None:
        """Show none."""
        if len(self.pane):
            self.pane[:] = []

    def show(self, ablation: Ablating) -> None:
        """Draw how many times the prefixes of the first run each other one has stored; nothing of one run."""
        frame = ablation.frame()
        if len(frame) < 2 or frame["nodes_factor"].isna().any():
            self.clear()
            return
        import_module(_PART)
        from ....plots import ablation as drawn

        height = min(_MOST, _FRAME + _LINE * len(frame))
        options: dict[str, Any] = {"responsive": True, "height": height, "toolbar": None, "title": "Nodes of each run"}
        options |= {"xlabel": "", "ylabel": "times the run as set", "backend_opts": {"plot.output_backend": "canvas"}}
        picture = drawn(frame.iloc[::-1]).opts(**options, backend="bokeh")
        self.pane[:] = [pn.pane.HoloViews(picture, sizing_mode="stretch_width", margin=0)]
