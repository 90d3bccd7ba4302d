"""Kernels are ready before a clock runs: what compiles in a search would count as search time."""

import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml
from command_line import python
from patience import PATIENCE, wait_until

import rulelab as rl
from rulelab import rehearsal, warming
from rulelab.sweeps import families
from rulelab.sweeps.plan import make_plan

PROGRAMS = yaml.safe_load(Path(__file__).with_name("warming.yaml").read_text(encoding="utf-8"))


@pytest.mark.long
def test_a_search_compiles_nothing_after_its_hook():
    python("-c", PROGRAMS["compiled"] + PROGRAMS["searches"])


@pytest.mark.long
def test_mining_compiles_nothing_after_its_rehearsal():
    python("-c", PROGRAMS["compiled"] + PROGRAMS["mining"])


@pytest.mark.long
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_no_compilation_in_the_background_outlives_the_process_it_is_for(ending, tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "RULELAB_WARMING": "1"}
    command, pipe, nowhere = [sys.executable, "-c", PROGRAMS["parent"]], subprocess.PIPE, subprocess.DEVNULL
    parent = subprocess.Popen(command, stdout=pipe, stderr=nowhere, text=True, env=environment)
    assert parent.stdout is not None
    children = [int(number) for number in parent.stdout.readline().split()]
    assert len(children) == 2
    for child in children:  # Ctrl-C passes them by; in a session of their own their niceness would count for nothing
        assert (os.getpgid(child), os.getsid(child)) == (child, os.getsid(parent.pid))
        os.kill(child, signal.SIGSTOP)  # as it is while its parent compiles
    parent.send_signal(ending)
    parent.communicate(timeout=PATIENCE)
    deadline = time.monotonic() + PATIENCE
    while any(map(is_running, children)):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def state(process: int) -> str:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


def test_what_is_compiled_for_later_rests_while_somebody_waits(monkeypatch):
    later = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    monkeypatch.setattr(rehearsal, "beside", [later])
    monkeypatch.setattr(rehearsal, "rehearsed", set())

    def rehearse() -> None:
        wait_until(lambda: state(later.pid) == "T")
        raise ValueError("not to be compiled")

    try:
        with pytest.raises(ValueError, match="not to be compiled"):
            rehearsal.once("a search", rehearse)
        wait_until(lambda: state(later.pid) == "R")
    finally:
        later.kill()
        later.wait()


@pytest.mark.parametrize("switch", ["RULELAB_WARMING", "RULELAB_CACHE", "NUMBA_DISABLE_JIT"])
def test_compilation_in_the_background_can_be_switched_off(switch, monkeypatch):
    monkeypatch.setattr(warming, "beside", [])
    for name in ("RULELAB_WARMING", "RULELAB_CACHE"):
        monkeypatch.setenv(name, "0" if name == switch else "1")
    monkeypatch.setattr("numba.config.DISABLE_JIT", int(switch == "NUMBA_DISABLE_JIT"))
    assert warming.begin_in_background() == []


@pytest.mark.long
def test_what_is_first_shown_begins_to_compile():
    assert python("-c", PROGRAMS["shown"], RULELAB_WARMING="1", RULELAB_CACHE="1").split() == ["2"] * 3


@pytest.mark.long
def test_what_comes_after_the_optimum_is_compiled_when_it_is_known():
    assert python("-c", PROGRAMS["near"]).splitlines() == ["limit optimum 0 True", "optimal finished 1 True"]


@pytest.mark.long
def test_what_is_compiled_in_the_background_is_everything():
    assert python("-c", PROGRAMS["everything"]) == "True {True}\n"


def is_running(process: int) -> bool:
    try:
        return state(process) != "Z"
    except FileNotFoundError:
        return False


def test_kernels_that_are_not_compiled_are_not_rehearsed(monkeypatch):
    monkeypatch.setattr(rehearsal, "rehearsed", set())
    monkeypatch.setattr("numba.config.DISABLE_JIT", 1)
    rehearsal.once("anything", lambda: pytest.fail("there is nothing to compile"))


