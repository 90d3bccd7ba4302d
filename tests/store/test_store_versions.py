"""Files of every earlier version are moved up, and nothing in them is lost."""

import contextlib
import sqlite3
from pathlib import Path

import pytest
from live import recorded, small_search

import rulelab as rl
from rulelab.store import database, rows
from rulelab.store.database import UPWARDS

_FILES = sorted(Path(__file__).parent.glob("version_*.sql"))
VERSIONS = {int(path.stem[8:]): path.read_text(encoding="utf-8") for path in _FILES}
"""What a file of each version was made by, but for the last."""


@pytest.fixture(params=VERSIONS, ids="version {}".format)
def earlier(request, tmp_path: Path) -> Path:
    """An empty file of an earlier version."""
    place = tmp_path / "runs.sqlite"
    with contextlib.closing(sqlite3.connect(place)) as bare:
        bare.executescript(VERSIONS[request.param])
        bare.execute(f"PRAGMA application_id = {rows.APPLICATION_ID}")
        bare.commit()
    return place


def test_every_version_has_a_way_up_and_a_test() -> None:
    assert list(UPWARDS) == list(VERSIONS) == list(range(1, rows.VERSION))


def test_a_file_of_an_earlier_version_is_moved_up_with_its_runs(earlier: Path) -> None:
    recording = recorded(small_search(), work_limit=10)
    with rl.store.open(earlier.with_name("new.sqlite")) as store:
        run = store.save(recording, name="old")
        files = {kind: store.file(run, kind) for kind in run.files}
    with contextlib.closing(sqlite3.connect(earlier)) as bare:
        columns = "hash, name, made, family, data, status, objective, lower_bound, about"
        row = [getattr(run, column) for column in columns.split(", ")]
        bare.execute(f"INSERT INTO runs ({columns}) VALUES ({', '.join('?' * len(row))})", row)
        for kind, content in files.items():
            bare.execute("INSERT INTO files VALUES (?, ?)", (run.files[kind], content))
            bare.execute("INSERT INTO parts VALUES (?, ?, ?)", (run.hash, kind, run.files[kind]))
        bare.commit()
    for _ in range(2):  # moved up, and as it is from then on
        with rl.store.open(earlier) as store:
            assert (store.runs(), store.model(run)) == ([run], recording.snapshots[-1].incumbent.model)
            assert store.pins(store.keep_pins("[]")) == "[]"
    with contextlib.closing(sqlite3.connect(earlier)) as bare:
        assert list(bare.execute("SELECT version FROM rulelab_schema")) == [(rows.VERSION,)]


def test_a_move_that_fails_leaves_the_file_at_its_version(earlier: Path, monkeypatch) -> None:
    def half(connection) -> None:
        UPWARDS[1](connection)
        connection.exec_driver_sql("INSERT INTO no_table VALUES (1)")

    monkeypatch.setattr(database, "UPWARDS", dict.fromkeys(UPWARDS, half))
    before = earlier.read_bytes()
    with pytest.raises(rl.store.StoreError, match="no such table"):
        rl.store.open(earlier)
    assert earlier.read_bytes() == before
    monkeypatch.undo()
    rl.store.open(earlier).close()
