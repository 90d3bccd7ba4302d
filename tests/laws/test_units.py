"""Units of work are short: bounded by what they look at, however large the table, and the result is the same."""

import pickle
import sys
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import noisy_problem, state_of
from test_search_laws import ENGINES

import rulelab as rl
from rulelab import slices
from rulelab.falling_rule_list import FallingRuleListSearch
from rulelab.kernels import bit_words, bits, growing
from rulelab.rule_list import CorelsSearch
from rulelab.rule_list.exact import sequential

LITTLE = 100  # words and weights looked at in a unit
MOST_UNITS = 1_000_000
MAKES = {
    name: ENGINES[name]
    for name in (
        "rule_list, lower_bound", "rule_list, beam", "rule_list, objective", "corels, lower_bound",
        "corels, depth_first", "falling", "softly falling", "frontier",
    )
}  # fmt: skip
BOUNDED = {name: make for name, make in MAKES.items() if name not in ("frontier", "rule_list, beam")}
table = partial(noisy_problem, n=120, m=10)


@pytest.fixture
def little(monkeypatch):
    """Units of work look at very little."""
    for module in (sequential, *(sys.modules[search.__module__] for search in (CorelsSearch, FallingRuleListSearch))):
        name = "EFFORT_PER_WORK" if hasattr(module, "EFFORT_PER_WORK") else "_EFFORT_PER_WORK"
        monkeypatch.setattr(module, name, LITTLE)


@pytest.mark.parametrize("name", BOUNDED)
def test_prefixes_and_tables_are_left_half_way(name, little):
    whole = rl.solve(BOUNDED[name](table()), work_per_step=1 << 30)
    search, units, within, before = BOUNDED[name](table()), 0, 0, -1
    while (state := search.advance(1)).status is rl.Status.RUNNING:
        units += 1
        assert units < MOST_UNITS
        within += state.phase == "searching" and state.work == before
        before = state.work
        if units % 50 == 0:
            search = pickle.loads(pickle.dumps(search))
    assert within > 3  # units that ended within a prefix, or within a table
    assert state_of(state) == state_of(whole)


@pytest.mark.parametrize("name", ["rule_list, lower_bound", "corels, lower_bound", "falling"])
def test_a_unit_looks_at_few_children_of_many(name, little):
    search = BOUNDED[name](table(1, n=80, m=3000))
    before, most = 0, 0
    for _ in range(150):
        state = search.advance(1)
        created = state.counts["created"]
        before, most = created, max(most, created - before)
        assert state.work == search.work
    assert 0 < most <= LITTLE  # of 3000


@pytest.mark.parametrize("name", list(MAKES))
def test_large_tables_are_prepared_in_several_calls(name, monkeypatch):
    whole = rl.solve(MAKES[name](table()))
    assert MAKES[name](table()).advance(1).phase not in ("reducing", "preparing") or name.startswith("corels")
    monkeypatch.setattr(slices, "LARGEST_AT_ONCE", 1)
    search = MAKES[name](table())
    first = search.advance(1)
    if not name.startswith("corels"):
        assert first.phase in ("reducing", "preparing")
        assert (first.work, first.lower_bound, first.incumbent.model.antecedents) == (0, 0.0, ())
        assert (set(first.counts), set(first.pruned)) == (set(whole.counts), set(whole.pruned))
    last = rl.solve(pickle.loads(pickle.dumps(search)))
    assert state_of(last) == state_of(whole)


def test_near_optimal_lists_of_large_tables_are_the_same(monkeypatch):
    whole = rl.near_optimal(table(), regularization=0.02, within=0.01)
    monkeypatch.setattr(slices, "LARGEST_AT_ONCE", 1)
    search = rl.NearOptimalSearch(table(), 0.02, within=0.01)
    phases = [state.phase for state in search.steps()]
    assert {"optimum", "preparing", "enumerating"} <= set(phases)
    assert search.result().lists == whole.lists


@given(st.integers(1, 10**9), st.integers(1, 2 * 10**9), st.integers(1, 10**5))
def test_stores_grow_by_little_at_once(capacity, needed, entry):
    grown = growing.next_capacity(capacity, needed, entry)
    assert needed <= grown <= max(needed, 2 * capacity)
    assert grown == needed or (grown - capacity) * entry <= max(growing.MOST_AT_ONCE, capacity * entry / 8)
    assert grown >= capacity + capacity // 8 or grown == needed  # so that few copies are made


@given(st.integers(0, 200), st.integers(1, 300), st.integers(0, 9))
def test_compiled_transpositions_are_those_of_numpy(n, m, seed):
    words = bits.pack(np.random.default_rng(seed).random((n, m)) < 0.4)
    np.testing.assert_array_equal(bit_words.transposed(words, m), bits.transpose(words, m))
    np.testing.assert_array_equal(bit_words.turned(words), words.T)
