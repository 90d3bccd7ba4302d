"""One thread at a time changes a document that no server holds."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any

import panel as pn

_alone = threading.RLock()


def one_at_a_time(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let nothing else change a document meanwhile.

    Notebooks hand over what a browser says in another thread than the beats, and Panel, which reads it there, forgets
    what a beat changes at that moment. A server changes each document in its loop alone, where nothing has to wait.
    """

    @wraps(method)
    def alone(*arguments: Any, **named: Any) -> Any:
        document = pn.state.curdoc
        if document is not None and document.session_context is not None:
            return method(*arguments, **named)
        with _alone:
            return method(*arguments, **named)

    return alone
