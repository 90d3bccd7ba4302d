"""What a command saves: a result as JSON, or its table as CSV."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .console import CommandError

if TYPE_CHECKING:
    from ..rule_set import RuleSetRanges
    from ..search import Search

ENDINGS = (".json", ".csv")


def writable(output: str) -> Path:
    """The path, checked before time is spent on what is to be saved there."""
    path = Path(output)
    if path.is_dir():
        raise CommandError(f"{path} is a folder; name a file to write")
    if not path.parent.is_dir():
        raise CommandError(f"there is no folder {path.parent} to write {path.name} into")
    return path


def writable_result(output: str | None, more: tuple[str, ...] = ()) -> Path | None:
    """The same for a result, whose form is told by the ending of the name; some can be written in ``more`` forms."""
    if output is None:
        return None
    path = writable(output)
    if path.suffix.lower() not in (*ENDINGS, *more):
        raise CommandError(f"-o {path.name} must end in {' or '.join((*ENDINGS, *more))}, which says what is written")
    return path


def save(path: Path, result: Search | RuleSetRanges, text: str | None = None) -> None:
    """Write a result, that of a search as it stands, or a text that was made of it."""
    try:
        if text is not None:
            path.write_text(text, encoding="utf-8")
        elif path.suffix.lower() == ".json":
            result.to_json(path)
        else:
            frame = result.frame
            frame.map(lambda cell: " | ".join(cell) if isinstance(cell, tuple) else cell).to_csv(path, index=False)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}", 1) from error
