"""What the server is asked for, its secret, its headers and its log, without a server."""

import configparser
import io
import logging
import os
import shlex
import stat
import threading
from collections.abc import Sequence
from pathlib import Path

import panel as pn
import pytest
from live import send
from proxies import block
from tornado.httputil import HTTPHeaders, HTTPServerRequest, RequestStartLine

from rulelab.cli.commands import command_parser, main
from rulelab.views.allowance import ALLOWED, NO_FILES
from rulelab.views.compare.view import CompareView
from rulelab.views.live.session import SearchSession
from rulelab.views.live.state import FULL_SPEED, Limits, Pace
from rulelab.views.serving import logs, settings
from rulelab.views.serving.guarded import Guarded
from rulelab.views.serving.login import after_login, login_options
from rulelab.views.serving.settings import SECRET_VARIABLE, ServingError, find_secret, framing, passwords, prefix
from rulelab.views.widgets.uploader import Uploader


def test_who_may_connect_and_a_server_for_every_network_needs_a_name() -> None:
    own = {"127.0.0.1:5006", "localhost:5006"}
    for address, given, more in (
        ("127.0.0.1", (), set()),
        ("192.0.2.7", (), {"192.0.2.7:5006"}),
        ("::1", (), {"[::1]:5006"}),
        ("0.0.0.0", ("https://Lab.example",), {"lab.example"}),
        ("127.0.0.1", ("lab.example:80",), {"lab.example:80"}),
    ):
        assert {each.host for each in settings.origins(address, 5006, given)} == own | more
    for address in ("0.0.0.0", "::", ""):
        with pytest.raises(ServingError, match="--origin"):
            settings.origins(address, 5006, ())
    for address, here in (("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("a", False)):
        assert settings.is_loopback(address) is here


def test_an_origin_is_a_host_and_a_prefix_is_a_path() -> None:
    hosts = ("*", "*.example", "", "a b", "ftp://a", "a:0", "a:70000", "a/b", "a\nb", "https://a@b", "a:1\r\nX: y")
    for text in hosts:
        with pytest.raises(ServingError, match="an origin is a host"):
            settings.Origin.parse(text)
    assert [prefix(text) for text in ("", "/", "lab", "/lab/", "/a/b")] == ["", "", "/lab", "/lab", "/a/b"]
    for text in ("/../x", "/a b", "/(.*)", "/a\nb", "/" + "a/" * 20):
        with pytest.raises(ServingError, match="a prefix is a path"):
            prefix(text)


def test_a_secret_is_made_once_and_kept_to_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SECRET_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    first = find_secret()
    assert find_secret() == first
    assert len(first) >= 2 * settings.LEAST_CHARACTERS
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert find_secret(tmp_path / "other") != first
    assert settings.derived_key(first, "cookies") != settings.derived_key(first, "sessions")
    file.chmod(0o644)
    with pytest.raises(ServingError, match="others than its owner"):
        find_secret()
    monkeypatch.setenv(SECRET_VARIABLE, "x" * 40)
    assert find_secret() == b"x" * 40
    monkeypatch.setenv(SECRET_VARIABLE, "short")
    with pytest.raises(ServingError, match="5 characters"):
        find_secret()


def test_where_nothing_can_be_kept_each_run_has_a_secret_of_its_own(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv(SECRET_VARIABLE, raising=False)
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert find_secret() != find_secret()
    with pytest.raises(ServingError, match="neither be read nor made"):
        find_secret(tmp_path / "file" / "secret")


def test_passwords_that_are_none_or_known_to_all(tmp_path: Path) -> None:
    file = tmp_path / "people.json"
    for text, mode, said in (
        ("{", 0o600, "is not JSON"),
        ("[" * 100_000, 0o600, "is not JSON"),
        ("[]", 0o600, "holds no passwords"),
        ("{}", 0o600, "holds no passwords"),
        ('{"ada": ""}', 0o600, "holds no passwords"),
        ('{"ada": 5}', 0o600, "holds no passwords"),
        ('{"": "x"}', 0o600, "holds no passwords"),
        ('{"ada": "x"}', 0o644, "everybody on this machine"),
    ):
        file.write_text(text)
        file.chmod(mode)
        with pytest.raises(ServingError, match=said):
            passwords(file)
    file.write_text('{"ada": "lovelace"}')
    file.chmod(0o600)
    assert passwords(file) == {"ada": "lovelace"}


def test_logging_in_leads_nowhere_else() -> None:
    for wanted, below, expected in (
        ("/?tab=Learn", "", "/?tab=Learn"),
        ("/lab/?a=1", "/lab", "/lab/?a=1"),
        ("", "/lab", "/lab/"),
        ("//evil.example", "", "/"),
        ("https://evil.example", "", "/"),
        ("/\\evil.example", "", "/"),
        ("/a\r\nSet-Cookie: x=y", "", "/"),
        ("/other", "/lab", "/lab/"),
    ):
        assert after_login(wanted, below) == expected


def answer(body: bytes, kind: str, framing: Sequence[str] = ()) -> tuple[HTTPHeaders, bytes]:
    line = RequestStartLine("GET", "/", "HTTP/1.1")
    request = HTTPServerRequest(start_line=line, headers=HTTPHeaders({"Host": "a"}))
    guarded = Guarded(request, framing=framing)
    before = HTTPHeaders({"Content-Type": kind, "Content-Length": str(len(body)), "Server": "Tornado"})
    _, headers, sent = guarded.transform_first_chunk(200, before, body, True)
    return headers, sent


def test_only_pages_that_are_named_hold_this_one_in_a_frame() -> None:
    closed, _ = answer(b"", "text/html")
    assert closed["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in closed["Content-Security-Policy"]
    named = framing(["https://Lab.example", "course.example:8080"])
    opened, _ = answer(b"", "text/html", named)
    assert "X-Frame-Options" not in opened
    assert "frame-ancestors https://lab.example http://course.example:8080" in opened["Content-Security-Policy"]
    with pytest.raises(ServingError, match="not 'lab example'"):
        framing(["lab example"])


def test_a_connection_that_says_not_where_it_comes_from_comes_from_nowhere() -> None:
    line = RequestStartLine("GET", "/ws", "HTTP/1.1")
    for headers, origin in (
        ({"Upgrade": "websocket"}, "null"),
        ({"Upgrade": "websocket", "Origin": "http://a"}, "http://a"),
        ({"Upgrade": "websocket", "Sec-Websocket-Origin": "http://a"}, None),
        ({}, None),
    ):
        request = HTTPServerRequest(start_line=line, headers=HTTPHeaders({"Host": "a", **headers}))
        Guarded(request)
        assert request.headers.get("Origin") == headers.get("Origin")
        Guarded(request, named=True)
        assert request.headers.get("Origin") == origin


def test_scripts_of_the_page_have_the_nonce_and_their_text_is_not_changed() -> None:
    body = b"<head><script>a = '<script>'</script><SCRIPT type='x' src=b></SCRIPT><scripted></head>"
    headers, sent = answer(body, "text/html")
    nonce = headers["Content-Security-Policy"].partition("'nonce-")[2].partition("'")[0].encode()
    assert len(nonce) >= 20
    mark = b' nonce="' + nonce + b'"'
    assert sent == (
        b"<head><script"
        + mark
        + b">a = '<script>'</script><SCRIPT"
        + mark
        + b" type='x' src=b></SCRIPT><scripted></head>"
    )
    assert headers["Content-Length"] == str(len(sent))
    again, _ = answer(body, "text/html")
    assert again["Content-Security-Policy"] != headers["Content-Security-Policy"]
    assert answer(body, "application/json")[1] == body


def test_nobody_writes_an_event_into_the_log_or_moves_the_terminal() -> None:
    out = io.StringIO()
    handler = logs.begin(out)
    text = "x\n2026-01-01T00:00:00.000Z info root: forged\x1b[2J\u202e\x00"
    logging.getLogger("tornado.access").warning("404 GET %s", text)
    try:
        raise ValueError(text)
    except ValueError:
        logging.getLogger("bokeh").exception("failed")
    thread = threading.Thread(target=lambda: {}[text])
    thread.start()
    thread.join()
    logging.getLogger("rulelab").info("a run has ended", extra={"fields": {"run": "12", "data": text}})
    handler.flush()
    written = out.getvalue()
    assert all(c == "\n" or (c.isprintable() and c != "\u202e") for c in written)
    lines = written.splitlines()
    assert not any(line.startswith("2026-01-01") for line in lines)
    events = [line for line in lines if not line.startswith("    | ")]
    assert [line.split(" ")[1] for line in events] == ["warning", "error", "error", "info"]
    assert "ValueError" in written
    assert "KeyError" in written
    assert 'run="12"' in lines[-1]


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ALLOWED, "uploads", False)
    monkeypatch.setattr(ALLOWED, "seconds", 60.0)
    monkeypatch.setattr(ALLOWED, "memory", 10**8)


def test_a_demonstration_takes_no_file_and_ends_runs_whatever_the_browser_sends(demo: None) -> None:
    received: list[bytes] = []
    field = Uploader(lambda contents, name: received.append(contents))
    assert (field.open, field.limit) == (False, NO_FILES)
    send(field, {"type": "begin", "id": 1, "name": "a.csv", "size": 3})
    send(field, {"type": "piece", "id": 1, "data": "YSxi", "last": True})
    assert (received, field.said, field.doing) == ([], NO_FILES, "")
    assert not pn.panel(CompareView()).select(Uploader), "nor a model"

    def session(limits: Limits | None) -> SearchSession:
        return SearchSession(lambda report: None, limits, Pace() or FULL_SPEED)  # type: ignore[arg-type, return-value]

    assert [session(each).limits.seconds for each in (None, Limits(600), Limits(5))] == [60, 60, 5]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--address", "0.0.0.0"), "--origin"),
        (("--origin", "*"), "an origin is a host"),
        (("--prefix", "/a b"), "a prefix is a path"),
        (("--basic-auth", "/nowhere/people.json"), "cannot be read"),
        (("--oauth", "nobody"), "there is no provider 'nobody'"),
        (("--oauth", "github"), "PANEL_OAUTH_KEY and PANEL_OAUTH_SECRET"),
        (("--port", "0", "--origin", "lab.example"), "needs a --port"),
    ],
)
def test_what_is_not_safe_is_not_served(arguments: tuple[str, ...], said: str, capsys) -> None:
    assert main(["serve", *arguments]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert said in err
    assert os.environ.get("PANEL_OAUTH_KEY") is None


def test_who_logs_in_elsewhere_is_sent_back_below_the_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PANEL_OAUTH_REDIRECT_URI", raising=False)
    for name in ("PANEL_OAUTH_KEY", "PANEL_OAUTH_SECRET"):
        monkeypatch.setenv(name, "x")
    own = {"oauth_provider": "github"}
    for origin, below, back in (
        (("https://Lab.example", "other:1"), "/lab", "https://lab.example/lab/login"),
        (("lab.example:5006",), "", "http://lab.example:5006/login"),
    ):
        assert login_options(None, "github", origin, below) == {**own, "oauth_redirect_uri": back}
    assert login_options(None, "github", (), "/lab") == own
    monkeypatch.setenv("PANEL_OAUTH_REDIRECT_URI", "https://elsewhere.example")
    assert login_options(None, "github", ("https://lab.example",), "/lab") == own


def test_the_service_of_the_book_begins_a_command_that_there_is() -> None:
    unit = configparser.ConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string(block("ini"))
    program, *arguments = shlex.split(unit["Service"]["ExecStart"])
    assert Path(program).name == "rulelab"
    args = command_parser().parse_args(arguments)
    assert (args.command, args.prefix) == ("serve", "/lab")
    assert int(unit["Service"]["TimeoutStopSec"]) > args.grace
