"""The kernel decorator: intrinsics, the disk cache and what makes it stale."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core.errors import TypingError

from rulelab.kernels import bits, jit
from rulelab.kernels.by_reference import by_reference


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


MODULE = """
from typing import NamedTuple

from rulelab.kernels.jit import kernel

class Pair(NamedTuple):
    a: int
    b: int

@kernel
def total(pair):
    return pair.a + pair.b
"""


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
    module.write_text(MODULE)
    assert [run(tmp_path, code), run(tmp_path, code)] == [["7 0"], ["7 1"]]
    for file in (tmp_path / "cache").rglob("*.nbi"):
        file.write_bytes(file.read_bytes()[:-20])
    assert run(tmp_path, code) == ["7 0"]
    module.write_text(MODULE.replace("Pair", "Couple"))
    assert run(tmp_path, code.replace("Pair", "Couple")) == ["7 0"]


BRANCHES = """
from typing import NamedTuple

import numpy as np

from rulelab.kernels.jit import inlined, inner, kernel

class State(NamedTuple):
    numbers: np.ndarray
    room: int

@inlined
def count(state, k):
    numbers = state.numbers
    numbers[k] += 1
    return numbers[k] + state.room

@inner
def turned(a, b):
    if a > b:
        return b, a - b
    return a + 1, b

@kernel
def walk(state, a, b):
    total, last = 0, b
    for i in range(state.room):
        before = a
        a, b = turned(b, a + i)
        if a % 3 == 0:
            a, b = b, before
            continue
        while last > 0 and total >= 0:
            last -= count(state, i % state.numbers.size)
            total += last * a
        last = before if i % 2 else count(state, 0)
        if total > 10_000:
            return *turned(total, 10_000), -1
        b, last = last, b + count(state, 1)
    return total, a, b

for a in range(6):
    state = State(np.arange(3), 4 * a)
    print(*(int(x) for x in (*walk(state, a, 7 - a), *state.numbers)))
"""


@pytest.mark.long
def test_a_kernel_does_what_python_does(tmp_path):
    (tmp_path / "branches.py").write_text(BRANCHES)
    python = run(tmp_path, "import branches", NUMBA_DISABLE_JIT="1")
    assert run(tmp_path, "import branches", RULELAB_CACHE="0") == python
    assert len(set(python)) == 6


def test_a_function_is_compiled_for_the_type_of_a_number_and_not_for_each_number(tmp_path):
    (tmp_path / "branches.py").write_text(BRANCHES)
    code = (
        "from numba.core import event\n"
        "with event.install_recorder('numba:compile') as seen: import branches\n"
        "names = [e.data['dispatcher'].py_func.__name__ for _, e in seen.buffer if e.is_start]\n"
        "print(names.count('turned'), names.count('walk'))"
    )
    assert run(tmp_path, code, RULELAB_CACHE="0")[-1] == "1 1"


REFERENCES = """
from typing import NamedTuple

import numpy as np

from rulelab.kernels.by_reference import by_reference
from rulelab.kernels.jit import inlined, inner, kernel

@by_reference
class Part(NamedTuple):
    ends: np.ndarray
    step: int

@by_reference
class State(NamedTuple):
    table: np.ndarray
    part: Part
    is_odd: bool
    scale: float
    nothing: None
    cube: np.ndarray

@inner
def advance(state, row):
    part = state.part
    for i in range(0, state.table.shape[1], part.step):
        state.table[row, i] += part.ends[0] if state.is_odd else part.ends[1]
    return state

@inlined
def total(state):
    return state.scale * state.table.sum() if state.nothing is None else -1.0

@kernel
def walk(state, other, rows):
    chosen = state
    for row in range(rows):
        chosen = advance(other if chosen.is_odd else state, row)
        chosen.cube[row, row, row] = row + state.cube.shape[2]
    return total(state) + 1000 * total(other)

def state(step, is_odd):
    part = Part(np.array([2, 3], dtype=np.int16), step)
    return State(np.arange(12.0).reshape(3, 4).T, part, is_odd, 0.5, None, np.zeros((4, 4, 4), np.uint8))

for a, b in ((state(1, True), state(2, False)), (state(2, False), state(3, False))):
    print(float(walk(a, b, 4)), a.table.tolist(), b.table.tolist(), a.cube.sum(), b.cube.sum())
"""


@pytest.mark.long
def test_named_tuples_are_handed_on_by_their_address(tmp_path):
    """What is in them is seen, of each type and layout, also in another one; what is written is written."""
    (tmp_path / "references.py").write_text(REFERENCES)
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


def test_kernels_work_where_nothing_can_be_written(tmp_path):
    (tmp_path / "sums.py").write_text(MODULE)
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


@pytest.mark.parametrize("shape", [(1, 1), (63, 65), (64, 64), (200, 130), (1000, 7), (3, 0)])
def test_packing_and_transposing(shape):
    matrix = np.random.default_rng(0).random(shape) < 0.4
    words = bits.pack(matrix)
    assert (bits.unpack(words, shape[1]) == matrix).all()
    assert (bits.counts(words) == matrix.sum(axis=1)).all()
    if shape[1]:
        assert (bits.unpack(bits.transpose(words, shape[1]), shape[0]) == matrix.T).all()
