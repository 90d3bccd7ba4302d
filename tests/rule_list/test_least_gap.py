"""The least gap between groups against the naive reference, whole and in slices, and what the search says of it."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import crossed_cases
import laws
import naive
import numpy as np
import pytest
from inside import Inside
from laws import finished, problem_of
from random_problems import Rows, weights_as_read
from test_fair_rule_list import KINDS, RATES, fifty_and_fifty, larger_problem, some_rows

import rulelab as rl
from rulelab.certificate.rule_set.parity import most_wrong
from rulelab.data.exact_weights import most_errors
from rulelab.data.fairness import criterion_called
from rulelab.rule_list.fair import least_gap as engine

ACCURACIES = (0.0, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8)


def case_of(seed: int, **sizes: int) -> tuple[Rows, rl.LeastGapSearch]:
    """A random problem of any kind of weights, and a search on it."""
    rng = np.random.default_rng([7, seed])
    rows = some_rows(rng, KINDS[seed % len(KINDS)], **sizes)
    criterion = list(RATES)[seed // len(KINDS) % len(RATES)]
    accuracy, length = float(rng.choice(ACCURACIES)), int(rng.integers(-1, 4))
    penalty = float(rng.choice([0.0, 0.01, 0.1]))
    return rows, rl.LeastGapSearch(problem_of(rows), criterion, penalty, accuracy, None if length < 0 else length)


def exact(value: float) -> Fraction:
    return Fraction(repr(value))


def expected(rows: Rows, search: rl.LeastGapSearch) -> tuple[Fraction, Fraction] | None:
    weight = [int(w * rows.scale) for w in weights_as_read(rows.weight)]
    longest = rows.A.shape[1] if search.max_length is None else search.max_length
    rates = next(rates for one, rates in RATES.items() if criterion_called(one)[0] == search.criterion)
    given = rows.A, rows.y, weight, rows.group.tolist(), rates
    return naive.least_gap_rule_list(*given, exact(search.min_accuracy), longest, exact(search.regularization))


def check(rows: Rows, search: rl.LeastGapSearch, snapshot: rl.Snapshot) -> None:
    best = expected(rows, search)
    if best is None:
        assert (snapshot.status, snapshot.incumbent, search.least) == (rl.Status.INFEASIBLE, None, None)
        return
    gap, cost = best
    assert snapshot.status is rl.Status.OPTIMAL
    assert search.least == gap
    assert snapshot.incumbent is not None
    assert snapshot.incumbent.objective == snapshot.lower_bound == float(gap)
    model = snapshot.incumbent.model
    assert model.objective(search.regularization) == pytest.approx(float(cost), abs=1e-13)
    assert 1 - model.errors / model.weight >= search.min_accuracy - 1e-12
    assert search.max_length is None or len(model) <= search.max_length
    assert max(snapshot.detail["true_gaps"].values()) == pytest.approx(float(gap), abs=1e-13)


@pytest.mark.parametrize("part", [0, *(pytest.param(k, marks=pytest.mark.long) for k in range(1, 10))])
def test_the_least_gap_is_that_of_the_naive_reference(part: int) -> None:
    for seed in range(40 * part, 40 * part + 40):
        rows, search = case_of(seed)
        check(rows, search, finished(search))


@pytest.mark.long
@pytest.mark.parametrize("part", range(6))
def test_the_least_gap_of_more_and_larger_problems(part: int) -> None:
    for seed in range(1000 + 30 * part, 1030 + 30 * part):
        rows, search = case_of(seed, most_columns=5, most_rows=20)
        check(rows, search, finished(search))


def test_every_pass_has_room_for_its_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists of the same gap may have more rules than those of a smaller one; kernels do not look where they write."""
    begin, needed = engine.LeastGapSearch._begin, []

    def noted(search: rl.LeastGapSearch, aim: Any) -> None:
        begin(search, aim)
        inside, m = Inside(search), len(search._problem.antecedents)  # what is left of the problem
        rules = inside.rules
        needed.append(engine.longest_of(aim.rules << rules.shift, rules.base, rules, m))
        assert needed[-1] + 2 <= len(inside.store.frames)

    monkeypatch.setattr(engine.LeastGapSearch, "_begin", noted)
    for seed in (50354, *range(40)):
        rl.solve(crossed_cases.case_of("least_gap", seed).search())
    assert max(needed) > 2


