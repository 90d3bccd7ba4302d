"""The model as something to take in one's hands: rules to drag, move, flip and delete, and antecedents to put in."""

from __future__ import annotations

import param

from ...assets import asset
from ..widgets.style import sheet
from .asking import Asking
from .family import words_of


class Editor(Asking):
    """Rules in order with what each captures; tells of every edit that is wanted.

    Parameters
    ----------
    act : callable
        Takes what is wanted: a mapping with the entry ``do``.
    """

    rules = param.List(default=[], doc="Of each rule, and at last of the default, what is shown.")
    texts = param.Dict(default=words_of("rule_list").texts, doc="See `rulelab.views.what_if.family.Words`.")
    target = param.String(default="", doc="What is predicted.")
    found = param.Dict(default={}, doc="Antecedents that were searched for: text, items, note.")
    said = param.String(default="", doc="For screen readers: what has changed.")

    _esm = asset("editor.js")
    _stylesheets = [sheet("editor.css")]
