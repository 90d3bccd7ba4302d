"""Who advances the search of a session: the thread of the session, or somebody that the server was told of."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from ...recording import Course
from ...search import Search
from ...slices import Slices
from ...snapshot import Snapshot
from .pool import Pool


class LostError(Exception):
    """Who has the search in hand does not answer."""


class Hand(abc.ABC):
    """Has one search in hand, from `begin` to `release`; used by the thread of its session.

    Attributes
    ----------
    where : str
        Where the search is, for the page to say; empty: in this process.
    closed : callable
        Whether nobody looks at the session any more, so that no answer is worth waiting for.
    """

    where = ""

    def __init__(self) -> None:
        self.closed: Callable[[], bool] = lambda: False

    @abc.abstractmethod
    def begin(self, search: Search, course: Course | None, report: Callable[[str], None]) -> None:
        """Take a search.

        Parameters
        ----------
        search : Search
        course : Course or None
            Is to look at the search as it goes on.
        report : callable
            Is told what takes time, and raises when the search is not wanted any more.

        Raises
        ------
        ValueError
            When it is not taken, with a message for the user.
        """

    @property
    @abc.abstractmethod
    def compiled(self) -> bool:
        """Whether the next slice is a slice of search, and not of compiling."""

    @property
    @abc.abstractmethod
    def size(self) -> int:
        """Units of work of the next slice, at full speed."""

    @abc.abstractmethod
    def waiting(self, late: bool) -> int:
        """How many searches wait in line where this one does; 0 when it does not, or not ``late`` for its place."""

    @abc.abstractmethod
    def place(self, ended: Callable[[], bool]) -> AbstractContextManager[bool]:
        """A place to do a slice of work in; see `Pool.place`."""

    @abc.abstractmethod
    def advance(self, units: int, ended: Callable[[], bool]) -> tuple[Sequence[Snapshot], int]:
        """Do at most so many units of work: the states that were gone through, and the units that are left to do."""

    def limit(self, most: int) -> None:  # noqa: B027 - most have nothing to tell
        """Let the search hold so many bytes, where it is in another process of this server; nothing elsewhere."""

    @abc.abstractmethod
    def see(self, look: Callable[[Search], Any], ended: Callable[[], bool]) -> Any:
        """What ``look`` gives of the search as it is."""

    @abc.abstractmethod
    def bring_back(self, ended: Callable[[], bool], last: bool = False) -> None:
        """Make the search of `begin` what it has become, unless it is given up because ``ended``.

        With ``last`` it stays here, and is advanced no more before the next `begin`.
        """

    @abc.abstractmethod
    def release(self) -> None:
        """Let go of it; raises nothing."""


class Here(Hand):
    """In this process, which has so many places for all searches.

    Parameters
    ----------
    pool : Pool
    """

    _search: Search
    _course: Course | None

    def __init__(self, pool: Pool) -> None:
        super().__init__()
        self._pool = pool
        self._slices = Slices()

    def begin(self, search: Search, course: Course | None, report: Callable[[str], None]) -> None:
        self._search, self._course, self._slices = search, course, Slices()

    @property
    def compiled(self) -> bool:
        return self._search.compiled

    @property
    def size(self) -> int:
        return self._slices.size

    def waiting(self, late: bool) -> int:
        return self._pool.waiting if late else 0

    def place(self, ended: Callable[[], bool]) -> AbstractContextManager[bool]:
        return self._pool.place(ended)

    def advance(self, units: int, ended: Callable[[], bool]) -> tuple[Sequence[Snapshot], int]:
        found = self._slices.advance(self._search, units)
        if self._course is not None:
            self._course.look(self._search, found)
        return [found], 0

    def see(self, look: Callable[[Search], Any], ended: Callable[[], bool]) -> Any:
        return look(self._search)

    def bring_back(self, ended: Callable[[], bool], last: bool = False) -> None:
        """Nothing: it is here."""

    def release(self) -> None:
        """Nothing: it stays for those who look at it."""


class Hands:
    """Makes the hands of all sessions of this process.

    Attributes
    ----------
    make : callable
        Gets the line in front of the processors, and gives a `Hand`.
    elsewhere : bool
        Whether searches are advanced in other processes, where their kernels are needed.
    waiting : callable
        How many searches wait in line there.
    client : distributed.Client or None
        Of the cluster that does the sweeps of pages, too; None: there is none.
    """

    def __init__(self) -> None:
        self.make: Callable[[Pool], Hand] = Here
        self.elsewhere = False
        self.waiting: Callable[[], int] = lambda: 0
        self.client: Any = None


HANDS = Hands()
"""Those of this process."""