@pytest.mark.parametrize("effort", [pytest.param(1, marks=pytest.mark.long), 300])
def test_slices_and_pickling_change_nothing(monkeypatch: pytest.MonkeyPatch, effort: int) -> None:
    laws.slices_change_nothing(monkeypatch, engine, effort, case_of, range(20))


@pytest.mark.long
@pytest.mark.parametrize("off", rl.FairRuleListBounds().to_dict())
def test_a_bound_that_is_off_changes_no_gap(off: str) -> None:
    for seed in range(20):
        _, search = case_of(seed)
        other = rl.LeastGapSearch(
            search.problem, **{**search.parameters, "bounds": rl.FairRuleListBounds(**{off: False})}
        )
        wanted, got = finished(search), finished(other)
        assert got.pruned[off.replace("_", " ")] == 0
        assert (got.status, other.least) == (wanted.status, search.least)


def test_no_list_is_as_accurate() -> None:
    y, groups = [1, 1, 0, 1, 0, 0], ["a"] * 3 + ["b"] * 3
    problem = rl.Problem.from_arrays(np.ones((6, 1)), y, groups=groups)
    search = rl.LeastGapSearch(problem, "demographic_parity", min_accuracy=0.6)
    snapshot = rl.solve(search)
    assert (snapshot.status, snapshot.incumbent) == (rl.Status.INFEASIBLE, None)
    assert search.frame.empty
    assert json.loads(search.to_json())["state"]["status"] == "infeasible"


def test_accuracy_is_compared_to_within_the_rounding_of_a_double() -> None:
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


def test_the_accuracy_of_a_list_is_reached_by_it() -> None:
    """``1 - errors / n`` in doubles is as often above the exact share as below; that list counts, and no worse one."""
    rng = np.random.default_rng(0)
    for total in (*range(1, 60), *rng.integers(60, 1 << 40, 60).tolist()):
        for errors in range(total + 1) if total < 60 else rng.integers(0, total + 1, 30).tolist():
            for accuracy in (1 - errors / total, (total - errors) / total):
                assert most_errors(accuracy, total) == most_wrong(accuracy, total) == errors


def test_lists_to_begin_with_are_taken_where_they_are_accurate_enough() -> None:
    problem = larger_problem()
    first = rl.LeastGapSearch(problem, "equal_opportunity", min_accuracy=0.68, max_length=3)
    best = rl.solve(first).incumbent
    again = rl.LeastGapSearch(problem, "equal-opportunity", 0.01, 0.68, 3, beam_width=1, warm_start=best.model)
    assert again.advance(1).incumbent.objective == best.objective
    shorter = rl.LeastGapSearch(problem, "equal_opportunity", 0.01, 0.68, 1, warm_start=[best.model])
    assert rl.solve(shorter).incumbent.complexity <= 1 < best.complexity


def test_limits_stop_a_search_that_then_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_EFFORT_PER_WORK", 100_000)
    search = rl.LeastGapSearch(larger_problem(), "equal_opportunity", min_accuracy=0.68, max_length=4)
    assert rl.solve(search, time_limit=0.0).limit == "time"
    assert rl.solve(search, work_limit=3).limit == "work"
    search.memory_limit = 1
    stopped = rl.solve(search)
    assert (stopped.status, stopped.limit) == (rl.Status.LIMIT, "memory")
    search.memory_limit = None
    assert rl.solve(search).status is rl.Status.OPTIMAL


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"criterion": rl.EqualOpportunity(0.1)}, "without a tolerance"),
        ({"criterion": "equality"}, "criterion must be a class"),
        ({"min_accuracy": 66}, "min_accuracy must be a number from 0 to 1"),
        ({"max_length": -1}, "max_length"),
        ({"regularization": 1.0}, "regularization"),
        ({"bounds": True}, "bounds"),
        ({"memory_limit": 0}, "memory_limit"),
        ({"beam_width": -1}, "beam_width"),
        ({"min_group_size": 1000}, "no two groups to compare"),
        ({"warm_start": [3]}, "warm_start"),
    ],
)
def test_wrong_arguments_are_refused_in_words(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        rl.LeastGapSearch(fifty_and_fifty(), **arguments)


def test_groups_are_needed() -> None:
    with pytest.raises(ValueError, match="no groups"):
        rl.LeastGapSearch(rl.Problem.from_arrays(np.eye(4), [0, 1, 0, 1]))
