"""Beats of pages: one in each turn of the loop, and none that holds a page or another beat."""

import asyncio
import gc
import itertools
import logging
import weakref
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any

import panel as pn
import pytest
from bokeh.application import Application
from bokeh.core.types import ID
from bokeh.server.contexts import ApplicationContext
from bokeh.server.session import ServerSession
from panel.io.state import set_curdoc
from patience import PATIENCE
from tornado.ioloop import IOLoop

from rulelab.views.live.ticker import Beat, in_turn


async def until(condition: Callable[[], object]) -> None:
    """Let the loop go on until a condition holds."""
    while not condition():
        await asyncio.sleep(0.001)


def in_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Lets a test be a coroutine."""

    @wraps(test)
    def run(**given: object) -> None:
        asyncio.run(asyncio.wait_for(test(**given), PATIENCE))

    return run


class Page:
    """A page that the server has open."""

    def __init__(self, session: ServerSession, server: ApplicationContext) -> None:
        self.session, self.document, self.server = session, session.document, server

    async def ask(self, beat: Callable[[], object]) -> None:
        with set_curdoc(self.document):
            await beat()


async def opened() -> Page:
    server = ApplicationContext(Application(), io_loop=IOLoop.current())
    return Page(await server.create_session_if_needed(ID("page")), server)


@in_a_loop
async def test_a_page_is_answered_between_two_beats_that_are_due_at_once() -> None:
    order: list[str] = []
    for _ in range(5):
        await in_turn(lambda: order.append("beat"))()
    while order.count("beat") < 5:
        order.append("answer")
        await asyncio.sleep(0)
    assert ("beat", "beat") not in list(itertools.pairwise(order))
    assert order.count("beat") == 5


@in_a_loop
async def test_a_beat_that_fails_holds_no_other_and_is_told(caplog: pytest.LogCaptureFixture) -> None:
    seen: list[str] = []

    def fail() -> None:
        seen.append("failed")
        raise ZeroDivisionError

    caplog.set_level(logging.ERROR, "rulelab")
    beats = [in_turn(tick) for tick in (lambda: seen.append("first"), fail, lambda: seen.append("last"))]
    for times in (1, 2):
        for beat in beats:
            await beat()
        await until(lambda times=times: len(seen) == 3 * times)
    assert seen == ["first", "failed", "last"] * 2
    assert [record.exc_info[0] for record in caplog.records] == [ZeroDivisionError] * 2


@in_a_loop
async def test_who_is_slow_holds_no_other_page_and_is_asked_for_once() -> None:
    seen: list[str] = []
    locked: list[str] = []
    slow, other, free = await opened(), await opened(), asyncio.Event()

    async def hold() -> None:
        locked.append("slow")
        await free.wait()

    held = asyncio.ensure_future(slow.session.with_document_locked(hold))
    await until(lambda: locked)
    slow_beat, other_beat = in_turn(lambda: seen.append("slow")), in_turn(lambda: seen.append("other"))
    for number in range(1, 4):
        await slow.ask(slow_beat)
        await other.ask(other_beat)
        await until(lambda number=number: len(seen) == number)
    free.set()
    await held
    await until(lambda: "slow" in seen)
    await asyncio.sleep(0.01)
    assert seen == ["other"] * 3 + ["slow"]


@in_a_loop
async def test_a_page_is_free_while_its_beat_waits_for_its_turn_and_is_called_as_its_page() -> None:
    order: list[object] = []
    pages = [await opened() for _ in range(5)]
    for page in pages:
        await page.ask(in_turn(lambda: order.append(pn.state.curdoc)))
    await pages[-1].session.with_document_locked(lambda: order.append("click"))
    await until(lambda: len(order) == 6)
    assert [each for each in order if each != "click"] == [page.document for page in pages]
    assert order.index("click") < 3


@pytest.mark.long
@in_a_loop
async def test_no_page_beats_that_was_closed_while_it_waited() -> None:
    seen: list[str] = []
    open_, closed = await opened(), await opened()
    await open_.ask(in_turn(lambda: seen.append("open")))
    await closed.ask(in_turn(lambda: seen.append("closed")))
    closed.session.destroy()
    await open_.ask(in_turn(lambda: seen.append("last")))
    await until(lambda: "last" in seen)
    assert seen == ["open", "last"]


@pytest.mark.long
@in_a_loop
async def test_no_page_is_held_that_is_gone() -> None:
    seen: list[str] = []
    page = await opened()
    gone = weakref.ref(page.document)
    await asyncio.ensure_future(page.ask(in_turn(lambda: seen.append("beat"))))
    await until(lambda: seen)
    page.session.destroy()
    del page
    await asyncio.sleep(0.01)
    gc.collect()
    assert gone() is None


def test_a_beat_that_was_stopped_while_it_waited_is_not_called(by_hand) -> None:
    seen: list[str] = []
    beat = Beat(lambda: bool(seen.append("beat")))
    beat.start()
    (due,) = by_hand.going
    beat.stop()
    due.callback()
    assert seen == []
