"""Slices: the work that a search is asked for at once is small again wherever a unit of work may take longer."""

import pickle
import time
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from laws import MAKES
from test_interrupts import interrupted

import rulelab as rl
from rulelab.certificate import of_all
from rulelab.data.fairness import true_gaps
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

    def advance(self: rl.Search, max_work: int) -> rl.Snapshot:
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


def lists(problem: rl.Problem, **options: Any) -> rl.Search:
    return rl.search_for(problem, regularization=0.01, **options)


def falling(problem: rl.Problem, **options: Any) -> rl.Search:
    return rl.search_for(problem, "falling_rule_list", regularization=0.01, positive_weight=2.0, **options)


def sets(problem: rl.Problem, **options: Any) -> rl.Search:
    return rl.RuleSetSearch(problem, 8, 2, **options)


def named(value: Any) -> str:
    return value.__name__ if callable(value) else " ".join(value)


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
    answer = rl.verify(problem, last.incumbent.model, certificate)
    assert answer.valid, answer.reason
    claims = ["uses antecedent 2"] if "must_use" in options else []
    if "fairness" in options:
        claims += [
            f"{rate.name.replace('_', ' ')} of groups at most 0.99 apart" for rate in options["fairness"].rates()
        ]
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
