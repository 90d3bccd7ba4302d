"""What is said to all open pages at once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

_LOCK = threading.Lock()
_PAGES: WeakKeyDictionary[Any, Callable[[str], None]] = WeakKeyDictionary()


def listen(document: Any, show: Callable[[str], None]) -> None:
    """Have a page told from now on until it is closed; ``show`` is called in its turn, and shows a sentence."""
    with _LOCK:
        _PAGES[document] = show
    document.on_session_destroyed(lambda context: _forget(document))


def _forget(document: Any) -> None:
    """Let go of a page: what it shows by holds its document, too."""
    with _LOCK:
        _PAGES.pop(document, None)


def tell_all(said: str) -> None:
    """Say something to all pages that are open."""
    with _LOCK:
        pages = list(_PAGES.items())
    for document, show in pages:
        try:
            document.add_next_tick_callback(lambda show=show: show(said))
        except Exception:  # a page that was closed a moment ago keeps nobody else from hearing
            logging.getLogger(__name__).debug("a page was not told", exc_info=True)
