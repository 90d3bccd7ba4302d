"""What closed pages leave behind: no document, view, run or worker; whichever tab was open, also in mid-run."""

import asyncio
import gc
import logging
from typing import Any
from urllib.parse import quote_plus
from weakref import WeakSet

import pytest
from _visitor import Visitor
from bokeh.document import Document
from patience import PATIENCE, wait_until
from servers import in_a_thread, served_here

from rulelab.views.live.session import OPEN, SearchSession
from rulelab.views.pages.page import page
from rulelab.views.pages.tabs import TABS, Tabs
from rulelab.views.search.view import SearchView

SEARCH = "?data=tic_tac_toe&max_conditions=2&regularization=0.0001&time_limit=600&speed=full+speed"


PARTS = (Document, Tabs, SearchView, SearchSession)


def parts() -> WeakSet[Any]:
    """What each page has one of, at least."""
    return WeakSet(found for found in gc.get_objects() if type(found) in PARTS)


async def lesson(port: int) -> WeakSet[Any]:
    """A page with a search that has shown something, and one of each other tab; all are closed at once."""
    runner, *others = visitors = [
        Visitor(port, query) for query in (SEARCH, *(f"?tab={quote_plus(name)}" for name in list(TABS)[1:]))
    ]
    for visitor in visitors:
        await visitor.open()
    watching = [asyncio.create_task(visitor.watch()) for visitor in visitors]
    await runner.press_run()
    async with asyncio.timeout(PATIENCE):
        while not any(run.snapshot is not None for run in list(OPEN)):
            await asyncio.sleep(0.05)
    seen = parts()
    for visitor in visitors:
        visitor.close()
    await asyncio.gather(*watching)
    assert {type(each) for each in seen} == set(PARTS)
    assert len(seen) > 2 * len(others)
    return seen


@pytest.mark.long
def test_closed_pages_leave_nothing_behind(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "panel")  # what is logged of an event is kept, and holds its page
    before = parts()
    lifetime = {"unused_session_lifetime_milliseconds": 300, "check_unused_sessions_milliseconds": 100}
    with served_here(page, **lifetime) as (port, _):
        seen = in_a_thread(lesson(port))

        def gone() -> bool:
            gc.collect()
            return not set(seen) - set(before)

        wait_until(gone, 1.0)  # each collection holds up the server
    wait_until(lambda: not any(run.alive for run in list(OPEN)))
