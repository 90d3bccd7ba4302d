"""The least gap between groups: accuracies at the edge, lists to begin with, and room in every pass."""

from dataclasses import replace
from functools import partial

import crossed_cases
import numpy as np
import pandas as pd
import pytest
from crossed import Judge
from crossed_cases import case_of
from laws import Inside, certified, fifty_and_fifty, finished, larger_problem
from random_problems import Rows

import rulelab as rl
from rulelab.certificate.rule_set.parity import most_wrong
from rulelab.data.conditions import Condition, attach_conditions
from rulelab.data.exact_weights import asked_accuracy, most_errors
from rulelab.rule_list.fair import state
from rulelab.rule_list.fair.passes import longest_of


@pytest.mark.long
def test_every_pass_has_room_for_its_rules():
    """Lists of the same gap may have more rules than those of a smaller one; kernels do not look where they write."""
    needed = []
    for seed in (50354, *range(20)):
        search = crossed_cases.case_of("least_gap", seed).search()
        inside = Inside(search)
        for snapshot in rl.steps(search, work_per_step=1):
            if snapshot.phase in ("searching", "ties") and inside.store.numbers[state.STAGE] == state.START:
                most, m = int(inside.store.numbers[state.BEST]) - 1, inside.data.by_antecedent.shape[0]
                needed.append(longest_of(most << inside.rules.shift, inside.rules.base, inside.rules, m))
                assert needed[-1] + 2 <= len(inside.store.frames)
    assert max(needed) > 2


def test_accuracy_is_compared_to_within_the_rounding_of_a_double():
    """Two rows of three are right at most: two thirds are reached, rounded up or down, and nothing above."""
    problem = rl.Problem.from_arrays([[1], [1], [0]] * 2, [1, 0, 0] * 2, groups=["a"] * 3 + ["b"] * 3)
    shares = (0.6666666666666666, "optimal"), (0.6666666666666667, "optimal"), (0.666666666666667, "infeasible")
    for accuracy, status in shares:
        search = rl.LeastGapSearch(problem, rl.DemographicParity, min_accuracy=accuracy)
        last = rl.solve(search)
        assert last.status == status
        if last.incumbent is not None:
            model, certificate = last.incumbent.model, search.certificate()
            assert rl.verify(problem, model, certificate)
            higher = replace(certificate, parameters={**certificate.parameters, "min_accuracy": 0.666666666666667})
            assert "accuracy is" in rl.verify(problem, model, higher).reason


def test_the_accuracy_of_a_list_is_reached_by_it():
    """``1 - errors / n`` in doubles is as often above the exact share as below; that list counts, and no worse one."""
    rng = np.random.default_rng(0)
    for total in (*range(1, 60), *rng.integers(60, 1 << 40, 60).tolist()):
        for errors in range(total + 1) if total < 60 else rng.integers(0, total + 1, 30).tolist():
            for accuracy in (1 - errors / total, (total - errors) / total):
                assert most_errors(accuracy, total) == most_wrong(accuracy, total) == errors


def test_lists_to_begin_with_are_taken_where_they_are_accurate_enough():
    problem = larger_problem()
    first = rl.LeastGapSearch(problem, "equal_opportunity", min_accuracy=0.68, max_length=3)
    best = rl.solve(first).incumbent
    again = rl.LeastGapSearch(problem, "equal-opportunity", 0.01, 0.68, 3, beam_width=1, warm_start=best.model)
    assert again.advance(1).incumbent.objective == best.objective
    shorter = rl.LeastGapSearch(problem, "equal_opportunity", 0.01, 0.68, 1, warm_start=[best.model])
    assert rl.solve(shorter).incumbent.complexity <= 1 < best.complexity


# rule lists under fairness constraints --------------------------------------------------------------------------------
def test_a_rule_of_a_single_row_can_be_worth_its_price():
    """Bounds on a rule's support, which hold for all optimal lists, do not hold for fair ones."""
    search = rl.search(fifty_and_fifty(), regularization=0.05, fairness=rl.DemographicParity(0.0))
    best = rl.solve(search).incumbent
    assert best is not None
    assert [(rule.name, rule.prediction, rule.captured) for rule in best.model.rules] == [("a2", 0, 1), ("a1", 1, 40)]
    assert best.objective == pytest.approx(0.1 + 0.1)


def test_a_warm_start_is_the_first_list():
    problem = larger_problem()
    fair = partial(rl.search, problem, regularization=0.005, fairness=rl.EqualOpportunity(0.1))
    first = rl.solve(fair()).incumbent
    assert len(first.model)
    assert fair(warm_start=first.model, beam_width=1).advance(1).incumbent.objective == first.objective
    unfair = rl.solve(rl.RuleListSearch(problem, 0.005)).incumbent.model
    assert rl.solve(fair(warm_start=unfair.antecedents)).incumbent.objective == first.objective


@pytest.mark.long
def test_weights_of_too_many_digits_for_the_kernels():
    """Rounded sums decide nothing: every list that may be fair is looked at in exact numbers."""
    for seed in range(3):
        case = case_of("value_list", 4 * seed)
        rows, rng = case.rows, np.random.default_rng(seed)
        weight = rng.integers(1, 4, len(rows.y)) * (2.0**-40 if seed % 2 else 1.0) + rng.integers(1, 4, len(rows.y))
        case.options.update(regularization=0.02, fairness=("PredictiveParity", 0.1), min_group_size=0)
        assert Judge(case.with_rows(Rows(rows.A, rows.y, weight, rows.group, "real"))).run() == []


