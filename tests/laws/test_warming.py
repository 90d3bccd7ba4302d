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
from command_line import python
from patience import PATIENCE, wait_until

import rulelab as rl
from rulelab import rehearsal, warming
from rulelab.sweeps import families
from rulelab.sweeps.plan import make_plan

SCRIPT = """
import sys

import numpy as np
from numba.core.dispatcher import Dispatcher

import rulelab as rl
from rulelab.rule_list import POLICIES


def compiled():
    found = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("rulelab."):
            for kernel in vars(module).values():
                if isinstance(kernel, Dispatcher):
                    found[kernel.py_func.__module__, kernel.py_func.__name__] = len(kernel.signatures)
    return found


def problem(rows, columns, weights=None, seed=0):
    rng = np.random.default_rng(seed)
    A = rng.random((rows, columns)) < 0.4
    y = (A[:, 0] & ~A[:, 1]) ^ (rng.random(rows) < 0.3)
    weight = None if weights is None else rng.choice(weights, rows)
    return rl.Problem.from_arrays(A, y, groups=rng.integers(0, 2, rows), sample_weight=weight)


PLAIN, WIDE = problem(150, 12), problem(90, 70)
HALVES, THIRDS = problem(150, 12, [0.5, 1.0]), problem(150, 12, [1 / 3, 1.0])
MANY = problem(1500, 12)


def falling(given, **options):
    return rl.search_for(given, "falling_rule_list", **options)


LISTS = [{}, {"warm_start": [0]}, {"max_length": 2}, {"beam_width": 0}, {"memory_limit": 10**8}]
LISTS += [{"policy": policy, "beam_width": 0} for policy in POLICIES]
FAIR = [rl.EqualOpportunity(0.05), rl.EqualizedOdds(0.05, 0.05), rl.FalsePositiveRateParity(0.0)]
FAIR += [rl.DemographicParity(0.1), rl.AccuracyParity(0.2)]
SETS = [{}, {"max_complexity": 4, "loss": "zero_one"}, {"form": "cnf"}, {"warm_start": [[0]]}, {"regularization": 0.25}]
SETS += [{"max_conditions": 2}, *({"fairness": criterion} for criterion in FAIR)]
SEARCHES = [  # those whose kernels others share come first
    (falling, [{"method": "monte_carlo"}, {"method": "monte_carlo", "violation_penalty": 0.2}]),
    (rl.FrontierSearch, [{"max_length": 3}, {"max_length": 3, "beam_width": 0}]),
    (rl.CorelsSearch, [{}, *({"policy": policy} for policy in POLICIES), {"bounds": rl.CorelsBounds.published()}]),
    (rl.RuleListSearch, LISTS),
    (rl.NearOptimalSearch, [{"regularization": 0.02, "within": 0.01}, {"regularization": 0.02, "ratio": 0.1}]),
    (rl.NearOptimalCounter, [{"regularization": 0.02, "within": 0.01}]),
    (rl.FallingRuleListSearch, [{}, {"max_length": 2}, {"positive_weight": 2.0}, {"iterations": 0}]),
    (falling, [{"violation_penalty": 0.2}, {"violation_penalty": 0.2, "iterations": 0}]),
    (rl.RuleSetSearch, [{"max_complexity": 6} | options for options in SETS]),
]


def late_kernels(make, options, given, work_limit):
    search = make(given, **options)
    if make in (rl.NearOptimalSearch, rl.NearOptimalCounter):
        rl.solve(search.search)
    search.compile()
    before = compiled()
    assert sum(before.values()) > 0
    if make is rl.NearOptimalSearch:
        for _, progress in zip(range(60), search.steps()):
            pass
        search.result()
    else:
        rl.solve(search, work_limit=work_limit)
    late = sorted(set(compiled().items()) - set(before.items()))
    assert not late, (make.__name__, options, late)


for make, kinds in SEARCHES:
    for options in kinds:
        for given in (PLAIN, WIDE, HALVES, THIRDS) if options is kinds[0] else (PLAIN, THIRDS):
            exact = given in (PLAIN, WIDE) or make is not rl.RuleSetSearch or "fairness" not in options
            late_kernels(make, options, given, 300 if exact else 40)
late_kernels(rl.RuleSetSearch, {"max_complexity": 6}, MANY, 60)
"""
MINING = (
    SCRIPT[: SCRIPT.index("def problem")]
    + """
import pandas as pd
from rulelab import warming
warming.warm_up_mining()
before = compiled()
assert before["rulelab.kernels.mining", "keep_distinct"] == 1
frame = pd.DataFrame(np.random.default_rng(1).random((300, 20)) < 0.4, columns=[f"c{i}" for i in range(20)])
rl.mine_antecedents(frame, max_conditions=1, min_support=0.01)
rl.mine_antecedents(frame, max_conditions=2, min_support=0.01)
late = sorted(set(compiled().items()) - set(before.items()))
assert not late, late
"""
)


