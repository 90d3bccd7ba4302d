"""Results files on disks that are full or slow, and of two writers."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from patience import PATIENCE
from places import ROOT
from test_sweep import DATA, GRID, TIMES, hard, run

import rulelab as rl
from rulelab.sweeps import SweepError, SweepWarning
from rulelab.sweeps.store import lock as file_lock
from rulelab.sweeps.store.lock import FileLock, Held


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.jsonl"


def full(after: int) -> Callable[[int, bytes], int]:
    """`os.write` on a disk that has room for so many bytes."""
    before, room = os.write, [after]

    def write(file: int, data: bytes) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = before(file, data[: room[0]])
        room[0] -= written
        return written

    return write


def test_lines_are_whole_where_writes_are_short(done, path, monkeypatch):
    before = os.write
    monkeypatch.setattr(os, "write", lambda file, data: before(file, data[:100]))
    run(results=path)
    monkeypatch.undo()
    again = run(results=path)
    assert (again.progress.resumed, again.messages) == (18, ())
    pd.testing.assert_frame_equal(again.frame.drop(columns=TIMES), done.frame.drop(columns=TIMES))


@pytest.mark.filterwarnings("ignore::rulelab.sweeps.SweepWarning")
@pytest.mark.parametrize("room", [1500, 4001, 20_000])
def test_on_a_full_disk_the_sweep_goes_on_in_memory(done, path, monkeypatch, room):
    monkeypatch.setattr(os, "write", full(room))
    sweep = rl.sweep(DATA, grid=GRID, cv=3, sensitive="group", results=path)
    with pytest.raises(SweepError, match=r"results? could not be written to .*results.jsonl: No space left.*call save"):
        sweep.wait(PATIENCE)
    monkeypatch.undo()
    assert sweep.progress.state == "failed"
    assert "No space left" in sweep.messages[-1]
    pd.testing.assert_frame_equal(sweep.frame.drop(columns=TIMES), done.frame.drop(columns=TIMES))
    text = path.read_bytes()
    assert text.endswith(b"\n")  # half a line was taken back
    written = text.count(b"\n") - 1
    assert len(text) <= room
    assert sweep.save() == 18 - written
    assert sweep.wait(0)
    assert (sweep.progress.state, sweep.messages) == ("done", ())
    again = run(results=path)
    assert (again.progress.resumed, again.messages) == (18, ())


def test_a_full_disk_is_told_at_once_and_room_is_used_later(path, monkeypatch):
    before = os.write
    writes = [0]

    def write(file: int, data: bytes) -> int:
        writes[0] += data.startswith(b'{"check"')
        if 3 <= writes[0] <= 6:
            before(file, data[:50])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return before(file, data)

    monkeypatch.setattr(os, "write", write)
    with pytest.warns(SweepWarning, match="one result could not be written .* the sweep goes on"):
        sweep = run(results=path)
    assert (sweep.progress.state, sweep.messages) == ("done", ())
    again = run(results=path)
    assert (again.progress.resumed, again.messages) == (18, ())


def test_what_cannot_be_taken_back_is_no_harm(done, path, monkeypatch):
    before, writes = os.write, [0]

    def write(file: int, data: bytes) -> int:
        writes[0] += 1
        if writes[0] == 6:
            before(file, data[:50])
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return before(file, data)

    monkeypatch.setattr(file_lock, "fcntl", None)  # without a lock nothing is taken back
    monkeypatch.setattr(os, "write", write)
    with pytest.warns(SweepWarning, match="could not be written"):
        assert run(results=path).progress.state == "done"
    monkeypatch.undo()
    with pytest.warns(SweepWarning, match=r"damaged in line \d+; 18 results are sound"):
        again = run(results=path)
    assert again.progress.resumed == 18
    pd.testing.assert_frame_equal(again.frame.drop(columns=TIMES), done.frame.drop(columns=TIMES))


def test_no_room_for_the_first_line_is_refused(path, monkeypatch):
    monkeypatch.setattr(os, "write", full(100))
    with pytest.raises(SweepError, match=r"results\.jsonl cannot be read and written: No space left"):
        rl.sweep(DATA, grid=GRID, cv=3, results=path)
    monkeypatch.undo()
    assert rl.sweep(DATA, grid=GRID, cv=3, results=path).wait(PATIENCE)


def test_results_are_saved_into_another_file(done, path):
    assert (done.save(path), done.save(path)) == (18, 0)
    assert run(results=path).progress.resumed == 18
    with pytest.raises(SweepError, match="has no results file; give save the path"):
        done.save()


@pytest.mark.long
def test_a_second_writer_is_refused_and_told_of_the_first(path):
    arguments = {"grid": {"regularization": [0.0005]}, "cv": 2, "results": path, "time_limit": None}
    first = rl.sweep(hard(), **arguments)
    try:
        with pytest.raises(SweepError, match=r"results\.jsonl is being written by a sweep of this process; wait for"):
            rl.sweep(hard(), **arguments)
        other = "import sys, rulelab.sweeps.store.lock as f, pathlib\nf.FileLock(pathlib.Path(sys.argv[1]))"
        command = [sys.executable, "-c", other, str(path)]
        refused = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE, check=False)
        assert f"Held: process {os.getpid()}" in refused.stderr
    finally:
        first.cancel()
        first.wait(PATIENCE)
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    FileLock(path).release()


HOLDING = """
import pathlib, sys, time
from rulelab.sweeps.store.lock import FileLock
lock = FileLock(pathlib.Path(sys.argv[1]))
print(lock.held, flush=True)
time.sleep(600)
"""


def test_a_lock_ends_with_its_process(path):
    command = [sys.executable, "-c", HOLDING, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout.readline() == b"True\n"
        with pytest.raises(Held, match=f"process {process.pid}"):
            FileLock(path)
        process.kill()
    lock = FileLock(path)  # its name is still there, the lock is not
    assert lock.held
    lock.release()
    lock.release()
    assert list(path.parent.iterdir()) == []


def test_where_files_cannot_be_locked_there_is_no_lock(path, monkeypatch):
    errors = iter((errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, *[errno.ENOLCK] * 9))

    def flock(*_: int) -> None:
        raise OSError(number := next(errors), os.strerror(number))

    monkeypatch.setattr(file_lock.fcntl, "flock", flock)
    assert not any(FileLock(path).held for _ in range(3))
    assert (run(results=path).progress.state, run(results=path).progress.resumed) == ("done", 18)


def test_an_argument_that_is_refused_leaves_no_lock(path, monkeypatch):
    def broken(*_: object) -> None:
        raise SweepError("no runner")

    monkeypatch.setattr("rulelab.sweeps.start.Here", broken)
    with pytest.raises(SweepError, match="no runner"):
        rl.sweep(DATA, grid=GRID, cv=2, results=path)
    assert [file.name for file in path.parent.iterdir()] == [path.name]
