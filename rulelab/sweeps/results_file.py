"""Results on disk, one JSON line each under a checksum, so that a sweep that was killed goes on where it was.

What a result depends on besides the rows is one text, its key, which says what saved results can be used again.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import threading
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import rulelab

from ..arguments import SweepError, SweepParameterError
from .result import FAILED, Job, Result

try:
    import fcntl
except ImportError:  # not every system has such locks; then files are written without
    fcntl = None  # type: ignore[assignment]

_FORMAT, _VERSION = "rulelab sweep", 2
_OTHER = "holds something else than results of a sweep; choose another file"
_MOST_LINES = 5  # numbers of lines that are told
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
_HELD = (errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES)
_OPENING, _CLOSING, _DIGITS = b'{"check": "', b'", ', 16


def sealed(data: Mapping[str, Any], about: bytes = b"") -> bytes:
    """A JSON object as a line without its end: first the checksum, of the object and of what the line is about."""
    body = json.dumps(data, allow_nan=False).encode()[1:]
    return _OPENING + _checksum(body, about) + _CLOSING + body


def unsealed(line: bytes, about: bytes = b"") -> dict[str, Any] | None:
    """The inverse of `sealed`; None when a byte differs, or when the line is about something else."""
    end = len(_OPENING) + _DIGITS
    body = line[end + len(_CLOSING) :]
    sound = line[: end + len(_CLOSING)] == _OPENING + _checksum(body, about) + _CLOSING
    return json.loads(b"{" + body) if sound else None


def _checksum(body: bytes, about: bytes) -> bytes:
    return hashlib.blake2b(about + b"\n" + body, digest_size=_DIGITS // 2).hexdigest().encode()


class ResultsFile:
    """A file of results: a first line that says on what data and folds they are, then one line per fit.

    A line is flushed to the disk before the next one. A line that is not what its checksum says is told and not used;
    what a kill or a full disk cut off is removed. Sweeps of several families over the same data and folds can share a
    file, one after the other: it is locked while it is open, where the system has locks. Raises SweepError.

    Attributes
    ----------
    saved : list of dict
        The sound results of the file as it was opened, in their order; see `Result.to_dict`.
    damage, problem : str
        In words, what is damaged, and why a result could not be written, after which no other one is; may be empty.
    notes : list of str
        In words, what else was found.
    """

    def __init__(self, path: str | os.PathLike[str], identity: Mapping[str, Any]) -> None:
        if not isinstance(path, str | os.PathLike):
            raise SweepParameterError("results", path, "the path of a file")
        self.path = Path(path)
        self.saved: list[dict[str, Any]] = []
        self.damage = self.problem = ""
        self.notes: list[str] = []
        self._identity = dict(identity)
        self._about = json.dumps(self._identity, sort_keys=True).encode()
        self._changing = threading.Lock()
        self._file = -1
        try:
            self._open()
        except BaseException as error:
            self.close()
            if not isinstance(error, OSError):
                raise
            raise SweepError(
                f"the results file {self.path} cannot be read and written: {error.strerror or error}; mend that, or "
                "choose another file"
            ) from error

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
        self._file = os.open(self.path, _FLAGS, 0o666)
        self._lock()
        text = self.path.read_bytes()
        head = sealed({"format": _FORMAT, "version": _VERSION, **self._identity})
        if (head + b"\n").startswith(text):  # nothing yet, or killed before the first line was whole
            os.ftruncate(self._file, 0)
            self._write(head)
        else:
            self._read(text)

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

    def _read(self, text: bytes) -> None:
        """Take the sound results, and take away what a kill left of the last line; refuse a file of something else."""
        *lines, last = text.split(b"\n")
        whole = unsealed(last, self._about) is not None  # only the end of the line is missing
        lines += [last] * whole
        found = [unsealed(line, self._about) for line in lines]
        self.saved = [data for data in found if data is not None]
        about = unsealed(lines[0] if lines else last)
        if about is not None:
            self._check(about)
        elif not self.saved:
            if _FORMAT.encode() not in text.partition(b"\n")[0]:
                raise SweepError(f"{self.path} {_OTHER}")
            raise SweepError(
                f"{self.path} is damaged in its first line, which says what data it is about, or of another version, "
                "and holds no result that is known to be of these; choose another file, or remove it"
            )
        if whole:
            os.write(self._file, b"\n")
        elif last:
            os.ftruncate(self._file, len(text) - len(last))
            self.notes.append(f"the last line of {self.path} was cut off; what it held is computed again")
        known = range(1, 1 + (about is not None))  # the first line is about no data, but sound
        damaged = [n for n, data in enumerate(found, 1) if data is None and lines[n - 1].strip() and n not in known]
        if damaged:
            where = ", ".join(map(str, damaged[:_MOST_LINES])) + (", ..." if len(damaged) > _MOST_LINES else "")
            what = f"line {where}" if len(damaged) == 1 else f"{len(damaged)} lines ({where})"
            self.damage = (
                f"{self.path} is damaged in {what}; {len(self.saved)} results are sound and used, the others are "
                "computed again"
            )

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

    def _write(self, line: bytes) -> None:
        left = line + b"\n"
        while left:
            written = os.write(self._file, left)
            if not written:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            left = left[written:]
        os.fsync(self._file)


OTHER_VERSIONS = "computed with "
_UNKNOWN = "unknown"
_MOST_DIFFERENCES = 3  # that are told


def plain(value: Any) -> Any:
    """A parameter's value as a number, text, Boolean or None: what else it may be (cuts by column) as text."""
    value = _listed_out(value)
    if value is None or isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return repr(value)


