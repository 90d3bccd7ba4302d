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
    """

    uploads: bool = True
    seconds: float | None = None
    memory: int | None = None


ALLOWED = Allowance()
"""That of this process."""
NO_FILES = "This server takes no files: it is there to be tried out. Install rulelab to use your own."
