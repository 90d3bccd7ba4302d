"""Colours and style sheets of the views. The theme's colours come from the page, with fallbacks for notebooks."""

from __future__ import annotations

from functools import cache
from string import Template

from ...assets import asset
from ...shown import AMBER, BLUE, GREEN, LENGTHS, ORANGE, PURPLE, SKY  # noqa: F401 some are for others

INK = {False: "#1a1a1a", True: "#f0f0f0"}
PAPER = {False: "#ffffff", True: "#1f1f1f"}
"""Text inside plots on a light and on a dark page."""

TEXT = "var(--panel-on-surface-color, var(--jp-ui-font-color0, #222))"
SURFACE = "var(--panel-surface-color, var(--jp-layout-color0, #fff))"
LINE = f"color-mix(in srgb, {TEXT} 18%, transparent)"
FAINT = f"color-mix(in srgb, {TEXT} 6%, transparent)"
MUTED = f"color-mix(in srgb, {TEXT} 72%, transparent)"

_VARIABLES = {
    "blue": BLUE,
    "orange": ORANGE,
    "green": GREEN,
    "purple": PURPLE,
    "sky": SKY,
    "amber": AMBER,
    "text": TEXT,
    "surface": SURFACE,
    "background": "var(--panel-background-color, var(--jp-layout-color0, #fff))",
    "line": LINE,
    "faint": FAINT,
    "muted": MUTED,
    "dot": f"color-mix(in srgb, {BLUE} 72%, {TEXT})",
    "link": f"color-mix(in srgb, {BLUE} 62%, {TEXT})",
    # what is only told to screen readers
    "unseen": "position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); "
    "white-space: nowrap;",
    # where the keyboard is: the colour of the text, which stands out on every background of the page
    "focus": f"outline: 3px solid {TEXT} !important; outline-offset: 2px;",
}
"""What ``$blue`` and such mean in a style sheet."""


@cache
def sheet(*names: str) -> str:
    """Style sheets of `rulelab.assets`, one after the other, or what else there names colours."""
    return Template(asset(*names)).substitute(_VARIABLES)


CHOICES_CSS = sheet("choices.css")  # of boxes to tick, and of answers of which one is right
LIT_CSS = sheet("lit.css")  # what a walk points at; an outline takes no room
CARD_CSS = sheet("card.css", "bars.css")
MODEL_CSS = sheet("card.css", "bars.css", "model_card.css")
"""Of model cards; amber is where they differ, always with a word or a line beside it."""
LOW_CSS = sheet("low.css")  # of a table of rules in a low place
STRIP_CSS = sheet("strip.css")  # of tabs within the page
PANEL_CSS = sheet("panel.css")
VIEW_CSS = sheet("view.css")
PAGE_CSS = sheet("page.css")
BAR_CSS = sheet("bar.css")
CONTROLS_CSS = sheet("controls.css")  # of the head of a search; what stands behind "More" lies over what is under it

FIGURE_CSS = f".bk-Canvas {{ --outline-width: 3px; --outline-style: solid; --highlight-color: {TEXT}; }}"
"""Of a figure that has the keyboard."""
NUMBER_CSS = sheet("number.css")  # without the two small buttons, which have no names; the arrow keys do the same
BUTTON_CSS = sheet("button.css")
SELECT_CSS = sheet("select.css")  # the arrow of a list in a grey that shows on both themes; the theme's own is black
LARGE_PRESS_CSS = sheet("press_large.css")
SMALL_CSS = sheet("small.css")  # of buttons, many of which have to stand side by side

COMPARE_CSS = sheet("compare.css")
CARDS_CSS = sheet("cards.css")
"""Cards side by side, their lines on one height; what has no place is scrolled to, and the page stays."""
STACK_CSS = sheet("stack.css")
TAB_CSS = sheet("tab.css")
