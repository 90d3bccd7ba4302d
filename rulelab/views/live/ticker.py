"""What is called again and again while there is something to show, such as work beside the page, and who sees it."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from contextvars import Context
from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary

import panel as pn
import panel.io.document as panel_document
from bokeh.document import Document
from panel.io.callbacks import PeriodicCallback
from panel.io.state import set_curdoc

from ..notebook import keep_stills, one_at_a_time
from .job import SIDE_WORK, Job, Pool, Progress
from .session import SearchSession
from .state import TICK_SECONDS

_PARTS = ("_dispatch_msgs", "_dispatch_write_task", "_WRITE_MSGS", "_WRITE_BLOCK")  # how Panel sends what waits
_LOCK = threading.Lock()
_PAGES: WeakKeyDictionary[Any, Callable[[str], None]] = WeakKeyDictionary()


def send_all() -> None:
    """Let no message to a page stay behind until another one follows it, from now on in this process.

    A version of Panel that works otherwise stays as it is.
    """
    known = vars(panel_document)
    if not all(name in known for name in _PARTS) or hasattr(known[_PARTS[0]], "__wrapped__"):
        return
    dispatch, begin, held, mark = (known[name] for name in _PARTS)

    @wraps(dispatch)
    async def dispatch_all(document: Document) -> None:
        await dispatch(document)
        if document in held and document not in mark:
            mark[document] = True
            begin(document, dispatch_all, document)

    panel_document._dispatch_msgs = dispatch_all


def listen(document: Any, show: Callable[[str], None]) -> None:
    """Have a page told from now on until it is closed; ``show`` is called in its turn, and shows a sentence."""

    def forget(_: Any) -> None:  # what it shows by holds its document, too
        with _LOCK:
            _PAGES.pop(document, None)

    with _LOCK:
        _PAGES[document] = show
    document.on_session_destroyed(forget)


def tell_all(said: str) -> None:
    """Say something to all pages that are open."""
    with _LOCK:
        pages = list(_PAGES.items())
    for document, show in pages:
        try:
            document.add_next_tick_callback(lambda show=show: show(said))
        except Exception:  # a page that was closed a moment ago keeps nobody else from hearing
            logging.getLogger(__name__).debug("a page was not told", exc_info=True)


_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
_due: set[asyncio.Task[None]] = set()


def in_turn(tick: Callable[[], Any]) -> Callable[[], Awaitable[None]]:
    """Asks for a turn of the loop in which the present page is free and its beat is called.

    Beats that are due at the same time would be called one after the other before any page is answered. One that waits
    for its turn does not hold its page. Until then, and until those who look at the page have been told what is new, it
    is not asked for again.
    """
    waits = False

    async def call(document: Document | None, context: Any) -> None:
        nonlocal waits
        try:
            async with _turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
                await asyncio.sleep(0)  # what has come meanwhile is answered
            if context is None:
                tick()
            elif not context.destroyed:
                await context.with_locked_document(lambda _: as_page(document))
        except Exception:  # one page holds no other
            logging.getLogger(__name__).exception("a beat of a page has failed")
        finally:
            waits = False

    def as_page(document: Document | None) -> None:
        with set_curdoc(document):
            tick()

    async def ask() -> None:
        nonlocal waits
        if not waits:
            waits = True
            document = pn.state.curdoc
            context = None if document is None else document.session_context
            # in a context of its own: that of a page would hold the page
            due = asyncio.get_running_loop().create_task(call(document, context), context=Context())
            _due.add(due)  # the loop keeps none
            due.add_done_callback(_due.discard)

    return ask


class Beat:
    """Calls a function every 250 ms, on the server's loop, until it says that nothing more will come."""

    def __init__(self, tick: Callable[[], bool]) -> None:
        self._tick = tick
        self._callback: Any = None

    def start(self) -> None:
        """Begin, unless it beats already."""
        if self._callback is None:
            send_all()
            period = int(1000 * TICK_SECONDS)
            self._callback = PeriodicCallback(callback=in_turn(self._beat), period=period, background=True, log=False)
            self._callback.start()

    def stop(self) -> None:
        """End now."""
        if self._callback is not None:
            self._callback.stop()
            self._callback = None
            keep_stills()

    @one_at_a_time
    def _beat(self) -> None:
        if self._callback is not None and not self._tick():  # it may have been stopped while it waited
            self.stop()


class Work:
    """What a part of the page has done beside it; what is begun ends what was under way.

    `tell` takes, on every beat, what is being done and for how long. `start` starts the beat of a part that looks at
    more than this work, and calls its `refresh` itself; by default the work has its own. `what`: for those who wait.
    """

    def __init__(
        self,
        tell: Callable[[str], Any] = lambda doing: None,
        pool: Pool = SIDE_WORK,
        start: Callable[[], Any] | None = None,
        what: str = "other work",
    ) -> None:
        self._tell, self._pool, self._what = tell, pool, what
        self._beat = Beat(self.refresh)
        self._start = start or self._beat.start
        self._job: Job | None = None
        self._then: Callable[[Job], Any] = lambda job: None

    @property
    def busy(self) -> bool:
        """Whether something is done, or has been done and is not taken yet."""
        return self._job is not None

    @property
    def standing(self) -> str:
        """What is being done, and for how long; empty: nothing."""
        return "" if self._job is None else self._job.standing

    def begin(self, work: Callable[[Progress], Any], then: Callable[[Job], Any]) -> None:
        """Do something, see `Job`; ``then`` takes the job when it has ended, also where it was cancelled."""
        self.cancel()
        self._job, self._then = Job(work, self._pool, self._what), then
        self._start()

    def cancel(self) -> None:
        """Let what is under way end as soon as it can; what it has found by then is taken."""
        if self._job is not None:
            self._job.cancel()

    def forget(self) -> None:
        """Cancel, and take nothing."""
        self.cancel()
        self._job = None

    def close(self) -> None:
        """Cancel; nothing is shown any more."""
        self.cancel()
        self._beat.stop()

    def refresh(self) -> bool:
        """Tell how far it is, or take what was done; True while there is something to wait for."""
        job = self._job
        if job is not None and job.busy:
            self._tell(job.standing)
        elif job is not None:
            self._job = None
            self._then(job)
        return self._job is not None


class Working:
    """A part of the page that has one `Work`."""

    _work: Work

    def refresh(self) -> bool:
        """Show what is new; True while more may come."""
        return self._work.refresh()

    def close(self) -> None:
        """End what is under way."""
        self._work.close()


class Presence:
    """The browser's connection to a page; in a notebook there is none, and somebody is there always."""

    def __init__(self, session: Callable[[], SearchSession], resend: Callable[[], None]) -> None:
        self._context: Any = None if pn.state.curdoc is None else pn.state.curdoc.session_context
        self._session, self._resend = session, resend
        self._connected, self._left_running = True, False
        self._met = False  # whether a browser has come: the first one is sent everything as it is

    @property
    def served(self) -> bool:
        """Whether a page is shown by a server."""
        return self._context is not None

    def mind(self) -> None:
        """Pause what nobody sees, or go on with it."""
        context = self._context
        if context is None:
            return
        connected = context.session is None or context.session.connection_count > 0
        if self._connected and not connected and self._session().state.busy:
            self._left_running = True
            self._session().pause()
        elif connected and not self._connected:
            if self._met:
                self._resend()
            if self._left_running:
                self._session().run()
            self._left_running = False
        self._met |= connected and context.session is not None
        self._connected = connected
