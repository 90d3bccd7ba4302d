"""Moves of the set search, against sets measured anew, and its ways to begin."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from inside import Inside
from test_rule_set_search import certified, noisy

import rulelab as rl
from rulelab.rule_set import RuleSetSearch
from rulelab.rule_set.heuristics import local_search as local
from rulelab.rule_set.heuristics.set_search import SetSearch, draw
from rulelab.rule_set.program import Program


def ended(seed: int, **asked) -> RuleSetSearch:
    """A search that has ended, for its pool and program."""
    search = RuleSetSearch(noisy(seed), 9, 2, **asked)
    certified(search)
    return search


def cost(program: Program, moves: local.Moves, chosen: np.ndarray) -> tuple[float, np.ndarray]:
    """Cost of a set and what it takes of each constraint, by hand."""
    left = np.ones(len(moves.leave), dtype=bool)
    for k in np.flatnonzero(chosen):
        left[moves.entity[moves.start[k] : moves.start[k + 1]]] = False
    mass = np.bincount(moves.kind[left], weights=moves.mass[left], minlength=program.n_kinds)
    bound = np.array([float(c.bound) for c in program.constraints])
    taken = moves.leave_used @ mass + moves.used[chosen == 1].sum(axis=0) - bound
    return float(program.constant * program.scale) + moves.leave[left].sum() + moves.cost[chosen == 1].sum(), taken


@pytest.mark.parametrize("penalty", [0.0, 3.0])
@pytest.mark.parametrize("fairness", [None, rl.EqualOpportunity(0.3)])
@pytest.mark.parametrize("seed", range(3))
def test_a_descent_ends_where_no_single_move_helps(seed, fairness, penalty):
    problem = noisy(seed)
    if fairness is not None:
        rng = np.random.default_rng(seed)
        A, y = rng.random((120, 6)) < 0.4, rng.random(120) < 0.4
        problem = rl.Problem.from_arrays(A, y, groups=rng.integers(0, 2, 120))
    search = RuleSetSearch(problem, 9, 2, fairness=fairness)
    certified(search)
    program, pool = Inside(search).program, Inside(search).pool
    moves = local.moves_of(program, pool.columns(np.arange(min(len(pool), 25))))._replace(penalty=penalty)
    walk = local.new_walk(program, moves, seed)
    draw(moves, walk, np.full(len(moves.cost), 1 / len(moves.cost)), 8)
    local.descend(moves, walk)

    def score(chosen):
        value, taken = cost(program, moves, chosen)
        return value + penalty * np.maximum(taken, 0).sum()

    now, taken = cost(program, moves, walk.chosen)
    assert walk.score[0] == pytest.approx(now)
    assert walk.taken == pytest.approx(taken)
    reached = score(walk.chosen)
    for moved in [*combinations(range(len(moves.cost)), 1), *combinations(range(len(moves.cost)), 2)]:
        other = walk.chosen.copy()
        other[list(moved)] ^= 1
        if len(moved) == 2 and other.sum() != walk.chosen.sum():
            continue
        if moves.complexity[other == 1].sum() <= moves.room:
            assert score(other) >= reached - 1e-6 * max(1.0, abs(reached))


def set_search(search: RuleSetSearch) -> SetSearch:
    program, pool = Inside(search).program, Inside(search).pool
    chosen = np.arange(len(pool))
    return SetSearch(program, pool, chosen, np.ones(len(pool)), np.zeros(0), 3, 60, rebuilds=True)


@pytest.mark.parametrize("seed", range(4))
def test_sets_built_anew_are_within_the_complexity_and_no_better_than_the_optimum(seed):
    search = ended(seed)
    sets, found, other = set_search(search), [], set_search(search)
    while not sets.done:
        sets.advance()
        found.append(sets.found)
        other = pickle.loads(pickle.dumps(other))
        other.advance()
        assert other.found == sets.found
    best = [rules for rules in found if rules is not None][-1]
    model = rl.RuleSet.from_problem(search.problem, best)
    assert model.complexity <= 9
    assert model.hamming_loss >= search.advance(1).incumbent.objective
