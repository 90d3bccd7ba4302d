"""Memory that the fits of this process share with others, while they go on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

Sharing = Callable[[Any, Callable[[], int]], AbstractContextManager[None]]
"""Sees to it, for a ``with`` block, that a search keeps to its part; is told how many bytes it holds."""

_sharing: Sharing | None = None


def share_by(sharing: Sharing | None) -> None:
    """Let the fits that begin in this process from now on share by it; None: each has what its limit says."""
    global _sharing
    _sharing = sharing


def shared(search: Any, held: Callable[[], int]) -> AbstractContextManager[None]:
    """The block in which a search is advanced."""
    return nullcontext() if _sharing is None else _sharing(search, held)
