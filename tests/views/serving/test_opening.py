"""Pages are made beside the server's loop: who has one is answered meanwhile, and what goes wrong is shown."""

import asyncio
import re
import signal
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path
from typing import Any

import panel as pn
import pytest
from _visitor import Visitor
from bokeh.core.json_encoder import serialize_json
from live import problem
from patience import PATIENCE, wait_until
from servers import free_port, in_a_thread, served, served_here

import rulelab as rl
from rulelab.views.live.state import State
from rulelab.views.live.ticker import Presence
from rulelab.views.pages.page import page
from rulelab.views.search.view import SearchView
from rulelab.views.serving import opening

pytestmark = pytest.mark.long


def get(address: str) -> str:
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        return answer.read().decode()


def test_the_server_answers_while_a_page_is_made() -> None:
    begun, go_on = threading.Event(), threading.Event()
    made: list[Any] = []

    def create() -> pn.viewable.Viewable:
        begun.set()
        assert go_on.wait(PATIENCE)
        made.extend([pn.state.curdoc, pn.pane.HTML("")])
        return pn.Row(pn.state.location.search, made[1])

    found: list[str] = []
    with served_here(create) as (port, _):
        address = f"http://127.0.0.1:{port}/"
        thread = threading.Thread(target=lambda: found.append(get(f"{address}?a=1")))
        thread.start()
        assert begun.wait(PATIENCE)
        assert "Bokeh" in get(f"{address}static/js/bokeh.min.js")
        assert not found
        go_on.set()
        thread.join(PATIENCE)
        assert "<title>made</title>" in found[0]
        (document, pane), sent, at_once = made, list[Any](), list[bool]()
        document.on_change(sent.append)

        def change() -> None:
            pane.object = "changed"
            at_once.append(bool(sent))

        document.add_next_tick_callback(change)
        wait_until(lambda: bool(at_once))
        assert at_once == [True], "what changes in it is sent from the server's loop"


def test_a_page_that_cannot_be_made_says_so() -> None:
    documents = []

    def create() -> pn.viewable.Viewable:
        assert threading.current_thread().name.startswith("rulelab page")
        documents.append(pn.state.curdoc)
        raise KeyError("nothing to show")

    with served_here(create) as (port, _):
        assert "<title>" in get(f"http://127.0.0.1:{port}/")
        (document,) = documents
        assert "nothing to show" in serialize_json(document.to_json())


def test_a_page_that_waits_for_its_first_run_is_looked_at_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    view = SearchView(rl.RuleListSearch(problem(), 0.02))
    refresh, looked = SearchView.refresh, []
    monkeypatch.setattr(SearchView, "refresh", lambda self: looked.append(self) or refresh(self))
    wait_until(lambda: not view.tick())  # what it began with is there
    monkeypatch.setattr(Presence, "served", True)
    looked.clear()
    for _ in range(8):
        view.tick()
    assert len(looked) == 2
    view.step()
    wait_until(lambda: view.session.state is State.PAUSED)
    looked.clear()
    for _ in range(8):
        view.tick()
    assert len(looked) == 8
    view.close()


def test_memory_is_given_back_once_for_pages_that_close_together(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []
    give_back = opening.give_back

    def give() -> None:
        given.append(threading.current_thread().name)
        give_back()

    async def visit(port: int) -> None:
        visitors = [Visitor(port, "") for _ in range(3)]
        for visitor in visitors:
            await visitor.open()
        for visitor in visitors:
            visitor.close()

    monkeypatch.setattr(opening, "GIVE_BACK_SECONDS", 1.0)
    monkeypatch.setattr(opening, "give_back", give)
    lifetime = {"unused_session_lifetime_milliseconds": 100, "check_unused_sessions_milliseconds": 100}
    with served_here(lambda: pn.Row("text"), **lifetime) as (port, _):
        in_a_thread(visit(port))
        wait_until(lambda: bool(given))
        assert len(given) < 3
        assert given[0].startswith("rulelab page"), "not in the server's loop"


_SCRIPT = """
import os, sys, threading, urllib.request
import rulelab as rl
from rulelab.views.serving import opening

opening.GIVE_BACK_SECONDS = 1.0
unused = {"unused_session_lifetime_milliseconds": 100, "check_unused_sessions_milliseconds": 100}
server = rl.views.serve(int(sys.argv[1]), threaded=True, **unused)
while True:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/").read()
        break
    except OSError:
        pass
threading.Timer(3, os._exit, [0]).start()
"""
"""Its page is closed, and what that leaves is given back, when the script has come to its end."""


def test_a_page_that_closes_after_the_end_of_a_script_fails_at_nothing() -> None:
    call = [sys.executable, "-c", _SCRIPT, str(free_port())]
    ended = subprocess.run(call, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert "Error" not in ended.stderr


@pytest.mark.parametrize("after", [0.0, 1.5], ids=["at once", "after the session was given up"])
def test_a_browser_that_connects_late_gets_the_page_that_its_address_asks_for(after: float) -> None:
    async def visit(port: int) -> list[str]:
        visitor = Visitor(port, "?data=heart&max_conditions=1")
        await visitor.open(after)
        visitor.close()
        return visitor.told

    lifetime = {"unused_session_lifetime_milliseconds": 100, "check_unused_sessions_milliseconds": 100}
    with served_here(page, **({} if after == 0 else lifetime)) as (port, _):
        told = in_a_thread(visit(port))
    assert '"label":"Run"' in told[0]
    assert "heart" in told[0]


# stops ----------------------------------------------------------------------------------------------------------------
QUERY = "?data=compas&max_conditions=2&regularization=0.0001&time_limit=600&speed=full+speed"


def test_a_run_that_was_going_is_kept(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    with served("--store", str(store), state=tmp_path) as server:

        async def lesson() -> None:
            visitor = Visitor(server.port, QUERY, keeps=True)
            await visitor.open()
            watching = asyncio.create_task(visitor.watch())
            await visitor.press_run()
            while "lower bound" not in "".join(visitor.told[1:]):
                await asyncio.sleep(0.1)
            server.process.send_signal(signal.SIGTERM)
            await watching
            assert "This server is being stopped" in "".join(visitor.told)

        in_a_thread(asyncio.wait_for(lesson(), PATIENCE))
        assert server.process.wait(PATIENCE) == 0
        (ended,) = [line for line in server.written.splitlines() if "a run has ended" in line]
    assert re.search(r' run="\w{12}" end="stopped"', ended)
    with rl.store.open(store) as opened:
        (run,) = opened.runs()
        assert run.lower_bound > 0
        assert opened.model(run).rules
