"""The game against the optimizer: what it is searched for, once for a class, and the boards of rooms."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import panel as pn
import param

from ...assets import texts
from ...search import Search
from ...snapshot import Snapshot, Status
from ...store import BoardEntry, Store
from ..live.job import POOL, Progress
from ..live.ticker import Beat
from ..live.wording import filled
from ..widgets.buttons import Press
from ..widgets.esc import plain
from ..widgets.fields import LayoutViewer, alert, row
from ..widgets.style import MODEL_CSS, NUMBER_CSS
from . import wording
from .hand import Best, Editable, Hand
from .parts import pane, panel

MOST_ROOMS, MOST_PLAYERS = 100, 200
MOST_CHARACTERS = 40
"""Of the name of a room or a player."""


class Boards:
    """The boards of all rooms, for each data and settings one; those that were used last are kept."""

    def __init__(self) -> None:
        # has something done with the store, and does not wait for it; who leaves stays on the board then, and goes on
        # from there under the same name
        self.lasting: Callable[[Callable[[Store], Any]], Any] | None = None
        self._boards: OrderedDict[tuple[str, str], dict[object, BoardEntry]] = OrderedDict()
        self._ended: set[tuple[str, str]] = set()
        self._players = 0
        self._lock = threading.Lock()
        self.version = 0

    def put(self, room: str, game: str, session: object, entry: BoardEntry) -> None:
        """Enter, or better, what a session has reached; only the best list counts. ValueError when the room is full."""
        with self._lock:
            if (room, game) in self._ended:
                return
            board = self._board(room, game)
            before = board.get(session)
            if before is None and len(_there(board)) >= MOST_PLAYERS:
                raise ValueError(f"the room has {MOST_PLAYERS} players, which is all that it holds; take another room")
            entry = replace(entry, name=plain(entry.name.strip(), MOST_CHARACTERS))
            entry = _better(board.pop(_Left(entry.name), None), _better(before, entry))
            if entry != before:
                board[session] = entry
                self.version += 1
                if self.lasting is not None:
                    instead = before.name if before is not None and before.name != entry.name else None
                    self.lasting(lambda store: store.keep_entry(room, game, entry, instead))

    def leave(self, session: object) -> None:
        """Take a session off all boards; a board without any is gone."""
        with self._lock:
            for key in [key for key, board in self._boards.items() if session in board]:
                self.version += 1
                entry = self._boards[key].pop(session)
                board = self._boards[key]
                if self.lasting is not None and len(board) - len(_there(board)) < MOST_PLAYERS:
                    board[_Left(entry.name)] = entry
                if not self._boards[key]:
                    self._forget(key)

    def leads(self, room: str, game: str, session: object) -> bool:
        """Whether a session is the first of those who are in the room, and so may end the game for all."""
        with self._lock:
            return _there(self._boards.get((room, game), {}))[:1] == [session]

    def end(self, room: str, game: str, session: object) -> None:
        """End the game for all, if that is for this session to say."""
        if self.leads(room, game, session):
            with self._lock:
                self._ended.add((room, game))
                self.version += 1

    def ended(self, room: str, game: str) -> bool:
        with self._lock:
            return (room, game) in self._ended

    def board(self, room: str, game: str) -> list[tuple[object, BoardEntry]]:
        """Sessions and what they have reached, the best first."""
        with self._lock:
            board = self._boards.get((room, game), {})
            return sorted(board.items(), key=lambda item: (item[1].objective, item[1].rules))

    def new_name(self) -> str:
        """What to call who has no name."""
        with self._lock:
            self._players += 1
            return f"player {self._players}"

    def _board(self, room: str, game: str) -> dict[object, BoardEntry]:
        if (room, game) not in self._boards and self.lasting is not None:
            self.lasting(lambda store: self._brought(room, game, store.board(room, game)))
        board = self._boards.setdefault((room, game), {})
        self._boards.move_to_end((room, game))
        while len(self._boards) > MOST_ROOMS:
            self._forget(next(iter(self._boards)))
        return board

    def _forget(self, key: tuple[str, str]) -> None:
        del self._boards[key]
        self._ended.discard(key)

    def _brought(self, room: str, game: str, entries: list[BoardEntry]) -> None:
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


def _there(board: dict[object, BoardEntry]) -> list[object]:
    """The sessions that have not left, as they have come."""
    return [key for key in board if not isinstance(key, _Left)]


def _better(before: BoardEntry | None, entry: BoardEntry) -> BoardEntry:
    """What counts of two entries of one player; what was reached after the optimum was seen does not."""
    if before is not None and (before.revealed or before.objective <= entry.objective):
        return replace(before, name=entry.name, revealed=before.revealed or entry.revealed)
    return entry


BOARDS = Boards()
"""Those of this process."""


def table(entries: list[tuple[object, BoardEntry]], own: object, shown: Callable[[Fraction], str]) -> str:
    """A board as HTML, with a mark at one's own line; all names are escaped."""
    places: dict[Fraction, int] = {}
    for k, (_, entry) in enumerate(entries, 1):
        places.setdefault(entry.objective, k)
    return filled("board.html", entries=entries, own=own, shown=shown, places=places, MOST=MOST_CHARACTERS)


_MOST_KEPT = 50
_LOOK_SECONDS = 0.2


