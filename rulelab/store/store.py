"""The store: what can be done with kept runs."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
import sqlalchemy as sa

from .. import files
from ..arguments import StoreError
from ..certificate import Certificate, MultiClassCertificate
from ..datasets import Dataset
from ..models import Model, MultiClassRuleList, parse_any_model
from ..recording import Recording
from . import bundle, database, kept_table
from .boards import Boards
from .database import FILES, NOTHING, PARTS, RUNS, TABLE, Database, default_url
from .kept_table import KeptTable
from .run import LARGEST_FILE, Run, check_digits, digest, files_of, named, now, proof_bytes, read, said_of, storable

COLUMNS = [
    "hash", "name", "made", "family", "data", "status", "objective", "lower_bound", "gap", "errors", "complexity",
    "seconds", "proof",
]  # fmt: skip
"""Of `Store.frame`."""


class Store(Boards):
    """Kept runs of one database; any number of processes may use it at the same time.

    Every change is on disk when the method returns, whatever happens to the process afterwards.

    Parameters
    ----------
    url : str
        The path of an SQLite file, which is made where there is none, or a URL of SQLAlchemy.

    Raises
    ------
    StoreError
        When it cannot be opened, is damaged, or is not rulelab's; nothing is changed then.

    Examples
    --------
    >>> with rl.store.open("runs.sqlite") as store:
    ...     run = store.save(recording, data=data, name="first")
    ...     store.frame()
    ...     store.recording(run).tree_at(20)
    """

    def __init__(self, url: str) -> None:
        self._database = Database(url)
        database.forget_deleted(self._database)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Store({self.place!r})"

    @property
    def place(self) -> str:
        """The file, or the URL without its password."""
        return self._database.place

    @property
    def name(self) -> str:
        """Of the file, without where it lies; what the URL of another database begins with."""
        return self.place.split("://")[0] if self._database.file is None else self._database.file.name

    @property
    def nbytes(self) -> int:
        """Bytes of an SQLite file, with what was not yet written back; 0 for another database."""
        file = self._database.file
        paths = () if file is None else (file, Path(f"{file}-wal"))
        return sum(path.stat().st_size for path in paths if path.exists())

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def save(
        self,
        recording: Recording,
        *,
        data: Dataset | None = None,
        test_rows: np.ndarray | None = None,
        settings: Mapping[str, str] | None = None,
        query: str | None = None,
        model: bytes | None = None,
        split: Mapping[str, Any] | None = None,
        keep_rows: bool = True,
        data_name: str = "",
        name: str = "",
        proof: Certificate | MultiClassCertificate | None = None,
        instead_of: str | None = None,
        gaps: Mapping[str, float] | None = None,
    ) -> Run:
        """Keep a run.

        Parameters
        ----------
        recording : Recording
        data : Dataset, optional
            What was searched; its hash is kept, and its training rows as CSV where they take less than a megabyte.
            So are all of its rows, with what each column is for, for `table` to give.
        test_rows : int array, optional
            Positions of the rows that were kept out of training.
        settings : mapping of str to str, optional
            In words; default: the parameters of the search.
        query : str, optional
            The address that gives the form of the page these settings.
        model : bytes, optional
            JSON of the best model, with more entries than its own.
        split : mapping, optional
            See `Run`.
        keep_rows : bool
            False: of the rows only the hash.
        data_name : str
            Default: that of the data.
        name : str
            What to call it.
        proof : Certificate, optional
        instead_of : str, optional
            The hash of an earlier state of the same run, which this one replaces; it has its name.
        gaps : mapping of str to float, optional
            Between groups of people, see `Run`.

        Returns
        -------
        Run

        Raises
        ------
        StoreError
            When nothing was recorded, or it cannot be written; then nothing of it is kept.
        """
        from .. import __version__

        if not recording.snapshots:
            raise StoreError("there is nothing to keep: the search has not begun")
        files, notes = files_of(recording, data, test_rows, model, keep_rows)
        run = Run(
            **said_of(recording, data, test_rows, data_name, settings),
            query=query,
            made=now(),
            version=__version__,
            files={kind: digest(content) for kind, content in files.items() if kind != TABLE},
            split=split,
            gaps=gaps,
            notes=tuple(notes),
            name=named(name),
        )
        if proof is not None:
            files["proof"] = proof_bytes(proof)
            run = replace(run, proof=digest(files["proof"]))
        with self._database.writing() as connection:
            if instead_of is not None:
                before = connection.scalar(sa.select(RUNS.c.name).where(RUNS.c.hash == instead_of))
                run = replace(run, name=run.name or named(before))
                database.remove(connection, [instead_of])
            database.insert(connection, run, files)
        return run

    def add_proof(self, run: Run | str, proof: Certificate | MultiClassCertificate) -> Run:
        """Keep a proof with a run that has none.

        Raises
        ------
        StoreError
            When there is no such run, or it cannot be written.
        """
        key, content = self._hash_of(run), proof_bytes(proof)
        with self._database.writing() as connection:
            if connection.scalar(sa.select(RUNS.c.hash).where(RUNS.c.hash == key)) is None:
                raise StoreError(f"there is no run {key[:12]} any more")
            connection.execute(sa.delete(PARTS).where(PARTS.c.run == key, PARTS.c.kind == "proof"))
            database.insert_file(connection, key, "proof", content)
        return self.run(key)

    def run(self, which: Run | str) -> Run:
        """A run by its hash, or the first digits of it.

        Raises
        ------
        StoreError
            When there is none, there are several, or it is damaged.
        """
        key = self._hash_of(which)
        with self._database.reading() as connection:
            found = connection.execute(database.chosen().where(RUNS.c.hash == key)).first()
        if found is None:
            raise StoreError(f"there is no run {key[:12]} here")
        return read(*found)

    def runs(self, search: str = "", most: int = 1000, deleted: bool = False) -> list[Run]:
        """Kept runs, the latest first; damaged ones are left out, see `damaged`.

        Parameters
        ----------
        search : str
            Words that all have to be in the name, the data, the family, the status, the hash or the settings.
        most : int
        deleted : bool
            Instead those that were deleted and can be brought back.
        """
        return [run for run in self._matching(search, most, deleted) if isinstance(run, Run)]

    def damaged(self) -> list[str]:
        """What is wrong with runs that cannot be read."""
        return [str(error) for error in self._matching("", 1 << 30, None) if isinstance(error, StoreError)]

    def frame(self, search: str = "", most: int = 1000) -> pd.DataFrame:
        """The same as `runs` as a table, a row per run; see `COLUMNS`."""
        rows = [
            {**{name: getattr(run, name) for name in COLUMNS}, "proof": bool(run.proof)}
            for run in self.runs(search, most)
        ]
        return pd.DataFrame(rows, columns=COLUMNS)

    def recording(self, which: Run | str) -> Recording:
        """The recording of a run; raises StoreError or RecordingError."""
        run = self.run(which)
        return Recording.from_bytes(self.file(run, "recording"), f"the recording of run {run.hash[:12]}", LARGEST_FILE)

    def model(self, which: Run | str) -> Model | MultiClassRuleList:
        """The best model of a run; raises StoreError or ModelError."""
        return parse_any_model(self.file(which, "model"))

    def trace(self, which: Run | str) -> pd.DataFrame:
        """The curve of a run: step, work, seconds, objective, errors, complexity, lower bound, gap."""
        try:
            return pd.read_csv(io.BytesIO(self.file(which, "trace")))
        except (UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
            raise StoreError(f"the curve of this run cannot be read: {error}") from None

    def proof(self, which: Run | str) -> Certificate:
        """The certificate of a run; raises StoreError or CertificateError."""
        return Certificate.load(io.BytesIO(self.file(which, "proof")))

    def file(self, which: Run | str, kind: str) -> bytes:
        """The content of one of a run's files: recording, model, trace, rows or proof.

        Raises
        ------
        StoreError
            When it has none, or it is not what its hash says.
        """
        run = which if isinstance(which, Run) and kind != "proof" else self.run(which)  # a proof may have come since
        key = run.proof if kind == "proof" else run.files.get(kind)
        if key is None:
            raise StoreError(f"no {kind} is kept of run {run.hash[:12]}")
        return self._content(key, f"{kind} of run {run.hash[:12]}")

    def rename(self, which: Run | str, name: str) -> Run:
        """Call a run something else."""
        return self._change(self._hash_of(which), name=named(name))

    def delete(self, which: Run | str, *, forever: bool = False) -> None:
        """Put a run away; for `DELETED_DAYS` days it can be brought back, unless ``forever``."""
        key = self._hash_of(which)
        if not forever:
            self._change(key, deleted=now())
            return
        with self._database.writing() as connection:
            database.remove(connection, [key])
            database.forget_tables(connection)

    def restore(self, which: Run | str) -> Run:
        """Bring a deleted run back."""
        return self._change(self._hash_of(which), deleted=None)

    def export(self, path: str | Path | None, which: Sequence[Run | str]) -> bytes:
        """Runs with all their files as one zip archive, also written to ``path`` when one is given.

        Raises
        ------
        StoreError
            When a run is not there or damaged, or together they are too large.
        OSError
            When the file cannot be written.
        """
        content = bundle.packed([(run, self._files(run)) for run in map(self.run, which)])
        if path is not None:
            files.write(path, content)
        return content

    def take(self, content: bytes | str | Path) -> list[Run]:
        """Keep the runs of an exported archive, which may come from anywhere: all, or none where one is wrong.

        Parameters
        ----------
        content : bytes, or path of a file

        Returns
        -------
        list of Run
            Those that were not here yet.

        Raises
        ------
        StoreError
            When it is no archive of runs, or something in it is not what its hash says.
        OSError
            When the file cannot be read.
        """
        if isinstance(content, str | Path):
            with Path(content).open("rb") as stream:
                content = stream.read(bundle.LARGEST_BUNDLE + 1)
        found, new = bundle.unpacked(content), []
        with self._database.writing() as connection:
            for run, files in found:
                here = sa.update(RUNS).where(RUNS.c.hash == run.hash).values(deleted=None)
                if not connection.execute(here).rowcount:
                    database.insert(connection, run, files)
                    new.append(run)
        return new

    def table(self, data_hash: str) -> KeptTable:
        """The rows of data that have no name, as long as a run or pinned models name them.

        Parameters
        ----------
        data_hash : str
            See `Run`.

        Raises
        ------
        StoreError
            When they are not kept, or damaged.
        """
        content = self._table_of(data_hash)
        if content is None:
            raise StoreError("its rows are not kept")
        return kept_table.unpacked(content, data_hash)

    def _files(self, run: Run) -> dict[str, bytes]:
        files = {kind: self.file(run, kind) for kind in (*run.files, *(["proof"] if run.proof else []))}
        table = self._table_of(run.data_hash)
        return files if table is None else {**files, TABLE: table}

    def _hash_of(self, which: Run | str) -> str:
        """The whole hash of a run; a part of one must be of one run only."""
        if isinstance(which, Run):
            return which.hash
        check_digits(which)
        with self._database.reading() as connection:
            wanted = sa.select(RUNS.c.hash).where(RUNS.c.hash.startswith(which)).limit(2)
            found = [key for key in connection.scalars(wanted) if isinstance(key, str)]
        if len(found) != 1:
            raise StoreError(f"{'several runs begin' if found else 'no run begins'} with {which[:12]} here")
        return found[0]

    def _matching(self, search: str, most: int, deleted: bool | None) -> Iterator[Run | StoreError]:
        """Runs with all the words, deleted or not or both (None), the latest first, and errors of damaged ones."""
        wanted = database.chosen().order_by(RUNS.c.made.desc(), RUNS.c.hash)
        if deleted is not None:
            wanted = wanted.where(RUNS.c.deleted.is_not(None) if deleted else RUNS.c.deleted.is_(None))
        for word in storable(search).split():
            like = [each.icontains(word, autoescape=True) for each in (RUNS.c.name, RUNS.c.hash, RUNS.c.about)]
            wanted = wanted.where(sa.or_(*like))
        with self._database.reading() as connection:
            found = connection.execute(wanted.limit(most)).all()
        for row in found:
            try:
                yield read(*row)
            except StoreError as error:
                yield error

    def _content(self, key: str, what: str) -> bytes:
        """The file of a hash; raises StoreError when it is not there, too large, or not what its hash says."""
        with self._database.reading() as connection:
            wanted = FILES.c.hash == key
            length = connection.scalar(sa.select(sa.func.length(FILES.c.content)).where(wanted))
            if length is None:
                raise StoreError(f"the {what} is not there")
            if not isinstance(length, int) or length > LARGEST_FILE:
                raise StoreError(f"the {what} is damaged: it takes {length} bytes")
            found = connection.scalar(sa.select(FILES.c.content).where(wanted))
        if not isinstance(found, bytes | memoryview) or digest(bytes(found)) != key:
            raise StoreError(f"the {what} is damaged: it is not what its hash says")
        return bytes(found)

    def _table_of(self, data_hash: str) -> bytes | None:
        """The file with the rows of some data, where they are kept."""
        with self._database.reading() as connection:
            key = connection.scalar(sa.select(PARTS.c.file).where(PARTS.c.run == data_hash, PARTS.c.kind == TABLE))
        return None if key is None else self._content(str(key), f"table of the data {data_hash[:12]}")

    def _change(self, key: str, **values: Any) -> Run:
        with self._database.writing() as connection:
            connection.execute(sa.update(RUNS).where(RUNS.c.hash == key).values(**values))
        return self.run(key)


def open_store(url: str | Path | None = None) -> Store:
    """Open a store, and make it where there is none.

    Parameters
    ----------
    url : str or Path, optional
        The path of an SQLite file or a URL of SQLAlchemy; default: `default_url`.

    Raises
    ------
    StoreError
        See `Store`.
    """
    if url == NOTHING:
        raise StoreError(f"{NOTHING!r} is no store: nothing is kept there")
    return Store(default_url() if url is None else str(url))
