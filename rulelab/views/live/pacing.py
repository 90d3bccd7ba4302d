"""How fast a search goes that one watches: so many units of work in each beat of the page."""

from __future__ import annotations

import time
from dataclasses import dataclass

TICK_SECONDS = 0.25
"""How often a view looks at its session; the beat of slow motion."""


@dataclass(frozen=True)
class Pace:
    """How fast to go.

    Attributes
    ----------
    units : int or None
        Units of work per beat of `TICK_SECONDS`; None: as fast as possible.
    growth : int
        How many times the work of the beat before each beat does.
    """

    units: int | None = None
    growth: int = 1


FULL_SPEED = Pace()


class Pacing:
    """What a session may do in the present beat; whoever calls it holds the lock of the session.

    Parameters
    ----------
    pace : Pace
    """

    def __init__(self, pace: Pace) -> None:
        self.pace = pace
        self._units = pace.units  # of the next beat
        self._left = 0
        self._ends = 0.0

    def allowed(self, size: int) -> int:
        """Units for the next slice: ``size``, or what the beat still has; a new beat begins when it has nothing."""
        if self._units is None:
            return size
        if not self._left:
            self._left = self._units
            self._ends = time.monotonic() + TICK_SECONDS
            self._units *= self.pace.growth
        units = min(size, self._left)
        self._left -= units
        return units

    @property
    def rest(self) -> float:
        """Seconds until the next beat, where this one has done its work; else 0."""
        if self._left or not self.pace.units:
            return 0.0
        return max(0.0, self._ends - time.monotonic())
