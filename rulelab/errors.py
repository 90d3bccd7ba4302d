"""What goes wrong with models, tables, stores and sweeps, each in words of its own."""

from __future__ import annotations

from .arguments import ParameterError


class ModelError(ValueError):
    """A model cannot be made, read or used as asked; the message says what was found and what to do."""


class TableError(ValueError):
    """The table cannot be opened, read or counted; the message says what was found, where, and what to do."""


class StoreError(ValueError):
    """The store, or something in it, cannot be used; the message says why."""


class SweepError(ValueError):
    """The sweep cannot be run as asked; the message says what was found, where, and what to do."""


class SweepParameterError(SweepError, ParameterError):
    """An argument of the sweep, or a parameter of a fit, has a value that it cannot have."""


class SweepWarning(UserWarning):
    """The sweep goes on, but something of its results file is lost or of no use; the message says what."""
