"""What visitors of this server may do; in a notebook, everything."""

from __future__ import annotations

from dataclasses import dataclass

_FITS = 4
"""Fits of sweeps for which the memory of a server is enough."""


@dataclass
class Allowance:
    """Limits that the settings on the page cannot lift.

    Attributes
    ----------
    uploads : bool
        Whether files are taken.
    seconds : float or None
        Of one run; None: as long as the settings say.
    memory : int or None
        Bytes that one search may hold; None: what the settings say.
    budget : int or None
        Bytes that the server may hold; None: it is not looked at.
    full : bool
        Whether the server holds all the memory that it may, so that no run begins.
    """

    uploads: bool = True
    seconds: float | None = None
    memory: int | None = None
    budget: int | None = None
    full: bool = False

    @property
    def fit(self) -> int | None:
        """Bytes that one fit of a sweep may hold, of which nothing is dealt out while it goes on; None: as it likes."""
        return self.within(None if self.budget is None else self.budget // _FITS)

    def within(self, limit: int | None) -> int | None:
        """A limit of memory, or what one search may hold where that is less."""
        return min((each for each in (limit, self.memory) if each is not None), default=None)


ALLOWED = Allowance()
"""That of this process."""
NO_MEMORY = "This server has no memory left for another search: try again when others have closed their pages."
NO_FILES = "This server takes no files: it is there to be tried out. Install rulelab to use your own."


def take_memory() -> None:
    """Begin something that takes much memory; raises a ValueError where there is none left."""
    if ALLOWED.full:
        raise ValueError(NO_MEMORY)