@dataclass
class _Found:
    """What one search has come to; whoever searches holds the lock."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    snapshot: Snapshot | None = None
    seconds: float = 0.0  # for which it was searched, at most


@lru_cache(_MOST_KEPT)
def _found(fingerprint: str, asked: str) -> _Found:
    """Of these data and settings; those that were asked for last are kept."""
    return _Found()


def find_best(search: Editable, seconds: float, progress: Progress) -> Best:
    """Bring a copy of a search to its proof, or to the time limit; the search itself may run in another thread."""
    # a class searches once: who comes later waits for the first; when that one is cancelled, another searches instead
    parameters = sorted(search.parameters.items(), key=lambda item: item[0])
    found = _found(search.problem.fingerprint, f"{search.family} {parameters!r}")
    while not found.lock.acquire(timeout=_LOOK_SECONDS):
        progress.report("the optimizer searches for another player of this game")
    try:
        last = found.snapshot
        if search.certified:
            last = search.advance(1)
        elif last is None or not (
            last.status is Status.OPTIMAL or last.limit == "exactness" or found.seconds >= seconds
        ):
            last, found.seconds = searched(search, seconds, progress), seconds
        found.snapshot = last
    finally:
        found.lock.release()
    return Best.of(search, last)


def searched(search: Editable, seconds: float, progress: Progress) -> Snapshot:
    new: type[Any] = type(search)
    copy: Search = new(search.problem, **search.parameters)
    progress.report("the optimizer searches")
    steps, last = copy.steps(time_limit=seconds), None
    while True:
        with POOL.place(lambda: progress.cancelled) as granted:
            snapshot = next(steps, None) if granted else None
        progress.report("the optimizer searches")
        if snapshot is None:
            assert last is not None
            return last
        last = snapshot


_ENTER = texts("game")["enter"]
_END = "End the game for all"
_ENDED = '<p class="note">The game has ended: the optimum is shown to all, and lists count no more.</p>'
_LASTS = '<p class="note">This server keeps the board: who comes back goes on under the same name.</p>'


class RoomPanel(LayoutViewer):
    """The board of a class: the best objective of each who has entered the same room."""

    room = param.String(default="", label="Room")
    called = param.String(default="", label="Your name")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.on_end: Callable[[], None] = lambda: None  # called once the game of the room has ended
        self._session = object()
        self._hand: Hand | None = None
        self._game = self._entered = self._unnamed = ""
        self._seen = -1
        self._hints, self._revealed, self._over = 0, False, False
        self._beat = Beat(self.refresh)
        self._end = Press(self.end, label=_END, width=170, height=34, margin=0, visible=False)
        room, self._name = (
            pn.widgets.TextInput.from_param(
                self.param[name], max_length=MOST_CHARACTERS, width=170, margin=0, stylesheets=[NUMBER_CSS]
            )
            for name in ("room", "called")
        )
        self._alert = alert("Error of the room")
        self.board = pane(MODEL_CSS)
        self._layout = panel("Room", "room", row(room, self._name, self._end), self._alert, self.board)
        self.refresh()

    def begin(self, hand: Hand) -> None:
        """Leave the board of the game before."""
        BOARDS.leave(self._session)
        self._game, self._over = hand.game, False

    def close(self) -> None:
        BOARDS.leave(self._session)
        self._beat.stop()

    def follow(self, hand: Hand, hints: int, revealed: bool) -> None:
        """Tell the room what was reached."""
        self._hand, self._hints, self._revealed = hand, hints, revealed
        self._tell()

    def end(self, *_: Any) -> None:
        BOARDS.end(self._entered, self._game, self._session)
        self.refresh()

    def refresh(self) -> bool:
        """Show what others have reached; True while there is a room."""
        if self._entered and self._seen != BOARDS.version:
            self._seen, where = BOARDS.version, (self._entered, self._game)
            assert self._hand is not None
            shown = partial(wording.worth, self._hand)
            ended = BOARDS.ended(*where)
            text = (_ENDED if ended else "") + table(BOARDS.board(*where), self._session, shown)
            self._end.visible = not ended and BOARDS.leads(*where, self._session)
            if ended and not self._over:
                self._over = True
                self.on_end()
        elif self._entered:
            return True
        else:
            text, self._end.visible = _ENTER if BOARDS.lasting is None else f"{_ENTER}{_LASTS}", False
        self.board.object = text
        return bool(self._entered)

    @param.depends("room", "called", watch=True)
    def _tell(self) -> None:
        hand, room = self._hand, plain(self.room.strip(), MOST_CHARACTERS)
        if hand is None:
            return
        if room and not (self.called.strip() or self._unnamed):  # beside the field: a name may be on its way from it
            self._unnamed = self._name.placeholder = BOARDS.new_name()
        if room != self._entered:
            BOARDS.leave(self._session)
            self._over = False
        self._entered, self._seen, self._alert.phase = room, -1, ""
        if room and not hand.refusal:
            name = self.called.strip() or self._unnamed
            entry = BoardEntry(name, hand.objective, len(hand.edited), self._hints, self._revealed)
            try:
                BOARDS.put(room, self._game, self._session, entry)
            except ValueError as error:
                self._alert.phase = str(error)
            self._beat.start()
        self.refresh()
