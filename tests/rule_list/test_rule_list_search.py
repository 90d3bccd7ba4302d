"""The rule list engine against the naive reference, exact optima and certified benchmark instances."""

from fractions import Fraction
from functools import partial

import laws
import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import Inside, known_problem, learn_soon, rows
from numba import njit
from random_problems import explained

import rulelab as rl
from rulelab.engines import CorelsBounds
from rulelab.kernels import bits
from rulelab.rule_list import POLICIES, core_pool
from rulelab.rule_list.core_pool import HITS, LEARNT, N_BLOCKS, N_CORES, cut_by_core

HARDEST = {("compas_a", 0.001), ("compas_155", 0.0025), ("compas_165", 0.005), ("compas_982", 0.01)}
LAMBDAS = (0.02, 0.05, 0.1, 0.2)
small_problems = partial(rows, st.sampled_from(LAMBDAS))


def certified(problem, regularization, **options):
    return laws.certified(rl.search(problem, regularization=regularization, **options))


def is_best(snapshot, A, y, weight, regularization, limit=None):
    """Whether the incumbent costs as little as any list, both in rationals by the naive reference."""
    of_rows = A, y, weight, naive.decimal(regularization)
    found = naive.rule_list_objective(*of_rows, snapshot.incumbent.model.antecedents)
    return found == naive.best_rule_list(*of_rows, limit)


def test_naive_recursion_agrees_with_enumeration():
    rng = np.random.default_rng(5)
    for _ in range(20):
        A, y = rng.random((8, 4)) < 0.5, rng.random(8) < 0.5
        weight = rng.integers(1, 4, 8).tolist()
        for limit in (0, 1, 2, 4):
            args = (A, y, weight, Fraction(1, 20), limit)
            assert naive.best_rule_list(*args) == naive.best_rule_list_by_enumeration(*args)


@settings(max_examples=150)
@given(small_problems(max_columns=6), st.sampled_from(sorted(POLICIES)), st.sampled_from([None, 3]))
def test_learning_from_the_start_on_small_problems(case, policy, limit):
    A, y, weight, regularization = case
    with pytest.MonkeyPatch.context() as patch:
        learn_soon(put=patch.setattr)
        problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
        snapshot = certified(problem, regularization / 4, policy=policy, max_length=limit, beam_width=0)
    assert is_best(snapshot, A, y, weight, regularization / 4, limit)


@pytest.mark.parametrize("make", [rl.RuleListSearch, rl.CorelsSearch, rl.FrontierSearch])
def test_weights_that_share_no_unit_are_proven_within_rounding_only(make):
    rng = np.random.default_rng(0)
    A, y = rng.random((40, 6)) < 0.5, rng.random(40) < 0.5
    problem = rl.Problem.from_arrays(A, y, sample_weight=rng.random(40) * 10.0 ** rng.integers(-6, 3, 40))
    last = rl.solve(make(problem, 3 if make is rl.FrontierSearch else 0.05))
    assert (last.status, last.limit) == (rl.Status.LIMIT, "exactness")
    assert 0 < last.gap < 1e-9


