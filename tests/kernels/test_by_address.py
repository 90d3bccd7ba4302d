"""Functions that kernels call by their address: what they are given and give back, pickles, and when they compile."""

import os
import pickle

import numpy as np
import pytest
from inside import Inside, learn_soon
from test_jit import run

import rulelab as rl
from rulelab.rehearsal import unequal_problem
from rulelab.rule_list.cores import inequality
from rulelab.rule_list.exact.search import RuleListSearch
from rulelab.rule_list.exact.state import OPEN_NODE

CALLS = """
from typing import NamedTuple

import numpy as np

from rulelab.kernels.by_reference import At, call
from rulelab.kernels.by_reference import by_reference
from rulelab.kernels.jit import apart, kernel

@by_reference
class State(NamedTuple):
    table: np.ndarray
    scale: int

@apart
def add(state, row, much):
    row[0] += state.scale
    state.table[1, 1] += much
    return int(state.table.sum()) + much

class Adder(At):
    function = staticmethod(add)

@kernel
def walk(state, adder, n):
    out = 0
    for i in range(n):
        if adder != 0:
            out += call(adder, (state, state.table[i], i))
    return out

state = State(np.arange(12).reshape(4, 3), 5)
adder = Adder()
print(walk(state, adder.address, 4), state.table.tolist())
adder.find(state, state.table[0], 1)
print(walk(state, adder.address, 4), state.table.tolist())
"""


@pytest.mark.long
def test_a_function_is_called_by_its_address_as_python_calls_it(tmp_path):
    (tmp_path / "calls.py").write_text(CALLS)
    python = run(tmp_path, "import calls", NUMBA_DISABLE_JIT="1")
    assert python[0].startswith("0 [[0, 1, 2]"), "without an address it is not called"
    assert python[1] != python[0]
    hits = "*(sum(d.stats.cache_hits.values()) for d in (c.walk, c.add))"
    look = f"import calls as c; print({hits}, len(c.walk.overloads))"
    for cached in (0, 1):  # compiled, then loaded; the kernel is the same with and without an address
        assert run(tmp_path, look) == [*python, f"{cached} {cached} 1"]


def long_search(unequal: bool, **options) -> RuleListSearch:
    """A search of more prefixes than after which cores are learnt; a tenth of its patterns may be heavy."""
    rng = np.random.default_rng(5)
    A, y = rng.random((200, 30)) < 0.4, rng.random(200) < 0.4
    weight = 1 + 6 * (rng.random(200) < 0.1) if unequal else None
    search = rl.search_for(
        rl.Problem.from_arrays(A, y, sample_weight=weight), regularization=0.006, beam_width=0, **options
    )
    learn_soon(search, after=100, where=None)
    return search


@pytest.mark.parametrize("unequal", [False, True])
def test_cores_are_learnt_where_weights_are_unequal_and_change_nothing_else(unequal):
    search, other = long_search(unequal), long_search(unequal)
    learn_soon(other, after=100, where=np.inf if unequal else 0)
    ends = [rl.solve(each) for each in (search, other)]
    assert ends[0].incumbent.objective == ends[1].incumbent.objective == ends[0].lower_bound
    assert all(end.status is rl.Status.OPTIMAL for end in ends)
    for each, learns in ((search, unequal), (other, not unequal)):
        learning = Inside(each).learning
        assert (learning.learner.address != 0) == learns
        assert (np.count_nonzero(learning.cores.value) > 0) == learns


def test_rows_that_repeat_are_as_unequal_as_weights():
    rng = np.random.default_rng(0)
    A, y, weight = rng.random((50, 9)) < 0.5, rng.random(50) < 0.5, rng.integers(1, 9, 50)
    weighted = rl.Problem.from_arrays(A, y, sample_weight=weight)
    repeated = rl.Problem.from_arrays(A.repeat(weight, 0), y.repeat(weight))
    assert inequality(weighted) == pytest.approx(inequality(repeated))
    assert inequality(weighted) > 1.1
    assert inequality(rl.Problem.from_arrays(np.eye(4, dtype=bool), [0, 1, 0, 1])) == 1
    assert inequality(rl.Problem.from_arrays(np.ones((4, 1), dtype=bool), [0, 1, 0, 1])) == 1, "nothing to get right"


@pytest.mark.long
def test_a_search_is_gone_on_with_in_another_process_that_knows_no_address(tmp_path):
    whole = rl.solve(long_search(True))
    search = long_search(True)
    for _ in range(105):
        assert search.advance(1).status is rl.Status.RUNNING
    assert Inside(search).learning.learner.address != 0
    (tmp_path / "search").write_bytes(pickle.dumps(search))
    code = (
        "import pickle, rulelab as rl; s = pickle.load(open('search', 'rb'))\n"
        "print(s._learning.learner.address); r = rl.solve(s); print(r.status, r.incumbent.objective, r.work)"
    )
    said = run(tmp_path, code, NUMBA_CACHE_DIR=os.environ.get("NUMBA_CACHE_DIR", ""))
    assert said == ["0", f"optimal {whole.incumbent.objective} {whole.work}"]


@pytest.mark.long
def test_a_prefix_left_half_way_learns_for_the_rest_of_it_where_it_is_gone_on_with(monkeypatch):
    whole = long_search(True)
    last = rl.solve(whole)
    monkeypatch.setattr("rulelab.rule_list.exact.sequential.EFFORT_PER_WORK", 1)
    left = 0
    search = long_search(True)
    while (state := search.advance(1)).status is rl.Status.RUNNING:
        inside = Inside(search)
        if inside.learning.learner.address and inside.store.numbers[OPEN_NODE] >= 0 and left < 20:
            search = pickle.loads(pickle.dumps(search))
            left += 1
    assert (left, state.pruned) == (20, last.pruned)
    cores, of_whole = (Inside(each).learning.cores for each in (search, whole))
    for name in cores._fields:
        assert np.array_equal(getattr(cores, name), getattr(of_whole, name)), name


@pytest.mark.long
def test_what_learns_is_compiled_only_for_data_that_it_is_for(tmp_path):
    code = (
        "import numpy as np, rulelab as rl; from rulelab.rule_list.cores import learn\n"
        "rng = np.random.default_rng(0); A = rng.random((300, 20)) < .5; y = rng.random(300) < .5\n"
        "for heavy in (0, 20):\n"
        "    w = 1 + heavy * (rng.random(300) < .1)\n"
        "    s = rl.RuleListSearch(rl.Problem.from_arrays(A, y, sample_weight=w), .02)\n"
        "    print(s.compiled, end=' '); s.compile(); print(s.compiled, len(learn.signatures))"
    )
    environment = (
        {} if os.environ.get("RULELAB_CACHE") == "0" else {"NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR", "")}
    )
    assert run(tmp_path, code, **environment) == ["False True 0", "False True 1"]


def test_a_server_compiles_what_learns_beforehand():
    assert RuleListSearch(unequal_problem())._learns
