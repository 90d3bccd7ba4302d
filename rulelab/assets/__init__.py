"""Scripts, style sheets and pages that browsers get, as files; each is read once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


@cache
def asset(*names: str) -> str:
    """The text of a file, or of several one after the other: what components share comes before what uses it."""
    return "".join((FOLDER / name).read_text(encoding="utf-8") for name in names)


def at_once(call: str, *names: str) -> str:
    """A script that calls functions of these files, and leaves none of their names to what else is on the page."""
    return f"(() => {{\n{asset(*names)}{call}\n}})()\n"
