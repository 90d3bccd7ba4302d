"""Slices and units of work are short, bounded by what they look at, however large the table; the result is the same."""

import pickle
import sys
import time
from fractions import Fraction
from functools import cache, partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import MAKES, holds, noisy_problem, state_of
from test_interrupts import interrupted
from test_search_laws import ENGINES

import rulelab as rl
from rulelab import slices
from rulelab.certificate import of_all
from rulelab.data.fairness import true_gaps
from rulelab.falling_rule_list import FallingRuleListSearch
from rulelab.kernels import growing
from rulelab.plots.styling import in_words
from rulelab.rule_list import CorelsSearch
from rulelab.rule_list.exact import sequential
from rulelab.slices import Slices


@cache
def table(n: int, k: int) -> rl.Problem:
    """Numbers that hang together, of which one tells something."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(n, k))
    Z[:, 1:] += 0.6 * Z[:, [0]]
    y = (rng.random(n) < 1 / (1 + np.exp(-1.2 * Z[:, 0]))).astype(int)
    B = rl.Binarizer(5).fit_transform(pd.DataFrame(Z.round(2), columns=[f"c{i}" for i in range(k)]))
    return rl.Problem.from_antecedents(rl.mine_antecedents(B, max_conditions=1), y, groups=rng.random(n) < 0.4)


@pytest.mark.few(4)
@pytest.mark.parametrize("name", list(MAKES))
def test_a_call_ends_where_a_search_within_changes_its_phase(name, monkeypatch):
    search, original = MAKES[name](table(120, 3)), rl.Search.advance
    inner: list[tuple[int, tuple[str, ...]]] = []

    def advance(self: rl.Search, max_work: int) -> rl.results.Snapshot:
        inner.append((id(self), self.pace))
        return original(self, max_work)

    monkeypatch.setattr(rl.Search, "advance", advance)
    slices, pace, kinds = Slices(), search.pace, set()
    for _ in range(150):
        before, units = len(inner), slices.size
        now = slices.advance(search, units)
        called = inner[before + 1 :]
        on_each_level = [len(pace) for _, pace in set(called)]
        assert len(on_each_level) == len(set(on_each_level)) or units == 1, called  # of one kind, by one search
        if search.pace != pace:
            assert slices.size == 1
        pace = search.pace
        kinds.add(pace)
        if now.status is not rl.Status.RUNNING:
            break
    assert len(kinds) > 1


@pytest.mark.long
@pytest.mark.parametrize("name", list(MAKES))
def test_a_second_is_kept_on_a_large_table_and_ctrl_c_ends_what_goes_on(name):
    """By the time of the processor: what others on a busy machine take is not the search's."""
    search = MAKES[name](table(10_000, 24))
    search.compile()
    limit, threads = 1.0, getattr(search, "n_jobs", None) or 1
    ends = [time.process_time()] + [time.process_time() for _ in search.steps(time_limit=limit)]
    goes_on = search.stopped_by == "time"
    assert max(np.diff(ends)) < threads * limit / 2
    assert ends[-1] - ends[0] < 2 * threads * limit
    assert interrupted(lambda: rl.solve(search)) == goes_on


# searches for models that have to obey begin with the best model of all -----------------------------------------------
def separated(seed: int = 0, n: int = 400, shift: float = 0.2) -> rl.Problem:
    rng = np.random.default_rng(seed)
    A = rng.random((n, 9)) < rng.uniform(0.2, 0.6, 9)
    y = ((A[:, 0] & ~A[:, 1]) | A[:, 2]) ^ (rng.random(n) < 0.15)
    return rl.Problem.from_arrays(A, y, groups=np.where(A[:, 2] ^ (rng.random(n) < shift), "a", "b"))


lists = partial(rl.search, regularization=0.01)
falling = partial(rl.search, model="falling_rule_list", regularization=0.01, positive_weight=2.0)
sets = partial(rl.RuleSetSearch, max_complexity=8, max_conditions=2)


