"""Rule sets of any weights and penalties: searches end, and OPTIMAL is the optimum, exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rulelab as rl
from rulelab.certificate import CertificateError
from rulelab.rule_set.closing import branching
from rulelab.rule_set.features import Features
from rulelab.rule_set.heuristics import local_search as local
from rulelab.rule_set.heuristics import set_search
from rulelab.rule_set.pool import Pool
from rulelab.rule_set.program import Program, make_program
from rulelab.snapshot import Status


def _rows(seed: int, n: int, m: int):
    rng = np.random.default_rng(seed)
    A, y = rng.random((n, m)) < 0.5, rng.random(n) < 0.5
    y[:4] = [1, 1, 0, 0]
    g = np.array(["a", "b"])[(rng.random(n) < 0.5).astype(int)]
    g[:4] = ["a", "b", "a", "b"]
    return rng, A, y, g


@pytest.mark.parametrize("regularization", [1e-300, 1e-9, 1e300])
@pytest.mark.parametrize("scale", [1e-40, 1, 1e12, 1e40])
def test_any_size_of_weights_and_penalties(scale, regularization):
    _, A, y, _ = _rows(5, 30, 4)
    w = np.random.default_rng(0).random(30) * scale
    last = rl.solve(rl.RuleSetSearch(rl.Problem.from_arrays(A, y, sample_weight=w), 6, regularization=regularization))
    assert last.status is Status.OPTIMAL
    assert last.gap == 0
    assert math.isfinite(last.incumbent.objective)


def test_a_descent_ends_whatever_a_constraint_costs():
    _, A, y, g = _rows(9, 40, 4)
    problem = rl.Problem.from_arrays(A, y, sample_weight=np.where(y, 0.7, 1.3), groups=g)
    program = make_program(problem, 8, fairness=rl.EqualOpportunity(0.0))
    pool = Pool(program, Features.from_problem(problem))
    pool.add([(j,) for j in range(4)])
    moves = local.moves_of(program, pool.columns(np.arange(len(pool))))._replace(penalty=1.3e12)
    walk = local.new_walk(program, moves, 0)
    for strength in range(4):
        set_search.kick(moves, walk, strength)
        assert local.descend(moves, walk) < 100_000
    assert local.descend(moves._replace(most_work=1), walk) <= len(moves.cost) + moves.start[-1]  # one pass


def test_rows_in_no_group_count():
    rng, A, y, _ = _rows(2, 200, 4)
    g = rng.choice(["a", "b", "c"], 200)
    problem = rl.Problem.from_arrays(A, y, groups=g)
    some = rl.Problem.from_arrays(A, y)
    object.__setattr__(some, "groups", problem.groups.some([0, 1]))
    last = rl.solve(rl.RuleSetSearch(some, 6, 2, fairness=rl.EqualOpportunity(1.0)))
    assert last.status is Status.OPTIMAL
    assert last.incumbent.objective == rl.solve(rl.RuleSetSearch(problem, 6, 2)).incumbent.objective


def test_columns_are_merged_by_what_covers_them():
    _, A, y, _ = _rows(11, 60, 6)
    program = make_program(rl.Problem.from_arrays(A, y), 8)
    pool = Pool(program, Features.from_problem(rl.Problem.from_arrays(A, y)))
    pool.add([(j,) for j in range(6)])
    columns = pool.columns(np.arange(3))
    merged = columns.merged()
    keys = {(k, *hit.tolist()) for k, hit in zip(columns.kind, columns.hits.T, strict=True)}
    assert len(merged.kind) == len(keys)
    assert merged.whole.sum() == columns.whole.sum()


def _weighted(seed: int) -> rl.Problem:
    rng, A, y, g = _rows(seed, 60, 5)
    return rl.Problem.from_arrays(A, y, sample_weight=rng.choice([0.1, 0.3, 0.7], 60) * rng.random(60), groups=g)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("fairness", [None, rl.EqualOpportunity(0.1)])
def test_sets_that_arithmetic_cannot_tell_apart_are_looked_at_one_by_one(monkeypatch, seed, fairness):
    problem = _weighted(seed)
    known = rl.solve(rl.RuleSetSearch(problem, 8, 2, fairness=fairness, regularization=0.01))
    assert known.status is Status.OPTIMAL
    monkeypatch.setattr(Program, "resolution", property(lambda program: int(program.kind_mass.sum()) // 5))
    coarse = rl.solve(rl.RuleSetSearch(problem, 8, 2, fairness=fairness, regularization=0.01))
    assert coarse.status is Status.OPTIMAL
    assert coarse.incumbent.objective == known.incumbent.objective


@pytest.mark.parametrize("seed", range(2))
def test_what_cannot_be_told_apart_in_time_is_said(monkeypatch, seed):
    problem = _weighted(seed)
    optimum = rl.solve(rl.RuleSetSearch(problem, 8, 2, fairness=rl.EqualOpportunity(0.1))).incumbent.objective
    monkeypatch.setattr(Program, "resolution", property(lambda program: 10 * int(program.kind_mass.sum())))
    monkeypatch.setattr(branching, "_NEAR_NODES", 0)
    search = rl.RuleSetSearch(problem, 8, 2, fairness=rl.EqualOpportunity(0.1))
    last = rl.solve(search)
    assert (last.status, last.limit) == (Status.LIMIT, "exactness")
    assert last.gap > 0
    assert last.lower_bound <= optimum <= last.incumbent.objective
    assert rl.solve(search).limit == "exactness"
    with pytest.raises(CertificateError):
        search.certificate()
