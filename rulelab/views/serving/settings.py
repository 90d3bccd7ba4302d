"""Where the page is served, to whom, and within what limits: checked before anything listens."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import json
import os
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_state_path

_HOST = re.compile(
    r"(?:(?P<scheme>https?)://)?(?P<host>[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::(?P<port>\d{1,5}))?/?"
)
_PREFIX = re.compile(r"(?:/[A-Za-z0-9._~-]{1,80}){1,8}")
_MOST_PASSWORD_BYTES = 1_000_000
_MOST_PORT = 65_535
SECRET_VARIABLE = "RULELAB_SECRET"
"""Of the environment: the secret, where it is not to be kept in a file."""
LEAST_CHARACTERS = 32


class ServingError(ValueError):
    """What the server is asked for cannot be served, or not safely."""


@dataclass(frozen=True)
class Origin:
    """An address under which browsers open the page."""

    host: str  # with the port, where one is given; as a browser names it, without the scheme
    secure: bool  # whether it is reached by https

    @classmethod
    def parse(cls, text: str) -> Origin:
        """Read ``lab.example:5006`` or ``https://lab.example``; raises ServingError."""
        match = _HOST.fullmatch(text.strip())
        if match is None or int(match["port"] or 1) not in range(1, _MOST_PORT + 1):
            raise ServingError(
                f"an origin is a host that people type, such as lab.example:5006 or https://lab.example, not {text!r}"
            )
        return cls(match["host"].lower() + (f":{match['port']}" if match["port"] else ""), match["scheme"] == "https")


def origins(address: str, port: int, given: Sequence[str]) -> list[Origin]:
    """Under which addresses browsers may connect: this machine's own, the one listened on, and those that are given.

    Without a port, which the server then finds itself: nobody else. ServingError when one is not an address, or the
    server listens to the network and nobody says under which name.
    """
    if not port:
        if given or not is_loopback(address):
            raise ServingError("a server for others needs a --port, which is a part of its address")
        return []
    own = [Origin(f"{host}:{port}", False) for host in ("127.0.0.1", "localhost")]
    named = [Origin.parse(text) for text in given]
    if is_wildcard(address) and not named:
        raise ServingError(
            f"{address or 'an empty address'} is every network of this machine: say under which name people open the "
            f"page, as in --origin lab.example:{port}"
        )
    if not is_wildcard(address) and address not in ("127.0.0.1", "localhost"):
        host = f"[{address}]" if ":" in address else address
        named.append(Origin.parse(f"{host}:{port}"))
    return list(dict.fromkeys(own + named))


def framing(given: Sequence[str]) -> list[str]:
    """The origins of pages that may hold this one in a frame, as the browser is told; raises ServingError."""
    return [("https://" if each.secure else "http://") + each.host for each in map(Origin.parse, given)]


def is_wildcard(address: str) -> bool:
    """Whether an address stands for all of this machine's networks."""
    return address in ("", "0.0.0.0", "::", "*")


def is_loopback(address: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def prefix(text: str) -> str:
    """The path below which a reverse proxy shows the page, as ``/lab``; empty: none. All else is a ServingError."""
    path = "/" + text.strip("/") if text.strip("/") else ""
    if path and (not _PREFIX.fullmatch(path) or {".", ".."} & set(path.split("/"))):
        raise ServingError(f"a prefix is a path such as /lab, of letters, digits, -, _, . and ~, not {text!r}")
    return path


def passwords(file: str | Path) -> dict[str, str]:
    """Names and passwords, a JSON object in a file that others than its owner and group may not read; ServingError."""
    path = Path(file)
    try:
        found = path.stat()
        if found.st_size > _MOST_PASSWORD_BYTES:
            raise ServingError(f"{path} is too large to be a file of passwords")
        known = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ServingError(f"the passwords in {path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ServingError(f'{path} is not JSON; passwords are written as {{"name": "password"}}') from error
    sound = isinstance(known, dict) and known and all(isinstance(word, str) and word for word in known.values())
    if not sound or "" in known:
        raise ServingError(f'{path} holds no passwords; they are written as {{"name": "password"}}')
    if os.name == "posix" and found.st_mode & 0o007:
        raise ServingError(f"everybody on this machine may read {path}: chmod 600 it")
    return known


def find_secret(file: str | Path | None = None) -> bytes:
    """The secret: of the environment, of a file, or one that is made now and kept for the next time.

    `file`: made where it does not exist, readable by its owner alone; default: one that is kept for this user.
    ServingError when it is too short, readable by others, or a named file can neither be read nor made.
    """
    given = os.environ.get(SECRET_VARIABLE)
    if given and file is None:
        return _long_enough(given, f"${SECRET_VARIABLE}")
    path = Path(file) if file is not None else user_state_path("rulelab", appauthor=False) / "secret"
    try:
        return _kept(path)
    except OSError as error:
        if file is not None:
            raise ServingError(f"the secret in {path} can neither be read nor made: {error.strerror}") from error
        return secrets.token_hex(32).encode()  # of this run alone: pages do not outlive it


def derived_key(secret: bytes, purpose: str) -> str:
    """A key for one purpose; none can be told from another."""
    return hmac.new(secret, f"rulelab {purpose}".encode(), hashlib.sha256).hexdigest()


def _kept(path: Path) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise ServingError(f"others than its owner may read the secret in {path}: chmod 600 it") from None
        return _long_enough(path.read_text(encoding="ascii", errors="replace").strip(), str(path))
    with os.fdopen(descriptor, "w", encoding="ascii") as made:
        text = secrets.token_hex(32)
        made.write(text + "\n")
    return text.encode()


def _long_enough(text: str, place: str) -> bytes:
    if len(text) < LEAST_CHARACTERS:
        raise ServingError(
            f"the secret in {place} has {len(text)} characters, and needs {LEAST_CHARACTERS}: `openssl rand -hex 32`"
        )
    return text.encode()
