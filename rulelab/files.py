"""Files that are written whole or not at all; JSON of others is read where it is standard and small."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

_MOST_OF_NAME = 100


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A new file beside ``path`` to write to, which takes its place when the block ends without an error.

    Until then ``path`` stays as it is, also when the process is killed. A link stays one: the file that it names is
    replaced. What is no file, such as ``/dev/stdout``, is written to as it is.
    """
    named, whole = Path(path), Path(os.path.realpath(path))
    if (named.exists() and not named.is_file()) or named.absolute().parts[1:2] in (("dev",), ("proc",)):
        yield named
        return
    part = whole.with_name(f".{whole.stem[:_MOST_OF_NAME]}.{secrets.token_hex(4)}{whole.suffix}")
    part.touch(exist_ok=False)
    try:
        if whole.exists():
            part.chmod(whole.stat().st_mode & 0o777)
        yield part
        part.replace(whole)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def write(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file, a text as UTF-8; see `replacing`."""
    with replacing(path) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)


def load_tables(path: Path) -> dict[str, dict[str, Any]]:
    """The tables of a TOML file of this package by name; lists are tuples."""
    tables: dict[str, dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))
    for table in tables.values():
        table |= {name: tuple(value) for name, value in table.items() if isinstance(value, list)}
    return tables


_TEXT = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)  # also one without an end: no text is read twice


def load_json(text: str | bytes, largest: int, most: int) -> Any:
    """The content of a text (UTF-8 when bytes).

    ``largest``: most characters or bytes. ``most``: most lists and objects together; three times as many entries.
    Raises ValueError when it is too large or malformed, holds NaN or Infinity, is nested too deeply, or repeats a key.
    """
    if len(text) > largest:
        raise ValueError(f"it takes {len(text)} bytes; at most {largest} are read")
    if isinstance(text, bytes | bytearray):
        text = text.decode("utf-8-sig")
    bare = _TEXT.sub("", text)
    if (lists := bare.count("[") + bare.count("{")) > most:
        raise ValueError(f"it holds {lists} lists and objects; at most {most} are read")
    if (entries := bare.count(",")) > 3 * most:
        raise ValueError(f"it holds {entries} entries; at most {3 * most} are read")
    try:
        return json.loads(text, parse_constant=_refuse, object_pairs_hook=_object)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"it holds {constant}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the entry {twice[:60]!r} is there twice")
    return out
