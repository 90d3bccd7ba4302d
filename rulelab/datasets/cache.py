"""The folder of normalised data sets: look up, check, fetch, install."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tempfile
import zipfile
import zlib
from pathlib import Path

import pandas as pd

from .. import files
from .dataset import DatasetError, FetchError
from .normalise import NORMALISERS, Record, to_csv
from .packed import gunzip
from .reading import parse_csv

HOME_VARIABLE = "RULELAB_DATA_HOME"
TIMEOUT = (5.0, 30.0)  # seconds to connect, seconds without a byte


def home() -> Path:
    """The folder of the cached data sets: $RULELAB_DATA_HOME, else the user's cache folder."""
    folder = os.environ.get(HOME_VARIABLE)
    if folder:
        return Path(folder).expanduser()
    import pooch

    return Path(pooch.os_cache("rulelab"))


def table(record: Record, download: bool = True, timeout: tuple[float, float] = TIMEOUT) -> pd.DataFrame:
    """The normalised table of a data set that is cached or can be fetched; raises DatasetError."""
    path = home() / record.file
    if path.is_file():
        csv = _checked_file(record, path)
    elif download and not record.by_hand:
        csv = to_normalised(record, _fetch(record, timeout), f"what {record.url} delivers")
        _store(csv, path)
    else:
        raise DatasetError(f"data set {record.name!r} is not cached. {_by_hand(record)}")
    return _parsed(csv)


def install(record: Record, raw: bytes, origin: str) -> Path:
    """Check, normalise where needed, and cache a file that was fetched by hand; the path it now has."""
    path = home() / record.file
    _store(to_normalised(record, raw, origin), path)
    return path


def to_normalised(record: Record, raw: bytes, origin: str) -> bytes:
    """The normalised CSV, checked, from the source's own file or from a normalised one (compressed or not)."""
    csv = gunzip(raw, origin, None) if raw.startswith(b"\x1f\x8b") else raw
    if record.sha256 is not None and not _other(record, csv):
        return csv
    try:
        csv = to_csv(NORMALISERS[record.name](csv))
    except (ValueError, LookupError, TypeError, AttributeError, zipfile.BadZipFile, zlib.error) as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise DatasetError(
            f"{origin} is not the file of data set {record.name!r} ({record.source}): {said}. {_by_hand(record)}"
        ) from error
    other = _other(record, csv)
    if other:
        raise DatasetError(
            f"{origin} has other contents than data set {record.name!r} ({record.source}): of the normalised CSV "
            f"{other}. It is not used. {_by_hand(record)}"
        )
    return csv


def _other(record: Record, csv: bytes) -> str:
    """How a normalised CSV is seen to be another one; empty: it is that of the data set."""
    if record.sha256 is not None:
        found = hashlib.sha256(csv).hexdigest()
        return "" if found == record.sha256 else f"the SHA-256 is {found}, expected {record.sha256}"
    try:
        frame = _parsed(csv)
    except (ValueError, LookupError):
        return "nothing can be read"
    positives = int((frame[record.target] == record.positive).sum()) if record.target in frame else 0
    sizes = (*frame.shape, positives), (record.rows, record.columns, record.positives)
    there, expected = (f"{r} rows, {c} columns and {p} of the positive class" for r, c, p in sizes)
    return "" if there == expected else f"there are {there}, expected {expected}"


def _parsed(csv: bytes) -> pd.DataFrame:
    return parse_csv(io.StringIO(csv.decode("utf-8")), keep_default_na=False, na_values=[""])


def _checked_file(record: Record, path: Path) -> bytes:
    try:
        csv = gunzip(path.read_bytes(), str(path), None)
    except OSError as error:
        raise DatasetError(f"{path} cannot be read: {error}") from error
    other = _other(record, csv)
    if other:
        raise DatasetError(
            f"{path} is not the data set {record.name!r}: of its CSV {other}. It is not used. Remove it so that it is "
            "fetched again, or replace it by the right file"
        )
    return csv


def _fetch(record: Record, timeout: tuple[float, float]) -> bytes:
    """The source's own file, fetched once into a folder that is gone afterwards."""
    import pooch

    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("WARNING")  # else it advises to pin the hash of the raw file
    with tempfile.TemporaryDirectory() as folder:
        try:
            # No hash of the raw file: what is made of it is checked against its own before it is used.
            path = pooch.retrieve(
                record.url, known_hash=None, fname="raw", path=folder, downloader=pooch.HTTPDownloader(timeout=timeout)
            )
            return Path(path).read_bytes()
        except OSError as error:
            raise FetchError(
                f"data set {record.name!r} is not cached and {record.url} cannot be fetched "
                f"({type(error).__name__}). {_by_hand(record)}"
            ) from error
        finally:
            logger.setLevel(level)


def _by_hand(record: Record) -> str:
    licence = "accept the licence and " if record.by_hand else ""
    known = "" if record.sha256 is None else f", SHA-256 before compression {record.sha256}"
    return (
        f"By hand: {licence}fetch {record.url} ({record.source}) elsewhere and call "
        f"rulelab.datasets.install({record.name!r}, path); or put {record.file} (the normalised CSV{known}) into "
        f"{home()} or into another folder that {HOME_VARIABLE} names"
    )


def _store(csv: bytes, path: Path) -> None:
    """Write the compressed file, which is whole or not there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write(path, gzip.compress(csv, mtime=0))
    except OSError as error:
        raise DatasetError(
            f"{path} cannot be written ({error.strerror}); set {HOME_VARIABLE} to a folder of your own"
        ) from error
