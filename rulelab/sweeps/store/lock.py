"""One writer per file: an advisory lock beside it, which the system takes back when the process ends."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import platform
from pathlib import Path

try:
    import fcntl
except ImportError:  # not every system has such locks; then files are written without
    fcntl = None  # type: ignore[assignment]

_HELD = (errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES)


class Held(Exception):  # noqa: N818 - it answers a question; its text says who holds the lock
    """Somebody else holds the lock."""


class FileLock:
    """A lock on ``<name>.lock``, held from the start; the file names the process while it is held.

    Locks exclude other processes of this machine, and other locks of this process. Where the file system or the folder
    does not allow any, there is none.

    ``path``: what the lock is about. ``held`` (bool): whether there is a lock. Raises Held when somebody else has it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(path.name + ".lock")
        self._file = self._acquire()

    @property
    def held(self) -> bool:
        return self._file >= 0

    def release(self) -> None:
        """Let others have it; nothing happens the second time."""
        if self._file >= 0:
            with contextlib.suppress(OSError):  # first: who opens it from now on finds that it has no name
                self.path.unlink()
            os.close(self._file)
            self._file = -1

    def _acquire(self) -> int:
        if fcntl is None:
            return -1
        while True:
            try:
                file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
            except OSError:
                return -1
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in _HELD:
                    os.close(file)
                    return -1
                holder = _holder(file)
                os.close(file)
                raise Held(holder) from None
            if self._named(file):
                break
            os.close(file)  # whoever had it has taken the name away meanwhile
        with contextlib.suppress(OSError):
            os.ftruncate(file, 0)
            os.write(file, json.dumps({"process": os.getpid(), "host": platform.node()}).encode())
        return file

    def _named(self, file: int) -> bool:
        try:
            return os.path.samestat(os.fstat(file), os.stat(self.path))
        except OSError:
            return False


def _holder(file: int) -> str:
    """Who wrote the lock's file."""
    try:
        found = json.loads(os.pread(file, 1000, 0))
        process, host = int(found["process"]), str(found["host"])
    except (OSError, ValueError, TypeError, KeyError):
        return "another process"
    here = host == platform.node()
    if here and process == os.getpid():
        return "a sweep of this process"
    return f"process {process}" if here else f"process {process} on {host}"