def test_both_counting_kernels_agree():
    from rulelab.rule_list.counting import count, layout, weigh

    rng = np.random.default_rng(2)
    patterns = rl.Problem.from_arrays(rng.random((400, 70)) < 0.3, rng.random(400) < 0.5).words
    net = rng.integers(1, 1000, len(patterns)) * rng.choice([-1, 1], len(patterns))
    planes, rows = layout(patterns, net, 70, use_rows=False), layout(patterns, net, 70, use_rows=True)
    matrix = (patterns[:, np.arange(70) // 64] >> (np.arange(70) % 64).astype(np.uint64) & np.uint64(1)).astype(bool)
    for arrays in (planes, rows):
        positive, negative = np.zeros(70, dtype=np.int64), np.zeros(70, dtype=np.int64)
        totals = count(arrays, arrays.full, positive, negative)
        assert totals == (net[net > 0].sum(), -net[net < 0].sum()) == weigh(arrays, arrays.full)
        assert (positive == np.where(net > 0, net, 0) @ matrix).all()
        assert (negative == np.where(net < 0, -net, 0) @ matrix).all()
        part = arrays.full & rng.integers(0, 1 << 63, arrays.full.size).astype(np.uint64)
        totals = count(arrays, part, positive, negative)
        assert totals == weigh(arrays, part)


def test_oracles(shared):
    files = sorted((shared / "oracles").glob("rule_list_*.npz"))
    assert files
    makers = [partial(rl.RuleListSearch, policy=policy, random_state=0) for policy in POLICIES]
    makers += [partial(rl.CorelsSearch, bounds=bounds) for bounds in (CorelsBounds(), CorelsBounds.published())]
    for file in files:
        z = np.load(file)
        problem = rl.Problem.from_arrays(z["rules"].T, z["labels"])
        optimum = Fraction(int(z["optimum_num"]), int(z["optimum_den"]))
        for make in makers:
            last = rl.solve(make(problem, float(z["lam"])))
            assert (last.status, last.gap) == (rl.Status.OPTIMAL, 0)
            assert last.incumbent.objective == pytest.approx(float(optimum), abs=1e-12), (file.name, make)


def test_certified_benchmark_instances(instances):
    expected = {k: v for k, v in instances.EXPECTED["rule_list"].items() if k not in HARDEST}
    problems = {}
    for (name, regularization), objective in expected.items():
        if name not in problems:
            problems[name] = known_problem(instances, name)
        snapshot = certified(problems[name], regularization)
        assert snapshot.incumbent.objective == pytest.approx(objective, abs=1e-7), (name, regularization)


def test_a_warm_start_is_the_first_incumbent(instances):
    problem = known_problem(instances, "compas_a")
    other = certified(problem, 0.01).incumbent.model
    bounds = rl.engines.RuleListBounds(separation=False)  # which begins when so many prefixes are stored
    search = rl.RuleListSearch(problem, 0.005, beam_width=0, warm_start=other, bounds=bounds)
    first = search.advance(1)
    assert (first.incumbent.model, first.incumbent.objective) == (other, other.objective(0.005))
    done = rl.solve(search)
    cold = certified(problem, 0.005, beam_width=0, bounds=bounds)
    assert done.incumbent.objective == cold.incumbent.objective
    assert done.counts["created"] <= cold.counts["created"]
    again = certified(problem, 0.005, warm_start=done.incumbent.model.antecedents)
    assert again.incumbent.found_at[1] == 0


@settings(max_examples=60)
@given(small_problems(), st.lists(st.integers(0, 4), max_size=3, unique=True))
def test_any_warm_start_leads_to_the_optimum(case, start):
    A, y, weight, regularization = case
    start = [j for j in start if j < A.shape[1]]
    snapshot = certified(rl.Problem.from_arrays(A, y, sample_weight=weight), regularization, warm_start=start)
    assert is_best(snapshot, A, y, weight, regularization)


@pytest.mark.parametrize("start", [[5], [-1]])
def test_a_warm_start_of_unknown_antecedents_is_refused(start):
    with pytest.raises(ValueError, match="warm_start"):
        rl.RuleListSearch(rl.Problem.from_arrays([[0], [1]], [0, 1]), warm_start=start)


# the pool of cores ----------------------------------------------------------------------------------------------------
@pytest.fixture
def learning(monkeypatch):
    """Searches learn from the start, into a pool that is soon full."""
    learn_soon(put=monkeypatch.setattr)
    monkeypatch.setattr(core_pool, "ROOM", 64)
    monkeypatch.setattr(core_pool, "LEVELS", 3)


def searched(seed: int, rows: int, antecedents: int, regularization: float) -> rl.RuleListSearch:
    weight = np.random.default_rng(seed + 7).integers(1, 30, rows) if seed % 2 else None
    problem = rl.Problem.from_arrays(*explained(seed, rows, antecedents, 0.25), sample_weight=weight)
    search = rl.RuleListSearch(problem, regularization, beam_width=0)
    assert rl.solve(search).status is rl.Status.OPTIMAL
    return search


def held(search: rl.RuleListSearch) -> np.ndarray:
    return np.flatnonzero(Inside(search).learning.cores.value)


def test_completing_a_core_costs_at_least_its_value(learning):
    assert sum(looked_at(searched(seed, 60, 7, 0.01)) for seed in range(30)) > 60


def looked_at(search: rl.RuleListSearch) -> int:
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


@pytest.mark.long
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