def test_a_list_may_predict_nobody_positive_and_small_groups_are_left_out():
    problem = rl.Problem.from_arrays([[0], [1]] * 3, [0, 1, 0, 0, 0, 1], groups=list("aabbbc"))
    search = rl.search(problem, regularization=0.4, fairness=rl.PredictiveParity(0.0))
    last = certified(search)
    assert not last.incumbent.model.predicts_positive(problem.matrix()).any()
    assert last.detail["true_gaps"] == {"precision": 0.0}
    small = rl.search(problem, regularization=0.01, fairness=rl.PredictiveParity(0.0), min_group_size=2)
    assert "c (1)" in small.left_out
    with pytest.raises(ValueError, match="no two groups"):
        rl.search(problem, regularization=0.01, fairness=rl.PredictiveParity(0.0), min_group_size=3)


# fair lists that have to use something --------------------------------------------------------------------------------
PRICE = 0.01


@pytest.fixture
def nested():
    """Rules that capture ever more rows: each must come before the next one, and "in" is not needed."""
    rows = [((1, 1, 1), 1, 8), ((0, 1, 1), 1, 20), ((0, 0, 1), 0, 30), ((0, 0, 0), 1, 25)]
    A = np.concatenate([np.tile(holds, (n, 1)) for holds, _, n in rows]).astype(bool)
    y = np.concatenate([np.full(n, label) for _, label, n in rows])
    return rl.Problem.from_arrays(A, y, names=["in", "of", "all"], groups=np.arange(len(y)) % 2)


@pytest.mark.parametrize("labels", ["free", "majority"])
def test_what_a_prefix_has_met_is_not_given_up_for_a_cheaper_one(nested, labels):
    asked = {"fairness": rl.DemographicParity(0.5), "labels": labels, "beam_width": 0}
    free = rl.solve(rl.search(nested, regularization=PRICE, **asked)).incumbent.model
    assert free.antecedents == (1, 2)
    search = rl.search(nested, regularization=PRICE, must_use=["in"], **asked)
    best = certified(search)
    assert best.incumbent.model.antecedents == (0, 1, 2)
    assert best.incumbent.objective == pytest.approx(3 * PRICE)
    certificate = search.certificate()
    assert rl.verify(nested, best.incumbent.model, certificate).valid
    worse = rl.RuleList.from_problem(nested, [0, 2])
    assert worse.objective(PRICE) > best.incumbent.objective
    assert not rl.verify(nested, worse, certificate).valid


@pytest.mark.parametrize("most", [1, 2])
def test_what_a_prefix_has_used_is_not_given_up_for_one_that_costs_the_same(most):
    """Rules on u and on v leave the same rows; the last rule uses u, and has to come after one of them."""
    conditions = [Condition("u", ">", 0), Condition("v", ">", 0), Condition("u", ">", -1)]
    rows = [((1, 1, 1), 1, 30), ((0, 0, 1), 0, 30), ((0, 0, 0), 1, 20)]
    A = np.concatenate([np.tile(holds, (n, 1)) for holds, _, n in rows]).astype(bool)
    y = np.concatenate([np.full(n, label) for _, label, n in rows])
    table = pd.DataFrame(A, columns=list(map(str, conditions)))
    attach_conditions(table, conditions)
    problem = rl.Problem.from_arrays(table, y, groups=np.arange(len(y)) % 2)
    asked = {"fairness": rl.DemographicParity(0.5), "max_uses": {"u": most}, "beam_width": 0}
    search = rl.search(problem, regularization=PRICE, **asked)
    best = certified(search)
    assert best.incumbent.objective == pytest.approx(2 * PRICE)
    assert best.incumbent.model.antecedents in [(1, 2), (0, 2)][:most]
    certificate = search.certificate()
    assert rl.verify(problem, best.incumbent.model, certificate).valid
    worse = rl.RuleList.from_problem(problem, [0])
    assert not rl.verify(problem, worse, certificate).valid


def _few_rows(seed: int) -> rl.Problem:
    rng = np.random.default_rng(seed)
    A, y = rng.random((40, 4)) < 0.3, rng.random(40) < rng.choice([0.1, 0.5, 0.8, 0.9])
    y[:4] = True, False, True, False  # both classes in both groups
    weight = rng.integers(1, 9, 40) if seed % 2 else rng.random(40)
    return rl.Problem.from_arrays(A, y, sample_weight=weight, groups=np.arange(40) // 2 % 2)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("loss", ["hamming", "zero_one"])
@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("most", [2, 3])
def test_the_accuracy_that_is_demanded_of_a_set_by_default_is_reached(most, form, loss, seed):
    search = rl.engines.LeastGapRuleSetSearch(_few_rows(seed), max_complexity=most, form=form, loss=loss)
    last = finished(search)
    assert last.status is rl.Status.OPTIMAL
    assert last.incumbent.errors <= (1 - search.min_accuracy) * search.problem.total_weight * (1 + 1e-12)


@pytest.mark.parametrize("name", ["breast_cancer", "compas", "diabetes", "tic_tac_toe"])
def test_of_the_embedded_data_more_is_demanded_than_one_answer_gets_right(name):
    data = rl.datasets.load(name)
    frame, groups = rl.Binarizer(thresholds=5).fit_transform(data.X), np.arange(len(data.y)) % 2
    share = float(data.y.mean())
    for kind in (rl.LeastGapSearch, rl.engines.LeastGapRuleSetSearch):
        search = kind(rl.Problem.from_arrays(frame, data.y, groups=groups))
        assert search.min_accuracy == asked_accuracy(share, 1 - share)
