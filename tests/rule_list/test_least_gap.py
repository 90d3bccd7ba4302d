"""The least gap between groups: accuracies at the edge, lists to begin with, and room in every pass."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import crossed_cases
import numpy as np
import pytest
from inside import Inside
from laws import larger_problem

import rulelab as rl
from rulelab.certificate.rule_set.parity import most_wrong
from rulelab.data.exact_weights import most_errors
from rulelab.rule_list.fair import least_gap as engine


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
    for seed in (50354, *range(20)):
        rl.solve(crossed_cases.case_of("least_gap", seed).search())
    assert max(needed) > 2


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
