"""Sweeps that are killed, cancelled or cut off, and go on from their file."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pandas as pd
import pytest
from patience import PATIENCE
from test_sweep import DATA, GRID, TIMES, hard, people, run, waited

import rulelab as rl
from rulelab.sweeps import SweepError
from rulelab.sweeps.families import Certified


@pytest.mark.long
def test_what_is_in_the_file_is_not_computed_again(done, tmp_path, monkeypatch):
    path = tmp_path / "results.jsonl"
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
def test_a_killed_sweep_goes_on(done, tmp_path):
    path = tmp_path / "results.jsonl"
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


def test_what_a_limit_ended_is_done_again_with_another_limit(tmp_path):
    path, one = tmp_path / "results.jsonl", {"regularization": [0.02]}
    limited = run(results=path, grid=one, gap=0.5)
    assert (set(limited.frame["status"]), set(limited.frame["message"])) == ({"limit"}, {"gap limit"})
    assert run(results=path, grid=one, gap=0.5).progress.resumed == 3
    exact = run(results=path, grid=one)
    assert (exact.progress.resumed, set(exact.frame["status"])) == (0, {"optimal"})
    assert run(results=path, grid=one, gap=0.5).progress.resumed == 3


@pytest.mark.parametrize(("n_jobs", "backend"), [(1, "threads"), pytest.param(2, "processes", marks=pytest.mark.long)])
def test_cancelling_ends_the_fit_that_is_going_on(tmp_path, n_jobs, backend):
    path = tmp_path / "results.jsonl"
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


TWO_FITS = {"grid": {"regularization": [0.1]}, "cv": 2}


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> str:
    """The file of a sweep of two fits."""
    path = tmp_path_factory.mktemp("saved") / "results.jsonl"
    waited(rl.sweep(DATA, **TWO_FITS, results=path))
    return path.read_text()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: "age,y\n1,2\n", "holds something else"),
        (lambda _: "no line", "holds something else"),
        (lambda _: '{"format": "rulelab sweep", "version": 3}\n', "or of another version"),
        (lambda text: text[1:].partition("\n")[0] + "\n", "damaged in its first line.*choose another file, or remove"),
    ],
)
def test_a_file_that_holds_something_else_is_left_alone(saved, tmp_path, change, message):
    path = tmp_path / "results.jsonl"
    changed = change(saved)
    path.write_text(changed)
    with pytest.raises(SweepError, match=message):
        rl.sweep(DATA, **TWO_FITS, results=path)
    assert path.read_text() == changed
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("data", "change", "message"),
    [
        (DATA, {"cv": 3}, "a sweep with cv 2, not 3"),
        (DATA, {"random_state": 1}, "a sweep with random_state 0, not 1"),
        (people(seed=1), {}, "a sweep with other data"),
        (replace(DATA, X=DATA.X.assign(member=DATA.X["member"].astype("uint8"))), {}, "columns of other types"),
    ],
)
def test_results_of_other_rows_are_refused(saved, tmp_path, data, change, message):
    path = tmp_path / "results.jsonl"
    path.write_text(saved)
    with pytest.raises(SweepError, match=message):
        rl.sweep(data, **TWO_FITS | change, results=path)
    assert path.read_text() == saved


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
