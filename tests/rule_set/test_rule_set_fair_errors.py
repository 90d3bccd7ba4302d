"""Proofs of fair sets of fewest training errors, against the naive reference, whole and part by part."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import naive_rule_sets as naive
import numpy as np
import pytest
from laws import problem_of
from test_fair_rule_list import some_rows
from test_least_gap_rule_set import RATES, data_of

import rulelab as rl
from rulelab.rule_set import phases, rate_parts

MADE = {
    "equal_opportunity": rl.EqualOpportunity,
    "equalized_odds": rl.EqualizedOdds,
    "false_positive_rate_parity": rl.FalsePositiveRateParity,
    "demographic_parity": rl.DemographicParity,
    "accuracy_parity": rl.AccuracyParity,
}


def drawn(seed: int) -> tuple[rl.Problem, naive.Data, dict[str, Any], list[str], Fraction]:
    """A small problem with whole weights, its rows, arguments of the search, the rates that are compared, and EPS."""
    rng = np.random.default_rng([5, seed])
    rows = some_rows(rng, ("unit", "integer")[seed % 2], most_columns=4, most_rows=14)
    name, tolerance = list(RATES)[seed % 5], float(rng.choice([0, 0.05, 0.1, 0.2, 0.3]))
    asked = {
        "max_complexity": int(rng.integers(2, 7)),
        "max_conditions": int(rng.integers(1, 4)),
        "loss": "zero_one",
        "form": str(rng.choice(["dnf", "cnf"])),
        "fairness": MADE[name](tolerance),
        "regularization": float(rng.choice([0.0, 0.5, 1.0])),
        "min_group_size": int(rng.choice([0, 0, 2])),
    }
    return problem_of(rows), data_of(rows), asked, list(RATES[name]), Fraction(repr(tolerance))


def clauses(data: naive.Data, most: int) -> list[tuple[tuple[int, ...], ...]]:
    """Sets of no rule, of one and of two conditions."""
    m = data.A.shape[1]
    return [(), *(((j,),) for j in range(m)), *(((j,), (k,)) for j in range(m) for k in range(j) if most >= 4)]


def check(seeds: range) -> tuple[int, int, int]:
    """Proofs, those of them in parts, and sets that were refused."""
    proven = parted = refused = 0
    for seed in seeds:
        problem, data, asked, rates, tolerance = drawn(seed)
        try:
            search = rl.RuleSetSearch(problem, **asked)
        except ValueError:  # too few large groups
            continue
        last, limits = rl.solve(search), [(rate, tolerance) for rate in rates]
        penalty, form, least = Fraction(asked["regularization"]), asked["form"], asked["min_group_size"]
        limit = asked["max_complexity"], asked["max_conditions"]
        best = naive.best_rule_set(data, *limit, "zero_one", form, penalty, limits, least)
        if best is None:
            assert last.incumbent is None
            continue
        proof = search.certificate()
        answer = rl.verify(problem, last.incumbent.model, proof)
        assert answer.valid, (seed, answer.reason)
        assert answer.objective == answer.lower_bound == float(best), seed
        assert "training errors as the loss" in answer.reason
        proven, parted = proven + 1, parted + ("part_ranges" in proof.arrays)
        bound = rl.verify(problem, last.incumbent.model, search.certificate(bound_only=True))
        assert bound.state in ("bound", "optimal")
        assert bound.lower_bound <= best
        for rules in clauses(data, asked["max_complexity"]):
            changed = rl.verify(problem, rl.RuleSet.from_problem(problem, rules, form), proof)
            cost = naive.objective(data, rules, "zero_one", form, penalty)
            fair = naive.is_fair(data, naive.errors_of(data, rules, "zero_one", form), limits, least)
            assert changed.valid == (fair and cost == best), (seed, rules, changed.reason)
            refused += not changed.valid
        for what in ({"zero_one": 0.0}, {"regularization": asked["regularization"] + 0.25}):
            other = rl.verify(problem, last.incumbent.model, replace(proof, parameters={**proof.parameters, **what}))
            loss = "zero_one" if "regularization" in what else "hamming"
            penalties = penalty + Fraction(what.get("regularization", penalty)) - penalty
            true = naive.best_rule_set(data, *limit, loss, form, penalties, limits, least)
            assert not other.valid or other.objective == float(true), (seed, what)
            assert other.lower_bound is None or true is None or other.lower_bound <= float(true), (seed, what)
        check_prices(problem, last.incumbent.model, proof, best, np.random.default_rng(seed))
    return proven, parted, refused


def check_prices(
    problem: rl.Problem, model: rl.RuleSet, proof: rl.Certificate, best: Fraction, rng: np.random.Generator
) -> None:
    """Other dual values prove nothing wrong."""
    for size in (1, 4):
        arrays = dict(proof.arrays)
        for name in ("dual", "price", "part_dual", "part_price"):
            if name in arrays:
                moved = arrays[name] + rng.integers(-2, 3, arrays[name].shape) * size * (arrays[name] > 0)
                arrays[name] = np.maximum(moved, 0)
        for name in ("multipliers", "part_range_prices", "part_multipliers"):
            if name in arrays:
                arrays[name] = arrays[name] * rng.choice([0.5, 1.0, 2.0], arrays[name].shape)
        answer = rl.verify(problem, model, replace(proof, arrays=arrays))
        assert answer.lower_bound is None or answer.lower_bound <= float(best), answer.reason


@pytest.mark.parametrize("first", [0, *(pytest.param(k, marks=pytest.mark.long) for k in range(50, 250, 50))])
def test_fair_sets_of_fewest_errors_are_proven(first: int) -> None:
    proven, _, refused = check(range(first, first + 50))
    assert proven > 20
    assert refused > proven


@pytest.mark.parametrize("first", [0, *(pytest.param(k, marks=pytest.mark.long) for k in range(50, 250, 50))])
@pytest.mark.parametrize("most", [24, 2])
def test_fair_sets_of_fewest_errors_are_proven_by_parts(first: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phases, "_WHOLE_NODES", 0)
    monkeypatch.setattr(rate_parts, "_MOST_PARTS", most)
    proven, parted, _ = check(range(first, first + 50))
    assert proven > 20
    assert parted > 3
