"""What is said of the data of a run: how they were prepared, and what no condition was made of."""

from __future__ import annotations

from collections.abc import Sequence

from ..live.prepared import Prepared
from ..live.wording import count
from ..widgets.esc import esc

MAX_LEFT_OUT = 500
"""Most entries of the list of what no condition was made of."""


def notes(prepared: Prepared | None) -> str:
    """HTML; empty before anything is known."""
    if prepared is None:
        return ""
    said = " · ".join(esc(note, 400) for note in prepared.notes)
    return (f'<p class="note">{said}</p>' if prepared.notes else "") + _left_out(prepared.left_out)


def _left_out(names: Sequence[str]) -> str:
    """All of it, to be unfolded."""
    if not names:
        return ""
    items = "".join(f"<li>{esc(what, 300)}</li>" for what in names[:MAX_LEFT_OUT])
    more = len(names) - MAX_LEFT_OUT
    items += f"<li>and {count(more)} more</li>" if more > 0 else ""
    said = f"{count(len(names))} not made into conditions: which, and why"
    return f'<details class="note"><summary>{said}</summary><ul>{items}</ul></details>'
