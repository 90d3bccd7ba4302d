"""The error of models: a file, a table or labels that do not fit the model."""

from __future__ import annotations


class ModelError(ValueError):
    """A model cannot be made, read or used as asked; the message says what was found and what to do."""
