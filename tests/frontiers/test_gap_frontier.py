"""The least gap at many accuracies: every point as the naive reference has it, in slices and under limits."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from crossed_cases import case_of
from laws import fifty_and_fifty, in_slices, larger_problem

import rulelab as rl
from rulelab.frontiers import GapFrontier

SEEDS = range(0, 150, 3)
"""Every kind of weights, and every criterion."""
ACCURACIES = (0.4, 0.5, 0.55, 0.6, 0.65, 0.75, 1.0)


def front_of(search: rl.LeastGapSearch) -> GapFrontier:
    own = {"regularization": search.regularization, "max_length": search.max_length, "beam_width": 20}
    return rl.frontier(search.problem, "gap", criterion=search.criterion, accuracies=ACCURACIES, **own)


@pytest.mark.parametrize("part", [0, *(pytest.param(k, marks=pytest.mark.long) for k in range(1, 6))])
def test_every_point_is_that_of_the_naive_reference(part: int) -> None:
    for seed in range(6 * part, 6 * part + 6):
        case = case_of("least_gap", SEEDS[seed])
        front = front_of(case.search())
        last = rl.solve(front)
        for point in front.points:
            best = replace(case, options=case.options | point.place).optimum
            if best is None:
                assert (point.status, point.model, point.value) == ("infeasible", None, None)
                continue
            assert (point.status, point.value, point.lower_bound) == ("proven", float(best), float(best))
            assert point.accuracy >= point.place["min_accuracy"] - 1e-12
        assert last.status == ("infeasible" if front.points[0].status == "infeasible" else "optimal")
        assert len(front.frame) == len(ACCURACIES)


def test_slices_and_pickling_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GapFrontier, "_first_units", 2)
    for seed in range(6):
        search = case_of("least_gap", SEEDS[seed]).search()
        whole, sliced = front_of(search), front_of(search)
        wanted = rl.solve(whole)
        sliced, got = in_slices(sliced, pickled=5)
        assert (got.status, got.counts, got.work) == (wanted.status, wanted.counts, wanted.work)
        assert sliced.points == whole.points


def test_gaps_grow_with_accuracy_and_bounds_are_valid_under_limits() -> None:
    problem = larger_problem()
    front = rl.frontier(problem, "gap", accuracies=np.linspace(0.5, 0.72, 12), regularization=0.01, max_length=3)
    assert front.points == ()
    assert front.frame.empty
    stopped = rl.solve(front, work_limit=20)
    before = front.points
    assert stopped.limit == "work"
    assert rl.solve(front).status is rl.Status.OPTIMAL
    for early, late in zip(before, front.points, strict=True):
        if late.status == "proven":
            assert early.lower_bound <= late.value
            assert early.value is None or early.value >= late.value
    gaps = [point.value for point in front.points if point.value is not None]
    assert gaps == sorted(gaps)
    assert any(gap > 0 for gap in gaps)
    content = json.loads(front.to_json())
    assert len(content["rows"]) == len(content["models"]) == 12


def test_the_accuracies_begin_at_that_of_the_default_rule() -> None:
    front = rl.frontier(fifty_and_fifty(), "gap")
    assert front.accuracies[0] == 0.5
    assert front.accuracies[-1] == 1.0
    assert len(front.accuracies) == 51


@pytest.mark.parametrize("accuracies", [[], [0.5, 66], "0.5", [math.nan]])
def test_accuracies_that_are_none_are_refused(accuracies: object) -> None:
    with pytest.raises(ValueError, match="accuracies must be numbers from 0 to 1"):
        rl.frontier(fifty_and_fifty(), "gap", accuracies=accuracies)
