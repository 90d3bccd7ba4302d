"""What else a store keeps: boards of rooms, with the best that each name has reached, and sets of pinned models."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sqlalchemy as sa

from ..errors import StoreError
from .database import Database
from .rows import BOARDS, PINS
from .run import digest, now

MOST_ENTRIES = 200
"""Of a board."""
_DIGITS = 300
_WHOLE = 1 << 31
LARGEST_PINS = 8_000_000
"""Characters of one set."""
MOST_PINS = 1000
"""Sets that are kept; the oldest make room."""


@dataclass(frozen=True)
class BoardEntry:
    """What somebody has reached.

    Attributes
    ----------
    name : str
    objective : Fraction
        Of the best list; without rounding.
    rules : int
    hints : int
        How often the best single change was asked for before.
    revealed : bool
        Whether the optimum was looked at; lists that come after it do not count.
    """

    name: str
    objective: Fraction
    rules: int
    hints: int = 0
    revealed: bool = False


def put(database: Database, room: str, game: str, entry: BoardEntry, instead_of: str | None = None) -> None:
    """Keep an entry in the place of the one of its name, and of another name."""
    objective = f"{entry.objective.numerator}/{entry.objective.denominator}"
    if len(objective) > 2 * _DIGITS:
        raise StoreError("this objective has more digits than are kept")
    with database.writing() as connection:
        for name in {entry.name, instead_of} - {None}:
            connection.execute(sa.delete(BOARDS).where(*_of(room, game), BOARDS.c.name == name))
        connection.execute(
            BOARDS.insert().values(
                room=room,
                game=game,
                name=entry.name,
                made=now(),
                objective=objective,
                rules=entry.rules,
                hints=entry.hints,
                revealed=int(entry.revealed),
            )
        )
        latest = sa.select(BOARDS.c.name).where(*_of(room, game)).order_by(BOARDS.c.made.desc()).limit(MOST_ENTRIES)
        connection.execute(sa.delete(BOARDS).where(*_of(room, game), BOARDS.c.name.not_in(latest)))


def board(database: Database, room: str, game: str) -> list[BoardEntry]:
    """The entries of a board, the best first; those that cannot be read are left out."""
    columns = (BOARDS.c.name, BOARDS.c.objective, BOARDS.c.rules, BOARDS.c.hints, BOARDS.c.revealed)
    with database.reading() as connection:
        latest = sa.select(*columns).where(*_of(room, game)).order_by(BOARDS.c.made.desc()).limit(MOST_ENTRIES)
        found = connection.execute(latest).all()
    entries = [entry for row in found if (entry := _read(*row)) is not None]
    return sorted(entries, key=lambda entry: (entry.objective, entry.rules))


def clear(database: Database, room: str) -> None:
    """Forget all boards of a room."""
    with database.writing() as connection:
        connection.execute(sa.delete(BOARDS).where(BOARDS.c.room == room))


def _of(room: str, game: str) -> tuple[Any, ...]:
    return BOARDS.c.room == room, BOARDS.c.game == game


def _read(name: Any, objective: Any, rules: Any, hints: Any, revealed: Any) -> BoardEntry | None:
    fraction = re.fullmatch(
        rf"(\d{{1,{_DIGITS}}})/(\d{{1,{_DIGITS}}})", objective if isinstance(objective, str) else ""
    )
    whole = all(type(value) is int and 0 <= value < _WHOLE for value in (rules, hints, revealed))
    if fraction is None or not int(fraction[2]) or not whole or not isinstance(name, str):
        return None
    return BoardEntry(name[:40], Fraction(int(fraction[1]), int(fraction[2])), rules, hints, bool(revealed))


def pin(database: Database, content: str) -> str:
    """Keep a set, and give its hash."""
    if len(content) > LARGEST_PINS:
        raise StoreError(f"the pinned models take {len(content)} characters; at most {LARGEST_PINS} are kept")
    key = digest(content.encode())
    with database.writing() as connection:
        connection.execute(sa.delete(PINS).where(PINS.c.hash == key))
        connection.execute(PINS.insert().values(hash=key, made=now(), content=content))
        late = sa.select(PINS.c.hash).order_by(PINS.c.made.desc()).limit(MOST_PINS)
        connection.execute(sa.delete(PINS).where(PINS.c.hash.not_in(late)))
    return key


def pinned(database: Database, start: str) -> str:
    """The set whose hash begins so; raises StoreError where there is none, or it is damaged."""
    with database.reading() as connection:
        wanted = PINS.c.hash.startswith(start, autoescape=True)
        found = connection.execute(sa.select(PINS.c.hash, sa.func.length(PINS.c.content)).where(wanted).limit(2)).all()
        if len(found) != 1:
            raise StoreError(f"there are no pinned models {start[:16]!r} here")
        key, length = found[0]
        if not isinstance(length, int) or length > LARGEST_PINS:
            raise StoreError(f"the pinned models {start[:16]!r} are damaged: they take {length} characters")
        text = connection.execute(sa.select(PINS.c.content).where(PINS.c.hash == key)).scalar()
    if not isinstance(text, str) or digest(text.encode("utf-8", "surrogatepass")) != key:
        raise StoreError(f"the pinned models {start[:16]!r} are damaged: they are not what their hash says")
    return text
