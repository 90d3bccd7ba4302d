"""Brings the part of the page that a walk speaks of into sight, and what it says."""

from __future__ import annotations

import param
from panel.custom import JSComponent

from ...assets import asset


class Pointer(JSComponent):
    """Nothing to see: whenever it turns, what is outlined is scrolled into sight, and what the step says to its top."""

    turns = param.Integer(default=0, doc="How often it has turned.")

    _esm = asset("pointer.js")
