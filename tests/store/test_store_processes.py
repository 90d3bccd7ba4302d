"""Several processes on one store, and processes that die while they write."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from live import recorded, small_search
from patience import PATIENCE
from places import ROOT, TESTS

import rulelab as rl
from rulelab.store import database

pytestmark = pytest.mark.long


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


def test_two_processes_write_to_one_store_at_once(write, tmp_path) -> None:
    processes = [write(name, 25) for name in ("left", "right")]  # both may find no file, and make it
    said = [process.communicate(timeout=PATIENCE)[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    with rl.store.open(tmp_path / "runs.sqlite") as store:
        assert {run.hash for run in store.runs()} == {*said[0], *said[1]}
        assert len(store.runs("left")) == len(store.runs("right")) == 25
        assert store.damaged() == []
    assert not list(tmp_path.glob("*.part*")), "nothing half-made is left"


def test_a_process_that_dies_while_it_makes_the_file_leaves_none(tmp_path) -> None:
    place = tmp_path / "runs.sqlite"
    code = (
        "import os, sys, rulelab.store.database as d\n"
        "d._create = lambda connection: os.kill(os.getpid(), 9)\n"
        "d.Database(sys.argv[1])\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code, str(place)], env=environment, timeout=PATIENCE, check=False)
    assert done.returncode == -signal.SIGKILL
    assert not place.exists()
    with rl.store.open(place) as store:
        assert store.runs() == []
    assert place.read_bytes()[68:72] == database.APPLICATION_ID.to_bytes(4, "big")
