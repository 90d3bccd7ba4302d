"""What visitors of this server may do; in a notebook, everything."""

from __future__ import annotations

from dataclasses import dataclass


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
    full : bool
        Whether the server holds all the memory that it may, so that no run begins.
    """

    uploads: bool = True
    seconds: float | None = None
    memory: int | None = None
    full: bool = False


ALLOWED = Allowance()
"""That of this process."""
NO_MEMORY = "This server has no memory left for another search: try again when others have closed their pages."
NO_FILES = "This server takes no files: it is there to be tried out. Install rulelab to use your own."
