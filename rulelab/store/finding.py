"""Finding what a database holds: runs by words or by digits of their hash, files by their hash."""

from __future__ import annotations

import datetime
import re
from typing import Any

import sqlalchemy as sa

from . import rows
from .database import Database
from .errors import StoreError
from .rows import FILES, PARTS, RUNS, TABLE
from .run import Run, digest, read, storable

DELETED_DAYS = 7
"""For so long a deleted run can be brought back."""
LARGEST_FILE = 64_000_000
LEAST_DIGITS = 4


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
