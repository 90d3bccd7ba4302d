"""Pages are made beside the server's loop: who has one is answered meanwhile, and what goes wrong is shown."""

import asyncio
import base64
import json
import re
import secrets
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import panel as pn
import pytest
from _visitor import Visitor
from bokeh.core.json_encoder import serialize_json
from live import problem
from patience import PATIENCE, wait_until
from servers import Answer, Served, free_port, in_a_thread, served, served_here

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


# a server that is asked to end while a search runs: the run is kept, and the log names it -----------------------------
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


# people log in with a provider of OAuth 2 and OpenID, from the redirect to the page; and those who only seem to -------
KEY, SECRET, ADA = "rulelab-key", "rulelab-secret", "ada@lab.example"


@dataclass
class Provider:
    """Lets everybody be Ada, once for each code; what it was asked for and what it has given out."""

    port: int
    codes: dict[str, str] = field(default_factory=dict)
    access: set[str] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)

    def authorize(self, asked: dict[str, str]) -> str:
        """Where a browser is sent that asks so."""
        assert (asked["client_id"], asked["response_type"]) == (KEY, "code")
        assert "openid" in asked["scope"].split()
        assert SECRET not in asked.values()
        code = secrets.token_hex(8)
        self.codes[code] = asked["redirect_uri"]
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, asked: dict[str, str]) -> tuple[int, dict[str, object]]:
        """The tokens for a code, to who knows the secret and was sent there."""
        there = self.codes.pop(asked.get("code", ""), None)
        if there is None or asked.get("redirect_uri") != there or asked.get("client_secret") != SECRET:
            self.refused.append(asked.get("code", ""))
            return 400, {"error": "invalid_grant", "error_description": "<script>alert(1)</script>"}
        access = secrets.token_hex(8)
        self.access.add(access)
        parts = ({"alg": "none"}, {"sub": "1", "email": ADA, "aud": KEY})
        coded = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
        given = {"access_token": access, "token_type": "Bearer", "expires_in": 3600}
        return 200, {**given, "id_token": ".".join([*coded, ""])}


@contextmanager
def providing() -> Iterator[Provider]:
    """The provider, on this machine."""
    provider = Provider(free_port())

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            place = urlsplit(self.path)
            self.send_response(302)
            self.send_header("Location", provider.authorize(_first(place.query)))
            self.end_headers()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            status, told = provider.token(_first(body))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(told).encode())

        def log_message(self, *_: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", provider.port), Handler) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        yield provider
        listening.shutdown()


def _first(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Provider]]:
    """A server below a path, and where its people log in."""
    with providing() as provider:
        there, port = f"http://127.0.0.1:{provider.port}", free_port()
        variables = {
            "PANEL_OAUTH_KEY": KEY,
            "PANEL_OAUTH_SECRET": SECRET,
            "PANEL_OAUTH_AUTHORIZE_URL": f"{there}/authorize",
            "PANEL_OAUTH_TOKEN_URL": f"{there}/token",
        }
        options = ("--oauth", "generic", "--prefix", "/lab", "--origin", f"127.0.0.1:{port}")
        with served(*options, state=tmp_path_factory.mktemp("state"), port=port, **variables) as server:
            yield server, provider


def place_of(answer: Answer, server: Served) -> str:
    """The path and the query of a redirect to the server itself."""
    assert answer.status == 302
    place = urlsplit(answer.headers["Location"])
    assert place.netloc in ("", f"127.0.0.1:{server.port}")
    return f"{place.path}?{place.query}" if place.query else place.path


def begin(server: Served, provider: Provider, wanted: str = "/lab/") -> str:
    """Ask for the page with a browser that is not known; where the provider sends it back to."""
    server.kept.clear()
    sent = server.ask(wanted)
    assert sent.headers["Location"].startswith("./login?next=")
    away = server.ask("/lab/" + sent.headers["Location"].removeprefix("./"))
    place = urlsplit(away.headers["Location"])
    assert (away.status, place.port, place.path) == (302, provider.port, "/authorize")
    return place_of(Served(provider.port, server.process, server.log).ask(f"{place.path}?{place.query}"), server)


def test_who_has_logged_in_there_gets_the_page(both: tuple[Served, Provider]) -> None:
    server, provider = both
    back = begin(server, provider, "/lab/?tab=Learn")
    assert back.startswith("/lab/login?code=")
    assert server.connect("x", f"http://127.0.0.1:{server.port}", "/lab/ws") == 403
    entered = server.ask(back)
    assert {"HttpOnly", "SameSite=Lax", "Path=/lab/"} <= set(entered.cookies["user"].split("; "))
    page = server.ask(place_of(entered, server))
    assert page.status == 200
    token = page.body.partition('"token":"')[2].partition('"')[0]
    assert '"ACK"' in server.connect(token, f"http://127.0.0.1:{server.port}", "/lab/ws")
    assert not provider.refused
    written = page.body + server.written
    assert not [told for told in (SECRET, *provider.access, back.partition("code=")[2][:16]) if told in written]
    assert ADA not in server.written
    assert server.ask("/lab/logout").status == 200
    server.kept = {name: value for name, value in server.kept.items() if value.strip('"')}
    assert server.ask("/lab/").status == 302


def test_a_way_back_is_of_the_browser_that_went_and_leads_there_once(both: tuple[Served, Provider]) -> None:
    server, provider = both
    back = begin(server, provider)
    own = dict(server.kept)
    server.kept.clear()
    lured = server.ask(back)
    assert (lured.status, "user" in lured.cookies) == (401, False)
    server.kept |= own
    assert server.ask(back.replace("state=", "state=x")).status in (400, 401)
    server.kept |= own
    assert "user" in server.ask(back).cookies
    server.kept.clear()
    server.kept |= own
    again = server.ask(back)
    assert (again.status, "user" in again.cookies, "<script>alert" in again.body) == (401, False, False)
    assert provider.refused


@pytest.mark.parametrize(
    "query",
    [
        "error=%3Cscript%3Ealert(1)%3C/script%3E",
        "error=x&error_description=%3Cimg%20src=x%20onerror=alert(1)%3E",
        "error=x%0d%0aSet-Cookie:%20user=ada",
        "next=//evil.example",
        "next=https://evil.example/",
        "code=made-up&state=made-up",
        "code=made-up",
    ],
)
def test_what_strangers_put_into_the_way_back_enters_nowhere(query: str, both: tuple[Served, Provider]) -> None:
    server, _ = both
    server.kept.clear()
    answer = server.ask(f"/lab/login?{query}")
    assert answer.status >= 400
    assert "user" not in answer.cookies
    assert "<script>alert" not in answer.body
    assert "<img src=x" not in answer.body
    assert "\r" not in server.written
