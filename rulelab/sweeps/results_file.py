"""Results on disk, one JSON line each under a checksum, so that a sweep that was killed goes on where it was."""

from __future__ import annotations

import errno
import hashlib
import itertools
import json
import os
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import SweepError, SweepParameterError
from .result import Result

try:
    import fcntl
except ImportError:  # not every system has such locks; then files are written without
    fcntl = None  # type: ignore[assignment]

_FORMAT, _VERSION = "rulelab sweep", 2
_OTHER = "holds something else than results of a sweep; choose another file"
_MOST = 5  # numbers of lines that are told
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
_HELD = (errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES)
_OPENING, _CLOSING, _DIGITS = b'{"check": "', b'", ', 16
_BEGINNING = re.compile(b"(?=" + re.escape(_OPENING) + b")")

Line = tuple[bytes, dict[str, Any]]


def sealed(data: Mapping[str, Any], about: bytes = b"") -> bytes:
    """A JSON object in one line, the checksum as its first member; without the line's end.

    ``data``: plain types; not empty. ``about``: what the line belongs to, without being in it; it is part of the
    checksum.
    """
    body = json.dumps(data, allow_nan=False).encode()[1:]
    return _OPENING + _checksum(body, about) + _CLOSING + body


def unsealed(line: bytes, about: bytes = b"") -> dict[str, Any] | None:
    """The inverse of `sealed`; None when a byte differs, or when the line belongs to something else."""
    end = len(_OPENING) + _DIGITS
    body = line[end + len(_CLOSING) :]
    if line[: end + len(_CLOSING)] != _OPENING + _checksum(body, about) + _CLOSING:
        return None
    found: dict[str, Any] = json.loads(b"{" + body)
    return found


def sound_lines(text: bytes, about: bytes) -> tuple[list[Line], list[int]]:
    """The sound lines of a text in their order, without their ends, and the numbers of lines that hold something else.

    A line that was glued to another one, because the end of a line was damaged or a line was cut off, is found too.
    """
    sound: list[Line] = []
    damaged: list[int] = []
    for number, line in enumerate(text.split(b"\n"), start=1):
        left = line
        for piece in _BEGINNING.split(line):
            whole = piece[: piece.rfind(b"}") + 1]
            if (data := unsealed(whole, about)) is not None:
                sound.append((whole, data))
                left = left.replace(whole, b"", 1)
        if left.strip():
            damaged.append(number)
    return sound, damaged


