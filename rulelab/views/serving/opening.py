"""A page is made in a thread beside the server's loop, so that those who have one see theirs go on meanwhile."""

from __future__ import annotations

import asyncio
import ctypes
import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

from bokeh.application.application import SessionContext
from bokeh.document import Document
from panel.io import document as panel_document
from panel.io.application import Application
from panel.io.handlers import FunctionHandler
from panel.io.state import set_curdoc
from panel.viewable import Viewable

from ..allowance import ALLOWED

MAKER = "rulelab page"
"""With this the name of the thread begins that makes pages."""
GIVE_BACK_SECONDS = 3.0
"""After pages were closed: once for all that were closed meanwhile."""


class Opening(Application):
    """Makes a page for each session, one after the other; the loop takes a page once it is made."""

    def __init__(self, create: Callable[[], Viewable], title: str) -> None:
        super().__init__(FunctionHandler(self._finish))
        take_over()
        self._create, self._title = create, title
        self._maker = ThreadPoolExecutor(1, thread_name_prefix=MAKER)
        self._giving_back = False
        self._open, self._closed = 0, 0
        self._failed: WeakKeyDictionary[Document, Exception] = WeakKeyDictionary()

    async def on_session_created(self, session_context: SessionContext) -> None:
        """Make the page of a session, before its document is used."""
        await super().on_session_created(session_context)
        self._open += 1
        document: Any = session_context._document  # type: ignore[attr-defined]
        self._set_session_prefix(document)  # addresses of files in the page
        await asyncio.get_running_loop().run_in_executor(self._maker, self._make, document)

    async def on_session_destroyed(self, session_context: SessionContext) -> None:
        """Give back what the page has held, a little later, once half as many have closed as are there."""
        await super().on_session_destroyed(session_context)
        self._open, self._closed = self._open - 1, self._closed + 1
        if not self._giving_back:
            self._giving_back = True
            asyncio.get_running_loop().call_later(GIVE_BACK_SECONDS, self._give_back)

    def _give_back(self) -> None:
        """Collect what closed pages have held: it stops all threads, for .4 s where thirty pages are there."""
        self._giving_back = False
        if ALLOWED.full or ALLOWED.short or 2 * self._closed >= self._open:
            self._closed = 0
            with suppress(RuntimeError):  # the process ends, and with it what could be given back
                self._maker.submit(give_back)

    def _make(self, document: Document) -> None:
        with set_curdoc(document):
            try:
                self._create().server_doc(document, self._title)
            except Exception as error:  # noqa: BLE001 shown in the page, as an error of an application is
                self._failed[document] = error

    def _finish(self, document: Document) -> None:
        """In the loop: the page is there, or it is said why not."""
        error = self._failed.pop(document, None)
        if error is not None:
            raise error


def take_over() -> None:
    """Replace what Panel does after each page that is closed, for which it has no switch.

    It collects garbage, for which all wait .4 s where thirty pages are there.
    """
    panel_document._garbage_collect = lambda: None  # type: ignore[attr-defined]


def give_back() -> None:
    """Look for what nothing refers to any more, and give its memory to the system, where the C library has a way to."""
    gc.collect()
    with suppress(AttributeError, OSError, TypeError):  # not the C library of GNU
        ctypes.CDLL(None).malloc_trim(0)
