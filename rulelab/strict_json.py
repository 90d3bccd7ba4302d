"""JSON from anywhere: standard, every key of an object once, and small enough to be taken apart."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

_TEXT = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)  # also one without an end: no text is read twice


def load(text: str | bytes, largest: int, most: int) -> Any:
    """The content of a text (UTF-8 when bytes).

    Parameters
    ----------
    text : str or bytes
    largest : int
        Most characters or bytes.
    most : int
        Most lists and objects together; three times as many entries.

    Raises
    ------
    ValueError
        When it is too large or malformed, holds NaN or Infinity, is nested too deeply, or repeats a key.
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
