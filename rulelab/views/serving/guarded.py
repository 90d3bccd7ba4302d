"""What every answer of the server carries: headers that let nothing but this page run, cookie flags, compression."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence

from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import GZipContentEncoding, OutputTransform

_SCRIPT = re.compile(rb"(<script)((?:\s[^>]*)?>.*?</script\s*>)", re.DOTALL | re.IGNORECASE)
_FLAGS = ("HttpOnly", "SameSite=Lax")
_FROM = ("Origin", "Sec-Websocket-Origin")
PROXIED = ("Forwarded", "X-Forwarded-For", "X-Real-IP")
"""Headers by which a proxy says for whom it asks."""
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    **dict.fromkeys(("Referrer-Policy", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy"), "same-origin"),
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_SECONDS_KEPT = 86_400  # by the browser, of a file whose address does not change with its contents


def policy(nonce: str, framing: Sequence[str] = ()) -> str:
    """The content security policy of one answer.

    Scripts are those that the server itself wrote into the page, its files, and modules that these make. Handlers in
    attributes of elements, with which text that was not escaped would run, do not. Bokeh makes functions out of
    strings, which the figures of the axes, the tooltips of the tree and all its tables are: without that it draws
    nothing of the page ("Error rendering Bokeh items: EvalError"). The components write styles. So these two are
    allowed; such strings come from this package alone, never from a user.

    `nonce`: of the scripts in the page. `framing`: origins whose pages may hold this one in a frame; empty: none.
    """
    rules = {
        "default-src": "'none'",
        "script-src": f"'self' 'nonce-{nonce}' 'unsafe-eval' blob:",
        "style-src": "'self' 'unsafe-inline'",
        **dict.fromkeys(("img-src", "connect-src"), "'self' data: blob:"),
        "font-src": "'self' data:",
        "worker-src": "'self' blob:",
        **dict.fromkeys(("manifest-src", "form-action"), "'self'"),
        "base-uri": "'none'",
        "frame-ancestors": " ".join(framing) or "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


class Guarded(OutputTransform):
    """Adds the headers to an answer, and to its scripts the nonce that lets them run; one per answer."""

    def __init__(
        self,
        request: HTTPServerRequest,
        secure: bool = False,  # whether people come by https, so that cookies go by nothing else
        named: bool = False,  # whether a connection that does not say from which page it comes is refused
        framing: Sequence[str] = (),  # see `policy`
    ) -> None:
        self._secure, self._framing = secure, framing
        if named and "Upgrade" in request.headers and not any(name in request.headers for name in _FROM):
            request.headers["Origin"] = "null"  # as a browser says of such a page; the server compares it with its own

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        out = _Flagged(self._secure)
        for name, value in headers.get_all():
            out.add(name, value)
        for name, value in _HEADERS.items():
            out[name] = value
        if self._framing:
            del out["X-Frame-Options"]  # which knows no list; the policy below has it
        out.pop("Server", None)
        if self._secure:
            out["Strict-Transport-Security"] = "max-age=31536000"
        nonce = secrets.token_urlsafe(16)
        out["Content-Security-Policy"] = policy(nonce, self._framing)
        if finishing and headers.get("Content-Type", "").startswith("text/html") and "Content-Length" in headers:
            chunk = _SCRIPT.sub(rb'\1 nonce="' + nonce.encode() + rb'"\2', chunk)
            out["Content-Length"] = str(len(chunk))
        return status_code, out, chunk


class _Flagged(HTTPHeaders):
    """Headers whose cookies no script reads and no other site sends; they are added last, after all transforms."""

    def __init__(self, secure: bool) -> None:
        super().__init__()
        self._flags = (*_FLAGS, "Secure") if secure else _FLAGS

    def add(self, name: str, value: str, **options: object) -> None:
        if name.title() == "Set-Cookie":
            known = {part.strip().lower().partition("=")[0] for part in value.split(";")[1:]}
            value = "; ".join([value, *(flag for flag in self._flags if flag.lower().partition("=")[0] not in known)])
        super().add(name, value, **options)  # type: ignore[arg-type]


class Compressed(GZipContentEncoding):
    """Compresses what is sent; of static files it keeps the result, as every viewer of a class asks for all of them."""

    _kept: dict[str, bytes] = {}
    """By the hash of the contents; as many as there are files in the packages that the page is made of."""

    def __init__(self, request: HTTPServerRequest) -> None:
        super().__init__(request)
        self._static = request.method == "GET" and "/static/" in request.path
        self._key, self._parts = "", list[bytes]()
        self._whole: bytes | None = None
        self._missing = 0

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Begin the answer: as a whole, if it was compressed before."""
        if status_code != 200 or not self._static:
            self._gzipping = self._gzipping and status_code == 200
            return super().transform_first_chunk(status_code, headers, chunk, finishing)
        headers.setdefault("Cache-Control", f"max-age={_SECONDS_KEPT}")
        key = headers.get("Etag", "")
        if self._gzipping and key in self._kept:
            self._whole = self._kept[key]
            headers["Vary"], headers["Content-Encoding"] = "Accept-Encoding", "gzip"
            headers["Content-Length"] = str(len(self._whole))
            return status_code, headers, self._whole
        self._missing = int(headers.get("Content-Length", "0"))
        status_code, headers, chunk = super().transform_first_chunk(status_code, headers, chunk, finishing)
        if self._gzipping and key:
            self._key = key
            self._keep(chunk, finishing)
        return status_code, headers, chunk

    def transform_chunk(self, chunk: bytes, finishing: bool) -> bytes:
        if self._whole is not None:
            return b""
        self._missing -= len(chunk)
        chunk = super().transform_chunk(chunk, finishing)
        self._keep(chunk, finishing)
        return chunk

    def _keep(self, chunk: bytes, finishing: bool) -> None:
        if self._key:
            self._parts.append(chunk)
            if finishing and not self._missing:  # not of a browser that went away in between
                self._kept[self._key] = b"".join(self._parts)
