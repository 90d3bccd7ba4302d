"""A database that is opened only if it is one of rulelab's, made or moved up; its tables, and runs in them."""

from __future__ import annotations

import datetime
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Column, Connection, Engine, Float, Integer, LargeBinary, MetaData, String, Table, Text, event

from ..arguments import StoreError
from .run import DELETED_DAYS, Run, digest

HOME_VARIABLE = "RULELAB_HOME"
NOTHING = "none"
"""In the place of a URL: nothing is kept."""
FILE = "runs.sqlite"
BUSY_SECONDS = 5.0
"""How long to wait for another process that is writing."""
_MAGIC = b"SQLite format 3\0"
_ID_AT = 68
_WRITES = {"writes": True}


class Database:
    """Connections to a database by file or URL; StoreError when it is damaged, not rulelab's, or not to be had."""

    def __init__(self, url: str) -> None:
        self.file, parsed = _parsed(url)
        self.place = str(self.file or parsed.render_as_string(hide_password=True))
        if self.file is not None:
            parsed = parsed.set(database=str(self.file))
            _make_or_check(self.file)
        try:
            self._engine = sa.create_engine(parsed, **({} if self.file is None else SQLITE_OPTIONS))
        except (ImportError, sa.exc.SQLAlchemyError) as error:
            raise StoreError(f"{self.place} cannot be opened: {_first_line(error)}") from None
        if self.file is not None:
            _prepare(self._engine)
        try:
            self._look_at_tables()
        except BaseException:
            self.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection for one look, in one transaction."""
        with self._told(), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection whose transaction is on disk when the block is left, or was not at all."""
        with self._told(), self._engine.connect().execution_options(**_WRITES) as connection, connection.begin():
            yield connection

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Errors of the database in words."""
        try:
            yield
        except sa.exc.SQLAlchemyError as error:
            raise StoreError(f"{self.place} {_reason(error)}") from error

    def _look_at_tables(self) -> None:
        """Move an older version up; refuse what is damaged, newer, or something else."""
        if self.file is None:
            with self.writing() as connection:
                if not sa.inspect(connection).has_table(SCHEMA.name):
                    _create(connection)
        with self.reading() as connection:
            if self.file is not None:
                self._check_pages(connection)
            version = self._version(connection)
        if version < VERSION:
            with self.writing() as connection:
                for step in range(self._version(connection), VERSION):  # another process may have done it
                    UPWARDS[step](connection)
                connection.execute(SCHEMA.update().values(version=VERSION))
        with self.reading() as connection:
            self._check_tables(connection)

    def _check_pages(self, connection: Connection) -> None:
        said = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
        if said != "ok":
            raise StoreError(f"{self.place} is damaged, and is left as it is: {_first_line(said)}")
        strange = connection.exec_driver_sql(
            "SELECT name FROM sqlite_master WHERE type NOT IN ('table', 'index') LIMIT 1"
        ).scalar()
        if strange is not None:
            raise StoreError(f"{self.place} holds {strange!r:.80}, which rulelab has not made; it is left as it is")

    def _version(self, connection: Connection) -> int:
        if not sa.inspect(connection).has_table(SCHEMA.name):
            raise StoreError(f"{self.place} is not rulelab's, and is left as it is: it says no version")
        versions = list(connection.scalars(sa.select(SCHEMA.c.version)))
        if len(versions) != 1 or type(versions[0]) is not int or versions[0] < 1:
            raise StoreError(f"{self.place} is damaged, and is left as it is: its version is {versions!r:.80}")
        if versions[0] > VERSION:
            raise StoreError(
                f"{self.place} is of version {versions[0]}, made by a newer rulelab; this one reads up to {VERSION}"
            )
        return versions[0]

    def _check_tables(self, connection: Connection) -> None:
        found = sa.inspect(connection)
        there = set(found.get_table_names())
        if self.file is not None and (more := there - set(METADATA.tables)):
            raise StoreError(f"{self.place} holds the table {min(more)!r:.80}, which rulelab has not made")
        for name, table in METADATA.tables.items():
            columns = {column["name"] for column in found.get_columns(name)} if name in there else set()
            if columns != set(table.columns.keys()):
                raise StoreError(f"{self.place} is damaged, and is left as it is: its table {name!r} is not as it was")


SQLITE_OPTIONS: dict[str, Any] = {
    "poolclass": sa.pool.NullPool,  # a thread has its own, and none is left open
    "connect_args": {"timeout": BUSY_SECONDS, "check_same_thread": False},
}


def _parsed(url: str) -> tuple[Path | None, sa.URL]:
    """The file, where it is one, and the URL."""
    if "://" not in url:
        return Path(url).expanduser().absolute(), sa.URL.create("sqlite")
    try:
        parsed = sa.make_url(url)
    except sa.exc.ArgumentError:
        raise StoreError(
            f"{url.split('://')[0][:40]}://... is no URL of a database, such as sqlite:////folder/runs.sqlite or "
            "postgresql+psycopg://user@host/name"
        ) from None
    if parsed.get_backend_name() != "sqlite":
        return None, parsed
    if not parsed.database or parsed.database == ":memory:" or parsed.query:
        raise StoreError("a store is a file: give its path, or sqlite:////folder/runs.sqlite")
    return Path(parsed.database).absolute(), sa.URL.create("sqlite")


def _make_or_check(file: Path) -> None:
    """See from its first bytes, without changing any, that a file is rulelab's; make it whole where there is none."""
    try:
        with file.open("rb") as stream:
            head = stream.read(100)
    except FileNotFoundError:
        _make(file)
        return
    except OSError as error:
        raise StoreError(f"{file} cannot be opened: {error.strerror or error}") from None
    if not head.startswith(_MAGIC):
        raise StoreError(f"{file} is no SQLite file; it is left as it is. Name another one")
    if int.from_bytes(head[_ID_AT : _ID_AT + 4], "big") != APPLICATION_ID:
        raise StoreError(f"{file} is a database of something else than rulelab; it is left as it is. Name another one")