@pytest.mark.long
def test_a_search_compiles_nothing_after_its_hook():
    python("-c", SCRIPT)


@pytest.mark.long
def test_mining_compiles_nothing_after_its_rehearsal():
    python("-c", MINING)


PARENT = """
import sys, time
from rulelab import warming
processes = list(warming.begin_in_background())
assert warming.begin_in_background() == processes
print(*(process.pid for process in processes), flush=True)
time.sleep(600)
"""


@pytest.mark.long
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_no_compilation_in_the_background_outlives_the_process_it_is_for(ending, tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "RULELAB_WARMING": "1"}
    command, pipe, nowhere = [sys.executable, "-c", PARENT], subprocess.PIPE, subprocess.DEVNULL
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


SHOWN = """
import multiprocessing
import panel, rulelab as rl
from rulelab import warming
from rulelab.views.pages.page import page
assert not warming.beside
panel.serve = lambda *args, **options: None
for show in (
    page,
    lambda: rl.views.SearchView(rl.RuleListSearch(warming.tiny_problem())),
    lambda: rl.views.serve(threaded=True),
):
    told = lambda: (show(), print(len(warming.beside), flush=True))
    process = multiprocessing.get_context("fork").Process(target=told)  # each is the first to be shown in a process
    process.start()
    process.join()
    assert process.exitcode == 0
"""


@pytest.mark.parametrize("switch", ["RULELAB_WARMING", "RULELAB_CACHE", "NUMBA_DISABLE_JIT"])
def test_compilation_in_the_background_can_be_switched_off(switch, monkeypatch):
    monkeypatch.setattr(warming, "beside", [])
    for name in ("RULELAB_WARMING", "RULELAB_CACHE"):
        monkeypatch.setenv(name, "0" if name == switch else "1")
    monkeypatch.setattr("numba.config.DISABLE_JIT", int(switch == "NUMBA_DISABLE_JIT"))
    assert warming.begin_in_background() == []


@pytest.mark.long
def test_what_is_first_shown_begins_to_compile():
    assert python("-c", SHOWN, RULELAB_WARMING="1", RULELAB_CACHE="1").split() == ["2"] * 3


EVERYTHING = """
import rulelab as rl
from rulelab import rehearsal, warming
warming.lists()
warming.others()
lists, sets = rehearsal.tiny_problem(), rehearsal.noisy_problem()
searches = [make(lists) for make in (rl.RuleListSearch, rl.CorelsSearch, rl.FrontierSearch, rl.FallingRuleListSearch)]
rl.solve(searches[0])
searches += [rl.NearOptimalSearch(searches[0]), rl.RuleSetSearch(sets)]
searches += [rl.search_for(lists, "falling_rule_list", violation_penalty=0.1)]
searches += [rl.search_for(lists, "falling_rule_list", method="monte_carlo")]
grouped, fairness = rehearsal.grouped_problem(), rl.EqualOpportunity(0.05)
searches += [rl.search_for(grouped, model, fairness=fairness) for model in ("rule_list", "falling_rule_list")]
searches += [rl.LeastGapSearch(grouped), rl.search_for(lists, first_rule="antecedent 0")]
print(warming.mining_is_compiled(), {search.compiled for search in searches})
"""
NEAR = """
import numpy as np, rulelab as rl
from rulelab.rule_list.near_optimal.kernels import advance
rng = np.random.default_rng(0)
A, label = rng.random((2000, 60)) < 0.5, rng.random(2000) < 0.5
searches = [rl.NearOptimalSearch(rl.Problem.from_arrays(A[:, :m], label), price) for m, price in ((60, 1e-4), (3, 0.1))]
for search in searches:
    search.compile()
    print(rl.solve(search, time_limit=0.5).status, search.phase, len(advance.signatures), search.compiled)
"""


@pytest.mark.long
def test_what_comes_after_the_optimum_is_compiled_when_it_is_known():
    assert python("-c", NEAR).splitlines() == ["limit optimum 0 True", "optimal finished 1 True"]


@pytest.mark.long
def test_what_is_compiled_in_the_background_is_everything():
    assert python("-c", EVERYTHING) == "True {True}\n"


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

    monkeypatch.setattr("rulelab.search.once", noted)
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
