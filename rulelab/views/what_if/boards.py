"""Boards of a class: who has come how far in a room; kept in memory, and by `Lasting` where there is a store."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Protocol

from ..widgets.esc import esc, plain

MOST_ROOMS, MOST_PLAYERS = 100, 200
MOST_CHARACTERS = 40
"""Of the name of a room or a player."""


@dataclass(frozen=True)
class Entry:
    """What one session has reached.

    Attributes
    ----------
    name : str
    objective : Fraction
        Of its best list; without rounding.
    rules : int
        Of that list.
    hints : int
        How often it asked for the best change before.
    revealed : bool
        Whether it has looked at the optimum; its lists count no more from then on.
    """

    name: str
    objective: Fraction
    rules: int
    hints: int = 0
    revealed: bool = False


class Lasting(Protocol):
    """Keeps entries for longer than the server runs; neither method waits."""

    def keep(self, room: str, game: str, entry: Entry, instead_of: str | None) -> None:
        """Keep an entry, in the place of the one that the same player had by another name."""

    def bring(self, room: str, game: str, take: Callable[[list[Entry]], None]) -> None:
        """Hand over what was kept of a board, soon and from another thread."""


class Boards:
    """The boards of all rooms; those that were used last are kept.

    Lists compare only where data and settings are the same, so that a room has a board for each.

    Attributes
    ----------
    lasting : Lasting or None
        With it, who leaves stays on the board, and goes on from there under the same name.
    """

    def __init__(self) -> None:
        self.lasting: Lasting | None = None
        self._boards: OrderedDict[tuple[str, str], dict[object, Entry]] = OrderedDict()
        self._players = 0
        self._lock = threading.Lock()
        self.version = 0

    def put(self, room: str, game: str, session: object, entry: Entry) -> None:
        """Enter, or better, what a session has reached; only the best list counts.

        Parameters
        ----------
        room, game : str
            The name of the room, and what tells data and settings apart.
        session : hashable
        entry : Entry

        Raises
        ------
        ValueError
            When the room is full.
        """
        with self._lock:
            board = self._board(room, game)
            before = board.get(session)
            if before is None and sum(not isinstance(key, _Left) for key in board) >= MOST_PLAYERS:
                raise ValueError(f"the room has {MOST_PLAYERS} players, which is all that it holds; take another room")
            entry = replace(entry, name=plain(entry.name.strip(), MOST_CHARACTERS))
            entry = _better(board.pop(_Left(entry.name), None), _better(before, entry))
            if entry != before:
                board[session] = entry
                self.version += 1
                if self.lasting is not None:
                    other = before is not None and before.name != entry.name
                    self.lasting.keep(room, game, entry, before.name if before is not None and other else None)

    def leave(self, session: object) -> None:
        """Take a session off all boards; a board without any is gone."""
        with self._lock:
            for key in [key for key, board in self._boards.items() if session in board]:
                self.version += 1
                entry = self._boards[key].pop(session)
                if self.lasting is not None:
                    self._boards[key][_Left(entry.name)] = entry
                    self._make_room(self._boards[key])
                if not self._boards[key]:
                    del self._boards[key]

    def board(self, room: str, game: str) -> list[tuple[object, Entry]]:
        """Sessions and what they have reached, the best first."""
        with self._lock:
            board = self._boards.get((room, game), {})
            return sorted(board.items(), key=lambda item: (item[1].objective, item[1].rules))

    def new_name(self) -> str:
        """What to call who has no name."""
        with self._lock:
            self._players += 1
            return f"player {self._players}"

    def _board(self, room: str, game: str) -> dict[object, Entry]:
        if (room, game) not in self._boards and self.lasting is not None:
            self.lasting.bring(room, game, partial(self._brought, room, game))
        board = self._boards.setdefault((room, game), {})
        self._boards.move_to_end((room, game))
        while len(self._boards) > MOST_ROOMS:
            self._boards.popitem(last=False)
        return board

    def _make_room(self, board: dict[object, Entry]) -> None:
        """Take those who have left and were the worst off a board that has too many of them."""
        left = sorted((each for each in board if isinstance(each, _Left)), key=lambda each: board[each].objective)
        for each in left[MOST_PLAYERS:]:
            del board[each]

    def _brought(self, room: str, game: str, entries: list[Entry]) -> None:
        """Put on a board what was kept of it; who is there already has the better of both."""
        with self._lock:
            board = self._boards.get((room, game))
            if board is None:
                return
            before = dict(board)
            there = {entry.name: key for key, entry in board.items()}
            for entry in entries[:MOST_PLAYERS]:
                key = there.get(entry.name, _Left(entry.name))
                board[key] = _better(entry, board[key]) if key in board else entry
            self.version += board != before


@dataclass(frozen=True)
class _Left:
    """In the place of a session: who was here before, by the name."""

    name: str


def _better(before: Entry | None, entry: Entry) -> Entry:
    """What counts of two entries of one player; what was reached after the optimum was seen does not."""
    if before is not None and (before.revealed or before.objective <= entry.objective):
        return replace(before, name=entry.name, revealed=before.revealed or entry.revealed)
    return entry


BOARDS = Boards()
"""Those of this process."""


def table(entries: list[tuple[object, Entry]], own: object, shown: Callable[[Fraction], str]) -> str:
    """A board as HTML, with a mark at one's own line; all names are escaped."""

    if not entries:
        return '<p class="note">Nobody is here yet.</p>'
    rows, rank = "", 0
    for k, (session, entry) in enumerate(entries, 1):
        rank = rank if k > 1 and entry.objective == entries[k - 2][1].objective else k
        mark = ' class="you"' if session == own else ""
        you = " (you)" if session == own else ""
        looked = "; has looked at the optimum" if entry.revealed else ""
        rows += (
            f'<tr{mark}><td class="num">{rank}</td><th scope="row">{esc(entry.name, MOST_CHARACTERS)}{you}</th>'
            f'<td class="num">{shown(entry.objective)}</td><td class="num">{entry.rules}</td>'
            f"<td>{entry.hints}{looked}</td></tr>"
        )
    return (
        '<table class="facts methods" aria-label="Board of the room"><thead><tr><th class="num" scope="col">place</th>'
        '<th scope="col">name</th><th class="num" scope="col">objective</th><th class="num" scope="col">rules</th>'
        f'<th scope="col">hints</th></tr></thead><tbody>{rows}</tbody></table>'
    )
