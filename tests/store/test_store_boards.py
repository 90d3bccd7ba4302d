"""Pinned models and boards that last; files of every earlier version are moved up, and nothing in them is lost."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from live import recorded, small_search
from patience import PATIENCE, wait_until
from places import ROOT, TESTS
from test_store import sql

import rulelab as rl
from rulelab.store import BoardEntry, StoreError, boards, database
from rulelab.store.database import UPWARDS
from rulelab.views.alternatives.game import Boards
from rulelab.views.kept_runs.keeping import Keeper


def entry(name: str, errors: int, **more: object) -> BoardEntry:
    return BoardEntry(name, Fraction(errors, 7), 2, **more)  # type: ignore[arg-type]


def names(board: list[tuple[object, BoardEntry]]) -> dict[str, Fraction]:
    return {each.name: each.objective for _, each in board}


def test_pinned_models_are_found_by_their_hash(store, monkeypatch) -> None:
    one, two = store.keep_pins("[1]"), store.keep_pins("[2]")
    assert store.keep_pins("[1]") == one
    assert (store.pins(one), store.pins(two[:16])) == ("[1]", "[2]")
    for which in ("0123456789abcdef", "%", "", None, "x" * 16):
        with pytest.raises(StoreError):
            store.pins(which)
    monkeypatch.setattr(boards, "MOST_PINS", 2)
    store.keep_pins("[3]")
    with pytest.raises(StoreError, match="no pinned models"):
        store.pins(two)
    sql(store.place, "UPDATE pins SET content = 'x'")
    with pytest.raises(StoreError, match="not what their hash says"):
        store.pins(one)


def test_a_board_is_kept_exactly_and_bounded(store, monkeypatch) -> None:
    third = BoardEntry("Ada", Fraction(10**30 + 1, 3 * 10**30), 3, 1, True)
    store.keep_entry("room", "game", third)
    store.keep_entry("room", "game", BoardEntry("player 1", Fraction(1, 7), 2, 0, False))
    store.keep_entry("room", "game", BoardEntry("Bob", Fraction(1, 7), 1, 0, False), instead_of="player 1")
    store.keep_entry("room", "other game", third)
    assert [each.name for each in store.board("room", "game")] == ["Bob", "Ada"]
    assert store.board("room", "game")[1] == third
    monkeypatch.setattr(boards, "MOST_ENTRIES", 2)
    store.keep_entry("room", "game", BoardEntry("Eve", Fraction(1, 2), 1, 0, False))
    assert len(store.board("room", "game")) == 2


@pytest.mark.parametrize("objective", ["1/0", "x", "-1/2", "1", "1/2/3", "9" * 5000 + "/1", 3])
def test_entries_that_cannot_be_read_are_left_out(store, objective) -> None:
    store.keep_entry("room", "game", BoardEntry("Ada", Fraction(1, 2), 1, 0, False))
    sql(store.place, "UPDATE boards SET objective = :objective", objective=objective)
    assert store.board("room", "game") == []


def test_a_room_is_as_it_was_when_the_server_begins_anew(tmp_path: Path) -> None:
    place = tmp_path / "runs.sqlite"

    def server() -> tuple[Boards, Keeper]:
        keeper, out = Keeper(rl.store.open(place)), Boards()
        out.lasting = keeper.do
        return out, keeper

    first, keeper = server()
    first.put("room", "game", "one", entry("player 1", 5))
    first.put("room", "game", "one", entry("Ada", 3))
    first.put("room", "game", "two", entry("Bob", 4, revealed=True))
    first.leave("two")
    assert names(first.board("room", "game")) == {"Ada": Fraction(3, 7), "Bob": Fraction(4, 7)}, (
        "who left is still there"
    )
    keeper.close()

    second, keeper = server()
    second.put("room", "game", "three", entry("Ada", 6))
    wait_until(lambda: len(second.board("room", "game")) == 2)
    assert names(second.board("room", "game")) == {"Ada": Fraction(3, 7), "Bob": Fraction(4, 7)}
    second.put("room", "game", "four", entry("Bob", 1))
    assert names(second.board("room", "game"))["Bob"] == Fraction(4, 7), "Bob has looked at the optimum"
    assert len(second.board("room", "game")) == 2
    second.put("room", "game", "three", entry("Ada", 2))
    keeper.close()
    with rl.store.open(place) as store:
        best = {each.name: each.objective for each in store.board("room", "game")}
    assert best == {"Ada": Fraction(2, 7), "Bob": Fraction(4, 7)}


_FILES = sorted(Path(__file__).parent.glob("version_*.sql"))
VERSIONS = {int(path.stem[8:]): path.read_text(encoding="utf-8") for path in _FILES}
"""What a file of each version was made by, but for the last."""


@pytest.fixture(params=VERSIONS, ids="version {}".format)
def earlier(request, tmp_path: Path) -> Path:
    """An empty file of an earlier version."""
    place = tmp_path / "runs.sqlite"
    with contextlib.closing(sqlite3.connect(place)) as bare:
        bare.executescript(VERSIONS[request.param])
    sql(place, f"PRAGMA application_id = {database.APPLICATION_ID}")
    return place


def test_every_version_has_a_way_up_and_a_test() -> None:
    assert list(UPWARDS) == list(VERSIONS) == list(range(1, database.VERSION))


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
        assert list(bare.execute("SELECT version FROM rulelab_schema")) == [(database.VERSION,)]


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


# several processes on one store, and processes that die while they write ----------------------------------------------
@pytest.fixture
def write(tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Starts a process that keeps runs in ``runs.sqlite``."""
    recording = recorded(small_search(), work_limit=50)
    recording.save(tmp_path / "run.rulelab")

    def start(name: str, times: int) -> subprocess.Popen[str]:
        places = [str(tmp_path / "runs.sqlite"), str(tmp_path / "run.rulelab")]
        command = [sys.executable, str(TESTS / "reference" / "store_writer.py"), *places, name, str(times)]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)

    return start


