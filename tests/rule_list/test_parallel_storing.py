"""Storing outboxes by several threads: what one thread would store, one entry after another, whoever is faster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from inside import Inside

import rulelab as rl
from rulelab.kernels.growing import OPEN
from rulelab.rule_list.exact import state
from rulelab.rule_list.exact.node_store import OUT_COST, OUT_HASH, OUT_KEY, OUT_LENGTH, OUT_PARENT, OUT_RULE, OUT_WRONG
from rulelab.rule_list.exact.parallel import merge
from rulelab.rule_list.exact.parallel.rounds import side_by_side
from rulelab.rule_list.exact.parallel.worker import Outboxes

BEST, PARTS = 1000, (1, 2, 3, 16)


def backwards(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    return [call() for call in reversed(calls)][::-1]


def search(max_length: int | None = None) -> rl.RuleListSearch:
    rng = np.random.default_rng(0)
    A, y = rng.random((200, 30)) < 0.4, rng.random(200) < 0.5
    made = rl.RuleListSearch(rl.Problem.from_arrays(A, y), 0.01, beam_width=0, max_length=max_length)
    made.advance(1)
    return made


def empty(made: rl.RuleListSearch) -> state.Store:
    store = state.new_store(Inside(made).layout, 20, second_heap=False)
    store.numbers[state.OPEN_NODE], store.numbers[state.BEST] = -1, BEST
    return store


def hashed(chosen: np.ndarray, length: int) -> int:
    """The hash of `hash_of`, by whole numbers."""
    mask, h = (1 << 64) - 1, length
    for word in chosen.tolist():
        h = ((h ^ word) * 0x9E3779B97F4A7C15) & mask
        h ^= h >> 32
        h = (h * 0xBF58476D1CE4E5B9) & mask
        h ^= h >> 29
    return h - (1 << 64) if h >> 63 else h


def filled(made: rl.RuleListSearch, boxes: Outboxes, n: int, rng: np.random.Generator, most: int) -> np.ndarray:
    """Put random entries, of sets that often are the same, into the outboxes; how many are in each."""
    words, limited = boxes.sets.shape[1], made.max_length is not None
    universe = np.random.default_rng(7).integers(0, 1 << 63, (most, words), dtype=np.uint64)
    sizes = rng.multinomial(most, np.ones(n) / n)
    for worker, size in enumerate(sizes):
        for e in range(worker * boxes.room, worker * boxes.room + size):
            boxes.sets[e] = universe[rng.integers(0, most)]
            entry = boxes.entries[e]
            entry[OUT_COST], entry[OUT_LENGTH] = rng.integers(0, 5), rng.integers(1, 3)
            entry[OUT_KEY] = entry[OUT_COST] + rng.choice([0, 1, BEST], p=[0.5, 0.4, 0.1])
            entry[OUT_PARENT], entry[OUT_RULE], entry[OUT_WRONG] = rng.integers(0, 100, 3)
            entry[OUT_HASH] = hashed(boxes.sets[e], int(entry[OUT_LENGTH]) if limited else 0)
    return sizes


def stored(store: state.Store, limited: bool) -> dict[tuple, tuple[int, ...]]:
    n = int(store.numbers[state.N_NODES])
    found = {}
    for i in range(n):
        length = int(store.length[i])
        of = (store.sets[i].tobytes(), length if limited else 0)
        assert of not in found, "a set is stored twice"
        found[of] = tuple(int(getattr(store, name)[i]) for name in ("cost", "key", "parent", "rule", "length"))
    return found


@pytest.mark.parametrize("together", [side_by_side, backwards])
@pytest.mark.parametrize("max_length", [None, 4])
@pytest.mark.parametrize("n", PARTS)
def test_what_is_stored_is_what_one_entry_after_another_leaves(n, max_length, together):
    made = search(max_length)
    limited, inside = max_length is not None, Inside(made)
    for seed in range(8):
        rng = np.random.default_rng(seed)
        store, boxes = empty(made), Outboxes(Inside(made).store, n)
        expected: dict[tuple, tuple[int, ...]] = {}
        incumbent = same = 0
        for most in (20, 50):  # of sets of which some are known the second time
            sizes = filled(made, boxes, n, rng, most)
            for worker, size in enumerate(sizes):
                for e in range(worker * boxes.room, worker * boxes.room + size):
                    cost, key, parent, rule, length = (int(x) for x in boxes.entries[e, :5])
                    of = (boxes.sets[e].tobytes(), length if limited else 0)
                    if key >= BEST:
                        incumbent += 1
                    elif of not in expected or cost < expected[of][0]:
                        expected[of] = cost, key, parent, rule, length
                    else:
                        same += 1
            merge.receive(inside.layout, inside.rules, store, boxes, sizes, together)
        assert stored(store, limited) == expected
        assert store.pruned[state.BY_INCUMBENT] == incumbent
        assert store.pruned[state.BY_SAME_SET] >= same
        n_nodes = int(store.numbers[state.N_NODES])
        assert (store.fate[:n_nodes] == OPEN).all()
        assert store.numbers[state.N_QUEUED] == n_nodes == store.queue_by_length.sum()
        queued = set(store.heap_node[: store.numbers[state.N_HEAP]].tolist())
        assert queued == set(range(n_nodes))
        assert sorted(store.table[store.table >= 0].tolist()) == list(range(n_nodes))
        assert store.table.min() >= -1, "no slot stays reserved"


@pytest.mark.parametrize("n", PARTS)
def test_a_table_that_grew_finds_every_set(n, monkeypatch):
    for most_astray in (4096, 1):
        monkeypatch.setattr(merge, "_MOST_ASTRAY", most_astray)
        made, rng = search(), np.random.default_rng(3)
        inside = Inside(made)
        store, boxes = empty(made), Outboxes(Inside(made).store, n)
        merge.receive(inside.layout, inside.rules, store, boxes, filled(made, boxes, n, rng, 60), side_by_side)
        n_nodes = int(store.numbers[state.N_NODES])
        store = store._replace(table=np.full(128, 5, dtype=np.int32))
        store.numbers[state.TABLE_IS_STALE] = 1
        merge.rebuild(inside.rules, store, n, backwards)
        assert store.numbers[state.TABLE_IS_STALE] == 0
        assert sorted(store.table[store.table >= 0].tolist()) == list(range(n_nodes))
        before = stored(store, False)
        store.pruned[:] = 0
        known = filled(made, boxes, n, np.random.default_rng(3), 60)
        merge.receive(inside.layout, inside.rules, store, boxes, known, side_by_side)
        assert stored(store, False) == before, "all were known"
        assert store.numbers[state.N_NODES] == n_nodes
