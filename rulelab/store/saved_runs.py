"""Runs made of recordings, with their files, and found again by words or by digits of their hash."""

from __future__ import annotations

import datetime
import io
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import sqlalchemy as sa

from ..errors import StoreError
from ..recording import Recording
from ..results import plain
from ..snapshot import Status
from . import rows
from .database import Database
from .kept_table import LARGEST_ROWS, data_hash, packed, training_csv
from .rows import FILES, PARTS, RUNS, TABLE
from .run import Run, digest, named, now, read, storable

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..datasets import Dataset
    from ..multiclass import MultiClassCertificate

DELETED_DAYS = 7
"""For so long a deleted run can be brought back."""
LARGEST_FILE = 64_000_000
LEAST_DIGITS = 4
LARGEST_RECORDING = 20_000_000
"""Bytes; the page opens no larger ones either."""
_FEW_NODES = 2000
MOST_POINTS = 2000
_CURVE = ("step", "work", "seconds", "objective", "errors", "complexity", "lower_bound", "gap")


def check_digits(which: Any) -> None:
    """Raise StoreError unless it can be a hash, or the first digits of one."""
    if not isinstance(which, str) or not re.fullmatch(rf"[0-9a-f]{{{LEAST_DIGITS},64}}", which):
        raise StoreError(f"{which!r:.40} is no hash: {LEAST_DIGITS} to 64 digits and letters a to f")


def whole_hash(database: Database, which: Run | str) -> str:
    """The whole hash of a run; a part of one must be of one run only."""
    if isinstance(which, Run):
        return which.hash
    check_digits(which)
    with database.reading() as connection:
        wanted = sa.select(RUNS.c.hash).where(RUNS.c.hash.startswith(which)).limit(2)
        found = [key for key in connection.execute(wanted).scalars() if isinstance(key, str)]
    if len(found) != 1:
        raise StoreError(f"{'several runs begin' if found else 'no run begins'} with {which[:12]} here")
    return found[0]


def matching(database: Database, search: str, most: int, deleted: bool | None) -> list[Run | StoreError]:
    """Runs that hold all the words, the latest first, and what is wrong with those that cannot be read.

    Those that were deleted, those that were not, or both (None).
    """
    wanted = rows.chosen().order_by(RUNS.c.made.desc(), RUNS.c.hash)
    if deleted is not None:
        wanted = wanted.where(RUNS.c.deleted.is_not(None) if deleted else RUNS.c.deleted.is_(None))
    for word in storable(search).split():
        like = [each.icontains(word, autoescape=True) for each in (RUNS.c.name, RUNS.c.hash, RUNS.c.about)]
        wanted = wanted.where(sa.or_(*like))
    with database.reading() as connection:
        found = connection.execute(wanted.limit(most)).all()
    out: list[Run | StoreError] = []
    for row in found:
        try:
            out.append(read(*row))
        except StoreError as error:
            out.append(error)
    return out


def content(database: Database, key: str, what: str) -> bytes:
    """The file of a hash; raises StoreError when it is not there, too large, or not what its hash says."""
    with database.reading() as connection:
        wanted = FILES.c.hash == key
        length = connection.execute(sa.select(sa.func.length(FILES.c.content)).where(wanted)).scalar()
        if length is None:
            raise StoreError(f"the {what} is not there")
        if not isinstance(length, int) or length > LARGEST_FILE:
            raise StoreError(f"the {what} is damaged: it takes {length} bytes")
        found = connection.execute(sa.select(FILES.c.content).where(wanted)).scalar()
    if not isinstance(found, bytes | memoryview) or digest(bytes(found)) != key:
        raise StoreError(f"the {what} is damaged: it is not what its hash says")
    return bytes(found)


def table_of(database: Database, data_hash: str) -> str | None:
    """The hash of the file with the rows of some data, where they are kept."""
    wanted = sa.select(PARTS.c.file).where(PARTS.c.run == data_hash, PARTS.c.kind == TABLE)
    with database.reading() as connection:
        key = connection.execute(wanted).scalar()
    return None if key is None else str(key)


