"""The button that pins a model, and beside it which card it has become."""

from __future__ import annotations

from .esc import esc

KEEP = "Keep to compare"
"""What stands on the button."""
_WIDEST = "M"  # of the letters of cards


def pinned_note(letter: str = "") -> str:
    """The note, as HTML; without a letter its place alone, so that nothing moves when it comes."""
    hidden = "" if letter else ' aria-hidden="true" style="visibility: hidden"'
    return f'<p class="note"{hidden}>pinned as {esc(letter or _WIDEST)} in the tab Compare</p>'
