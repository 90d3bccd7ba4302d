"""Ten minutes before an audience: what to show and what to say, as a page."""

from __future__ import annotations

from pathlib import Path

from ..widgets.esc import esc
from .words import sections

KEYS = (
    ("P", "presenter mode on and off: settings away, larger type"),
    ("Space", "Run, Pause"),
    ("→", "one step; while looking back, the next moment"),
    ("←", "the moment before"),
    ("1 … 6", "speed, from one step in a quarter of a second to as fast as it can"),
    ("R", "Replay; once more: hold"),
    ("0", "Reset"),
)
"""What the keyboard does in presenter mode."""

MINUTES = [
    (each.heading, *each.of("what to show", "what to say"))
    for each in [*sections(Path(__file__).with_name("script.md"))][1:]
]
"""When, what to show, and what to say; a browser test performs each line."""


def script_html() -> str:
    """The page."""
    rows = "".join(
        f'<tr><td>{time}</td><td class="text">{esc(show, 300)}</td><td class="text">{esc(say, 600)}</td></tr>'
        for time, show, say in MINUTES
    )
    keys = "".join(f"<tr><td><kbd>{esc(key)}</kbd></td><td>{esc(does)}</td></tr>" for key, does in KEYS)
    return (
        "<h2>Ten minutes before an audience</h2>"
        '<div class="scroll"><table class="script"><caption>What to show, and what to say</caption>'
        '<tr><th scope="col">minute</th><th scope="col">show</th><th scope="col">say</th></tr>'
        f"{rows}</table></div><h3>Keys, on the Search tab</h3>"
        f'<div class="scroll"><table class="keys">{keys}</table></div>'
    )
