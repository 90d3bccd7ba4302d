"""What else a store keeps: boards of rooms, with the best that each name has reached, and sets of pinned models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import sqlalchemy as sa

from ..arguments import StoreError
from .database import BOARDS, PINS, Database, insert_table
from .run import check_digits, digest, now

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
    """What somebody has reached."""

    name: str
    objective: Fraction  # of the best list; without rounding
    rules: int
    hints: int = 0  # how often the best single change was asked for before
    revealed: bool = False  # whether the optimum was looked at; lists that come after it do not count


class Boards:
    """Of a store: boards of rooms, with the best that each name has reached, and sets of pinned models."""

    _database: Database

    def keep_entry(self, room: str, game: str, entry: BoardEntry, instead_of: str | None = None) -> None:
        """Keep what somebody has reached in a room.

        Parameters
        ----------
        room : str
        game : str
            What tells data and settings apart.
        entry : BoardEntry
        instead_of : str, optional
            The name that the same player had before.
        """
        objective = f"{entry.objective.numerator}/{entry.objective.denominator}"
        if len(objective) > 2 * _DIGITS:
            raise StoreError("this objective has more digits than are kept")
        with self._database.writing() as connection:
            for name in {entry.name, instead_of} - {None}:
                connection.execute(sa.delete(BOARDS).where(*_of(room, game), BOARDS.c.name == name))
            own = {**vars(entry), "objective": objective, "revealed": int(entry.revealed)}
            connection.execute(BOARDS.insert().values(room=room, game=game, made=now(), **own))
            latest = sa.select(BOARDS.c.name).where(*_of(room, game)).order_by(BOARDS.c.made.desc()).limit(MOST_ENTRIES)
            connection.execute(sa.delete(BOARDS).where(*_of(room, game), BOARDS.c.name.not_in(latest)))

    def board(self, room: str, game: str) -> list[BoardEntry]:
        """What was reached in a room, the best first."""
        columns = (BOARDS.c.name, BOARDS.c.objective, BOARDS.c.rules, BOARDS.c.hints, BOARDS.c.revealed)
        with self._database.reading() as connection:
            latest = sa.select(*columns).where(*_of(room, game)).order_by(BOARDS.c.made.desc()).limit(MOST_ENTRIES)
            found = connection.execute(latest).all()
        entries = [entry for row in found if (entry := _read(*row)) is not None]
        return sorted(entries, key=lambda entry: (entry.objective, entry.rules))

    def keep_pins(self, content: str, tables: Mapping[str, bytes] = MappingProxyType({})) -> str:
        """Keep models that are pinned side by side.

        Parameters
        ----------
        content : str
            As the page gives them to the browser.
        tables : mapping of str to bytes, optional
            Rows that they were made from, by the hash of the data that the text names; see
            `rulelab.store.kept_table.packed`.

        Returns
        -------
        str
            The hash of the text.
        """
        if len(content) > LARGEST_PINS:
            raise StoreError(f"the pinned models take {len(content)} characters; at most {LARGEST_PINS} are kept")
        key = digest(content.encode())
        with self._database.writing() as connection:
            connection.execute(sa.delete(PINS).where(PINS.c.hash == key))
            connection.execute(PINS.insert().values(hash=key, made=now(), content=content))
            late = sa.select(PINS.c.hash).order_by(PINS.c.made.desc()).limit(MOST_PINS)
            connection.execute(sa.delete(PINS).where(PINS.c.hash.not_in(late)))
            for data_hash, table in tables.items():
                insert_table(connection, data_hash, table)
        return key

    def pins(self, which: str) -> str:
        """The text of a hash, or the first digits of it; it may come from anywhere.

        Raises
        ------
        StoreError
            When there is none, or it is damaged.
        """
        check_digits(which)
        with self._database.reading() as connection:
            wanted = PINS.c.hash.startswith(which, autoescape=True)
            columns = PINS.c.hash, sa.func.length(PINS.c.content)
            found = connection.execute(sa.select(*columns).where(wanted).limit(2)).all()
            if len(found) != 1:
                raise StoreError(f"there are no pinned models {which[:16]!r} here")
            key, length = found[0]
            if not isinstance(length, int) or length > LARGEST_PINS:
                raise StoreError(f"the pinned models {which[:16]!r} are damaged: they take {length} characters")
            text = connection.scalar(sa.select(PINS.c.content).where(PINS.c.hash == key))
        if not isinstance(text, str) or digest(text.encode("utf-8", "surrogatepass")) != key:
            raise StoreError(f"the pinned models {which[:16]!r} are damaged: they are not what their hash says")
        return text


def _of(room: str, game: str) -> tuple[Any, ...]:
    return BOARDS.c.room == room, BOARDS.c.game == game


def _read(name: Any, objective: Any, rules: Any, hints: Any, revealed: Any) -> BoardEntry | None:
    """The entry of a row; None where it cannot be one."""
    whole = all(type(value) is int and 0 <= value < _WHOLE for value in (rules, hints, revealed))
    texts = isinstance(name, str) and isinstance(objective, str) and len(objective) <= 2 * _DIGITS
    if not whole or not texts or not re.fullmatch(r"\d+/0*[1-9]\d*", objective):
        return None
    return BoardEntry(name[:40], Fraction(objective), rules, hints, bool(revealed))