def _listed_out(value: Any) -> Any:
    """Without arrays, whose text leaves out what is in the middle."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray | pd.Index | pd.Series):
        return value.tolist()
    if isinstance(value, set | frozenset):
        return sorted(map(_listed_out, value), key=repr)
    if isinstance(value, Mapping):
        return {_listed_out(name): _listed_out(one) for name, one in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_listed_out(one) for one in value)
    return value


def make_key(method: str, settings: Mapping[str, Any], packages: Collection[str] = ()) -> str:
    """A text that names a method, all of its settings, and the versions of this library and of other distributions."""
    versions = {"rulelab": rulelab.__version__, **{name: version_of(name) for name in packages}}
    told = {"settings": {name: plain(value) for name, value in settings.items()}, "versions": versions}
    return f"{method} {json.dumps(told, sort_keys=True)}"


def split(key: str) -> tuple[str, dict[str, Any], dict[str, str]]:
    """The inverse of `make_key`: method, settings, versions; empty where the key says nothing about them."""
    method, _, rest = key.partition(" ")
    try:
        found = json.loads(rest)
        return method, dict(found["settings"]), dict(found["versions"])
    except (ValueError, KeyError, TypeError):
        return method, {}, {}


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """In words, which settings or versions differ; empty when they are the same."""
    names = sorted(name for name in {*old, *new} if old.get(name, _UNKNOWN) != new.get(name, _UNKNOWN))
    told = [f"{name} {old.get(name, _UNKNOWN)}, here {new.get(name, _UNKNOWN)}" for name in names[:_MOST_DIFFERENCES]]
    return "; ".join(told) + (f" and {len(names) - _MOST_DIFFERENCES} more" if len(names) > _MOST_DIFFERENCES else "")


def reuse(
    saved: Iterable[Mapping[str, Any]], jobs: Sequence[Job], limits: Mapping[str, Any]
) -> tuple[list[Result], Counter[str]]:
    """The results of a file that a sweep can use, the last one for each job, and how many others there are by reason.

    What a limit ended counts only under the same ``limits``; failures are tried again.
    """
    same: defaultdict[tuple[str, int], list[Mapping[str, Any]]] = defaultdict(list)
    akin: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    for data in saved:
        same[data["key"], data["fold"]].append(data)
        akin[data["family"], data["fold"]].add(data["key"])
    results, others = [], Counter[str]()
    for job in jobs:
        found = same.get((job.key, job.fold), [])
        done = [data for data in found if data["status"] != FAILED]
        usable = [data for data in done if data["status"] != "limit" or data["limits"] == limits]
        if usable:
            results.append(Result.from_dict({**usable[-1], "parameters": job.plain}, job.point))
        elif found:
            others["which had failed" if found[-1]["status"] == FAILED else "which other limits had ended"] += 1
        else:
            reason = _reason(akin.get((job.method, job.fold), ()), job)
            if reason:
                others[reason] += 1
    return results, others


def _reason(saved: Iterable[str], job: Job) -> str:
    """Why none of these keys of the same method and fold will do; empty when all are of other points of a grid."""
    reasons = []
    _, own, own_versions = split(job.key)
    for key in sorted(saved):
        _, old, versions = split(key)
        if all(name in old and old[name] == value for name, value in job.plain.items()):
            other, version = _differences(old, own), _differences(versions, own_versions)
            reasons.append(f"of other settings: {other}" if other else OTHER_VERSIONS + version)
    return min(reasons, key=lambda said: (not said.startswith(OTHER_VERSIONS), len(said)), default="")