@pytest.mark.parametrize(("before", "meanwhile"), [(700, (50_000, 2, 12)), (90_000, (90_000, 2, 12)), (0, (0, 11, 12))])
def test_garbage_is_seldom_looked_for_while_kernels_are_compiled(before, meanwhile, monkeypatch):
    monkeypatch.setattr(rehearsal, "rehearsed", set())
    thresholds = gc.get_threshold()
    seen = []

    def fail() -> None:
        seen.append(gc.get_threshold())
        raise RuntimeError("interrupted")

    try:
        gc.set_threshold(before, 11, 12)
        with pytest.raises(RuntimeError):
            rehearsal.once("anything", fail)
        assert gc.get_threshold() == (before, 11, 12)
    finally:
        gc.set_threshold(*thresholds)
    assert seen == [meanwhile]


def test_a_class_rehearses_once_and_only_for_a_clock(monkeypatch):
    calls = []
    monkeypatch.setattr(rehearsal, "rehearsed", set())

    def noted(key: object, rehearse: Callable[[], None]) -> None:
        rehearsal.once(key, lambda: calls.append(type(rehearse.__self__).__name__))

    monkeypatch.setattr("rulelab.stepping.once", noted)
    problem = rehearsal.tiny_problem()
    rl.solve(rl.RuleListSearch(problem))
    assert calls == []
    for make in (rl.RuleListSearch, rl.CorelsSearch, rl.RuleListSearch):
        rl.solve(make(problem), time_limit=60)
    assert calls == ["RuleListSearch", "CorelsSearch"]


def test_the_clock_starts_after_the_hook(monkeypatch):
    monkeypatch.setattr(rl.RuleListSearch, "compile", lambda self: time.sleep(0.1))
    search = rl.RuleListSearch(rehearsal.tiny_problem())
    start = time.perf_counter()
    snapshot = rl.solve(search, time_limit=60)
    assert snapshot.seconds <= time.perf_counter() - start - 0.1
    near = rl.NearOptimalSearch(rehearsal.tiny_problem(), 0.01, within=0.0)
    monkeypatch.setattr(rl.NearOptimalSearch, "compile", lambda self: time.sleep(0.1))
    start = time.perf_counter()
    *_, progress = near.steps(time_limit=60)
    assert progress.seconds <= time.perf_counter() - start - 0.1


@pytest.mark.parametrize("family", list(families.FAMILIES))
def test_a_sweep_warms_up_before_its_clock_runs(family, monkeypatch):
    name, sensitive = ("compas", "sex") if family.startswith("least_gap") else ("diabetes", None)
    plan = make_plan(rl.datasets.load(name), 2, sensitive, None, 0, time_limit=None, gap=0.0)
    told: list[tuple[str, float]] = []

    def compile_slowly(search: rl.Search) -> None:
        told.append((search.family, time.perf_counter()))
        time.sleep(0.1)

    monkeypatch.setattr(rl.Search, "compile", compile_slowly)
    method = families.FAMILIES[family]
    small = {"thresholds": 2, "max_conditions": 1, "max_complexity": 2}
    values = {name: small.get(name, value) for name, value in method.defaults.items()}
    found = method.fit(plan.fold(0), values, plan, None, lambda: False)
    searched = {"least_gap": "rule_list", "least_gap_of_sets": "rule_set"}.get(family, family)
    assert {name for name, _ in told} == {searched}
    assert found.seconds <= time.perf_counter() - told[0][1] - 0.1


def test_a_classifier_with_a_time_limit_compiles_first(monkeypatch):
    warmed = []
    monkeypatch.setattr(rl.Search, "compile", lambda search: warmed.append(search.family))
    X, y = np.eye(4) > 0, [0, 1, 0, 1]
    rl.RuleListClassifier(max_conditions=1).fit(X, y)
    assert set(warmed) == {"rule_list"}
    warmed.clear()
    rl.RuleListClassifier(max_conditions=1, time_limit=None).fit(X, y)
    assert not warmed
