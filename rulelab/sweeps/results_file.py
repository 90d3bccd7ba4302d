"""Results on disk, one JSON line each, so that a sweep that was killed goes on where it was."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .errors import SweepError
from .result import FAILED, Result

_FORMAT, _VERSION = "rulelab sweep", 1


class ResultsFile:
    """A file of results: a first line that says on what data and folds they are, then one line per fit.

    A line is written in one go and flushed to the disk; a line that a kill cut off is removed when the file is opened
    again. Sweeps of several families over the same data and folds can share a file, one after the other.

    Parameters
    ----------
    path : path
        Made when it does not exist; its folder must.
    identity : mapping
        What all results of the file have in common: data, number of folds, seed, resampling, sensitive attributes.

    Raises
    ------
    SweepError
        When the file holds something else, results of another identity, or a damaged line.
    OSError
        When it cannot be read or written.
    """

    def __init__(self, path: str | os.PathLike[str], identity: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self._identity = dict(identity)
        self._lock = threading.Lock()
        self._saved: dict[tuple[str, int], dict[str, Any]] = {}
        if self.path.exists() and not self.path.is_file():
            raise SweepError(f"{self.path} is no file; give the path of a file for the results")
        text = self.path.read_bytes() if self.path.exists() else b""
        whole = text[: text.rfind(b"\n") + 1]
        if whole:
            self._read(whole)
        elif text:
            raise SweepError(f"{self.path} holds something else than results of a sweep; choose another file")
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        if len(whole) < len(text):
            os.truncate(self.path, len(whole))
        if not whole:
            self._write({"format": _FORMAT, "version": _VERSION, **self._identity})

    def known(self, keys: Mapping[str, int], limits: Mapping[str, Any]) -> Iterable[Result]:
        """The results that need not be computed again.

        Parameters
        ----------
        keys : mapping of key to point
            The configurations wanted.
        limits : mapping
            A result that a limit ended counts only when it had the same limits; failures are tried again.
        """
        for (key, fold), data in self._saved.items():
            final = data["status"] != FAILED and (data["status"] != "limit" or data["limits"] == limits)
            if key in keys and final:
                try:
                    yield Result.from_dict(data, keys[key])
                except (KeyError, TypeError) as error:
                    raise SweepError(f"{self.path}: the result of {key}, fold {fold} is damaged: {error}") from None

    def append(self, result: Result) -> None:
        self._write(result.to_dict())

    def close(self) -> None:
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1

    def _write(self, data: Mapping[str, Any]) -> None:
        line = json.dumps(data, ensure_ascii=False, allow_nan=False).encode() + b"\n"
        with self._lock:
            os.write(self._file, line)
            os.fsync(self._file)

    def _read(self, text: bytes) -> None:
        head, *lines = text.splitlines()
        about = self._parse(head, 1)
        if about.get("format") != _FORMAT:
            raise SweepError(f"{self.path} holds something else than results of a sweep; choose another file")
        if about.get("version") != _VERSION:
            raise SweepError(f"{self.path} is of version {about.get('version')!r}; this rulelab reads {_VERSION}")
        other = [name for name, value in self._identity.items() if about.get(name) != value]
        if other:
            name = next((name for name in other if name != "data"), "data")
            what = "other data" if name == "data" else f"{name} {about.get(name)!r}, not {self._identity[name]!r}"
            raise SweepError(f"{self.path} holds the results of a sweep with {what}; choose another file")
        for number, line in enumerate(lines, start=2):
            data = self._parse(line, number)
            if not isinstance(data.get("key"), str) or not isinstance(data.get("fold"), int):
                raise SweepError(f"{self.path}, line {number} is no result of a sweep; remove the line")
            self._saved[data["key"], data["fold"]] = data

    def _parse(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            data = json.loads(line)
        except ValueError as error:
            what = "holds something else than results of a sweep" if number == 1 else f"line {number} is damaged"
            raise SweepError(f"{self.path}: {what} ({error})") from None
        if not isinstance(data, dict):
            raise SweepError(f"{self.path}, line {number} is no result of a sweep")
        return data
