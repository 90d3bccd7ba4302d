"""What is wrong with a sweep as it was asked for."""

from __future__ import annotations

from ..arguments import ParameterError


class SweepError(ValueError):
    """The sweep cannot be run as asked; the message says what was found, where, and what to do."""


class SweepParameterError(SweepError, ParameterError):
    """An argument of the sweep, or a parameter of a fit, has a value that it cannot have."""


class SweepWarning(UserWarning):
    """The sweep goes on, but something of its results file is lost or of no use; the message says what."""
