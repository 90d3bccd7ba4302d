"""What has become of a prefix in words and in colours, the same in every picture."""

from __future__ import annotations

from ..widgets.style import BLUE, GREEN, ORANGE, PURPLE, SKY

_STATES = {"expanded": SKY, "open": "#E6C200"}
CUTS = {
    "hierarchical": GREEN,
    "new incumbent": "#8FB339",
    "lookahead": ORANGE,
    "pair lookahead": "#8C4A00",
    "equivalent support": PURPLE,
    "permutation": "#882255",
    "equivalent points": BLUE,
    "dominance": "#5A4FCF",
}
_ANY_CUT = "#6B6B6B"
"""Of the other bounds, which hardly ever cut a prefix that is stored already."""


def color_of(state: str, cut_by: str = "") -> str:
    """Of a prefix by its state, or by the bound that cut it, in any way of writing its name."""
    name = cut_by.removeprefix("always: ").replace("_", " ")
    return CUTS.get(name, _ANY_CUT) if state == "cut" else _STATES[state]


def fate_of(state: str, cut_by: str = "") -> str:
    """What has become of a prefix, in words."""
    return f"cut: {cut_by.removeprefix('always: ').replace('_', ' ')}" if state == "cut" else state
