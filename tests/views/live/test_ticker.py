"""Beats of pages: one in each turn of the loop, and none that holds a page or another beat."""

import asyncio
import gc
import itertools
import logging
import operator
import os
import sys
import threading
import weakref
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any

import numpy as np
import panel as pn
import pytest
from bokeh.application import Application
from bokeh.core.types import ID
from bokeh.server.contexts import ApplicationContext
from bokeh.server.session import ServerSession
from live import awaited
from panel.io.state import set_curdoc
from patience import PATIENCE
from tornado.ioloop import IOLoop

from rulelab.datasets import DatasetError
from rulelab.datasets.reader import read_sheet
from rulelab.views.live.apart import MAX_BYTES, NICENESS, NotDoneError, apart
from rulelab.views.live.job import Job
from rulelab.views.live.ticker import Beat, in_turn


async def until(condition: Callable[[], object]) -> None:
    """Let the loop go on until a condition holds."""
    while not condition():
        await asyncio.sleep(0.001)


def in_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Lets a test be a coroutine."""

    @wraps(test)
    def run(**given: object) -> None:
        awaited(asyncio.wait_for(test(**given), PATIENCE))

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


# calls in a process of their own: what comes back, what is raised, and that no process outlives its call --------------
def test_values_of_all_kinds_come_back_as_they_are() -> None:
    array = np.arange(12.0).reshape(3, 4)
    got, same = apart(operator.itemgetter(1, 1), [0, {"a": array, "b": array[:0], "text": "é\n"}])
    assert (got["a"] == array).all()
    assert got["a"].flags.writeable
    assert (got["b"].shape, got["text"]) == ((0, 4), "é\n")
    assert same is got
    assert apart(print, "text") is None, "what is printed there is no answer"


def test_what_is_raised_there_is_raised_here() -> None:
    with pytest.raises(ZeroDivisionError):
        apart(operator.truediv, 1, 0)
    with pytest.raises(DatasetError, match=r"x\.csv has 2 columns, more than the limit of 1"):
        apart(read_sheet, b"a,b\n1,2\n", "x.csv", 100, 1, {})


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are set as Linux does")
def test_no_more_memory_is_taken_than_allowed_and_than_is_left() -> None:
    with pytest.raises(MemoryError):
        apart(bytearray, MAX_BYTES)
    assert len(apart(bytearray, 30_000_000, most=100_000_000)) == 30_000_000
    with pytest.raises(MemoryError):
        apart(bytearray, 30_000_000, most=20_000_000)


def test_a_call_that_is_not_wanted_any_more_ends() -> None:
    kill: list[Callable[[], None]] = []
    caught: list[BaseException] = []

    def call() -> None:
        try:
            apart(pow, 3, 10**12, on_cancel=kill.append)  # takes hours
        except NotDoneError as error:
            caught.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    while not kill:
        thread.join(0.01)
    kill[0]()
    thread.join(PATIENCE)
    assert len(caught) == 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux knows priorities of threads")
def test_what_a_thread_begins_that_gives_way_gives_way_no_further() -> None:
    job = Job(lambda progress: (os.nice(0), apart(os.nice, 0)))
    job.join(PATIENCE)
    of_thread, of_process = job.result
    assert of_process == max(of_thread, NICENESS) < 10
