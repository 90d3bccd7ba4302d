"""The tables of the present version, and what a run, its files and the rows of its data take in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Column, Float, Integer, LargeBinary, MetaData, String, Table, Text

from .run import Run, digest

VERSION = 2
APPLICATION_ID = 0x72_6C_61_62
"""In the header of an SQLite file: "rlab"."""

METADATA = MetaData()

SCHEMA = Table("rulelab_schema", METADATA, Column("version", Integer, nullable=False))
"""One row."""

RUNS = Table(
    "runs",
    METADATA,
    Column("hash", String(64), primary_key=True),
    Column("name", Text, nullable=False),
    Column("made", String(32), nullable=False, index=True),
    Column("deleted", String(32)),
    Column("family", Text, nullable=False),
    Column("data", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("objective", Float),
    Column("lower_bound", Float),
    Column("about", Text, nullable=False),
)
"""``hash`` is that of ``about``, which alone is believed; most other columns repeat it, for those who ask in SQL."""

FILES = Table(
    "files", METADATA, Column("hash", String(64), primary_key=True), Column("content", LargeBinary, nullable=False)
)
"""Recordings, models, curves, proofs and small data, each once, under the SHA-256 of what it holds."""

PARTS = Table(
    "parts",
    METADATA,
    Column("run", String(64), primary_key=True),
    Column("kind", String(16), primary_key=True),
    Column("file", String(64), nullable=False, index=True),
)
"""Which files a run has."""

PINS = Table(
    "pins",
    METADATA,
    Column("hash", String(64), primary_key=True),
    Column("made", String(32), nullable=False, index=True),
    Column("content", Text, nullable=False),
)
"""Models that were pinned side by side, as JSON, under the SHA-256 of it; since version 2."""

BOARDS = Table(
    "boards",
    METADATA,
    Column("room", String(40), primary_key=True),
    Column("game", String(200), primary_key=True),
    Column("name", String(40), primary_key=True),
    Column("made", String(32), nullable=False),
    Column("objective", Text, nullable=False),
    Column("rules", Integer, nullable=False),
    Column("hints", Integer, nullable=False),
    Column("revealed", Integer, nullable=False),
)
"""What was reached in the rooms of the game, the objective as a fraction; since version 2."""


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
