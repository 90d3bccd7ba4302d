"""Scripts, style sheets, pages and texts that browsers get, as files; each is read once."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from ..files import load_tables

FOLDER = Path(__file__).parent


@cache
def asset(*names: str) -> str:
    """The text of a file, or of several one after the other: what components share comes before what uses it."""
    return "".join((FOLDER / name).read_text(encoding="utf-8") for name in names)


@cache
def texts(table: str) -> dict[str, Any]:
    """A table of ``texts.toml``: what the page says, by name."""
    return load_tables(FOLDER / "texts.toml")[table]


def at_once(call: str, *names: str) -> str:
    """A script that calls functions of these files, and leaves none of their names to what else is on the page."""
    return f"(() => {{\n{asset(*names)}{call}\n}})()\n"
