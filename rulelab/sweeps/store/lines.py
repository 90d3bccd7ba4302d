"""The lines of a results file: JSON under a checksum, so that what is damaged is noticed and what is sound is found."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..keys import PACKAGE, join

_OPENING = b'{"check": "'
_DIGITS = 16
_CLOSING = b'", '
VERSIONS = {PACKAGE: "0.1.0"}
DEFAULTS: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("defaults.json").read_text(encoding="utf-8"))
"""The settings of 0.1.0 by method, and of what came later what there was instead; they stay when defaults change."""


def sealed(data: Mapping[str, Any], about: bytes = b"") -> bytes:
    """A JSON object in one line, the checksum as its first member; without the line's end.

    ``data``: plain types; not empty. ``about``: what the line belongs to, without being in it; it is part of the
    checksum.
    """
    body = json.dumps(data, allow_nan=False).encode()[1:]
    return _OPENING + _checksum(body, about) + _CLOSING + body


def unsealed(line: bytes, about: bytes = b"") -> dict[str, Any] | None:
    """The inverse of `sealed`; None when a byte differs, or when the line belongs to something else."""
    start = len(_OPENING)
    end = start + _DIGITS
    body = line[end + len(_CLOSING) :]
    same = line[:start] == _OPENING and line[end : end + len(_CLOSING)] == _CLOSING
    if not same or line[start:end] != _checksum(body, about):
        return None
    found: dict[str, Any] = json.loads(b"{" + body)
    return found


def sound_lines(text: bytes, about: bytes) -> tuple[list[tuple[bytes, dict[str, Any]]], list[int]]:
    """What can be read of the lines of a text.

    A line that was glued to another one, because the end of a line was damaged or a line was cut off, is found too.

    Returns ``sound``: in their order; lines without their ends. ``damaged``: numbers of the lines that hold something
    else as well, from 1.
    """
    sound: list[tuple[bytes, dict[str, Any]]] = []
    damaged: list[int] = []
    for number, line in enumerate(text.split(b"\n"), start=1):
        stripped = line.strip()
        if not stripped:
            continue
        data = unsealed(stripped, about)
        if data is not None:
            sound.append((stripped, data))
            continue
        damaged.append(number)
        sound += within(line, about)
    return sound, damaged


def within(line: bytes, about: bytes = b"") -> Iterator[tuple[bytes, dict[str, Any]]]:
    """The sound lines that a damaged one holds."""
    at = line.find(_OPENING)
    while at >= 0:
        after = line.find(_OPENING, at + 1)
        piece = line[at : after if after >= 0 else len(line)]
        for candidate in (piece, piece[:-1]):  # the last byte may have been the end of the line
            data = unsealed(candidate, about)
            if data is not None:
                yield candidate, data
                break
        at = after


def _checksum(body: bytes, about: bytes) -> bytes:
    return hashlib.blake2b(about + b"\n" + body, digest_size=_DIGITS // 2).hexdigest().encode()


def converted(data: Mapping[str, Any]) -> dict[str, Any]:
    """A result with the key of today. Raises ValueError, KeyError when the key is none of version 1."""
    method, _, rest = str(data["key"]).partition(" ")
    settings = {**DEFAULTS[method], **json.loads(rest)}
    if method == "falling_rule_list":
        settings = _of_its_search(settings) | settings
    return {**data, "key": join(method, settings, VERSIONS)}


def _of_its_search(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What the searches of falling rule lists had besides."""
    if settings["method"] == "monte_carlo":
        return {"iterations": 3000, "curiosity": 0.8, "termination": 0.01}
    if settings["violation_penalty"] is not None:
        return {}
    return {"bounds": None, "iterations": 3000, "max_length": None, "memory_limit": None}
