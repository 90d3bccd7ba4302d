"""Rule sets under fairness constraints against the naive reference, and of any weights and penalties."""

import math

import numpy as np
import pytest
from crossed import Judge
from crossed_cases import case_of
from laws import certified, holds, replaced

import rulelab as rl
from rulelab.data.fairness import true_gaps
from rulelab.data.metrics import confusion
from rulelab.rule_set import closing, generation
from rulelab.rule_set import phases as rule_set_phases
from rulelab.rule_set.features import Features
from rulelab.rule_set.heuristics import local_search as local
from rulelab.rule_set.heuristics import set_search
from rulelab.rule_set.pool import Pool
from rulelab.rule_set.program import Program, make_program


@pytest.mark.long
@pytest.mark.parametrize(("large", "whole_nodes"), [(0, 300), (0, 0), (1 << 30, 0)])
def test_the_fair_optimum_is_that_of_the_naive_reference(large, whole_nodes, monkeypatch):
    """By both methods where rates that must be equal are searched value by value, and by the proximal one else."""
    monkeypatch.setattr(generation, "LARGE_CONSTRAINED", large)
    monkeypatch.setattr(rule_set_phases, "WHOLE_NODES", whole_nodes)
    for case in (case_of("rule_set", seed) for seed in range(24)):
        assert case.options["fairness"] is None or Judge(case).run() == [], case.seed


def test_groups_whose_sizes_have_no_common_divisor_have_all_errors_or_none(monkeypatch):
    monkeypatch.setattr(rule_set_phases, "WHOLE_NODES", 0)
    rng = np.random.default_rng(1)
    A = rng.random((600, 10)) < rng.uniform(0.3, 0.7, 10)
    y = (A[:, 0] & A[:, 1]) ^ (rng.random(600) < 0.25)
    groups = np.where(A[:, 2], "a", "b")
    while math.gcd(*(int(y[groups == g].sum()) for g in "ab")) > 1:
        y[np.argmin(y)] = True
    search = rl.RuleSetSearch(rl.Problem.from_arrays(A, y, groups=groups), 9, 3, fairness=rl.EqualOpportunity(0.0))
    snapshot = rl.solve(search, work_limit=5000)
    assert snapshot.status is rl.Status.OPTIMAL
    assert "master_value" not in snapshot.detail, "the programme of one value bounds no other"
    found = snapshot.incumbent.model.predicts_positive(A)[y]
    assert found.all() or not found.any()
    assert rl.verify(search.problem, snapshot.incumbent.model, search.certificate())


def compas_like(n=400, seed=0):
    rng = np.random.default_rng(seed)
    A = rng.random((n, 8)) < rng.uniform(0.3, 0.7, 8)
    y = (A[:, 0] & A[:, 1]) ^ (rng.random(n) < 0.25)
    return A, y, np.where(A[:, 2], "a", np.where(A[:, 3], "b", "c"))


def compas_problem(n=400):
    A, y, groups = compas_like(n)
    return rl.Problem.from_arrays(A, y, groups=groups)


@pytest.mark.parametrize("seed", [1, 3, 7])
def test_sets_of_fewest_errors_begin_with_the_best_by_the_hamming_loss(seed):
    A, y, groups = compas_like(600, seed)
    problem, fairness = rl.Problem.from_arrays(A, y, groups=groups), rl.EqualOpportunity(0.1)
    known = rl.solve(rl.RuleSetSearch(problem, 9, 3, fairness=fairness), work_limit=400).incumbent

    def first(search):
        while (now := search.advance(1)).phase != "pricing":
            pass
        return now.incumbent.errors

    search, alone = (rl.RuleSetSearch(problem, 9, 3, fairness=fairness, loss="zero_one") for _ in range(2))
    assert first(search) <= known.errors < first(alone.without_relaxation())


def test_no_tolerance_is_met_by_the_set_without_rules():
    problem = compas_problem(60)
    for criterion in (rl.EqualOpportunity, rl.EqualizedOdds, rl.DemographicParity, rl.FalsePositiveRateParity):
        assert criterion(0).met_by_no_rules
        first = rl.RuleSetSearch(problem, 5, 2, fairness=criterion(0)).advance(1)
        assert first.incumbent is not None
    assert not rl.AccuracyParity(0).met_by_no_rules


def test_true_gaps_are_those_of_the_predictions():
    A, y, groups = compas_like()
    problem = rl.Problem.from_arrays(A, y, groups=groups)
    snapshot = rl.solve(rl.RuleSetSearch(problem, 8, 2, fairness=rl.EqualizedOdds(0.05, 0.1)))
    gaps = snapshot.detail["true_gaps"]
    evaluation = snapshot.incumbent.model.evaluate(A, y, groups=groups)
    positive = snapshot.incumbent.model.predict(A).astype(bool)
    for rate in ("false_negative_rate", "false_positive_rate"):
        values = [confusion(y[groups == g], positive[groups == g]).rate(rate) for g in np.unique(groups)]
        assert gaps[rate] == pytest.approx(max(values) - min(values))
    assert gaps["false_negative_rate"] <= 0.05
    assert evaluation.errors == snapshot.incumbent.errors
    predicted = snapshot.incumbent.model.predicts_positive(problem.matrix())
    assert true_gaps(rl.DemographicParity(0), problem.groups, predicted).keys() == {"selection_rate"}


