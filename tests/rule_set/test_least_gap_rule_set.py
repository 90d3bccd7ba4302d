"""The least gap of rule sets against the naive reference, whole and in slices, its front, its proof and its limits."""

import pickle
from dataclasses import replace

import crossed_cases
import naive_rule_sets as naive
import numpy as np
import pytest
from crossed_cases import Case, data_of, least_gap_of_sets
from laws import certified, finished, holds

import rulelab as rl
from rulelab.rule_set import phases as rule_set_phases


def case_of(seed: int, **more: object) -> Case:
    case = crossed_cases.case_of("least_gap_set", seed)
    return replace(case, options=case.options | more)


def check(case: Case) -> None:
    """The gap is the least; so are the loss among the sets of that gap, and the complexity among those of that loss."""
    search, best = case.search(), least_gap_of_sets(case)
    snapshot = finished(search)
    if best is None:
        assert (snapshot.status, snapshot.incumbent, search.least) == (rl.Status.INFEASIBLE, None, None)
        return
    gap, loss, complexity = best
    assert search.gap_is_proven
    assert search.least == gap
    assert snapshot.incumbent is not None
    assert snapshot.incumbent.objective == snapshot.lower_bound == float(gap)
    assert snapshot.status is rl.Status.OPTIMAL
    model = snapshot.incumbent.model
    clauses = [tuple(sorted(clause)) for clause in model.clauses]
    errors = naive.errors_of(data_of(case), clauses, search.loss, search.form)
    assert sum(map(sum, errors)) == loss
    assert model.complexity == complexity


@pytest.mark.few(5)
@pytest.mark.parametrize("part", range(5))
def test_the_least_gap_is_that_of_the_naive_reference(part):
    for seed in range(10 * part, 10 * part + 10):
        check(case_of(seed))


@pytest.mark.long
def test_rates_that_must_be_equal_are_searched_value_by_value(monkeypatch):
    monkeypatch.setattr(rule_set_phases, "WHOLE_NODES", 0)
    for seed in range(300, 330):
        check(case_of(seed))


def larger_problem(weight: int = 1) -> rl.Problem:
    rng = np.random.default_rng(3)
    A = rng.random((200, 5)) < rng.uniform(0.3, 0.7, 5)
    groups = (A[:, 0] ^ (rng.random(200) < 0.3)).astype(int)
    y = ((A[:, 0] & A[:, 1]) | (A[:, 2] & ~A[:, 3])) ^ (rng.random(200) < 0.2)
    return rl.Problem.from_arrays(np.hstack([A, ~A]), y, groups=groups, sample_weight=np.full(200, weight))


@pytest.mark.parametrize("weight", [1, 3])
def test_a_proof_says_what_it_is_about_and_is_refused_for_a_larger_gap(weight):
    problem = larger_problem(weight)
    search = rl.engines.LeastGapRuleSetSearch(problem, "equal_opportunity", 0.72, 6, 2)
    best = rl.solve(search).incumbent
    assert search.least
    certificate = search.certificate()
    answer = holds(problem, best.model, certificate)
    meant = "at most 6, of at most 2 conditions a rule, of rules that cover different rows, with an accuracy of"
    assert f"{meant} at least 0.72" in answer.reason
    easier = rl.engines.LeastGapRuleSetSearch(problem, "equal_opportunity", 0.76, 6, 2)
    worse = rl.solve(easier).incumbent
    assert worse.objective > best.objective
    parameters = {**certificate.parameters, "false_negative_rate_gap": worse.objective}
    forged = rl.verify(problem, worse.model, replace(certificate, parameters=parameters))
    assert not forged
    for changed in ({"min_accuracy": 0.9}, {"min_accuracy": 0.0}, {"max_complexity": 20.0}, {"regularization": 0.1}):
        assert not rl.verify(problem, best.model, replace(certificate, parameters=certificate.parameters | changed))


@pytest.mark.long
def test_every_point_of_the_front_is_that_of_a_search_of_its_own():
    problem, accuracies = larger_problem(), (0.68, 0.76, 0.99)
    own = {"criterion": "demographic_parity", "max_complexity": 6, "max_conditions": 2}
    front = rl.frontier(problem, "gap", "rule_set", accuracies=accuracies, **own)
    assert front.points == ()
    sliced = rl.frontier(problem, "gap", "rule_set", accuracies=accuracies, **own)
    certified(front)
    for point in front.points:
        alone = rl.engines.LeastGapRuleSetSearch(problem, "demographic_parity", point.place["min_accuracy"], 6, 2)
        rl.solve(alone)
        assert (point.status == "infeasible") == alone.is_infeasible
        assert point.value == (None if alone.least is None else float(alone.least))
    assert front.points[-1].status == "infeasible"
    while sliced.advance(1).status is rl.Status.RUNNING:
        sliced = pickle.loads(pickle.dumps(sliced))
    assert (sliced.points, list(front.frame.columns)[-2:]) == (front.points, ["complexity", "true_gap"])


def test_sets_to_begin_with_are_taken_where_they_are_accurate_and_simple_enough():
    problem = larger_problem()
    first = rl.engines.LeastGapRuleSetSearch(problem, "equal_opportunity", 0.72, 6, 2)
    best = rl.solve(first).incumbent
    again = rl.engines.LeastGapRuleSetSearch(problem, rl.EqualOpportunity, 0.72, 6, 2, warm_start=best.model)
    again.advance(1)
    assert again.advance(1).incumbent.objective == best.objective
    simpler = rl.engines.LeastGapRuleSetSearch(problem, rl.EqualOpportunity, 0.6, 2, 2, warm_start=[best.model])
    assert rl.solve(simpler).incumbent.complexity <= 2
