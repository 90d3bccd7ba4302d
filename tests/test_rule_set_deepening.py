"""Pricing that begins with short rules: the same optimum, bounds that hold at any time, and proofs of them."""

from __future__ import annotations

from fractions import Fraction

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import rows, seeds

import rulelab as rl
from rulelab.rule_set import RuleSetSearch, generation
from rulelab.snapshot import Status

CRITERIA = (None, rl.EqualOpportunity(0.2), rl.DemographicParity(0.1), rl.EqualizedOdds(0.3, 0.2))


@pytest.fixture(autouse=True)
def _short_rules_first(monkeypatch):
    """A unit of pricing is a node, and one without a rule is long."""
    for name, value in (("_EFFORT", 1), ("_CHEAP", 0), ("_LONG", 1), ("_SHALLOW", 1)):
        monkeypatch.setattr(generation, name, value)


def ended(search: RuleSetSearch, optimum: float | None = None) -> rl.Snapshot:
    """The last snapshot; no bound on the way is above the optimum."""
    lower = 0.0
    for snapshot in rl.steps(search):
        assert lower <= snapshot.lower_bound
        lower = snapshot.lower_bound
        assert optimum is None or lower <= optimum + 1e-9
    return snapshot


@settings(max_examples=40)
@given(
    rows(max_rows=14),
    st.integers(3, 8),
    st.sampled_from([None, 2, 3]),
    st.sampled_from(["dnf", "cnf"]),
    st.sampled_from([0.0, 0.01, 0.5]),
    st.booleans(),
)
def test_the_optimum_is_that_of_the_naive_reference(case, max_complexity, max_conditions, form, regularization, near):
    A, y, weight = case
    with pytest.MonkeyPatch.context() as patch:
        if near:
            patch.setattr(generation, "_LARGE", 1)  # the proximal master
        problem = rl.Problem.from_arrays(A, y, sample_weight=weight)
        search = RuleSetSearch(problem, max_complexity, max_conditions, form=form, regularization=regularization)
        seen, wanted = (A, y) if form == "dnf" else (~A, ~y)
        penalty = Fraction(repr(regularization))
        expected = naive.best_rule_set(
            seen, wanted, weight, max_complexity, max_conditions or 5, naive.hamming_loss, penalty
        )
        snapshot = ended(search, float(expected))
    assert snapshot.status is Status.OPTIMAL
    assert snapshot.incumbent.objective == pytest.approx(float(expected), abs=1e-9)


@settings(max_examples=30)
@given(seeds, st.sampled_from(CRITERIA), st.sampled_from(["hamming", "zero_one"]), st.sampled_from([0.0, 0.25]))
def test_fair_sets_are_those_of_pricing_at_once(seed, fairness, loss, regularization):
    rng = np.random.default_rng(seed)
    A = rng.random((40, 6)) < rng.uniform(0.3, 0.7, 6)
    y = (A[:, 0] & A[:, 1] & ~A[:, 2]) ^ (rng.random(40) < 0.2)
    group = np.where(A[:, 3] ^ (rng.random(40) < 0.3), "a", "b")
    problem = rl.Problem.from_arrays(A, y, sample_weight=rng.integers(1, 4, 40), groups=group)
    limits = {"loss": loss, "fairness": fairness, "regularization": regularization}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generation, "_LONG", 1 << 40)  # never begins again
        at_once = ended(RuleSetSearch(problem, 8, **limits))
    staged = ended(RuleSetSearch(problem, 8, **limits), at_once.incumbent.objective if at_once.incumbent else None)
    assert staged.status is at_once.status
    if staged.status is Status.OPTIMAL:
        assert staged.incumbent.objective == at_once.incumbent.objective


def table(seed: int = 5, rows_: int = 400) -> rl.Problem:
    rng = np.random.default_rng(seed)
    A = rng.random((rows_, 14)) < rng.uniform(0.3, 0.8, 14)
    y = (A[:, 0] & A[:, 1] & A[:, 2] & ~A[:, 3] | A[:, 4] & A[:, 5]) ^ (rng.random(rows_) < 0.15)
    return rl.Problem.from_arrays(A, y)


def test_slices_change_nothing():
    searches = [RuleSetSearch(table(), 7) for _ in range(2)]
    found = [rl.solve(search, work_per_step=n) for search, n in zip(searches, (1, 1000), strict=True)]
    assert found[0].status is Status.OPTIMAL
    assert found[0].work == found[1].work
    assert found[0].incumbent.model == found[1].incumbent.model


def test_a_bound_is_proven_at_any_limit_once_the_longest_rules_are_priced():
    problem = table()
    search, seen, depths = RuleSetSearch(problem, 9), set(), []
    while (snapshot := search.advance(1)).status is Status.RUNNING:
        made = getattr(search, "_generation", None)
        if made is None or search._phase != "pricing":
            continue
        depths += [made.depth] if made.depth not in depths else []
        if made.closing_point is not None and made.iterations not in seen:
            seen.add(made.iterations)
            checked = rl.verify(problem, snapshot.incumbent.model, search.certificate(bound_only=True))
            assert checked.state in ("bound", "optimal")
            assert checked.lower_bound <= snapshot.lower_bound
    assert seen
    assert {1, 2} < {*depths, search._generation.depth}
    assert search._generation.depth == search.conditions
    checked = rl.verify(problem, snapshot.incumbent.model, search.certificate())
    assert checked.valid
