"""The kernel decorator: intrinsics, the disk cache and what makes it stale; functions called by their address."""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from laws import Inside, learn_soon
from numba.core.errors import TypingError
from places import TESTS

import rulelab as rl
from rulelab.kernels import jit
from rulelab.kernels.by_reference import by_reference
from rulelab.rehearsal import unequal_problem
from rulelab.rule_list.cores import inequality
from rulelab.rule_list.exact.state import OPEN_NODE


@given(st.integers(0, 2**64 - 1))
def test_bit_intrinsics(x):
    word = np.uint64(x)
    assert jit.popcount(word) == x.bit_count()
    assert jit.ctz(word) == (64 if x == 0 else (x & -x).bit_length() - 1)


@pytest.mark.skipif(os.environ.get("RULELAB_CACHE") == "0", reason="the disk cache is switched off")
def test_a_change_of_any_kernel_source_makes_the_cache_stale():
    """A kernel is compiled together with the kernels it calls, wherever they stand."""
    from rulelab.rule_list.exact import kernels

    assert kernels.advance._cache._cache_file._source_stamp == jit.source_stamp()


OWN_CACHE = {"NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR", "")}
"""That of these tests, not one beside the code that is run."""


MODULES = yaml.safe_load(Path(__file__).with_name("modules.yaml").read_text(encoding="utf-8"))


