"""The kernel decorator: intrinsics, the disk cache and what makes it stale."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulelab import bits, jit


@given(st.integers(0, 2**64 - 1))
def test_bit_intrinsics(x):
    word = np.uint64(x)
    assert jit.popcount(word) == x.bit_count()
    assert jit.ctz(word) == (64 if x == 0 else (x & -x).bit_length() - 1)


@pytest.mark.skipif(os.environ.get("RULELAB_CACHE") == "0", reason="the disk cache is switched off")
def test_a_change_of_any_kernel_source_makes_the_cache_stale():
    """A kernel is compiled together with the kernels it calls, wherever they stand."""
    from rulelab.rule_list import kernels

    assert kernels.advance._cache._cache_file._source_stamp == jit.source_stamp()


def test_kernels_run_without_compilation_too():
    """The same code as plain Python gives the same optimum."""
    code = (
        "import numpy as np, rulelab as rl\n"
        "rng = np.random.default_rng(4)\n"
        "A, y = rng.random((60, 6)) < .5, rng.random(60) < .5\n"
        "s = rl.solve(rl.RuleListSearch(rl.Problem.from_arrays(A, y), .03, beam_width=20))\n"
        "print(s.status, s.incumbent.objective, s.work)\n"
    )
    out = [
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code],
            env={**os.environ, "NUMBA_DISABLE_JIT": flag},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for flag in ("0", "1")
    ]
    assert out[0] == out[1]
    assert out[0].startswith("optimal")


@pytest.mark.parametrize("shape", [(1, 1), (63, 65), (64, 64), (200, 130), (1000, 7), (3, 0)])
def test_packing_and_transposing(shape):
    matrix = np.random.default_rng(0).random(shape) < 0.4
    words = bits.pack(matrix)
    assert (bits.unpack(words, shape[1]) == matrix).all()
    assert (bits.counts(words) == matrix.sum(axis=1)).all()
    if shape[1]:
        assert (bits.unpack(bits.transpose(words, shape[1]), shape[0]) == matrix.T).all()


def test_equal_rows_are_grouped_by_first_appearance():
    matrix = np.random.default_rng(1).random((500, 6)) < 0.5
    group, first = bits.group_equal_rows(bits.pack(matrix))
    assert (matrix[first[group]] == matrix).all()
    assert len(first) == len(np.unique(matrix, axis=0))
    assert (np.sort(first) == first).all()
    assert (group[first] == np.arange(len(first))).all()
