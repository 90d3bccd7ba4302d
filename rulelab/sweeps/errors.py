"""What is wrong with a sweep as it was asked for."""

from __future__ import annotations


class SweepError(ValueError):
    """The sweep cannot be run as asked; the message says what was found, where, and what to do."""


class SweepWarning(UserWarning):
    """The sweep goes on, but something of its results file is lost or of no use; the message says what."""
