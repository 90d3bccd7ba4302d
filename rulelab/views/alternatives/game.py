"""The game against the optimizer: what it is searched for, once for a class, and the boards of rooms."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import count
from typing import Any

import panel as pn
import param
import segno

from ...assets import texts
from ...snapshot import Snapshot, Status
from ...stepping import Search
from ...store import BoardEntry, Store
from ..live.job import POOL, Progress
from ..live.ticker import Beat
from ..live.wording import filled
from ..widgets.esc import esc, plain
from ..widgets.fields import LayoutViewer, alert, row
from ..widgets.html import Press
from ..widgets.style import MODEL_CSS, NUMBER_CSS
from . import wording
from .hand import Best, Editable, Hand
from .parts import pane, panel

MOST_ROOMS, MOST_PLAYERS = 100, 200
MOST_CHARACTERS = 40  # of the name of a room or a player


PRACTICE, ON, ENDED = "practice", "on", "ended"  # how the game of a room stands


@dataclass
class Room:
    """A board, whose game the session leads that opened it; it takes that up again under the same name."""

    opener: object
    entries: dict[object, BoardEntry] = field(default_factory=dict)  # by session
    stage: str = PRACTICE
    begun: int = 0  # how often all began anew
    unnamed: int = 0  # the last number that was given to who has no name

    @property
    def present(self) -> list[object]:
        """The sessions that have not left, as they have come."""
        return [key for key in self.entries if not isinstance(key, _Left)]


class Boards:
    """The boards of all rooms, for each data and settings one; those that were used last are kept."""

    def __init__(self) -> None:
        # has something done with the store, and does not wait for it; who leaves stays on the board then, and goes on
        # from there under the same name
        self.lasting: Callable[[Callable[[Store], Any]], Any] | None = None
        self._rooms: OrderedDict[tuple[str, str], Room] = OrderedDict()
        self._lock = threading.Lock()
        self.version = 0

    def put(self, room: str, game: str, session: object, entry: BoardEntry) -> None:
        """Enter, or better, what a session has reached; only the best list counts. ValueError when the room is full."""
        with self._lock:
            entry = replace(entry, name=plain(entry.name.strip(), MOST_CHARACTERS))
            there = self._opened(room, game, session)
            if there.opener == _Left(entry.name):
                there.opener = session
                self.version += 1
            if there.stage == ENDED:
                return
            board = there.entries
            before = board.get(session)
            if before is None and len(there.present) >= MOST_PLAYERS:
                raise ValueError(f"the room has {MOST_PLAYERS} players, which is all that it holds; take another room")
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
            for key in [key for key, room in self._rooms.items() if session in room.entries]:
                self.version += 1
                room = self._rooms[key]
                entry = room.entries.pop(session)
                left = _Left(entry.name)
                if room.opener is session:
                    room.opener = left
                if self.lasting is not None and len(room.entries) - len(room.present) < MOST_PLAYERS:
                    room.entries[left] = entry
                if not room.entries:
                    del self._rooms[key]

    def turn(self, room: str, game: str, session: object, stage: str) -> None:
        """Bring the game to another stage for all, if this session leads it; all but the end empty the board."""
        with self._lock:
            there = self._rooms.get((room, game))
            if there is not None and there.opener is session:
                there.stage = stage
                if stage != ENDED:
                    there.entries.clear()
                    there.begun += 1
                self.version += 1

    def stands(self, room: str, game: str, session: object) -> tuple[str, int, bool]:
        """The stage of a game, how often all began anew, and whether a session starts, ends and reveals for all."""
        with self._lock:
            there = self._rooms.get((room, game))
            return (PRACTICE, 0, False) if there is None else (there.stage, there.begun, there.opener is session)

    def board(self, room: str, game: str) -> list[tuple[object, BoardEntry]]:
        """Sessions and what they have reached, the best first."""
        with self._lock:
            there = self._rooms.get((room, game))
            entries = {} if there is None else there.entries
            return sorted(entries.items(), key=lambda item: (item[1].objective, item[1].rules))

    def new_name(self, room: str, game: str, session: object) -> str:
        """What to call who comes to a room without a name: by a number, from 1, that nobody on its board has."""
        with self._lock:
            there = self._opened(room, game, session)
            taken = {entry.name for entry in there.entries.values()}
            there.unnamed = next(k for k in count(there.unnamed + 1) if f"player {k}" not in taken)
            return f"player {there.unnamed}"

    def _opened(self, room: str, game: str, session: object) -> Room:
        if (room, game) not in self._rooms and self.lasting is not None:
            self.lasting(lambda store: self._brought(room, game, store.board(room, game)))
        there = self._rooms.setdefault((room, game), Room(session))
        self._rooms.move_to_end((room, game))
        while len(self._rooms) > MOST_ROOMS:
            self._rooms.popitem(last=False)
        return there

    def _brought(self, room: str, game: str, entries: list[BoardEntry]) -> None:
        """Put on a board what was kept of it; who is there already has the better of both."""
        with self._lock:
            opened = self._rooms.get((room, game))
            if opened is None:
                return
            board = opened.entries
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


def _better(before: BoardEntry | None, entry: BoardEntry) -> BoardEntry:
    """What counts of two entries of one player; what was reached after the optimum was seen does not."""
    if before is not None and (before.revealed or before.objective <= entry.objective):
        return replace(before, name=entry.name, revealed=before.revealed or entry.revealed)
    return entry


BOARDS = Boards()  # those of this process


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


_SAID = texts("game")
_END, _START, _RESET = "End the game for all", "Start the game", "Reset the room"


def join_code(link: str) -> str:
    """The address of a room, also as a picture to be scanned."""
    drawn = segno.make(link, micro=False).svg_inline(scale=4, border=2, dark="#000", light="#fff", title="QR code")
    return f"{_SAID['join'].format(esc(link, 1000))}{drawn}"


class RoomPanel(LayoutViewer):
    """The board of a class: the best objective of each who has entered the same room."""

    room = param.String(default="", label="Room")
    called = param.String(default="", label="Your name")
    free = param.Boolean(default=True, doc="Whether the optimum may be looked at: by who leads, or at the end.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.on_end: Callable[[], None] = lambda: None  # called once the game of the room has ended
        self.on_begin: Callable[[], None] = lambda: None  # called when all begin with an empty list
        self.link: Callable[[], str] = lambda: ""  # gives the address by which others join; empty: none is known
        self._session = object()
        self._hand: Hand | None = None
        self._game = self._entered = self._unnamed = ""
        self._seen = -1
        self._hints, self._revealed = 0, False
        self._stood: tuple[str, int] = (PRACTICE, 0)  # how the game stood when it was looked at last
        self._beat = Beat(self.refresh)
        size: dict[str, Any] = {"width": 170, "height": 34, "margin": 0, "align": "end", "visible": False}
        self._begin = Press(self.start, label=_START, **size)
        self._end = Press(self.end, label=_END, **size)
        room, self._name = (
            pn.widgets.TextInput.from_param(
                self.param[name], max_length=MOST_CHARACTERS, width=160, margin=0, stylesheets=[NUMBER_CSS]
            )
            for name in ("room", "called")
        )
        self._alert = alert("Error of the room")
        self.board, self.code = pane(MODEL_CSS), pane(MODEL_CSS)
        fields = row(room, self._name, self._begin, self._end)
        self._layout = panel("Room", "room", fields, self._alert, self.board, self.code, classes="rl-room")
        self.refresh()

    def begin(self, hand: Hand) -> None:
        """Leave the board of the game before."""
        BOARDS.leave(self._session)
        if hand.game != self._game:
            self._unnamed = ""
        self._game, self._stood = hand.game, (PRACTICE, 0)

    def close(self) -> None:
        BOARDS.leave(self._session)
        self._beat.stop()

    def follow(self, hand: Hand, hints: int, revealed: bool) -> None:
        """Tell the room what was reached."""
        self._hand, self._hints, self._revealed = hand, hints, revealed
        self._tell()

    def start(self, *_: Any) -> None:
        """Begin the game for all; after its end, let all practise again."""
        over = self._stood[0] == ENDED
        BOARDS.turn(self._entered, self._game, self._session, PRACTICE if over else ON)
        self.refresh()

    def end(self, *_: Any) -> None:
        BOARDS.turn(self._entered, self._game, self._session, ENDED)
        self.refresh()

    def refresh(self) -> bool:
        """Show what others have reached, and how the game stands; True while there is a room."""
        if self._entered and self._seen == BOARDS.version:
            return True
        self._seen, where = BOARDS.version, (self._entered, self._game)
        stage, begun, leads = BOARDS.stands(*where, self._session)
        self.free = leads or not self._entered or stage == ENDED
        self._end.visible = leads and stage == ON
        self._begin.param.update(visible=leads and stage != ON, label=_RESET if stage == ENDED else _START)
        self.code.object = join_code(link) if leads and (link := self.link()) else ""
        if self._entered:
            assert self._hand is not None
            before, self._stood = self._stood, (stage, begun)
            if begun > before[1]:
                self.on_begin()
            if stage == ENDED != before[0]:
                self.on_end()
            shown = partial(wording.worth, self._hand)
            self.board.object = _SAID[stage] + table(BOARDS.board(*where), self._session, shown)
        else:
            self.board.object = _SAID["enter"] + _SAID["lasts"] * (BOARDS.lasting is not None)
        return bool(self._entered)

    @param.depends("room", "called", watch=True)
    def _tell(self) -> None:
        hand, room = self._hand, plain(self.room.strip(), MOST_CHARACTERS)
        if hand is None:
            return
        if room != self._entered:
            BOARDS.leave(self._session)
            self._stood, self._unnamed = (PRACTICE, BOARDS.stands(room, self._game, self._session)[1]), ""
        self._entered, self._seen, self._alert.phase = room, -1, ""
        if room and not hand.refusal:
            if not (self.called.strip() or self._unnamed):  # beside the field: a name may be on its way from it
                self._unnamed = self._name.placeholder = BOARDS.new_name(room, self._game, self._session)
            name = self.called.strip() or self._unnamed
            entry = BoardEntry(name, hand.objective, len(hand.edited), self._hints, self._revealed)
            try:
                BOARDS.put(room, self._game, self._session, entry)
            except ValueError as error:
                self._alert.phase = str(error)
            self._beat.start()
        self.refresh()
