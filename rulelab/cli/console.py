"""What the commands write: tables, single lines, and errors that end a command."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..report import Known


class CommandError(Exception):
    """Ends a command with one line on stderr and this exit status."""

    def __init__(self, message: object, status: int = 2) -> None:
        super().__init__(str(message))
        self.status = status


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> str:
    """Aligned columns; those whose indices are in ``right`` are right aligned."""
    lines = [head, *rows]
    width = [max(len(line[j]) for line in lines) for j in range(len(head))]
    return "\n".join(
        "  ".join(f"{cell:{'>' if j in right else '<'}{width[j]}}" for j, cell in enumerate(line)).rstrip()
        for line in lines
    )


def one_line(text: str) -> str:
    """Text from anywhere, without line breaks and control characters."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in " ".join(text.split()))


def say(text: str) -> None:
    """Write a line to stderr."""
    print(text, file=sys.stderr, flush=True)


def say_identifiers(name: str, columns: Sequence[str]) -> None:
    """Name the columns that are left out because they number the rows."""
    if columns:
        names = ", ".join(map(repr, columns))
        say(one_line(f"{name}: identifiers of rows: {names}, no feature unless --keep-identifiers"))


def say_doubts(known: Known) -> None:
    """Print what is to be doubted of a model, a line for each; nothing when nothing is."""
    from ..report import TITLE, doubted

    if found := doubted(known):
        print("", TITLE, *(one_line(f"- {each}") for each in found), sep="\n")