@pytest.mark.long
@pytest.mark.parametrize("after", [1, 7, 20])
def test_a_process_that_is_killed_while_it_writes_loses_nothing_that_it_said_was_kept(write, tmp_path, after) -> None:
    process = write("killed", 1_000_000)
    assert process.stdout is not None
    said = [process.stdout.readline().strip() for _ in range(after)]
    process.send_signal(signal.SIGKILL)
    said += process.stdout.read().split("\n")[:-1]  # what it said before it died; a last line without an end is none
    assert process.wait(PATIENCE) == -signal.SIGKILL
    with rl.store.open(tmp_path / "runs.sqlite") as store:
        kept = store.runs(most=1 << 30)
        assert {*filter(None, said)} <= {run.hash for run in kept}
        assert len(kept) <= len(said) + 1, "at most the one that was kept and not yet said is there besides"
        assert store.damaged() == []
        for run in kept:
            assert store.recording(run).snapshots
        store.rename(kept[0], "goes on")


@pytest.mark.long
def test_two_processes_write_to_one_store_at_once(write, tmp_path) -> None:
    processes = [write(name, 25) for name in ("left", "right")]  # both may find no file, and make it
    said = [process.communicate(timeout=PATIENCE)[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    with rl.store.open(tmp_path / "runs.sqlite") as store:
        assert {run.hash for run in store.runs()} == {*said[0], *said[1]}
        assert len(store.runs("left")) == len(store.runs("right")) == 25
        assert store.damaged() == []
    assert not list(tmp_path.glob("*.part*")), "nothing half-made is left"


@pytest.mark.long
def test_a_process_that_dies_while_it_makes_the_file_leaves_none(tmp_path) -> None:
    place = tmp_path / "runs.sqlite"
    code = (
        "import os, sys, rulelab.store.database as d\n"
        "d.METADATA.create_all = lambda connection: os.kill(os.getpid(), 9)\n"
        "d.Database(sys.argv[1])\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code, str(place)], env=environment, timeout=PATIENCE, check=False)
    assert done.returncode == -signal.SIGKILL
    assert not place.exists()
    with rl.store.open(place) as store:
        assert store.runs() == []
    assert place.read_bytes()[68:72] == database.APPLICATION_ID.to_bytes(4, "big")
