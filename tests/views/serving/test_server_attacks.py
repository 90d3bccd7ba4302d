"""Attacks on a server that runs, over the network, as it is when nothing else is asked for and when others may come."""

import base64
import io
import json
import logging
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from patience import PATIENCE, wait_until
from servers import ROOT, Served, free_port, listens, served

from rulelab.views.serving.logs import Writing

pytestmark = pytest.mark.long

WRONG = "There is nobody of this name with this password."


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """For this machine alone."""
    with served(state=tmp_path_factory.mktemp("state")) as out:
        yield out


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """With passwords, below a prefix, opened by https."""
    people = tmp_path_factory.mktemp("people") / "people.json"
    people.write_text(json.dumps({"ada": "lovelace", "eve": "<script>"}))
    people.chmod(0o600)
    options = ("--basic-auth", str(people), "--prefix", "/lab", "--origin", "https://lab.example", "--demo")
    with served(*options, state=people.parent) as out:
        yield out


def test_only_this_machine_is_listened_to(server: Served) -> None:
    table = Path("/proc/net/tcp").read_text().splitlines()[1:]
    listening = [line.split()[1] for line in table if line.split()[3] == "0A"]
    hosts = {place.split(":")[0] for place in listening if int(place.split(":")[1], 16) == server.port}
    assert hosts == {"0100007F"}


@pytest.fixture(scope="module")
def token(server: Served) -> str:
    """Of a page that was opened as it should be."""
    return server.token()


def test_this_machine_can_connect_and_pages_of_other_sites_cannot(token: str, server: Served) -> None:
    for own in (f"http://127.0.0.1:{server.port}", f"http://localhost:{server.port}"):
        assert '"ACK"' in server.connect(token, own), own
    evil = ("http://evil.example", f"http://evil.example:{server.port}", f"http://localhost:{server.port}.evil.example")
    for other in (*evil, "http://127.0.0.1", "null", None):
        assert server.connect(token, other) == 403, other


def test_nobody_makes_up_or_changes_a_session(token: str, server: Served) -> None:
    origin = f"http://localhost:{server.port}"
    payload, _, signature = token.partition(".")
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    claims["session_id"] = "chosen"
    changed = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    for forged in (changed, f"{changed}.{signature}", f"{payload}.{signature[::-1]}", payload, "x", payload + "."):
        assert server.connect(forged, origin) in (None, 403), forged
    assert server.ask("/?bokeh-session-id=chosen").status == 403
    assert server.ask(Bokeh_Session_Id="chosen").status == 403


def test_a_message_that_is_too_large_ends_its_connection_alone(token: str, server: Served) -> None:
    origin = f"http://localhost:{server.port}"
    assert server.connect(token, origin, message=b"x" * 11_000_000) is None
    assert server.ask("/health").status == 200


def test_no_other_site_sends_a_form(server: Served) -> None:
    assert server.ask("/", "POST", {"a": "b"}).status in (403, 405)


@pytest.mark.parametrize("path", ["/", "/health", "/nowhere", "/static/js/bokeh.min.js", "/autoload.js"])
def test_all_answers_are_guarded(path: str, server: Served) -> None:
    answer = server.ask(path)
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    assert "'unsafe-inline'" not in answer.headers["Content-Security-Policy"].partition("script-src")[2].split(";")[0]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert {"Server", "Strict-Transport-Security"}.isdisjoint(answer.headers)


@pytest.mark.parametrize(
    "path",
    ["/static/../../../etc/passwd", "/static/%2e%2e/%2e%2e/etc/passwd", "/static/extensions/panel/..%2f..%2fx.py"],
)
def test_no_file_but_those_of_the_page_is_given(path: str, server: Served) -> None:
    answer = server.ask(path)
    assert answer.status in (400, 403, 404)
    assert "root:" not in answer.body


def test_text_of_strangers_is_data_in_the_page_and_in_the_log(server: Served) -> None:
    body = server.ask("/?data=%3C/script%3E%3Cscript%3Ealert(1)%3C/script%3E&tab=%3Cimg%20src=x%3E").body
    assert "<script>alert" not in body
    assert "<img src=x" not in body
    server.ask("/%0a%1b[2J%0d{}")
    wait_until(lambda: "%1b" in server.written)
    events = [line for line in server.written.splitlines() if re.match(r"\d{4}-", line)]
    assert events
    assert all(line.split(" ")[1] in ("info", "warning", "error") for line in events)
    assert "\x1b" not in server.written


def test_strangers_are_told_no_figures(server: Served) -> None:
    own = server.ask("/health")
    assert json.loads(own.body)["sessions"] >= 0
    assert server.ask("/metrics").status == 404
    for header in ("X_Forwarded_For", "Forwarded", "X_Real_IP"):
        assert json.loads(server.ask("/health", **{header: "127.0.0.1"}).body) == {"status": "ok"}


