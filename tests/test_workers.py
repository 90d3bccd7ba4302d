"""Several processes behind one address: who gets which connection, what they tell of each other, and how they end."""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import signal
import socket
import sys
import time
import zlib
from fractions import Fraction
from pathlib import Path

import psutil
import pytest
from bokeh.util.token import generate_jwt_token
from patience import PATIENCE, wait_until
from servers import served
from tornado.httputil import HTTPHeaders, HTTPServerRequest, RequestStartLine

import rulelab as rl
from rulelab.cli.commands import _parser, main
from rulelab.cli.workers import given
from rulelab.views.live.pool import Pool
from rulelab.views.serving.door import PLACE, Door, place_of, token_of
from rulelab.views.serving.guarded import Guarded
from rulelab.views.serving.health import Standing
from rulelab.views.what_if.boards import Boards, Entry

sys.path.append(str(Path(__file__).parent / "benchmarks"))
from _visitor import Visitor, searching


def token(place: object) -> str:
    return generate_jwt_token("a session", b"secret", True, extra_payload={PLACE: place, "headers": {"a": "b" * 999}})


def head(path: str, *headers: str) -> bytes:
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: a", *headers, "", ""]).encode()


def test_a_token_names_the_process_that_has_the_page() -> None:
    for place in (0, 7):
        request = head("/lab/ws?a=1", "Upgrade: websocket", f"sec-websocket-PROTOCOL: bokeh, {token(place)}")
        found = token_of(request)
        assert found is not None
        assert place_of(found) == place
    assert token_of(head("/", f"Sec-WebSocket-Protocol: bokeh, {token(1)}")) is None
    assert token_of(head("/ws")) == ""
    bomb = json.dumps({"__bk__zlib_": _packed(b"[" * 50_000_000)}).encode()
    for wrong in ("", "x", ".", "{}", token(True), token("1"), token(None), _plain(bomb), _plain(b"[" * 100_000)):
        assert place_of(wrong) is None


def _plain(text: bytes) -> str:
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def _packed(text: bytes) -> str:
    return _plain(zlib.compress(text))


def test_a_page_of_another_process_is_not_taken_for_a_new_one() -> None:
    line = RequestStartLine("GET", "/ws", "HTTP/1.1")
    for place, origin in ((0, "http://a"), (1, "null"), (None, "http://a")):
        headers = HTTPHeaders({"Host": "a", "Upgrade": "websocket", "Origin": "http://a"})
        headers["Sec-Websocket-Protocol"] = f"bokeh, {token(0)}"
        request = HTTPServerRequest(start_line=line, headers=headers)
        Guarded(request, place=place)
        assert request.headers["Origin"] == origin


@pytest.mark.parametrize(("place", "proxied", "closes"), [(0, True, True), (0, False, False), (None, True, False)])
def test_a_connection_of_a_proxy_carries_one_request(place: int | None, proxied: bool, closes: bool) -> None:
    headers = HTTPHeaders({"Host": "a", **({"X-Forwarded-For": "192.0.2.1"} if proxied else {})})
    request = HTTPServerRequest(start_line=RequestStartLine("GET", "/", "HTTP/1.1"), headers=headers)
    _, out, _ = Guarded(request, place=place).transform_first_chunk(200, HTTPHeaders(), b"", True)
    assert (out.get("Connection") == "close") is closes


