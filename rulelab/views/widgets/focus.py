"""Gives the keyboard's focus back to a button that was moved, which takes the focus from it."""

from __future__ import annotations

import param
from panel.custom import JSComponent

from ...assets import asset


class Focus(JSComponent):
    """Nothing to see."""

    boxes = param.String(default="", doc="CSS selector of the boxes that the buttons are in.")
    wanted = param.List(default=[0, "", 0], doc="Place of the box, name of its button, and a number to ask again with.")

    _esm = asset("dom.js", "focus.js")
