"""Laws that tests try on many random searches: of a kind each, made anew from a seed whenever that is asked for."""

import io
import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from random_problems import Rows, explained

import rulelab as rl

ENOUGH = 5000


def problem_of(rows: Rows) -> rl.Problem:
    weight = rows.weight.astype(int) if rows.integral else rows.weight
    return rl.Problem.from_arrays(rows.A, rows.y, sample_weight=weight, groups=rows.group)


def noisy_problem(seed: int = 0, n: int = 160, m: int = 14, noise: float = 0.15) -> rl.Problem:
    """One that rules explain in part."""
    return rl.Problem.from_arrays(*explained(seed, n, m, noise))


def falling_for(problem: rl.Problem, **options: Any) -> rl.Search:
    """The search for a falling list that the options ask for."""
    return rl.search_for(problem, "falling_rule_list", **options)


def state_of(snapshot: rl.Snapshot) -> tuple[Any, ...]:
    """All that a search says at a moment but how long it took."""
    best = snapshot.incumbent
    assert best is not None
    return (
        *(snapshot.status, replace(best, found_at=(0.0, best.found_at[1])), snapshot.lower_bound, snapshot.work),
        *(dict(snapshot.counts), dict(snapshot.pruned), snapshot.queue_by_length),
    )


def in_slices(search: rl.Search, at_most: int = 3, pickled: int = 7) -> tuple[Any, rl.Snapshot]:
    """A search at its end, and its last state: advanced by a few units at a time, and pickled now and then."""
    for k in range(200_000):
        last = search.advance(1 + k % at_most)
        if k % pickled == pickled // 2:
            search = pickle.loads(pickle.dumps(search))
        if last.status is not rl.Status.RUNNING:
            break
    return search, last


GAP = "equal_opportunity"
MAKES: dict[str, Callable[[rl.Problem], rl.Search]] = {
    "list": lambda p: rl.RuleListSearch(p, 0.01),
    "list, threads": lambda p: rl.RuleListSearch(p, 0.01, n_jobs=2),
    "corels": lambda p: rl.CorelsSearch(p, 0.01),
    "near lists": lambda p: rl.NearOptimalSearch(p, 0.01),
    "near lists, counted": lambda p: rl.NearOptimalCounter(p, 0.01),
    "robustness": lambda p: rl.RobustnessSearch(p, 0.01),
    "frontier": lambda p: rl.FrontierSearch(p, max_length=8),
    "list, first rule": lambda p: rl.search_for(p, regularization=0.01, first_rule=p.names[0]),
    "fair list": lambda p: rl.search_for(p, regularization=0.01, fairness=rl.EqualOpportunity(0.02)),
    "fair list, length": lambda p: rl.search_for(
        p, regularization=0.01, fairness=rl.EqualOpportunity(0.02), max_length=4
    ),
    "list, predictive parity": lambda p: rl.search_for(p, regularization=0.01, fairness=rl.PredictiveParity(0.05)),
    "least gap": lambda p: rl.LeastGapSearch(p, GAP, min_accuracy=0.5),
    "gap frontier": lambda p: rl.frontier(p, "gap", criterion=GAP),
    "falling": lambda p: rl.FallingRuleListSearch(p, 0.001),
    "softly falling": lambda p: rl.search_for(p, "falling_rule_list", regularization=0.001, violation_penalty=0.1),
    "falling, fair": lambda p: falling_for(p, regularization=0.001, fairness=rl.EqualOpportunity(0.02)),
    "set": lambda p: rl.RuleSetSearch(p),
    "set, fair": lambda p: rl.RuleSetSearch(p, fairness=rl.EqualOpportunity(0.02)),
    "set, fair, fewest errors": lambda p: rl.RuleSetSearch(p, loss="zero_one", fairness=rl.EqualOpportunity(0.02)),
    "near sets": lambda p: rl.NearOptimalRuleSetSearch(p),
    "least gap of sets": lambda p: rl.LeastGapRuleSetSearch(p, GAP),
    "gap frontier of sets": lambda p: rl.frontier(p, "gap", "rule_set", criterion=GAP),
    "fair frontier": lambda p: rl.frontier(p, "tolerance", "rule_set"),
}
"""Every kind of search."""


def larger_problem(seed: int = 0, n: int = 600, m: int = 16) -> rl.Problem:
    """Two groups of which what explains the labels tells something."""
    rng = np.random.default_rng(seed)
    A = rng.random((n, m)) < rng.uniform(0.2, 0.8, m)
    y = (A[:, 0] & A[:, 1] | A[:, 2] & ~A[:, 3]) ^ (rng.random(n) < 0.25)
    return rl.Problem.from_arrays(A, y, groups=np.where(A[:, 2] ^ (rng.random(n) < 0.4), "a", "b"))


def fifty_and_fifty() -> rl.Problem:
    """a1 holds for the positives, 20 of them in one group and 21 of 41 in the other; a2 for one of these 21."""
    y = np.repeat([1, 0], 50)
    groups = np.array(["a"] * 20 + ["b"] * 30 + ["a"] * 30 + ["b"] * 20)
    a1 = y == 1
    a1[20 + 21 : 50] = False
    a2 = np.zeros(100, dtype=bool)
    a2[40] = True
    return rl.Problem.from_arrays(np.column_stack([a1, a2]), y, names=["a1", "a2"], groups=groups)


def reread(certificate: rl.Certificate) -> rl.Certificate:
    """As it comes back from a file."""
    stream = io.BytesIO()
    certificate.save(stream)
    stream.seek(0)
    return rl.Certificate.load(stream)


def finished(search: rl.Search, work: int = 1) -> rl.Snapshot:
    """The last state of a search in slices, whose bounds and incumbents go one way."""
    objective, bound = math.inf, 0.0
    for snapshot in search.steps(work_per_step=work, work_limit=ENOUGH):
        assert snapshot.lower_bound >= bound - 1e-15
        bound = snapshot.lower_bound
        if snapshot.incumbent is not None:
            assert snapshot.incumbent.objective <= objective
            assert bound <= snapshot.incumbent.objective
            objective = snapshot.incumbent.objective
    assert snapshot.limit != "work"
    return snapshot


def certified(search: rl.Search) -> rl.Snapshot:
    """The end of a search that proves its optimum."""
    last = rl.solve(search)
    assert (last.status, last.gap) == (rl.Status.OPTIMAL, 0)
    return last


def told(snapshot: rl.Snapshot) -> tuple[object, ...]:
    """What must not depend on how a search was interrupted."""
    best = snapshot.incumbent
    model = None if best is None else best.model
    return snapshot.status, snapshot.lower_bound, snapshot.counts, snapshot.pruned, model


def slices_change_nothing(monkeypatch, engine, effort, case_of, seeds, told=told) -> None:
    """Units of work so small that a search is interrupted everywhere, and pickled now and then."""
    for seed in seeds:
        _, whole = case_of(seed)
        wanted = told(finished(whole))
        with monkeypatch.context() as patch:
            patch.setattr(engine, "EFFORT_PER_WORK", effort)
            _, sliced = case_of(seed)
            sliced, got = in_slices(sliced)
        assert told(got) == wanted
        assert sliced.advance(5).incumbent == got.incumbent


def same_optimum(one: rl.Snapshot, other: rl.Snapshot, within: float = 0.0) -> None:
    """Both have ended alike, with the same objective or with none."""
    assert one.status is other.status
    assert (one.incumbent is None) == (other.incumbent is None)
    if one.incumbent is not None and other.incumbent is not None:
        assert one.incumbent.objective == pytest.approx(other.incumbent.objective, abs=within, rel=0)
