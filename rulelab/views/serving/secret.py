"""The secret that signs sessions and cookies: made once and kept, or given; each use has a key of its own."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import sys
from pathlib import Path

from .settings import ServingError

VARIABLE = "RULELAB_SECRET"
"""Of the environment: the secret, where it is not to be kept in a file."""
LEAST_CHARACTERS = 32


def home() -> Path:
    """The folder of what this user's servers keep."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    else:
        base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "rulelab"


def find(file: str | Path | None = None) -> bytes:
    """The secret: of the environment, of a file, or one that is made now and kept for the next time.

    `file`: made where it does not exist, readable by its owner alone; default: one in `home`. ServingError when it is
    too short, readable by others, or a named file can neither be read nor made.
    """
    given = os.environ.get(VARIABLE)
    if given and file is None:
        return _long_enough(given, f"${VARIABLE}")
    path = Path(file) if file is not None else home() / "secret"
    try:
        return _kept(path)
    except OSError as error:
        if file is not None:
            raise ServingError(f"the secret in {path} can neither be read nor made: {error.strerror}") from error
        return secrets.token_hex(32).encode()  # of this run alone: pages do not outlive it


def key(secret: bytes, purpose: str) -> str:
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