def named(value) -> str:
    return {lists: "lists", falling: "falling", sets: "sets"}[value] if callable(value) else " ".join(value)


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (lists, {"fairness": rl.EqualOpportunity(0.05)}),
        (lists, {"fairness": rl.DemographicParity(0.1), "labels": "majority"}),
        (lists, {"fairness": rl.PredictiveParity(0.1)}),
        (lists, {"fairness": rl.EqualizedOdds(0.2), "max_length": 2}),
        (lists, {"must_use": ["antecedent 7"]}),
        (falling, {"fairness": rl.EqualOpportunity(0.05)}),
        (falling, {"fairness": rl.DemographicParity(0.05), "max_length": 2}),
        (sets, {"fairness": rl.EqualOpportunity(0.02)}),
        (sets, {"fairness": rl.DemographicParity(0.02), "loss": "zero_one", "form": "cnf"}),
    ],
    ids=named,
)
def test_no_bound_is_below_that_of_the_search_without_constraints(make, options):
    problem = separated()
    free = rl.solve(make(problem, **{name: options[name] for name in ("loss", "form") if name in options}))
    search, looked_at = make(problem, **options), 0
    for step, snapshot in enumerate(search.steps(work_per_step=30)):
        if search.pace != (snapshot.phase,) or snapshot.incumbent is None:  # the search within is not done
            continue
        assert free.incumbent.objective - 1e-9 <= snapshot.lower_bound <= snapshot.incumbent.objective
        if step % 40 == 0 or snapshot.status is rl.Status.OPTIMAL:
            answer = rl.verify(problem, snapshot.incumbent.model, search.certificate(bound_only=True))
            assert answer.state in ("bound", "optimal"), answer.reason
            looked_at += 1
    assert looked_at
    assert snapshot.status is rl.Status.OPTIMAL


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (lists, {"fairness": rl.EqualOpportunity(0.99)}),
        (lists, {"fairness": rl.DemographicParity(0.99), "labels": "majority"}),
        (lists, {"fairness": rl.PredictiveParity(0.99)}),
        (lists, {"fairness": rl.EqualizedOdds(0.99), "max_length": 9, "must_use": ["antecedent 2"]}),
        (lists, {"must_use": ["antecedent 2"]}),
        (falling, {"fairness": rl.EqualOpportunity(0.99), "max_length": 9}),
        (sets, {"fairness": rl.EqualizedOdds(0.99)}),
        (sets, {"fairness": rl.DemographicParity(0.99), "loss": "zero_one", "must_use": ["antecedent 2"]}),
    ],
    ids=named,
)
def test_where_the_best_of_all_obeys_it_is_proven_at_once(make, options):
    problem = separated()
    free = make(problem, **{name: options[name] for name in ("loss",) if name in options})
    best = rl.solve(free).incumbent
    search = pickle.loads(pickle.dumps(make(problem, **options)))
    last = rl.solve(search)
    assert (last.status, last.incumbent.objective, last.lower_bound) == ("optimal", best.objective, best.objective)
    certificate = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(search)).certificate()))
    answer = holds(problem, last.incumbent.model, certificate)
    claims = ["uses antecedent 2"] if "must_use" in options else []
    if "fairness" in options:
        claims += [f"{in_words(rate.name)} of groups at most 0.99 apart" for rate in options["fairness"].rates()]
    assert all(claim in answer.reason for claim in claims), answer.reason


@pytest.mark.parametrize("make", [lists, falling, sets], ids=named)
@pytest.mark.parametrize("seed", range(3))
def test_a_proof_about_all_models_says_that_its_own_obeys_only_where_it_does(make, seed):
    problem = separated(seed, 300, 0.3)
    search = make(problem)
    model = rl.solve(search).incumbent.model
    predicted = model.predicts_positive(problem.matrix())
    gap = true_gaps(rl.EqualOpportunity(0.0), problem.groups, predicted, 0)["false_negative_rate"]
    assert gap > 0
    for tolerance in (0.0, gap / 2, gap * (1 - 2**-40), gap * (1 + 2**-40), 1.0):
        claimed = {"false_negative_rate_tolerance": tolerance, "min_group_size": 0.0}
        answer = rl.verify(problem, model, of_all(search.certificate(), claimed))
        assert answer.valid == (Fraction(gap) <= Fraction(tolerance)), answer.reason
        assert ("breaks a constraint" in answer.reason) == (not answer.valid)
        assert answer.among.endswith(f"at most {tolerance:.10g} apart") == answer.valid


@pytest.mark.parametrize("make", [lists, falling], ids=named)
def test_a_proof_about_lists_of_any_length_says_only_of_short_ones_that_they_are(make):
    problem = separated()
    search = make(problem)
    model = rl.solve(search).incumbent.model
    assert len(model) > 1
    nothing = {"demands": np.zeros((0, problem.n_antecedents), dtype=np.uint8)} if make is lists else {}
    for longest in (len(model) - 1, len(model), len(model) + 1):
        answer = rl.verify(problem, model, of_all(search.certificate(), {"max_length": float(longest)}, nothing))
        assert answer.valid == (len(model) <= longest), answer.reason
        assert answer.valid or f"{len(model)} rules" in answer.reason


