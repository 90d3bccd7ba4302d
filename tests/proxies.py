"""Reverse proxies before a server: nginx as the book sets it up, where it is installed, and a plain one."""

import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from places import ROOT

PAGE = (ROOT / "notebooks" / "book" / "serve.md").read_text(encoding="utf-8")
NGINX = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
Way = Callable[[int, int, Path], AbstractContextManager[None]]


def block(language: str) -> str:
    """The one fenced block of the page in a language."""
    (text,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
    return text


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


WAYS: list[Way] = [plain, *([nginx] if NGINX else [])]
