"""Pricing that begins with short rules: the same optimum, bounds that hold at any time, and proofs of them."""

from fractions import Fraction

import naive
import numpy as np
import pandas as pd
import pytest
from crossed import Judge
from crossed_cases import case_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from laws import Inside, rows, seeds

import rulelab as rl
from rulelab.rule_set import RuleSetSearch, generation
from rulelab.rule_set.features import Features
from rulelab.rule_set.generation import Surcharge, first_conditions
from rulelab.rule_set.master.dual_bound import bound, dual_point, price_on_grid
from rulelab.rule_set.pricing.exact import Pricer
from rulelab.rule_set.program import make_program


@pytest.fixture(autouse=True)
def _short_rules_first(monkeypatch):
    """A unit of pricing is a node, and one without a rule is long."""
    for name, value in (("PRICING_EFFORT", 1), ("CHEAP_PRICING", 0), ("LONG_PRICING", 1), ("SHALLOW", 1)):
        monkeypatch.setattr(generation, name, value)


@pytest.mark.long
@pytest.mark.parametrize("near", [False, True])
def test_the_optimum_is_that_of_the_naive_reference(near, monkeypatch):
    if near:
        for name in ("LARGE", "LARGE_CONSTRAINED"):  # the proximal masters
            monkeypatch.setattr(generation, name, 1)
    for seed in range(int(near), 24, 3):
        assert Judge(case_of("rule_set", seed)).run() == [], seed


@settings(max_examples=40)
@given(rows(max_rows=14), seeds, st.integers(4, 8), st.sampled_from([2, 3]), st.integers(1, 2), st.booleans())
def test_a_surcharge_costs_the_bound_so_often_as_rules_of_its_length_fit(case, seed, most, depth, shallow, zero_one):
    A, y, weight = case
    loss = "zero_one" if zero_one else "hamming"
    program = make_program(rl.Problem.from_arrays(A, y, sample_weight=weight), most, loss)
    assume(program.step)  # else all sets cost the same, and no search prices anything
    features = Features.from_problem(rl.Problem.from_arrays(A, y, sample_weight=weight))
    rng = np.random.default_rng(seed)
    point = dual_point(program, rng.random(len(program.watched)), np.zeros(0))
    best = naive.best_rule_set(A, y, weight, most, depth, naive.LOSSES[loss], Fraction(0))
    optimum = best * program.per_loss / program.unit
    unit = price_on_grid(program, float(rng.uniform(0, 2)), point.grid)
    charge = point.charge(unit, min(depth, features.n_conditions))
    longer = Surcharge(program, shallow)
    while longer:
        least = longer.targets(point, unit, charge)
        assert (least[: shallow + 1] == charge[: shallow + 1]).all()
        pricer = Pricer(features, point.weight, charge, least=least)
        while not pricer.advance(1):
            assert bound(program, point, pricer.result().best) <= optimum
        best = pricer.result().best
        assert bound(program, point, best) <= optimum
        if (best[1:] <= least[1 : len(best)]).all() and len(least) > shallow + 1:
            surcharge = int(least[-1] - charge[-1])
            lost = unit * most + most // (shallow + 2) * surcharge
            assert bound(program, point, best) >= Fraction(point.total - lost, point.grid)
        before = longer.share
        longer.lower(point, unit, 1)
        assert longer.share < before


def test_a_bound_is_proven_at_any_limit_once_the_longest_rules_are_priced():
    rng = np.random.default_rng(5)
    A = rng.random((400, 14)) < rng.uniform(0.3, 0.8, 14)
    y = (A[:, 0] & A[:, 1] & A[:, 2] & ~A[:, 3] | A[:, 4] & A[:, 5]) ^ (rng.random(400) < 0.15)
    problem = rl.Problem.from_arrays(A, y)
    search, seen, depths, shares = RuleSetSearch(problem, 9), set(), [], set()
    while (snapshot := search.advance(1)).status is rl.Status.RUNNING:
        made = Inside(search).generation
        if made is None or snapshot.phase != "pricing":
            continue
        depths += [made.depth] if made.depth not in depths else []
        shares.add(made.surcharge.share if made.surcharge else 0.0)
        if made.closing_point is not None and made.iterations not in seen:
            seen.add(made.iterations)
            checked = rl.verify(problem, snapshot.incumbent.model, search.certificate(bound_only=True))
            assert checked.state in ("bound", "optimal")
            assert checked.lower_bound <= snapshot.lower_bound
    assert seen
    assert {*depths} == {1, search.conditions}
    assert len(shares) > 2
    checked = rl.verify(problem, snapshot.incumbent.model, search.certificate())
    assert checked.valid


def test_of_wide_data_shorter_rules_come_first():
    rng = np.random.default_rng(0)
    narrow, wide = (Features(rng.random((6000, n)) < 0.5) for n in (60, 3000))
    assert [first_conditions(narrow, D, 4) for D in (2, 3, 5, 9)] == [2, 3, 4, 4]
    assert [first_conditions(wide, D, 4) for D in (2, 3, 9)] == [2, 2, 2]


def test_wide_data_has_a_bound_within_a_limit_of_work():
    rng = np.random.default_rng(1)
    table = rng.normal(size=(300, 12))
    y = (table[:, 0] > 0.3) & (table[:, 1] < 0.6) & (table[:, 2] < 1) ^ (rng.random(300) < 0.1)
    frame = pd.DataFrame(table, columns=[f"x{j}" for j in range(12)])
    A = rl.Binarizer(thresholds=5, negations=True).fit_transform(frame)
    snapshot = rl.solve(RuleSetSearch(rl.Problem.from_arrays(A, y), 8, 4), work_limit=3000)
    assert 0 < snapshot.lower_bound <= snapshot.incumbent.objective