def test_who_is_not_logged_in_gets_nothing(closed: Served) -> None:
    closed.kept.clear()
    answer = closed.ask("/lab/?tab=Learn")
    assert (answer.status, answer.headers["Location"]) == (302, "./login?next=%2Flab%2F%3Ftab%3DLearn")
    assert (closed.connect("x", "https://lab.example", "/lab/ws"), closed.ask("/").status) == (403, 404)
    assert json.loads(closed.ask("/lab/health").body)["status"] == "ok"


def test_forged_cookies_are_no_login(closed: Served) -> None:
    value = base64.b64encode(b"ada").decode()
    for cookie in ("user=ada", f"user={value}|1|{'0' * 40}", f"user=2|1:0|10:1999999999|4:user|4:{value}|{'0' * 64}"):
        assert closed.ask("/lab/", Cookie=cookie).status == 302


def test_a_login_needs_the_form_and_the_password(closed: Served) -> None:
    closed.kept.clear()
    right = {"username": "ada", "password": "lovelace"}
    assert closed.ask("/lab/login", "POST", right).status == 403, "another site has sent it"
    form = closed.ask("/lab/login?error=%3Cscript%3E")
    assert "<script" not in form.body
    assert {"HttpOnly", "SameSite=Lax", "Secure"} <= set(form.cookies["_xsrf"].split("; "))
    token = {"_xsrf": form.body.partition('name="_xsrf" value="')[2].partition('"')[0]}
    for name, password in (("ada", "x"), ("ada", ""), ("", ""), ("nobody", ""), ("eve", "lovelace")):
        wrong = closed.ask("/lab/login", "POST", {"username": name, "password": password, **token})
        assert (wrong.status, "user" in wrong.cookies, WRONG in wrong.body) == (403, False, True)
    answer = closed.ask("/lab/login?next=//evil.example", "POST", {**right, **token})
    assert (answer.status, answer.headers["Location"]) == (302, "/lab/")
    assert {"HttpOnly", "SameSite=Lax", "Secure", "Path=/lab/"} <= set(answer.cookies["user"].split("; "))
    assert answer.headers["Strict-Transport-Security"]
    page = closed.ask("/lab/")
    assert page.status == 200
    assert "lovelace" not in page.body + closed.written


def test_asked_to_end_the_server_ends(server: Served) -> None:
    """The last one of these tests that needs it."""
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(PATIENCE) == 0
    assert "the server has stopped" in server.written.splitlines()[-1]
    ending = server.written.partition("the server is being stopped")[2]
    assert ending
    assert "Traceback" not in ending


# a log that nobody reads holds up nobody ------------------------------------------------------------------------------
def record(text: str) -> logging.LogRecord:
    return logging.LogRecord("rulelab", logging.INFO, "", 0, text, None, None)


class Held(io.StringIO):
    """A stream that takes nothing until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.free, self.asked = threading.Event(), threading.Event()

    def write(self, text: str) -> int:
        self.asked.set()
        assert self.free.wait(PATIENCE)
        return super().write(text)


def test_what_finds_no_room_is_left_out_and_counted() -> None:
    out = Held()
    handler = Writing(out, 3)
    handler.handle(record("first"))
    assert out.asked.wait(PATIENCE)
    for k in range(10):
        handler.handle(record(str(k)))
    out.free.set()
    wait_until(lambda: "7 events were left out" in out.getvalue())
    assert out.getvalue().splitlines()[:-1] == ["first", "0", "1", "2"]
    handler.handle(record("last"))
    handler.flush()
    assert out.getvalue().splitlines()[-1] == "last"


def test_a_log_whose_reader_is_gone_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        handler = Writing(stream)
        for k in range(3):
            handler.handle(record(str(k)))
            handler.flush()
        assert handler.queue.empty()


@pytest.mark.long
def test_a_server_whose_log_nobody_reads_answers_and_ends(tmp_path: Path) -> None:
    port = free_port()
    environment = os.environ | {"XDG_STATE_HOME": str(tmp_path), "RULELAB_WARMING": "0"}
    command = [sys.executable, "-m", "rulelab", "serve", "--port", str(port), "--store", "none"]
    nowhere, unread = subprocess.DEVNULL, subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=nowhere, stderr=unread) as process:
        try:
            wait_until(lambda: listens(port) or process.poll() is not None, 0.1)
            server = Served(port, process, io.BytesIO())
            for _ in range(60):
                assert server.ask(f"/{'x' * 4000}").status == 404  # each a line of the log; a pipe holds 64 kB
            assert server.ask("/").status == 200
            process.terminate()
            wait_until(lambda: process.poll() is not None, 0.1)
            assert process.returncode == 0
        finally:
            process.kill()
