"""People log in with a provider of OAuth 2 and OpenID, from the redirect to the page; and those who only seem to."""

import base64
import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from servers import Answer, Served, free_port, served

pytestmark = pytest.mark.long

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