def _checksum(body: bytes, about: bytes) -> bytes:
    return hashlib.blake2b(about + b"\n" + body, digest_size=_DIGITS // 2).hexdigest().encode()


class ResultsFile:
    """A file of results: a first line that says on what data and folds they are, then one line per fit.

    Every line has a checksum, which is about the data and folds, too. A line is flushed to the disk before the next
    one; what a kill or a full disk cut off is removed when the file is opened again. What is damaged otherwise is told,
    left beside the file in a copy, and taken out of it. Sweeps of several families over the same data and folds can
    share a file, one after the other: it is locked while it is open, where the system has locks.

    ``path``: made when it does not exist; its folder must. ``identity``: what all results of the file have in common:
    data, number of folds, seed, resampling, sensitive attributes. Raises SweepError when the file holds something else
    or results of another identity, when another sweep is writing to it, or when it cannot be read or written.

    Attributes
    ----------
    saved : list of dict
        The sound results of the file as it was opened, in their order; see `Result.to_dict`.
    damage : str
        In words, what was damaged and where it is left; empty for a sound file.
    notes : list of str
        In words, what else was found.
    problem : str
        In words, why a result could not be written, after which no other one is; empty when all were.
    """

    def __init__(self, path: str | os.PathLike[str], identity: Mapping[str, Any]) -> None:
        if not isinstance(path, str | os.PathLike):
            raise SweepParameterError("results", path, "the path of a file")
        self.path = Path(path)
        self.saved: list[dict[str, Any]] = []
        self.damage = ""
        self.notes: list[str] = []
        self._identity = dict(identity)
        self._about = json.dumps(self._identity, sort_keys=True).encode()
        self.problem = ""
        self._changing = threading.Lock()
        self._file = -1
        try:
            self._open()
        except OSError as error:
            self._abandon()
            raise SweepError(
                f"the results file {self.path} cannot be read and written: {error.strerror or error}; mend that, or "
                "choose another file"
            ) from error
        except BaseException:
            self._abandon()
            raise

    def __enter__(self) -> ResultsFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, result: Result) -> None:
        """Write a result; when the disk does not take it, `problem` says so."""
        line = sealed(result.to_dict(), self._about)
        with self._changing:
            try:
                if not self.problem:
                    self._write(line)
            except OSError as error:
                self.problem = f"results could not be written to {self.path}: {error.strerror or error}"

    def missing(self, results: Iterable[Result]) -> list[Result]:
        """Those of which the file did not hold an equal line when it was opened."""
        held = {sealed(data, self._about) for data in self.saved}
        return [result for result in results if sealed(result.to_dict(), self._about) not in held]

    def close(self) -> None:
        """Let other sweeps have the file."""
        with self._changing:
            self._abandon()

    def _abandon(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _open(self) -> None:
        if self.path.exists() and not self.path.is_file():
            raise SweepError(f"{self.path} is no file; give the path of a file for the results")
        if not self.path.parent.is_dir():
            raise SweepError(
                f"the folder {self.path.parent} of the results file {self.path.name} is not there; make it, or choose "
                "another one"
            )
        self._real = self.path.resolve()
        self._file = os.open(self._real, _FLAGS, 0o666)
        self._lock()
        text = self._real.read_bytes()
        head = sealed({"format": _FORMAT, "version": _VERSION, **self._identity})
        if (head + b"\n").startswith(text):  # nothing yet, or killed before the first line was whole
            os.ftruncate(self._file, 0)
            self._write(head)
            return
        lines, damaged = self._read(text)
        self.saved = [data for _, data in lines]
        if damaged:
            kept = self._copy(text)
            os.ftruncate(self._file, 0)
            self._write(b"\n".join([head, *(line for line, _ in lines)]))
            self._tell(damaged, kept)
        else:
            self._end(text)

    def _lock(self) -> None:
        """Keep other sweeps from the file while it is open, where the system and the folder have locks."""
        try:
            if fcntl is not None:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _HELD:
                raise SweepError(
                    f"{self.path} is being written by another sweep; wait for its end, cancel it, or choose another "
                    "file"
                ) from None

    def _end(self, text: bytes) -> None:
        """Take away what a kill left of the last line."""
        whole = text.rfind(b"\n") + 1
        if whole == len(text):
            return
        if unsealed(text[whole:].strip(), self._about) is not None:
            os.write(self._file, b"\n")  # only the end of the line is missing
            return
        os.ftruncate(self._file, whole)
        self.notes.append(f"the last line of {self.path} was cut off; what it held is computed again")

    def _read(self, text: bytes) -> tuple[list[Line], list[int]]:
        """The sound results, and the numbers of the damaged lines."""
        first, last = text.partition(b"\n")[0], text[text.rfind(b"\n") + 1 :]
        heads, _ = sound_lines(first, b"")
        lines, damaged = sound_lines(text, self._about)
        if unsealed(first.strip()) is not None:
            damaged = damaged[1:]  # the first line is about no data, but sound
        if heads:
            self._check(heads[0][1])
        elif not lines:
            self._refuse(first)
        if damaged and damaged[-1] == text.count(b"\n") + 1 > 1 and not sound_lines(last, self._about)[0]:
            damaged.pop()  # as by a kill, which is no damage
        for _, data in lines:
            try:
                Result.from_dict(data, 0)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise SweepError(
                    f"{self.path} holds a sound line that is no result ({error}); choose another file"
                ) from None
        return lines, damaged

    def _check(self, about: Mapping[str, Any]) -> None:
        """Refuse a sound first line of something else."""
        if about.get("format") != _FORMAT:
            raise SweepError(f"{self.path} {_OTHER}")
        if about.get("version") != _VERSION:
            raise SweepError(
                f"{self.path} is of version {about.get('version')!r}; this rulelab reads {_VERSION}: choose another "
                "file"
            )
        other = [name for name in self._identity if about.get(name) != self._identity[name]]
        if not other:
            return
        name = next((name for name in other if name not in ("data", "rows")), other[0])
        what = f"{name} {about.get(name)!r}, not {self._identity[name]!r}"
        if name == "data":
            what = "other data"
        elif name == "rows":
            what = "the same values in other folds, columns of other types, or another score"
        raise SweepError(f"{self.path} holds the results of a sweep with {what}; choose another file")

    def _refuse(self, first: bytes) -> None:
        """Refuse a file without anything sound in it."""
        if _FORMAT.encode() not in first:
            raise SweepError(f"{self.path} {_OTHER}")
        try:
            self._check(json.loads(first))  # of another version
        except ValueError as error:
            if isinstance(error, SweepError):
                raise
        raise SweepError(
            f"{self.path} is damaged in its first line, which says what data it is about, and holds no result that is "
            "known to be of these; choose another file, or remove it"
        )

    def _copy(self, text: bytes) -> Path:
        """Leave what was found beside the file, under a name that was free."""
        for number in itertools.count(1):
            path = self._real.with_name(f"{self._real.stem}.damaged-{number}{self._real.suffix}")
            try:
                with path.open("xb") as file:
                    file.write(text)
                    file.flush()
                    os.fsync(file.fileno())
                break
            except FileExistsError:
                continue
            except OSError:
                path.unlink(missing_ok=True)
                raise
        return path

    def _tell(self, damaged: Sequence[int], kept: Path) -> None:
        where = ", ".join(map(str, damaged[:_MOST])) + (", ..." if len(damaged) > _MOST else "")
        lines = f"line {where}" if len(damaged) == 1 else f"{len(damaged)} lines ({where})"
        self.damage = (
            f"{self.path} was damaged in {lines}; {len(self.saved)} results are sound and kept, the others are "
            f"computed again, and the damaged file is left as {kept.name}"
        )

    def _write(self, line: bytes) -> None:
        left = line + b"\n"
        while left:
            written = os.write(self._file, left)
            if not written:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            left = left[written:]
        os.fsync(self._file)
