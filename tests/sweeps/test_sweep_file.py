"""Sweeps that go on from their file, whatever happened to it: killed, cut off, damaged, full, or of two writers."""

import errno
import json
import os
import signal
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from patience import PATIENCE
from places import ROOT
from test_sweep import DATA, GRID, TIMES, hard, jobs_of, people, run

import rulelab as rl
from rulelab.sweeps import Result, SweepError, SweepWarning, results_file
from rulelab.sweeps.families import Certified
from rulelab.sweeps.results_file import ResultsFile, reuse, sealed, unsealed


@pytest.mark.long
def test_what_is_in_the_file_is_not_computed_again(done, path, monkeypatch):
    run(results=path)
    lines = path.read_text().splitlines(keepends=True)
    assert len(lines) == 1 + 18
    path.write_text("".join(lines[:8]) + lines[8][:40])  # cut off in the middle of a line, as by a kill
    computed = []
    fit = Certified.fit

    def spy(self, fold, parameters, *others):
        computed.append((fold.index, parameters["regularization"], parameters["max_conditions"]))
        return fit(self, fold, parameters, *others)

    monkeypatch.setattr(Certified, "fit", spy)
    again = run(results=path)
    assert again.progress.resumed == 7
    assert len(computed) == len(set(computed)) == 18 - 7
    assert path.read_text().startswith("".join(lines[:8]))
    saved = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    assert max(Counter((data["key"], data["fold"]) for data in saved).values()) == 1
    pd.testing.assert_frame_equal(again.frame.drop(columns=TIMES), done.frame.drop(columns=TIMES))
    more = run(results=path, grid={"regularization": [0.02, 0.2], "max_conditions": [2]})
    assert (more.progress.resumed, more.progress.total) == (3, 6)


KILLED = """
import sys
sys.path[:0] = sys.argv[2:]
import rulelab as rl
from test_sweep import DATA, GRID
for result in rl.sweep(DATA, grid=GRID, cv=3, sensitive="group", results=sys.argv[1]).as_completed():
    print(result.fold, flush=True)
"""


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_a_killed_sweep_goes_on(done, path):
    command = [sys.executable, "-c", KILLED, str(path), *sys.path]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        for _ in range(4):
            assert process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    before = path.read_bytes()
    again = run(results=path)
    assert again.progress.resumed >= 4
    assert path.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    pd.testing.assert_frame_equal(again.frame.drop(columns=TIMES), done.frame.drop(columns=TIMES))


@pytest.mark.parametrize(("n_jobs", "backend"), [(1, "threads"), pytest.param(2, "processes", marks=pytest.mark.long)])
def test_cancelling_ends_the_fit_that_is_going_on(path, n_jobs, backend):
    arguments = {"grid": {"regularization": [0.0005]}, "cv": 2, "results": path, "time_limit": None}
    sweep = rl.sweep(hard(), n_jobs=n_jobs, backend=backend, **arguments)
    assert not sweep.wait(1)
    assert sweep.progress.state == "running"
    sweep.cancel()
    assert repr(sweep).endswith(("being cancelled>", ", cancelled>"))
    assert sweep.wait(PATIENCE)
    assert sweep.progress.state == "cancelled"
    assert repr(sweep).endswith(", cancelled>")
    assert (sweep.progress.done, list(sweep.as_completed())) == (0, [])
    assert sweep.frame.empty
    assert len(path.read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: "age,y\n1,2\n", "holds something else"),
        (lambda _: "no line", "holds something else"),
        (lambda _: '{"format": "rulelab sweep", "version": 3}\n', "or of another version"),
        (lambda text: text[1:].partition("\n")[0] + "\n", "damaged in its first line.*choose another file, or remove"),
    ],
)
def test_a_file_that_holds_something_else_is_left_alone(written, path, tmp_path, change, message):
    changed = change(written.text.decode())
    path.write_text(changed)
    with pytest.raises(SweepError, match=message):
        rl.sweep(DATA, grid=SMALL, cv=3, results=path)
    assert path.read_text() == changed
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("data", "change", "message"),
    [
        (DATA, {"cv": 2}, "a sweep with cv 3, not 2"),
        (DATA, {"random_state": 1}, "a sweep with random_state 0, not 1"),
        (people(seed=1), {}, "a sweep with other data"),
        (replace(DATA, X=DATA.X.assign(member=DATA.X["member"].astype("uint8"))), {}, "columns of other types"),
    ],
)
def test_results_of_other_rows_are_refused(written, path, data, change, message):
    path.write_bytes(written.text)
    with pytest.raises(SweepError, match=message):
        rl.sweep(data, **{"grid": SMALL, "cv": 3, **change}, results=path)
    assert path.read_bytes() == written.text


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (".", "is no file"),
        ("missing/results.jsonl", "the folder .*missing of the results file results.jsonl is not there; make it"),
        ("n" * 300, "cannot be read and written: File name too long"),
        (7, "results must be the path of a file, not 7"),
    ],
)
def test_results_need_a_file(tmp_path, path, message):
    with pytest.raises(SweepError, match=message):
        rl.sweep(DATA, grid=GRID, cv=2, results=tmp_path / path if isinstance(path, str) else path)


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


