"""The page's files as they go to the browser: compressed once for all, and kept there for long."""

from __future__ import annotations

from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import GZipContentEncoding

_SECONDS_KEPT = 86_400
"""By the browser, of a file whose address does not change with its contents."""


class Compressed(GZipContentEncoding):
    """Compresses what is sent; of static files it keeps the result, as every viewer of a class asks for all of them.

    An output transform of Tornado, one per answer.
    """

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
        """Go on with the answer."""
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
