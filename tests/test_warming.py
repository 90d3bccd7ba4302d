"""After a warm-up no kernel is left to be compiled in a search: seconds of it would count as search time."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pytest

import rulelab as rl
from rulelab import warming
from rulelab.sweeps import families, worker
from rulelab.sweeps.plan import make_plan

SCRIPT = """
import sys

import numpy as np
from numba.core.dispatcher import Dispatcher

import rulelab as rl
from rulelab.warming import warm_up


def compiled():
    found = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("rulelab."):
            for kernel in vars(module).values():
                if isinstance(kernel, Dispatcher):
                    found[kernel.py_func.__module__, kernel.py_func.__name__] = len(kernel.signatures)
    return found


rng = np.random.default_rng(0)
A = rng.random((150, 12)) < 0.4
y = (A[:, 0] & ~A[:, 1]) ^ (rng.random(150) < 0.3)
problem = rl.Problem.from_arrays(A, y, groups=rng.integers(0, 2, 150))
SEARCHES = {
    "rule_list": (rl.RuleListSearch, [{}, {"warm_start": [0]}, {"max_length": 2}]),
    "falling_rule_list": (
        rl.FallingRuleListSearch,
        [{}, {"violation_penalty": 0.2}, {"method": "monte_carlo"}, {"positive_weight": 2.0}],
    ),
    "rule_set": (
        rl.RuleSetSearch,
        [
            {"max_complexity": 6},
            {"max_complexity": 4, "loss": "zero_one"},
            {"max_complexity": 6, "form": "cnf"},
            {"max_complexity": 6, "fairness": rl.EqualOpportunity(0.05)},
            {"max_complexity": 6, "warm_start": [[0]]},
        ],
    ),
}
for family, (make, kinds) in SEARCHES.items():
    warm_up(family)
    for options in kinds:
        before = compiled()
        assert sum(before.values()) > 0
        rl.solve(make(problem, **options), work_limit=2000)
        late = sorted(set(compiled().items()) - set(before.items()))
        assert not late, (family, options, late)
"""


def test_a_search_compiles_nothing_after_the_warm_up() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def test_a_family_is_warmed_up_once(monkeypatch) -> None:
    calls = []
    monkeypatch.setattr(warming, "_warm", set())
    monkeypatch.setattr(warming, "solve", lambda search, work_limit: calls.append(search.family))
    for family in ("rule_set", "rule_list", "rule_set"):
        warming.warm_up(family)
    assert calls == ["rule_set", "rule_list"]


@pytest.mark.parametrize("family", list(families.FAMILIES))
def test_a_sweep_warms_up_before_its_clock_runs(family, monkeypatch) -> None:
    data = rl.datasets.load("diabetes")
    plan = make_plan(data, 2, None, None, 0, time_limit=None, gap=0.0)
    told: list[tuple[str, float]] = []
    monkeypatch.setattr(families, "warm_up", lambda name: (told.append((name, time.perf_counter())), time.sleep(0.3)))
    method = families.FAMILIES[family]
    values = {"thresholds": 2, "max_conditions": 1} | ({"max_complexity": 2} if family == "rule_set" else {})
    found = method.fit(plan.fold(0), {**method.defaults, **values}, plan, None, worker.never)
    assert [name for name, _ in told] == [family]
    assert found.seconds <= time.perf_counter() - told[0][1] - 0.3


def test_a_classifier_with_a_time_limit_warms_up(monkeypatch) -> None:
    warmed = []
    monkeypatch.setattr("rulelab.estimators.base.warm_up", warmed.append)
    X, y = np.eye(4) > 0, [0, 1, 0, 1]
    rl.RuleListClassifier(max_conditions=1, time_limit=60).fit(X, y)
    rl.RuleListClassifier(max_conditions=1).fit(X, y)
    assert warmed == ["rule_list"]