def run(folder: Path, code: str, **environment: str) -> list[str]:
    """The lines that Python code prints in a folder, with a cache of its own beside it."""
    path = os.pathsep.join([str(Path(jit.__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-B", "-W", "ignore", "-c", code],
        cwd=folder,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()


@pytest.mark.long
@pytest.mark.skipif(os.environ.get("RULELAB_CACHE") == "0", reason="the disk cache is switched off")
def test_a_cache_that_cannot_be_read_is_compiled_anew(tmp_path):
    module = tmp_path / "sums.py"
    code = "import sums; print(sums.total(sums.Pair(3, 4)), sum(sums.total.stats.cache_hits.values()))"
    module.write_text(MODULES["sums"])
    assert [run(tmp_path, code), run(tmp_path, code)] == [["7 0"], ["7 1"]]
    for file in (tmp_path / "cache").rglob("*.nbi"):
        file.write_bytes(file.read_bytes()[:-20])
    assert run(tmp_path, code) == ["7 0"]
    module.write_text(MODULES["sums"].replace("Pair", "Couple"))
    assert run(tmp_path, code.replace("Pair", "Couple")) == ["7 0"]


@pytest.mark.long
def test_a_kernel_does_what_python_does_compiled_for_the_type_of_a_number_and_not_for_each_number(tmp_path):
    (tmp_path / "branches.py").write_text(MODULES["branches"])
    python = run(tmp_path, "import branches", NUMBA_DISABLE_JIT="1")
    code = (
        "from numba.core import event\n"
        "with event.install_recorder('numba:compile') as seen: import branches\n"
        "names = [e.data['dispatcher'].py_func.__name__ for _, e in seen.buffer if e.is_start]\n"
        "print(names.count('turned'), names.count('walk'))"
    )
    assert run(tmp_path, code, RULELAB_CACHE="0") == [*python, "1 1"]
    assert len(set(python)) == 6


@pytest.mark.long
def test_named_tuples_are_handed_on_by_their_address(tmp_path):
    """What is in them is seen, of each type and layout, also in another one; what is written is written."""
    (tmp_path / "references.py").write_text(MODULES["references"])
    python = run(tmp_path, "import references", NUMBA_DISABLE_JIT="1")
    look = "import references as r; print(*(type(k).__name__ for s in r.walk.signatures for k in s), %s)"
    kinds = "Reference Reference Integer"
    assert run(tmp_path, look % "sum(r.walk.stats.cache_misses.values())") == [*python, f"{kinds} 1"]
    assert run(tmp_path, look % "sum(r.walk.stats.cache_hits.values())") == [*python, f"{kinds} 1"]


@pytest.mark.parametrize(
    ("does", "said"), [("state.unknown", "Unknown attribute 'unknown'"), ("state[0]", "getitem"), ("len(state)", "len")]
)
def test_of_what_is_handed_by_its_address_only_the_fields_are_seen(does, said):
    @by_reference
    class State(NamedTuple):
        a: int

    with pytest.raises(TypingError, match=said):
        jit.kernel(eval(f"lambda state: {does}"))(State(1))


@pytest.mark.long
def test_kernels_work_where_nothing_can_be_written(tmp_path):
    (tmp_path / "sums.py").write_text(MODULES["sums"])
    code = (
        "from numba.core import caching\n"
        "def refuse(self): raise OSError('read-only file system')\n"
        "for locator in caching.CacheImpl._locator_classes: locator.ensure_cache_path = refuse\n"
        "import sums; print(sums.total(sums.Pair(3, 4)))"
    )
    assert run(tmp_path, code) == ["7"]
    assert not (tmp_path / "cache").exists()


@pytest.mark.long
def test_kernels_run_without_compilation_too(tmp_path, capsys):
    """The same code as plain Python gives the same optimum."""
    code = (
        "import numpy as np, rulelab as rl\n"
        "rng = np.random.default_rng(4)\n"
        "A, y = rng.random((60, 6)) < .5, rng.random(60) < .5\n"
        "s = rl.solve(rl.RuleListSearch(rl.Problem.from_arrays(A, y), .03, beam_width=20))\n"
        "print(s.status, s.incumbent.objective, s.work)\n"
    )
    exec(code, {})
    compiled = capsys.readouterr().out
    assert run(tmp_path, code, NUMBA_DISABLE_JIT="1") == compiled.splitlines()
    assert compiled.startswith("optimal")


# functions that kernels call by their address -------------------------------------------------------------------------


@pytest.mark.long
def test_a_function_is_called_by_its_address_as_python_calls_it(tmp_path):
    (tmp_path / "calls.py").write_text(MODULES["calls"])
    python = run(tmp_path, "import calls", NUMBA_DISABLE_JIT="1")
    assert python[0].startswith("0 [[0, 1, 2]"), "without an address it is not called"
    assert python[1] != python[0]
    hits = "*(sum(d.stats.cache_hits.values()) for d in (c.walk, c.add))"
    look = f"import calls as c; print({hits}, len(c.walk.overloads))"
    for cached in (0, 1):  # compiled, then loaded; the kernel is the same with and without an address
        assert run(tmp_path, look) == [*python, f"{cached} {cached} 1"]


def long_search(unequal: bool, **options) -> rl.RuleListSearch:
    """A search of more prefixes than after which cores are learnt; a tenth of its patterns may be heavy."""
    rng = np.random.default_rng(5)
    A, y = rng.random((200, 30)) < 0.4, rng.random(200) < 0.4
    weight = 1 + 6 * (rng.random(200) < 0.1) if unequal else None
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
    search = rl.search(problem, regularization=0.006, beam_width=0, **options)
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
        f"import pickle, sys; sys.path.append({str(TESTS / 'reference')!r})\n"
        "import rulelab as rl; from laws import Inside; s = pickle.load(open('search', 'rb'))\n"
        "print(Inside(s).learning.learner.address); r = rl.solve(s); print(r.status, r.incumbent.objective, r.work)"
    )
    assert run(tmp_path, code, **OWN_CACHE) == ["0", f"optimal {whole.incumbent.objective} {whole.work}"]


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
    for one, other in zip(cores, of_whole, strict=True):
        assert np.array_equal(one, other)


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
    own = {} if os.environ.get("RULELAB_CACHE") == "0" else OWN_CACHE
    assert run(tmp_path, code, **own) == ["False True 0", "False True 1"]


def test_a_server_compiles_what_learns_beforehand():
    search = rl.RuleListSearch(unequal_problem(), 0.01)
    learn_soon(search, where=None)
    rl.solve(search)
    assert Inside(search).learning.learner.address != 0
