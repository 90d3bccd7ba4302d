"""What goes wrong with a store."""

from __future__ import annotations


class StoreError(ValueError):
    """The store, or something in it, cannot be used; the message says why."""