def test_rules_over_the_same_rows_are_one_where_they_would_count_twice():
    """The certificate says that sets with such rules are left out; a warm start has the shortest of them."""
    A = np.array([[1, 1], [1, 1], [0, 1], [0, 0], [1, 1], [0, 1], [0, 0], [0, 0]], dtype=bool)
    problem = rl.Problem.from_arrays(A, A[:, 0] ^ (np.arange(8) == 4), groups=np.arange(8) % 2)
    criterion, twins = rl.DemographicParity(0.2), [(0,), (0, 1)]
    for start in (twins, rl.RuleSet.from_problem(problem, twins)):
        search = rl.RuleSetSearch(problem, 7, 2, fairness=criterion, warm_start=start).without_relaxation()
        search.advance(1)
        assert (0,) in search.columns
        assert (0, 1) not in search.columns
    for loss, said in (("hamming", True), ("zero_one", False)):
        search = rl.RuleSetSearch(problem, 7, 2, fairness=criterion, loss=loss)
        last = rl.solve(search)
        answer = holds(problem, last.incumbent.model, search.certificate())
        assert ("of rules that cover different rows" in answer.reason) == said


# rule sets of any weights and penalties -------------------------------------------------------------------------------
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
    last = certified(rl.RuleSetSearch(rl.Problem.from_arrays(A, y, sample_weight=w), 6, regularization=regularization))
    assert math.isfinite(last.incumbent.objective)


def test_a_descent_ends_whatever_a_constraint_costs():
    _, A, y, g = _rows(9, 40, 4)
    problem = rl.Problem.from_arrays(A, y, sample_weight=np.where(y, 0.7, 1.3), groups=g)
    program = make_program(problem, 8, fairness=rl.EqualOpportunity(0.0))
    pool = Pool(program, Features.from_problem(problem))
    pool.add([(j,) for j in range(4)])
    moves = replaced(local.moves_of(program, pool.columns(np.arange(len(pool)))), penalty=1.3e12)
    walk = local.new_walk(program, moves, 0)
    for strength in range(4):
        set_search.kick(moves, walk, strength)
        assert local.descend(moves, walk) < 100_000
    assert local.descend(replaced(moves, most_work=1), walk) <= len(moves.cost) + moves.start[-1]  # one pass


def test_rows_in_no_group_count():
    rng, A, y, _ = _rows(2, 200, 4)
    g = rng.choice(["a", "b", "c"], 200)
    problem = rl.Problem.from_arrays(A, y, groups=g)
    some = rl.Problem.from_arrays(A, y)
    object.__setattr__(some, "groups", problem.groups.some([0, 1]))
    last = certified(rl.RuleSetSearch(some, 6, 2, fairness=rl.EqualOpportunity(1.0)))
    assert last.incumbent.objective == rl.solve(rl.RuleSetSearch(problem, 6, 2)).incumbent.objective


def _weighted(seed: int) -> rl.Problem:
    rng, A, y, g = _rows(seed, 60, 5)
    return rl.Problem.from_arrays(A, y, sample_weight=rng.choice([0.1, 0.3, 0.7], 60) * rng.random(60), groups=g)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("fairness", [None, rl.EqualOpportunity(0.1)])
def test_sets_that_arithmetic_cannot_tell_apart_are_looked_at_one_by_one(monkeypatch, seed, fairness):
    problem = _weighted(seed)
    known = certified(rl.RuleSetSearch(problem, 8, 2, fairness=fairness, regularization=0.01))
    monkeypatch.setattr(Program, "resolution", property(lambda program: int(program.kind_mass.sum()) // 5))
    coarse = certified(rl.RuleSetSearch(problem, 8, 2, fairness=fairness, regularization=0.01))
    assert coarse.incumbent.objective == known.incumbent.objective


@pytest.mark.parametrize("seed", range(2))
def test_what_cannot_be_told_apart_in_time_is_said(monkeypatch, seed):
    problem = _weighted(seed)
    optimum = rl.solve(rl.RuleSetSearch(problem, 8, 2, fairness=rl.EqualOpportunity(0.1))).incumbent.objective
    monkeypatch.setattr(Program, "resolution", property(lambda program: 10 * int(program.kind_mass.sum())))
    monkeypatch.setattr(closing, "NEAR_NODES", 0)
    search = rl.RuleSetSearch(problem, 8, 2, fairness=rl.EqualOpportunity(0.1))
    last = rl.solve(search)
    assert (last.status, last.limit) == (rl.Status.LIMIT, "exactness")
    assert last.gap > 0
    assert last.lower_bound <= optimum <= last.incumbent.objective
    assert rl.solve(search).limit == "exactness"
    with pytest.raises(rl.errors.CertificateError):
        search.certificate()
