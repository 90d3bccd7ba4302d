"""The tables, as the present version has them."""

from __future__ import annotations

from sqlalchemy import Column, Float, Integer, LargeBinary, MetaData, String, Table, Text

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
    "files",
    METADATA,
    Column("hash", String(64), primary_key=True),
    Column("content", LargeBinary, nullable=False),
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
