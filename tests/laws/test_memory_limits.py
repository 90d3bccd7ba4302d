"""Growing within a memory limit, and the arithmetic of huge arguments: law against law, without a search of hours."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from live import problem

import rulelab as rl
from rulelab.data.columns import few_groups, many_groups
from rulelab.kernels.growing import affordable, bytes_to_resize, resized, table_size
from rulelab.kernels.jit import kernel
from rulelab.rule_list import bounds
from rulelab.rule_set.master.dual_bound import knapsack

MAKERS: dict[str, Callable[[int], rl.Search]] = {
    **{
        policy: lambda limit, policy=policy: rl.RuleListSearch(
            problem(400, 40), 0.002, policy=policy, memory_limit=limit, beam_width=0
        )
        for policy in ("lower_bound", "objective", "breadth_first")
    },
    "frontier": lambda limit: rl.FrontierSearch(problem(400, 40), 12, memory_limit=limit, beam_width=0),
    "corels": lambda limit: rl.CorelsSearch(problem(400, 40), 0.002, memory_limit=limit),
    "falling": lambda limit: rl.FallingRuleListSearch(problem(1000, 150), 0.003, 5.0, memory_limit=limit, iterations=0),
}


@pytest.mark.long
@pytest.mark.parametrize("name", list(MAKERS))
def test_no_search_grows_beyond_its_memory_limit(name: str) -> None:
    stopped = False
    for limit in (300_000, 1_000_000, 1_700_000):
        search = MAKERS[name](limit)
        first = search.advance(1).memory_bytes
        last = rl.solve(search, work_limit=20_000)
        assert last.memory_bytes <= max(limit, first)
        stopped |= last.limit == "memory"
    assert stopped


@given(st.integers(1, 1000), st.integers(1, 3000), st.integers(0, 10_000), st.integers(1, 9))
def test_what_is_affordable_is_paid_for_and_enough(capacity: int, needed: int, free: int, entry: int) -> None:
    wanted = affordable(capacity, needed, free, lambda n: (n - capacity) * entry)
    assert wanted == affordable(capacity, needed, None, abs) or (wanted - capacity) * entry <= free
    if (max(needed, 2 * capacity) if needed <= capacity else needed) - capacity <= free // entry:
        assert wanted >= needed


def naive_knapsack(best: list[int], penalty: int, room: int) -> int:
    most = [0] * (room + 1)
    for used in range(1, room + 1):
        most[used] = most[used - 1]
        for s in range(1, len(best)):
            if s + 1 <= used:
                most[used] = max(most[used], most[used - s - 1] + best[s] - penalty * (s + 1))
    return most[room]


class Arrays(NamedTuple):
    sets: np.ndarray
    rules: np.ndarray
    fixed: np.ndarray


@given(st.integers(0, 20), st.integers(0, 50), st.integers(1, 4))
def test_resizing_takes_the_bytes_that_were_asked_for(entries: int, more: int, words: int) -> None:
    arrays = Arrays(np.zeros((entries, words), dtype=np.uint64), np.zeros(entries, dtype=np.int16), np.zeros(7))
    before, names = sum(array.nbytes for array in arrays), ("sets", "rules")
    asked = bytes_to_resize(arrays, names, entries + more)
    assert sum(array.nbytes for array in resized(arrays, names, entries + more)) == before + asked


@given(st.integers(0, 10_000))
def test_a_table_has_the_least_power_of_two_that_is_not_too_full(entries: int) -> None:
    size = table_size(entries)
    assert size.bit_count() == 1
    assert 4 * entries <= 3 * size
    assert size == 64 or 4 * entries > 3 * (size // 2)


@settings(max_examples=300)
@given(st.lists(st.integers(-20, 60), min_size=1, max_size=7), st.integers(0, 12), st.integers(2, 300))
def test_the_knapsack_is_that_of_every_room(best: list[int], penalty: int, room: int) -> None:
    assert knapsack(np.array(best), penalty, room) == naive_knapsack(best, penalty, room)


def test_a_knapsack_of_a_huge_room_is_filled_at_once() -> None:
    assert knapsack(np.array([0, 7, 12]), 1, 10**15) == 9 * (10**15 // 3 - 1) + 2 * 5


@settings(max_examples=200)
@given(st.lists(st.integers(1, 9), min_size=2, max_size=30), st.integers(2, 400))
def test_groups_beyond_the_values_cut_where_quantiles_fall(counts: list[int], groups: int) -> None:
    for numbers in (np.array(counts), np.array(counts) / 3):
        few, many = few_groups(numbers, groups), many_groups(numbers, groups)
        assert few[few < len(counts) - 1].tolist() == many[many < len(counts) - 1].tolist()


def test_more_groups_than_values_cost_nothing() -> None:
    table = np.arange(60.0)[:, None]
    assert len(rl.Binarizer(thresholds=10**30).fit(table).conditions_) == 2 * 59


@kernel
def _sums(values, out):
    bounds.largest_sums(values, out)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 9])
def test_the_largest_sums_begin_with_nothing(size: int) -> None:
    values, out = np.array([5, 1, 9, 3, 7], dtype=np.int64), np.full(size, -1, dtype=np.int64)
    _sums(values, out)
    expected = np.append(0, np.cumsum(np.sort(values)[::-1]))
    assert out.tolist() == np.append(expected, [expected[-1]] * size)[:size].tolist()
