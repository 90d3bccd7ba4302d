"""What a run, its files and the rows of its data take in the tables of a store; all of it inside a transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from .run import Run, digest
from .schema import FILES, PARTS, PINS, RUNS

TABLE = "table"
"""The kind of a file that all runs of the same data have in common, and pinned models, too."""


def chosen() -> Any:
    """What `read` takes."""
    proof = sa.select(PARTS.c.file).where(PARTS.c.run == RUNS.c.hash, PARTS.c.kind == "proof").scalar_subquery()
    return sa.select(RUNS.c.about, RUNS.c.hash, RUNS.c.name, proof)


def insert(connection: sa.Connection, run: Run, files: Mapping[str, bytes]) -> None:
    """Keep a run; one with the same hash is replaced."""
    remove(connection, [run.hash])
    columns = {name: getattr(run, name) for name in RUNS.columns.keys() if name != "deleted"}  # noqa: SIM118
    connection.execute(RUNS.insert().values(**columns))
    for kind, content in files.items():
        if kind == TABLE:
            insert_table(connection, run.data_hash, content)
        else:
            insert_file(connection, run.hash, kind, content)


def insert_table(connection: sa.Connection, data_hash: str, content: bytes) -> None:
    """Keep the rows of data; what is kept of them is replaced."""
    connection.execute(sa.delete(PARTS).where(PARTS.c.run == data_hash, PARTS.c.kind == TABLE))
    insert_file(connection, data_hash, TABLE, content)


def unnamed_tables(connection: sa.Connection) -> list[str]:
    """The hashes of kept data that neither a run nor pinned models name any more."""
    kept = connection.execute(sa.select(PARTS.c.run).where(PARTS.c.kind == TABLE)).scalars().all()
    texts = RUNS.c.about, PINS.c.content

    def is_named(key: str) -> bool:
        wanted = (sa.select(sa.literal(1)).where(text.contains(key, autoescape=True)).limit(1) for text in texts)
        return any(connection.execute(each).first() for each in wanted)

    return [key for key in kept if not is_named(key)]


def forget_tables(connection: sa.Connection) -> None:
    """Remove the rows of data that nothing names any more."""
    for key in unnamed_tables(connection):
        connection.execute(sa.delete(PARTS).where(PARTS.c.run == key, PARTS.c.kind == TABLE))
    forget_files(connection)


def forget_files(connection: sa.Connection) -> None:
    """Remove the files that nothing has any more."""
    connection.execute(sa.delete(FILES).where(FILES.c.hash.not_in(sa.select(PARTS.c.file))))


def insert_file(connection: sa.Connection, run: str, kind: str, content: bytes) -> None:
    """Keep a file; those that are equal are kept once."""
    key = digest(content)
    if connection.execute(sa.select(FILES.c.hash).where(FILES.c.hash == key)).scalar() is None:
        connection.execute(FILES.insert().values(hash=key, content=content))
    connection.execute(PARTS.insert().values(run=run, kind=kind, file=key))


def remove(connection: sa.Connection, hashes: Sequence[str]) -> None:
    """Remove runs, and the files that no other run has."""
    for key in hashes:
        connection.execute(sa.delete(PARTS).where(PARTS.c.run == key))
        connection.execute(sa.delete(RUNS).where(RUNS.c.hash == key))
    forget_files(connection)
