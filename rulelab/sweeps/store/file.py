"""Results on disk, one JSON line each, so that a sweep that was killed goes on where it was."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ... import files
from ...errors import SweepError, SweepParameterError
from ..result import Result
from .lines import converted, sealed, sound_lines, unsealed, within
from .lock import FileLock, Held

_FORMAT, _VERSION = "rulelab sweep", 2
_OTHER = "holds something else than results of a sweep; choose another file"
_LATER = ("rows",)  # what version 1 did not tell of itself
_MOST = 5  # numbers of lines that are told
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)

Line = tuple[bytes, dict[str, Any]]


class ResultsFile:
    """A file of results: a first line that says on what data and folds they are, then one line per fit.

    Every line has a checksum, which is about the data and folds, too. A line is flushed to the disk before the next
    one; what a kill cut off is removed when the file is opened again. What is damaged otherwise is told, left beside
    the file in a copy, and taken out of it. Sweeps of several families over the same data and folds can share a file,
    one after the other.

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
        self._changing = threading.Lock()
        self._pending: list[bytes] = []
        self._error: OSError | None = None
        self._torn = False
        self._file = -1
        self._guard: FileLock | None = None
        try:
            self._real = self._usable()
            self._guard = FileLock(self._real)
            self._open()
        except Held as holder:
            raise SweepError(
                f"{self.path} is being written by {holder}; wait for its end, cancel it, or choose another file"
            ) from None
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

    @property
    def unsaved(self) -> int:
        """Results that are not on the disk, because it is full or gone; each new result has them tried again."""
        return len(self._pending)

    @property
    def problem(self) -> str:
        """In words, why results could not be written; empty when all were."""
        if not self._pending or self._error is None:
            return ""
        what = "one result" if self.unsaved == 1 else f"{self.unsaved} results"
        return f"{what} could not be written to {self.path}: {self._error.strerror or self._error}"

    def append(self, result: Result) -> None:
        """Write a result; when the disk does not take it, it is kept, and tried again with the next one."""
        line = sealed(result.to_dict(), self._about)
        with self._changing:
            self._pending.append(line)
            self._flush()

    def missing(self, results: Iterable[Result]) -> list[Result]:
        """Those of which the file did not hold an equal line when it was opened."""
        held = {sealed(data, self._about) for data in self.saved}
        return [result for result in results if sealed(result.to_dict(), self._about) not in held]

    def close(self) -> None:
        """Try once more to write what is left, and let other sweeps have the file."""
        with self._changing:
            if self._file >= 0:
                self._flush()
                self._abandon()

    def _abandon(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        if self._guard is not None:
            self._guard.release()

    def _usable(self) -> Path:
        """Where the file is, or will be."""
        if self.path.exists() and not self.path.is_file():
            raise SweepError(f"{self.path} is no file; give the path of a file for the results")
        if not self.path.parent.is_dir():
            raise SweepError(
                f"the folder {self.path.parent} of the results file {self.path.name} is not there; make it, or choose "
                "another one"
            )
        return self.path.resolve()

    def _open(self) -> None:
        text = self._real.read_bytes() if self._real.exists() else b""
        head = sealed({"format": _FORMAT, "version": _VERSION, **self._identity})
        if (head + b"\n").startswith(text):
            text = b""  # nothing yet, or killed before the first line was whole
        lines, damaged, version = self._read(text) if text else ([], [], _VERSION)
        self.saved = [data for _, data in lines]
        if damaged or version != _VERSION:
            kept = self._copy(text, "damaged" if damaged else f"version-{version}")
            self._replace([head, *(line for line, _ in lines)])
            self._tell(damaged, version, kept)
        self._file = os.open(self._real, _FLAGS, 0o666)
        if not text:
            os.ftruncate(self._file, 0)
            self._write(head)
        elif not damaged and version == _VERSION:
            self._end(text)

    def _end(self, text: bytes) -> None:
        """Take away what a kill left of the last line."""
        whole = text.rfind(b"\n") + 1
        if whole == len(text):
            return
        if unsealed(text[whole:].strip(), self._about) is not None:
            self._torn = True  # only the end of the line is missing
            return
        os.ftruncate(self._file, whole)
        self.notes.append(f"the last line of {self.path} was cut off; what it held is computed again")

    def _read(self, text: bytes) -> tuple[list[Line], list[int], int]:
        """The sound results, the numbers of the damaged lines, and the version of the file."""
        first, _, rest = text.partition(b"\n")
        about = _first_version(first)
        if about is not None:
            self._check(about)
            return *self._read_version_one(rest), 1
        about = unsealed(first.strip())
        lines, damaged = sound_lines(text, self._about)
        if about is not None:
            damaged = damaged[1:]  # the first line is about no data, but sound
        else:
            about = next((data for _, data in within(first)), None)
        if about is not None:
            self._check(about)
        elif not lines:
            self._refuse(first)
        last = text[text.rfind(b"\n") + 1 :]
        cut_off = text.count(b"\n") + 1
        if damaged and damaged[-1] == cut_off > 1 and not any(within(last, self._about)):
            damaged.pop()  # as by a kill, which is no damage
        return self._results(lines), damaged, _VERSION

    def _read_version_one(self, text: bytes) -> tuple[list[Line], list[int]]:
        lines: list[Line] = []
        damaged: list[int] = []
        pieces = text.split(b"\n")
        for number, piece in enumerate(pieces, start=2):
            if not piece.strip():
                continue
            try:
                data = converted(json.loads(piece))
                Result.from_dict(data, 0)
                lines.append((sealed(data, self._about), data))
            except (ValueError, KeyError, TypeError, AttributeError):
                if piece is not pieces[-1]:
                    damaged.append(number)
        return lines, damaged

    def _results(self, lines: Sequence[Line]) -> list[Line]:
        for _, data in lines:
            try:
                Result.from_dict(data, 0)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise SweepError(
                    f"{self.path} holds a sound line that is no result ({error}); choose another file"
                ) from None
        return list(lines)

    def _check(self, about: Mapping[str, Any]) -> None:
        """Refuse a sound first line of something else."""
        if about.get("format") != _FORMAT:
            raise SweepError(f"{self.path} {_OTHER}")
        version = about.get("version")
        if version not in (1, _VERSION):
            raise SweepError(f"{self.path} is of version {version!r}; this rulelab reads 1 and {_VERSION}")
        names = [name for name in self._identity if version == _VERSION or name not in _LATER]
        other = [name for name in names if about.get(name) != self._identity[name]]
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
        about = _parsed(first)
        if about is not None and "check" not in about:
            self._check(about)  # most likely of a later version
        raise SweepError(
            f"{self.path} is damaged in its first line, which says what data it is about, and holds no result that is "
            "known to be of these; choose another file, or remove it"
        )

    def _copy(self, text: bytes, what: str) -> Path:
        """Leave what was found beside the file, under a name that was free."""
        number = 1
        while True:
            path = self._real.with_name(f"{self._real.stem}.{what}-{number}{self._real.suffix}")
            try:
                with path.open("xb") as file:
                    file.write(text)
                    file.flush()
                    os.fsync(file.fileno())
                return path
            except FileExistsError:
                number += 1
            except OSError:
                path.unlink(missing_ok=True)
                raise

    def _replace(self, lines: Sequence[bytes]) -> None:
        """Write the file anew: it is the old one or the new one, whatever happens."""
        with files.replacing(self._real) as part, part.open("wb") as file:
            file.writelines(line + b"\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(OSError):  # not every system has folders that can be flushed
            descriptor = os.open(self._real.parent, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def _tell(self, damaged: Sequence[int], version: int, kept: Path) -> None:
        if not damaged:
            self.notes.append(f"{self.path} was of version {version} and is written anew; the old one is {kept.name}")
            return
        where = ", ".join(map(str, damaged[:_MOST])) + (", ..." if len(damaged) > _MOST else "")
        lines = f"line {where}" if len(damaged) == 1 else f"{len(damaged)} lines ({where})"
        self.damage = (
            f"{self.path} was damaged in {lines}; {len(self.saved)} results are sound and kept, the others are "
            f"computed again, and the damaged file is left as {kept.name}"
        )

    def _flush(self) -> None:
        if self._file < 0:
            return
        try:
            while self._pending:
                self._write(self._pending[0])
                del self._pending[0]
        except OSError as error:
            self._error = error

    def _write(self, line: bytes) -> None:
        """Write one line, all of it or nothing."""
        start = os.lseek(self._file, 0, os.SEEK_END)
        left = (b"\n" if self._torn else b"") + line + b"\n"
        try:
            while left:
                written = os.write(self._file, left)
                if not written:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                left = left[written:]
            os.fsync(self._file)
        except OSError:
            self._take_back(start)
            raise
        self._torn = False

    def _take_back(self, start: int) -> None:
        """Remove what was written of a line; without a lock it stays, as more may have come from others."""
        try:
            if self._guard is None or not self._guard.held:
                raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
            os.ftruncate(self._file, start)
        except OSError:
            self._torn = True


def _first_version(line: bytes) -> dict[str, Any] | None:
    """The first line of a file of version 1, which has no checksum."""
    about = _parsed(line)
    known = about is not None and about.get("format") == _FORMAT and "check" not in about
    return about if known and about is not None and about.get("version") == 1 else None


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        about = json.loads(line)
    except ValueError:
        return None
    return about if isinstance(about, dict) else None
