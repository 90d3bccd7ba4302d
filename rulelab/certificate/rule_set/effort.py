"""How much work a check of a rule set may take."""

from __future__ import annotations

from ..certificate import CertificateError


class GaveUpError(CertificateError):
    """The check would take too long: the certificate may be right or wrong."""


class Effort:
    """Counts work and ends it.

    Parameters
    ----------
    limit : int
        Most cells of tables that may be looked at.
    what : str
        The step, for the message.

    Attributes
    ----------
    cells : int
        Looked at so far.
    """

    def __init__(self, limit: int, what: str) -> None:
        self.limit, self.what, self.cells = limit, what, 0

    def spend(self, cells: int) -> None:
        """Add work to the count; GaveUpError beyond the limit."""
        self.cells += cells
        if self.cells > self.limit:
            raise GaveUpError(f"{self.what} was given up after {self.limit:,} cells of work")
