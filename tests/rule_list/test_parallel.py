"""An exact search by several threads: the optimum of one thread, and the same from run to run, however it is sliced."""

import pickle
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import naive
import numpy as np
import pytest
from laws import Inside, certified, learn_soon, noisy_problem, replaced, state_of
from patience import PATIENCE
from random_problems import WEIGHTS, random_rows

import rulelab as rl
from rulelab.kernels.growing import OPEN
from rulelab.rule_list import BOUNDS, POLICIES, RuleListBounds, pair_multipliers
from rulelab.rule_list.exact import state
from rulelab.rule_list.exact.parallel import merge, rounds
from rulelab.rule_list.exact.parallel.rounds import MOST_JOBS, cores, side_by_side, workers_of
from rulelab.rule_list.exact.parallel.worker import Outboxes
from rulelab.rule_list.exact.queue import OUT_COST, OUT_HASH, OUT_KEY, OUT_LENGTH, OUT_PARENT, OUT_RULE, OUT_WRONG
from rulelab.rule_list.pair_bound import least_cost

NUMBERS = (2, 3, 16)


problem = partial(noisy_problem, n=300, m=18, noise=0.25)


def backwards(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    return [call() for call in reversed(calls)][::-1]


@pytest.fixture
def short_rounds(monkeypatch):
    """Rounds that end in the middle of prefixes."""
    monkeypatch.setattr(rounds, "LEAST_ROUND", 700)
    monkeypatch.setattr(rounds, "LONGEST_ROUND", 900)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("n_jobs", NUMBERS)
def test_the_optimum_is_that_of_one_thread_and_of_the_definition(n_jobs, kind, seed):
    case = random_rows(np.random.default_rng(seed), kind)
    made = rl.Problem.from_arrays(case.A, case.y, sample_weight=case.weight)
    for regularization, most in ((0.03, None), (0.03, 1), (0.1, None)):
        given = {"max_length": most, "beam_width": 0}
        one, several = (rl.solve(rl.RuleListSearch(made, regularization, **given, n_jobs=n)) for n in (1, n_jobs))
        assert several.status is one.status
        assert several.incumbent.objective == pytest.approx(one.incumbent.objective, abs=1e-12)
        counted = case.A[case.counted], case.y[case.counted], case.whole
        best = naive.best_rule_list(*counted, naive.decimal(regularization), most)
        assert several.incumbent.objective == pytest.approx(float(best), abs=1e-9)


@pytest.mark.few(4)
@pytest.mark.parametrize("off", [None, *BOUNDS])
@pytest.mark.parametrize("policy", POLICIES)
def test_the_optimum_with_each_bound_off_and_in_each_order(policy, off, short_rounds):
    bounds = RuleListBounds() if off is None else RuleListBounds(**{off: False})
    seed = list(POLICIES).index(policy)
    made = problem(seed, n=120, m=10)
    optimum = rl.solve(rl.RuleListSearch(made, 0.015, beam_width=0)).incumbent.objective
    for n_jobs in NUMBERS:
        given = {"bounds": bounds, "random_state": seed, "beam_width": 0, "n_jobs": n_jobs}
        found = certified(rl.search(made, regularization=0.015, policy=policy, **given))
        assert found.incumbent.objective == pytest.approx(optimum, abs=1e-12)
        assert found.lower_bound == found.incumbent.objective


def learning(seed: int, n_jobs: int, **options: object) -> rl.RuleListSearch:
    """A search that learns cores, and finds multipliers, soon."""
    made = problem(seed, n=600, m=30, noise=0.3)
    search = rl.search(made, regularization=0.01, beam_width=5, n_jobs=n_jobs, **options)
    learn_soon(search, after=20, separate_after=60)
    return search


@pytest.mark.long
def test_cores_and_multipliers_are_shared():
    alone = rl.solve(learning(1, 1)).incumbent
    for n_jobs in (16, 3):
        search = learning(1, n_jobs)
        found = rl.solve(search).incumbent
        assert found.objective == alone.objective
        pools = Inside(search).running.pools
        assert len(pools) == n_jobs
        held = [
            {(mask.tobytes(), int(value)) for mask, value in zip(p.masks, p.value, strict=True) if value} for p in pools
        ]
        assert held[0]
        assert all(each == held[0] for each in held)
    assert rl.verify(search.problem, found.model, search.certificate()).valid


@pytest.mark.parametrize("n_jobs", [2, 16])
def test_neither_slices_nor_threads_nor_pickles_change_what_is_done(n_jobs, monkeypatch):
    def make() -> rl.RuleListSearch:
        return learning(2, n_jobs)

    whole = state_of(rl.solve(make(), work_per_step=10**6))
    assert whole[0] is rl.Status.OPTIMAL
    assert whole[4]["expanded"] > 180
    for size in (1, 13, 500):
        assert state_of(rl.solve(make(), work_per_step=size)) == whole
    search = make()
    for _ in range(30):
        search.advance(7)
        search = pickle.loads(pickle.dumps(search))
    assert state_of(rl.solve(search)) == whole
    monkeypatch.setattr(rounds, "side_by_side", backwards)
    assert state_of(rl.solve(make())) == whole, "whichever thread is faster"


@pytest.mark.parametrize("n", [1, 2, 3])
def test_pairs_and_multipliers_are_found_by_so_many_threads(n, monkeypatch):
    monkeypatch.setattr(pair_multipliers, "ENTRIES_TO_SHARE", 0)
    made = learning(4, 1)
    made.advance(1)
    made.advance(1)
    at_once = []

    def together(calls: list) -> list:
        at_once.append(len(calls))
        return backwards(calls)

    inside = Inside(made)
    given = inside.layout, inside.rules.per_error, inside.rules.per_rule, None
    one, several = pair_multipliers.Separating(*given), pair_multipliers.Separating(*given, n)
    while one.found is None:
        one.advance()
    while several.found is None:
        several.advance(together)
    assert np.array_equal(several.found.first, one.found.first)
    assert np.array_equal(several.found.second, one.found.second)
    assert least_cost(several.found) == pytest.approx(least_cost(one.found), rel=0.01)
    assert max(at_once, default=1) == n
    assert (several.found.error_left >= 0).all()
    assert (several.found.rule_left >= 0).all()


def test_rounds_that_end_within_prefixes_change_nothing_by_slices(short_rounds):
    whole = state_of(rl.solve(learning(3, 3), work_per_step=10**6))
    for size in (1, 6):
        assert state_of(rl.solve(learning(3, 3), work_per_step=size)) == whole


def test_a_search_can_be_looked_into_at_any_time():
    search = rl.RuleListSearch(problem(6), 0.008, beam_width=0, n_jobs=2)
    search.advance(1)
    while (now := search.advance(11)).status is rl.Status.RUNNING:
        tree = search.tree()
        assert len(tree) == now.counts["stored"] or tree.attrs["left_out"]
        assert np.count_nonzero(search.fates() == OPEN) == now.counts["queued"]
        assert len(search.look_into()) == now.detail["antecedents"]


def test_calls_run_side_by_side_in_threads():
    meeting = threading.Barrier(3, timeout=PATIENCE)
    calls = [lambda k=k: (k, meeting.wait() >= 0) for k in range(3)]
    assert side_by_side(calls) == [(0, True), (1, True), (2, True)]


def test_an_exception_in_a_thread_is_raised_when_all_have_ended():
    ended = []

    def fails() -> None:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        side_by_side([lambda: ended.append(1), fails, lambda: ended.append(2)])
    assert sorted(ended) == [1, 2]


def test_how_many_threads_are_asked_for():
    assert workers_of(None) == workers_of(1) == 1
    assert workers_of(-1) == min(MOST_JOBS, cores()) >= 1
    assert rl.solve(rl.RuleListSearch(problem(0), 0.02, n_jobs=-1)).status is rl.Status.OPTIMAL
    with pytest.raises(ValueError, match="n_jobs"):
        rl.RuleListSearch(problem(0), 0.02, n_jobs=MOST_JOBS + 1)


def test_lists_with_demands_have_one_thread():
    found = rl.search(problem(0), regularization=0.02, n_jobs=2, first_rule="antecedent 0")
    assert type(found) is rl.engines.ConstrainedRuleListSearch
    assert rl.solve(found).incumbent.model.antecedents[0] == 0


def test_classifiers_hand_it_on():
    rng = np.random.default_rng(0)
    X = rng.random((150, 4))
    y = (X[:, 0] > 0.5) ^ (rng.random(150) < 0.2)
    one, two = (rl.RuleListClassifier(0.02, thresholds=3, max_conditions=1, n_jobs=n).fit(X, y) for n in (None, 2))
    assert two.objective_ == one.objective_


# storing outboxes by several threads ----------------------------------------------------------------------------------
BEST, PARTS = 1000, (1, 2, 3, 16)


def search(max_length: int | None = None) -> rl.RuleListSearch:
    made = rl.RuleListSearch(noisy_problem(0, 200, 30), 0.01, beam_width=0, max_length=max_length)
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
        assert (stored(store, limited), store.pruned[state.BY_INCUMBENT]) == (expected, incumbent)
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
        monkeypatch.setattr(merge, "MOST_ASTRAY", most_astray)
        made, rng = search(), np.random.default_rng(3)
        inside = Inside(made)
        store, boxes = empty(made), Outboxes(Inside(made).store, n)
        merge.receive(inside.layout, inside.rules, store, boxes, filled(made, boxes, n, rng, 60), side_by_side)
        n_nodes = int(store.numbers[state.N_NODES])
        store = replaced(store, table=np.full(128, 5, dtype=np.int32))
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
