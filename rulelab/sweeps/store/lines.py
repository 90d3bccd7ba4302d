"""The lines of a results file: JSON under a checksum, so that what is damaged is noticed and what is sound is found."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

_OPENING = b'{"check": "'
_DIGITS = 16
_CLOSING = b'", '


def sealed(data: Mapping[str, Any], about: bytes = b"") -> bytes:
    """A JSON object in one line, the checksum as its first member; without the line's end.

    Parameters
    ----------
    data : mapping
        Plain types; not empty.
    about : bytes
        What the line belongs to, without being in it; it is part of the checksum.
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

    Returns
    -------
    sound : list of (line, data)
        In their order; lines without their ends.
    damaged : list of int
        Numbers of the lines that hold something else as well, from 1.
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
