"""The page behind a reverse proxy, below a path, as the book says; and the service that it shows."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from patience import wait_until
from servers import Served, free_port, served

from rulelab.cli.commands import _parser

PAGE = (Path(__file__).resolve().parents[1] / "notebooks" / "book" / "serve.md").read_text(encoding="utf-8")
NGINX = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")


def block(language: str) -> str:
    """The one fenced block of the page in a language."""
    (text,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    return text


def test_the_service_begins_a_command_that_there_is() -> None:
    unit = configparser.ConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string(block("ini"))
    program, *arguments = shlex.split(unit["Service"]["ExecStart"])
    assert Path(program).name == "rulelab"
    args = _parser().parse_args(arguments)
    assert (args.command, args.prefix, args.log_format) == ("serve", "/lab", "json")
    assert int(unit["Service"]["TimeoutStopSec"]) > args.grace


@contextmanager
def nginx(port: int, target: int, folder: Path) -> Iterator[None]:
    """With the lines of the book."""
    lines = block("nginx").replace("127.0.0.1:5006", f"127.0.0.1:{target}").replace("$host;", "$http_host;")
    assert f"127.0.0.1:{target}" in lines
    places = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    conf = folder / "nginx.conf"
    conf.write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log;\nevents {{}}\n"
        f"http {{ access_log off; {places} server {{ listen 127.0.0.1:{port}; {lines} }} }}\n"
    )
    assert NGINX is not None
    process = subprocess.Popen([NGINX, "-c", str(conf), "-p", str(folder), "-e", f"{folder}/error.log"])
    try:
        yield
    finally:
        process.terminate()
        process.wait()


@contextmanager
def plain(port: int, target: int, folder: Path) -> Iterator[None]:
    """Bytes back and forth, with one more header in a request."""

    def carry(source: socket.socket, sink: socket.socket, mark: bytes) -> None:
        try:
            while data := source.recv(65536):
                sink.sendall(data.replace(b"\r\n", mark, 1) if mark else data)
                mark = b""
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            sink.close()

    def accept() -> None:
        while True:
            try:
                near = door.accept()[0]
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", target))
            for source, sink, mark in ((near, far, b"\r\nX-Forwarded-For: 192.0.2.1\r\n"), (far, near, b"")):
                threading.Thread(target=carry, args=(source, sink, mark), daemon=True).start()

    with socket.create_server(("127.0.0.1", port)) as door:
        threading.Thread(target=accept, daemon=True).start()
        yield
        door.shutdown(socket.SHUT_RDWR)


@pytest.mark.long
def test_the_page_is_whole_below_a_path_of_a_proxy(tmp_path: Path) -> None:
    ways = [plain, *([nginx] if NGINX else [])]
    ports = [free_port() for _ in ways]
    origins = [option for port in ports for option in ("--origin", f"127.0.0.1:{port}")]
    with served("--prefix", "/lab", *origins, state=tmp_path) as server:
        for way, port in zip(ways, ports, strict=True):
            with way(port, server.port, tmp_path):
                outside = Served(port, server.process, server.log)
                wait_until(lambda port=port: socket.socket().connect_ex(("127.0.0.1", port)) == 0, 0.1)
                assert json.loads(outside.ask("/lab/health").body) == {"status": "ok"}
                assert outside.ask("/lab/metrics").status == 403
                page = outside.ask("/lab/")
                assert page.status == 200
                assert outside.ask("/health").status in (403, 404)  # nginx shows its own page there
                files = re.findall(r'<script[^>]* src="([^"]+)"', page.body)
                assert len(files) > 3
                assert not [name for name in files if outside.ask(f"/lab/{name.lstrip('/')}").status != 200]
                token = page.body.partition('"token":"')[2].partition('"')[0]
                assert '"ACK"' in outside.connect(token, f"http://127.0.0.1:{port}", "/lab/ws")
                assert outside.connect(token, "http://evil.example", "/lab/ws") == 403
