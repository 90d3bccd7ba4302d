"""Results files on disks that are full or slow, and of two writers."""

import errno
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from patience import PATIENCE
from places import ROOT
from test_sweep import DATA, GRID, TIMES, run

import rulelab as rl
from rulelab.sweeps import SweepError, SweepWarning, results_file
from rulelab.sweeps.results_file import ResultsFile


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


@pytest.mark.parametrize("room", [1500, 4001, 20_000])
def test_on_a_full_disk_the_sweep_goes_on_in_memory(done, path, monkeypatch, room):
    monkeypatch.setattr(os, "write", full(room))
    said = r"results could not be written to .*results.jsonl: No space left.*call save"
    with warnings.catch_warnings(record=True, action="always") as warned:
        sweep = rl.sweep(DATA, grid=GRID, cv=3, sensitive="group", results=path)
        with pytest.raises(SweepError, match=said):
            sweep.wait(PATIENCE)
    (warning,) = (str(each.message) for each in warned if each.category is SweepWarning)
    assert warning.endswith("the sweep goes on")
    monkeypatch.undo()
    assert sweep.progress.state == "failed"
    assert "No space left" in sweep.messages[-1]
    pd.testing.assert_frame_equal(sweep.frame.drop(columns=TIMES), done.frame.drop(columns=TIMES))
    text = path.read_bytes()
    written = text.count(b"\n") - 1
    assert len(text) <= room
    assert sweep.save() == 18 - written
    assert sweep.wait(0)
    assert (sweep.progress.state, sweep.messages) == ("done", ())
    again = run(results=path)
    assert (again.progress.resumed, again.messages) == (18, ())


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


HOLDING = """
import fcntl, sys, time
file = open(sys.argv[1], "a")
fcntl.flock(file, fcntl.LOCK_EX)
print("open", flush=True)
time.sleep(600)
"""


def test_a_second_writer_is_refused_until_the_first_one_ends(path):
    command = [sys.executable, "-c", HOLDING, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout.readline() == b"open\n"
        with pytest.raises(SweepError, match=r"results\.jsonl is being written by another sweep; wait for its end"):
            ResultsFile(path, {"data": "some"})
        process.kill()
    with ResultsFile(path, {"data": "some"}), pytest.raises(SweepError, match="by another sweep"):
        ResultsFile(path, {"data": "some"})


def test_where_files_cannot_be_locked_there_is_no_lock(path, monkeypatch):
    errors = iter((errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, *[errno.ENOLCK] * 9))

    def flock(*_: int) -> None:
        raise OSError(number := next(errors), os.strerror(number))

    monkeypatch.setattr(results_file.fcntl, "flock", flock)
    assert (run(results=path).progress.state, run(results=path).progress.resumed) == ("done", 18)


def test_an_argument_that_is_refused_leaves_the_file_to_others(path, monkeypatch):
    def broken(*_: object) -> None:
        raise SweepError("no runner")

    monkeypatch.setattr("rulelab.sweeps.start.Here", broken)
    with pytest.raises(SweepError, match="no runner"):
        rl.sweep(DATA, grid=GRID, cv=2, results=path)
    monkeypatch.undo()
    assert rl.sweep(DATA, grid=GRID, cv=2, results=path).wait(PATIENCE)