@pytest.mark.parametrize("make", [lists, falling, sets], ids=named)
def test_what_the_search_within_stores_counts_and_keeps_to_the_limit(make):
    problem = separated(1, 600)
    options = {"fairness": rl.EqualOpportunity(0.01)}
    alone = make(problem, **options).without_relaxation().advance(1).memory_bytes
    search = make(problem, **options)
    while len(search.pace) == 1:
        search.advance(1)
    while len(search.pace) > 1:
        kept = search.advance(5).memory_bytes
    assert kept > alone
    for limit in (1, alone, 2 * kept):
        search = make(problem, **options, memory_limit=limit)
        first = search.advance(1).memory_bytes
        for last in (search.advance(1) for _ in range(400)):
            assert last.memory_bytes <= max(limit, 2 * first) or last.limit == "memory"


# units of work --------------------------------------------------------------------------------------------------------
LITTLE = 100  # words and weights looked at in a unit
MOST_UNITS = 1_000_000
PREPARED = {
    name: ENGINES[name]
    for name in (
        "rule_list, lower_bound", "rule_list, beam", "rule_list, objective", "corels, lower_bound",
        "corels, depth_first", "falling", "softly falling", "frontier",
    )
}  # fmt: skip
BOUNDED = {name: make for name, make in PREPARED.items() if name not in ("frontier", "rule_list, beam")}
of_noise = partial(noisy_problem, n=120, m=10)


@pytest.fixture
def little(monkeypatch):
    """Units of work look at very little."""
    for module in (sequential, *(sys.modules[search.__module__] for search in (CorelsSearch, FallingRuleListSearch))):
        monkeypatch.setattr(module, "EFFORT_PER_WORK", LITTLE)


@pytest.mark.parametrize("name", BOUNDED)
def test_prefixes_and_tables_are_left_half_way(name, little):
    whole = rl.solve(BOUNDED[name](of_noise()), work_per_step=1 << 30)
    search, units, within, before = BOUNDED[name](of_noise()), 0, 0, -1
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
    search = BOUNDED[name](of_noise(1, n=80, m=3000))
    before, most = 0, 0
    for _ in range(150):
        state = search.advance(1)
        created = state.counts["created"]
        before, most = created, max(most, created - before)
        assert state.work == search.work
    assert 0 < most <= LITTLE  # of 3000


@pytest.mark.parametrize("name", list(PREPARED))
def test_large_tables_are_prepared_in_several_calls(name, monkeypatch):
    whole = rl.solve(PREPARED[name](of_noise()))
    assert PREPARED[name](of_noise()).advance(1).phase not in ("reducing", "preparing") or name.startswith("corels")
    monkeypatch.setattr(slices, "LARGEST_AT_ONCE", 1)
    search = PREPARED[name](of_noise())
    first = search.advance(1)
    if not name.startswith("corels"):
        assert first.phase in ("reducing", "preparing")
        assert (first.work, first.lower_bound, first.incumbent.model.antecedents) == (0, 0.0, ())
        assert (set(first.counts), set(first.pruned)) == (set(whole.counts), set(whole.pruned))
    last = rl.solve(pickle.loads(pickle.dumps(search)))
    assert state_of(last) == state_of(whole)


def test_near_optimal_lists_of_large_tables_are_the_same(monkeypatch):
    whole = rl.near_optimal(of_noise(), regularization=0.02, within=0.01)
    monkeypatch.setattr(slices, "LARGEST_AT_ONCE", 1)
    search = rl.NearOptimalSearch(of_noise(), 0.02, within=0.01)
    phases = [state.phase for state in search.steps()]
    assert {"optimum", "preparing", "enumerating"} <= set(phases)
    assert search.result().lists == whole.lists


@given(st.integers(1, 10**9), st.integers(1, 2 * 10**9), st.integers(1, 10**5))
def test_stores_grow_by_little_at_once(capacity, needed, entry):
    grown = growing.next_capacity(capacity, needed, entry)
    assert needed <= grown <= max(needed, 2 * capacity)
    assert grown == needed or (grown - capacity) * entry <= max(growing.MOST_AT_ONCE, capacity * entry / 8)
    assert grown >= capacity + capacity // 8 or grown == needed  # so that few copies are made
