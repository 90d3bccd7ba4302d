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

import psutil
from bokeh.application.application import SessionContext
from bokeh.document import Document
from panel.io.application import Application
from panel.io.handlers import FunctionHandler
from panel.io.state import set_curdoc
from panel.viewable import Viewable

from ..allowance import ALLOWED

MAKER = "rulelab page"
"""With this the name of the thread begins that makes pages."""
GIVE_BACK_SECONDS = 3.0
"""After pages were closed: once for all that were closed meanwhile."""
_GROWTH = 1.25
"""Of the memory since it was given back last, with which it is given back again."""


class Opening(Application):
    """Makes a page for each session, one after the other; the loop takes a page once it is made."""

    def __init__(self, create: Callable[[], Viewable], title: str) -> None:
        super().__init__(FunctionHandler(self._finish))
        self._create, self._title = create, title
        self._maker = ThreadPoolExecutor(1, thread_name_prefix=MAKER)
        self._giving_back = False
        self._open, self._closed, self._bytes_before = 0, 0, 0.0
        self._failed: WeakKeyDictionary[Document, Exception] = WeakKeyDictionary()

    async def on_session_created(self, session_context: SessionContext) -> None:
        """Make the page of a session, before its document is used."""
        await super().on_session_created(session_context)
        self._open += 1
        document: Any = session_context._document  # type: ignore[attr-defined]
        self._set_session_prefix(document)  # addresses of files in the page
        await asyncio.get_running_loop().run_in_executor(self._maker, self._make, document)

    async def on_session_destroyed(self, session_context: SessionContext) -> None:
        """Give back what the page has held, a little later, if that is much."""
        await super().on_session_destroyed(session_context)
        self._open, self._closed = self._open - 1, self._closed + 1
        if not self._giving_back:
            self._giving_back = True
            asyncio.get_running_loop().call_later(GIVE_BACK_SECONDS, self._give_back)

    def _give_back(self) -> None:
        self._giving_back = False
        if self._is_much:
            self._closed = 0
            with suppress(RuntimeError):  # the process ends, and with it what could be given back
                self._maker.submit(self._collect)

    @property
    def _is_much(self) -> bool:
        """Whether what was closed is worth that those who are there wait for a collection of all that is held.

        It looks through all pages and stops all threads meanwhile, for .4 s where there are thirty. Where memory is
        short, it is worth it once half as many were closed as are there.
        """
        if ALLOWED.full or not self._open or (ALLOWED.short and 2 * self._closed >= self._open):
            return True
        return psutil.Process().memory_info().rss > _GROWTH * self._bytes_before

    def _collect(self) -> None:
        """Look for what nothing refers to any more, and give its memory to the system."""
        gc.collect()
        give_back()
        self._bytes_before = psutil.Process().memory_info().rss

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


def give_back() -> bool:
    """Give the memory that closed pages have left to the system, where the C library has a way to; whether it had."""
    try:
        return bool(ctypes.CDLL(None).malloc_trim(0))
    except (AttributeError, OSError, TypeError):  # not the C library of GNU
        return False
