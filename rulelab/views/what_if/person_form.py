"""The form of one person: the columns that the rules test, their values, and which of them may be changed."""

from __future__ import annotations

import param

from ...assets import asset
from ..widgets.style import sheet
from .asking import Asking


class PersonForm(Asking):
    """A row per column: its value, and whether it may be changed.

    Parameters
    ----------
    act : callable
        Takes what was entered: a mapping with the entry ``do``.
    """

    fields = param.List(default=[], doc="Of each column its name, value, options (None: a number), and ticked.")

    _esm = asset("person_form.js")
    _stylesheets = [sheet("person_form.css")]