def _make(file: Path) -> None:
    """Make the file beside its place and put it there when it is complete; one that has come meanwhile stays."""
    part = None
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".part", dir=file.parent)  # its owner's alone
        os.close(handle)
        part = Path(name)
        engine = sa.create_engine(sa.URL.create("sqlite", database=name), poolclass=sa.pool.NullPool)
        with engine.begin() as connection:
            _create(connection)
        with closing(sqlite3.connect(name)) as bare:
            bare.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            bare.execute("PRAGMA journal_mode = WAL")
        try:
            os.link(part, file)
        except FileExistsError:
            _make_or_check(file)
        except OSError:  # a file system without links
            if not file.exists():
                part.replace(file)
    except OSError as error:
        raise StoreError(f"{file} cannot be made: {error.strerror or error}") from None
    except (sa.exc.SQLAlchemyError, sqlite3.Error) as error:
        raise StoreError(f"{file} cannot be made: {_first_line(error)}") from None
    finally:
        if part is not None:
            for path in (part, Path(f"{part}-wal"), Path(f"{part}-shm")):
                path.unlink(missing_ok=True)


def _create(connection: Connection) -> None:
    METADATA.create_all(connection)
    connection.execute(SCHEMA.insert().values(version=VERSION))


def _prepare(engine: Engine) -> None:
    """Let SQLAlchemy say when transactions begin, and let nothing in the file do more than hold rows."""

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        for pragma in ("synchronous = FULL", "trusted_schema = OFF", "cell_size_check = ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _reason(error: sa.exc.SQLAlchemyError) -> str:
    said = _first_line(getattr(error, "orig", None) or error)
    if "locked" in said or "busy" in said:
        return f"is being written by another process for more than {BUSY_SECONDS:g} s; try again"
    if "malformed" in said or "not a database" in said or "corrupt" in said:
        return f"is damaged, and is left as it is: {said}"
    return f"cannot be used: {said}"


def _first_line(error: object) -> str:
    return next(iter(str(error).splitlines()), "")[:300]


def home() -> Path:
    """The folder of what is kept: $RULELAB_HOME, else the user's data folder of the platform."""
    folder = os.environ.get(HOME_VARIABLE)
    if folder:
        return Path(folder).expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("rulelab", appauthor=False))


def default_url() -> str:
    """The path of the default file, which need not be there."""
    return str(home() / FILE)


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


UPWARDS: Mapping[int, Callable[[Connection], None]] = {
    1: lambda connection: METADATA.create_all(connection, [PINS, BOARDS], checkfirst=False)
}
"""By the version that is moved up by one; once the tables change, what they were is to be written down here."""

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
    named = (sa.exists().where(text.contains(PARTS.c.run)) for text in (RUNS.c.about, PINS.c.content))
    return list(connection.scalars(sa.select(PARTS.c.run).where(PARTS.c.kind == TABLE, ~sa.or_(*named))))


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
    if connection.scalar(sa.select(FILES.c.hash).where(FILES.c.hash == key)) is None:
        connection.execute(FILES.insert().values(hash=key, content=content))
    connection.execute(PARTS.insert().values(run=run, kind=kind, file=key))


def remove(connection: sa.Connection, hashes: Sequence[str]) -> None:
    """Remove runs, and the files that no other run has."""
    for key in hashes:  # one by one: a statement takes only so many
        connection.execute(sa.delete(PARTS).where(PARTS.c.run == key))
        connection.execute(sa.delete(RUNS).where(RUNS.c.hash == key))
    forget_files(connection)


def forget_deleted(database: Database) -> None:
    """Remove what was deleted long ago."""
    before = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=DELETED_DAYS)
    old = sa.select(RUNS.c.hash).where(RUNS.c.deleted < before.isoformat(timespec="milliseconds"))
    with database.reading() as connection:
        hashes, unnamed = list(connection.scalars(old)), unnamed_tables(connection)
    if hashes or unnamed:
        with database.writing() as connection:
            remove(connection, hashes)
            forget_tables(connection)
