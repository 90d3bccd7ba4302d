"""What has become of a prefix in words and in colours, the same in every picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..live.wording import count
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
    "separation": "#17868B",
}
_ANY_CUT = "#6B6B6B"
"""Of the other bounds, which hardly ever cut a prefix that is stored already."""


def bound_name(cut_by: str) -> str:
    """A bound as people call it."""
    return cut_by.removeprefix("always: ").replace("_", " ")


def color_of(state: str, cut_by: str = "") -> str:
    """Of a prefix by its state, or by the bound that cut it, in any way of writing its name."""
    return CUTS.get(bound_name(cut_by), _ANY_CUT) if state == "cut" else _STATES[state]


def fate_of(state: str, cut_by: str = "") -> str:
    """What has become of a prefix, in words: "open", "expanded", or "cut: " and the bound."""
    return f"cut: {bound_name(cut_by)}" if state == "cut" else state


def tally(fates: Iterable[str]) -> str:
    """How many have each fate: "3 open, 80 cut by lookahead"."""
    found = Counter(fates)
    order = sorted(found, key=lambda fate: (fate.startswith("cut"), -found[fate]))
    return ", ".join(f"{count(found[fate])} {fate.replace('cut: ', 'cut by ')}" for fate in order)
