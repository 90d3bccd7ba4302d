"""The pool of cores: each costs what it claims, and the blocks find what looking at all of them finds."""

from __future__ import annotations

from fractions import Fraction

import naive
import numpy as np
import pytest
from inside import Inside, learn_soon
from numba import njit

import rulelab as rl
from rulelab.kernels import bits
from rulelab.rule_list import core_pool
from rulelab.rule_list.core_pool import HITS, LEARNT, N_BLOCKS, N_CORES, cut_by_core
from rulelab.rule_list.exact.search import RuleListSearch


@pytest.fixture
def learning(monkeypatch):
    """Searches learn from the start, into a pool that is soon full."""
    learn_soon(put=monkeypatch.setattr)
    monkeypatch.setattr(core_pool, "_ROOM", 64)
    monkeypatch.setattr(core_pool, "_LEVELS", 3)


def searched(seed: int, rows: int, antecedents: int, regularization: float) -> RuleListSearch:
    rng = np.random.default_rng(seed)
    A = rng.random((rows, antecedents)) < rng.uniform(0.2, 0.6, antecedents)
    y = ((A[:, 0] & ~A[:, 1]) | (A[:, 2] & A[:, 3])) ^ (rng.random(rows) < 0.25)
    weight = rng.integers(1, 30, rows) if seed % 2 else None
    search = RuleListSearch(rl.Problem.from_arrays(A, y, sample_weight=weight), regularization, beam_width=0)
    assert rl.solve(search).status is rl.Status.OPTIMAL
    return search


def held(search: RuleListSearch) -> np.ndarray:
    return np.flatnonzero(Inside(search).learning.cores.value)


def test_completing_a_core_costs_at_least_its_value(learning):
    assert sum(looked_at(searched(seed, 60, 7, 0.01)) for seed in range(30)) > 60


def looked_at(search: RuleListSearch) -> int:
    """How many cores the search holds, each of which is found to cost what it claims."""
    inside = Inside(search)
    arrays, rules, cores = inside.layout, inside.rules, inside.learning.cores
    patterns = bits.unpack(arrays.by_antecedent, len(arrays.weights)).T
    positive = np.arange(len(arrays.weights)) < arrays.positive_words * bits.WORD
    for c in held(search):
        (chosen,) = np.nonzero(bits.unpack(cores.masks[c : c + 1], len(arrays.weights))[0])
        weight = arrays.weights[chosen]
        total = int(weight.sum())
        price = Fraction(int(rules.per_rule), int(rules.per_error) * total)
        least = naive.best_rule_list(patterns[chosen], positive[chosen], weight.tolist(), price)
        assert least * total * int(rules.per_error) >= cores.value[c]
    return len(held(search))


def test_blocks_hold_what_the_cores_contain_also_when_some_were_replaced(learning):
    search = searched(1, 400, 26, 0.003)
    cores = Inside(search).learning.cores
    assert cores.numbers[LEARNT] > cores.numbers[N_CORES] == len(cores.value)
    contained = bits.unpack(cores.masks, cores.holders.shape[1])
    blocks = contained.reshape(len(cores.block), 64, -1).transpose(0, 2, 1).reshape(-1, 64)
    assert np.array_equal(bits.pack(blocks).reshape(cores.holders.shape), cores.holders)
    assert (cores.value.reshape(-1, 64).max(axis=1) <= cores.block[:, 0]).all()
    assert (cores.used <= cores.numbers[HITS]).all()


@njit
def found(arrays, rules, cores, sets, needed, out):
    for i in range(needed.size):
        out[i] = cut_by_core(arrays, rules, cores, sets[i], needed[i])


@pytest.mark.parametrize("seed", range(2))
def test_a_core_is_found_where_there_is_one(learning, seed):
    search = searched(seed, 300, 22, 0.004)
    inside = Inside(search)
    arrays, rules, cores = inside.layout, inside.rules, inside.learning.cores
    assert cores.numbers[N_BLOCKS] > 1
    rng = np.random.default_rng(seed)
    members = bits.unpack(cores.masks, len(arrays.weights))
    full = bits.unpack(arrays.full[None, :], len(arrays.weights))[0]
    some = held(search)
    n = 500
    chosen = full & ((rng.random((n, len(full))) < 0.6) | members[rng.choice(some, n)])
    chosen &= rng.random(chosen.shape) < rng.choice([1, 0.99, 0.9], (n, 1))
    needed = np.maximum(1, cores.value[rng.choice(some, n)] - rng.integers(0, 2 * rules.per_rule, n))
    out = np.zeros(n, dtype=bool)
    found(arrays, rules, cores, bits.pack(chosen), needed, out)
    missing = (members[some][None] & ~chosen[:, None]) @ arrays.weights
    expected = (cores.value[some] - rules.per_error * missing >= needed[:, None]).any(axis=1)
    assert 0 < expected.sum() < n
    assert np.array_equal(out, expected)