SMALL = {"regularization": [0.02, 0.1], "max_conditions": [1]}


class Written:
    """A sweep's file and what is in it."""

    def __init__(self, path: Path, data: Any = DATA) -> None:
        self.sweep = rl.sweep(data, grid=SMALL, cv=3, results=path)
        assert self.sweep.wait(PATIENCE)
        self.text = path.read_bytes()
        self.lines = self.text.splitlines(keepends=True)
        self.results = {(r.point, r.fold): r for r in self.sweep.results}
        assert len(self.results) == len(self.lines) - 1 == 6


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return Written(tmp_path_factory.mktemp("sound") / "results.jsonl")


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Of other rows."""
    return Written(tmp_path_factory.mktemp("other") / "results.jsonl", people(seed=1))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged") / "results.jsonl"


def reopened(written: Written, path: Path, text: bytes) -> tuple[int, ResultsFile]:
    """Open a file with this text: nothing but what was computed is used, now and later."""
    path.write_bytes(text)
    plan, jobs = written.sweep.plan, jobs_of(written.sweep)
    with ResultsFile(path, plan.identity) as file:
        found, others = reuse(file.saved, jobs, plan.limits)
    assert not others
    for result in found:
        assert result == written.results[result.point, result.fold]
    with ResultsFile(path, plan.identity) as again:
        assert (again.damage, again.notes) == (file.damage, [])
        assert again.saved == file.saved
    assert [copy.name for copy in path.parent.iterdir()] == [path.name]
    return len(found), file


def kinds() -> st.SearchStrategy[tuple[str, float, float, int]]:
    share = st.floats(0, 1, exclude_max=True)
    names = st.sampled_from(["flip", "cut", "drop", "insert", "double", "mix", "swap", "glue"])
    return st.tuples(names, share, share, st.integers(1, 255))


def damaged(written: Written, foreign: Written, kind: str, where: float, other: float, byte: int) -> tuple[bytes, int]:
    """A text that went wrong, and how many results of it must be found at least."""
    text, lines = written.text, list(written.lines)
    at, line, second = int(where * len(text)), int(where * len(lines)), int(other * len(lines))
    n = len(lines) - 1
    if kind == "flip":
        return text[:at] + bytes([text[at] ^ byte]) + text[at + 1 :], n - 2  # an end of a line is of two
    if kind == "cut":
        return text[:at], max(0, text[: at + 1].count(b"\n") - 1)
    if kind == "drop":
        return text[:at] + text[at + byte :], n - text[at : at + byte].count(b"\n") - 1
    if kind == "insert":
        return text[:at] + bytes([byte] * 3) + text[at:], n - 1
    if kind == "double":
        return b"".join([*lines[: line + 1], lines[second], *lines[line + 1 :]]), n
    if kind == "mix":
        return b"".join([*lines[: line + 1], foreign.lines[second % len(foreign.lines)], *lines[line + 1 :]]), n
    if kind == "swap":
        lines[line], lines[second] = lines[second], lines[line]
        return b"".join(lines), n
    lines[line] = lines[line][: 1 + int(other * (len(lines[line]) - 2))]  # half a line, and the next one at its end
    return b"".join(lines), n - 2


@settings(max_examples=200)
@given(kinds())
def test_what_is_sound_is_kept_and_nothing_else_is_used(written, foreign, place, what):
    text, at_least = damaged(written, foreign, *what)
    found, file = reopened(written, place, text)
    assert found >= at_least
    if found < 6 and what[0] not in ("cut", "drop"):  # where whole lines are gone nothing can be noticed
        assert file.damage or file.notes


@settings(max_examples=100)
@given(st.lists(kinds(), min_size=2, max_size=5), st.binary(max_size=40))
def test_no_damage_gives_another_error_or_a_wrong_result(written, foreign, place, many, rubbish):
    now = written
    for what in many:
        if len(now.text) < 2:
            break
        text, _ = damaged(now, foreign, *what)
        now = Written.__new__(Written)
        now.text, now.lines = text, text.splitlines(keepends=True)
    message = ""
    try:
        reopened(written, place, now.text + rubbish)
    except SweepError as error:
        message = str(error)
    if message:
        assert "choose another file" in message
        assert place.read_bytes() == now.text + rubbish


def test_every_byte_of_a_line_is_checked(written):
    line, about = written.lines[1].rstrip(), b"rows"
    data = unsealed(line, about)
    assert data is None  # it belongs to something else
    small = sealed({"a": 1.5, "b": "ä"}, about)
    assert unsealed(small, about) == {"a": 1.5, "b": "ä"}
    for at in range(len(small)):
        for other in range(256):
            if other != small[at]:
                assert unsealed(small[:at] + bytes([other]) + small[at + 1 :], about) is None


@pytest.mark.parametrize("line", [0, 1, 6])
def test_a_damaged_file_is_told_of_and_the_fits_are_computed_again(written, path, line):
    lines = list(written.lines)
    lines[line] = lines[line].replace(b"0", b"1", 1)
    path.write_bytes(b"".join(lines))
    sound = 6 if line == 0 else 5
    said = rf"damaged in line {line + 1}; {sound} results are sound and used"
    with pytest.warns(SweepWarning, match=said) as told:
        again = rl.sweep(DATA, grid=SMALL, cv=3, results=path)
    assert told[0].filename == __file__
    assert again.wait(PATIENCE)
    assert again.progress.resumed == sound
    pd.testing.assert_frame_equal(again.frame.drop(columns=TIMES), written.sweep.frame.drop(columns=TIMES))
    with pytest.warns(SweepWarning, match="damaged"):
        assert rl.sweep(DATA, grid=SMALL, cv=3, results=path).progress.resumed == 6


@pytest.mark.parametrize(
    "change",
    [
        {"lower_bound": float("-inf"), "status": "limit"},
        {"objective": float("nan"), "lower_bound": None},
        {"message": "lone \udc80 surrogate\n and a line"},
    ],
)
def test_odd_values_are_kept(written, path, change: dict[str, Any]):
    result = written.sweep.results[0]
    odd = Result(**{**{name: getattr(result, name) for name in Result.__dataclass_fields__}, **change})
    with ResultsFile(path, written.sweep.plan.identity) as file:
        file.append(odd)
    with ResultsFile(path, written.sweep.plan.identity) as file:
        assert repr(Result.from_dict(file.saved[0], odd.point)) == repr(odd)