def forget_deleted(database: Database) -> None:
    """Remove what was deleted long ago."""
    before = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=DELETED_DAYS)
    old = sa.select(RUNS.c.hash).where(RUNS.c.deleted < before.isoformat(timespec="milliseconds"))
    with database.reading() as connection:
        hashes = list(connection.execute(old).scalars())
        unnamed = rows.unnamed_tables(connection)
    if hashes or unnamed:
        with database.writing() as connection:
            rows.remove(connection, hashes)
            rows.forget_tables(connection)


def made(
    recording: Recording,
    data: Dataset | None,
    *,
    test_rows: np.ndarray | None = None,
    settings: Mapping[str, str] | None = None,
    query: str | None = None,
    model: bytes | None = None,
    split: Mapping[str, Any] | None = None,
    keep_rows: bool = True,
    data_name: str = "",
    name: str = "",
) -> tuple[Run, dict[str, bytes]]:
    """The run, and the content of its files by their kind, with "table": all rows, which are a file of the data.

    Raises StoreError when nothing was recorded.
    """
    if not recording.snapshots:
        raise StoreError("there is nothing to keep: the search has not begun")
    from .. import __version__

    last, notes = recording.snapshots[-1], []
    files = {"trace": curve(recording)}
    raw = recording.to_bytes()
    if len(raw) > LARGEST_RECORDING:
        raw = recording.to_bytes(_FEW_NODES)
        notes.append(
            f"Of the tree, the {_FEW_NODES} prefixes with the most descendants are kept: the rest is too large."
        )
    if len(raw) <= LARGEST_RECORDING:
        files["recording"] = raw
    else:
        notes.append(f"No recording is kept: it takes more than {LARGEST_RECORDING // 10**6} MB.")
    best = last.incumbent
    if best is not None:
        files["model"] = model if model is not None else (best.model.to_json() + "\n").encode()
    table = None if data is None or not keep_rows else packed(data)
    if data is not None:
        rows = training_csv(data, test_rows) if keep_rows else None
        if rows is not None:
            files["rows"] = rows
        elif keep_rows:
            notes.append(f"Of the rows only their hash is kept: they take more than {LARGEST_ROWS // 10**6} MB.")
        if rows is not None and table is None:
            notes.append("The rows are kept for its proof alone: read again, they are not the same to the last cell.")
    run = Run(
        family=recording.family,
        data=storable(str(data_name or ("" if data is None else data.name)))[:200],
        data_hash="" if data is None else data_hash(data),
        rows=0 if data is None else len(data.y),
        target="" if data is None else str(data.target)[:200],
        settings=_settings(recording) if settings is None else {str(k): str(v) for k, v in settings.items()},
        query=query,
        status="stopped" if last.status is Status.RUNNING else str(last.status),
        limit=last.limit,
        objective=None if best is None else float(best.objective),
        lower_bound=_finite(last.lower_bound),
        errors=None if best is None else plain(best.errors),
        complexity=None if best is None else int(best.complexity),
        n_rules=None if best is None else len(best.model.rules),
        accuracy=None if best is None or data is None or test_rows is not None else _accuracy(best.errors, data),
        seconds=_finite(last.seconds),
        work=int(last.work),
        made=now(),
        version=__version__,
        files={kind: digest(content) for kind, content in files.items()},
        split=split,
        notes=tuple(notes),
        name=named(name),
    )
    return run, files if table is None else {**files, "table": table}


def curve(recording: Recording) -> bytes:
    """Objective, lower bound and gap of the kept moments, as CSV."""
    frame = recording.frame.reindex(columns=list(_CURVE)).tail(MOST_POINTS)
    return frame.to_csv(index=False, lineterminator="\n").encode()


def _accuracy(errors: float, data: Dataset) -> float:
    """On all rows, by weight."""
    return float(1 - errors / (len(data.y) if data.weight is None else data.weight.sum()))


def _settings(recording: Recording) -> dict[str, str]:
    known = {key: value for key, value in recording.parameters.items() if value is not None}
    return {key.replace("_", " "): str(value)[:200] for key, value in known.items()}


def _finite(value: float) -> float:
    return float(plain(float(value)) or 0.0)


def proof_bytes(proof: Certificate | MultiClassCertificate) -> bytes:
    """The file of a proof; raises StoreError where it is too large to be kept."""
    stream = io.BytesIO()
    proof.save(stream)
    if stream.tell() > LARGEST_FILE:
        raise StoreError(f"the proof takes {stream.tell()} bytes; at most {LARGEST_FILE} are kept")
    return stream.getvalue()