def test_the_options_of_a_process_are_those_that_were_given() -> None:
    line = "serve --workers 3 --origin a:1 --origin https://b --table x.csv --target=-y --demo --memory 900MB --store s"
    args = _parser().parse_args(line.split())
    again = _parser().parse_args(["serve", *given(args), "--port", "5007", "--worker", "2:9"])
    assert again.worker == (2, 9)
    own = {"worker": None, "port": 5006, "memory": args.memory}
    assert argparse.Namespace(**(vars(again) | own)) == args


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--store", "none"], "needs a store"),
        (["--address", "0.0.0.0", "--origin", "a:5006"], "needs a store"),
        (["--memory", "150MB"], "less than 100 MB for each"),
        (["--prefix", "/.."], "a prefix is a path"),
    ],
)
def test_what_several_processes_cannot_do_is_said(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--workers", "2", *options]) == 2
    assert said in capsys.readouterr().err


def test_figures_are_those_of_all_processes() -> None:
    one, other = Standing(), Standing()
    other._stalls.append((time.monotonic(), 1e9))
    one.others = json.loads(json.dumps([other.report(), other.report()]))
    figures = one.figures()
    assert figures["workers"] == 3
    assert figures["threads"] == sum(each.report()["figures"]["threads"] for each in (one, other, other))
    assert figures["loop_stall_seconds"] == 1e9
    assert other.figures()["workers"] == 1


def test_places_are_shared() -> None:
    pool = Pool(3)
    with pool.place(lambda: False):
        pool.share(1)
        assert pool.places == 1
        with pool.place(lambda: True) as granted:
            assert not granted
    with pool.place(lambda: False) as granted:
        assert granted


def test_a_board_shows_who_plays_in_another_process() -> None:
    kept: dict[str, Entry] = {}

    class Shared:
        def keep(self, room: str, game: str, entry: Entry, instead_of: str | None) -> None:
            kept.pop(instead_of or "", None)
            kept[entry.name] = entry

        def bring(self, room: str, game: str, take) -> None:
            waiting.append(lambda: take(list(kept.values())))

    waiting: list = []

    def bring() -> None:
        for boards in (here, there):
            boards.refresh()
        while waiting:
            waiting.pop(0)()

    def names(boards: Boards) -> list[tuple[str, Fraction]]:
        return [(entry.name, entry.objective) for _, entry in boards.board("room", "game")]

    here, there = Boards(), Boards()
    here.lasting = there.lasting = Shared()
    here.put("room", "game", "ada's page", Entry("ada", Fraction(1, 2), 3))
    there.put("room", "game", "bob's page", Entry("bob", Fraction(1, 3), 3))
    bring()
    assert names(here) == names(there) == [("bob", Fraction(1, 3)), ("ada", Fraction(1, 2))]
    here.put("room", "game", "ada's page", Entry("eve", Fraction(1, 4), 2))
    bring()
    assert names(here) == names(there) == [("eve", Fraction(1, 4)), ("bob", Fraction(1, 3))]
    version = there.version
    bring()
    assert there.version == version, "nothing is drawn again that is as it was"


def test_processes_that_do_nothing_but_end_end_the_server() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    listening.setblocking(False)
    begun: list[bool] = []
    door = Door([sys.executable, "-c", "raise SystemExit(7)"], 2, [listening], 1.0, {}, lambda: begun.append(True))
    assert asyncio.run(door.run()) == 7
    assert not begun


async def kept_by_one_seen_by_all(port: int, store: Path) -> None:
    """A run is kept by the process of its page; pages of all processes open it."""
    wanted = "Regularization: cost of a rule"
    async with searching(port, ["?data=tic_tac_toe&regularization=0.05&speed=full+speed"]):
        with rl.store.open(store) as opened:
            while not (runs := [run for run in opened.runs() if run.settings[wanted] == "0.05"]):
                await asyncio.sleep(0.1)
        others, reading = [], []
        while {place_of(other.token) for other in others} != {0, 1}:  # a page goes where the fewest are, just then
            others.append(Visitor(port, f"?run={runs[0].hash[:16]}", keeps=True))
            await others[-1].open()
            reading.append(asyncio.create_task(others[-1].watch()))
        for other in others:
            while "certified optimal" not in "".join(other.told):
                await asyncio.sleep(0.1)
    for other in others:
        other.close()
    await asyncio.gather(*reading)


@pytest.mark.long
def test_pages_stay_with_their_process_and_a_dead_one_is_replaced(tmp_path: Path) -> None:
    query = "?data=tic_tac_toe&regularization=0.001&speed=full+speed&time_limit=600"
    store = ("--store", str(tmp_path / "runs.sqlite"))
    with served("--workers", "2", *store, state=tmp_path) as server:
        wait_until(lambda: "with 2 processes" in server.written, 0.1)

        def figures() -> dict[str, float]:
            return json.loads(server.ask("/health").body)

        async def lesson() -> None:
            async with searching(server.port, [query] * 3) as visitors:
                while not all(visitor.arrived for visitor in visitors):
                    await asyncio.sleep(0.05)

        wait_until(lambda: figures()["workers"] == 2, 0.2)
        asyncio.run(asyncio.wait_for(lesson(), PATIENCE))
        wait_until(lambda: figures()["sessions"] + figures()["searches"] == 0, 0.2)
        asyncio.run(asyncio.wait_for(kept_by_one_seen_by_all(server.port, tmp_path / "runs.sqlite"), PATIENCE))
        children = psutil.Process(server.process.pid).children()
        assert len(children) == 2
        children[1].kill()
        wait_until(lambda: "worker 1 has ended with status -9" in server.written, 0.1)
        wait_until(lambda: figures()["workers"] == 2, 0.2)
        children = psutil.Process(server.process.pid).children()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == 0
        assert not any(child.is_running() for child in children)
        assert "Traceback" not in server.written
