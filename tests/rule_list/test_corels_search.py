"""The search of the CORELS papers as a search: known optima, what it reports, limits, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from inside import Inside
from test_paper_bounds import certified, nested_and_disjoint, only

import rulelab as rl
from rulelab.kernels.growing import OPEN
from rulelab.rule_list import POLICIES, CorelsBounds, CorelsSearch


def test_oracles(shared):
    for file in sorted((shared / "oracles").glob("rule_list_*.npz")):
        z = np.load(file)
        problem = rl.Problem.from_arrays(z["rules"].T, z["labels"])
        optimum = int(z["optimum_num"]) / int(z["optimum_den"])
        for bounds in (CorelsBounds(), CorelsBounds.published()):
            snapshot = certified(problem, float(z["lam"]), bounds=bounds)
            assert snapshot.incumbent.objective == pytest.approx(optimum, abs=1e-12), file.name


def test_a_certified_instance(instances):
    A, y, names = instances.load("compas_a")
    problem = rl.Problem.from_arrays(A, y, names=names)
    snapshot = certified(problem, 0.01, policy="curiosity")
    assert snapshot.incumbent.objective == pytest.approx(instances.EXPECTED["rule_list"]["compas_a", 0.01], abs=1e-7)


@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_remaining_evaluations_are_counted_as_the_theorems_say(policy):
    problem = nested_and_disjoint()
    search = CorelsSearch(problem, 0.015, policy, random_state=2)
    search.advance(1)
    inside = Inside(search)
    m, per_rule = problem.n_antecedents, inside.rules.per_rule
    for snapshot in rl.steps(search, work_per_step=3):
        store, detail = inside.store, snapshot.detail
        best = round(snapshot.incumbent.objective / inside.costs.unit)
        fine = coarse = 0
        for node in np.flatnonzero(store.fate == OPEN).tolist():
            length = int(store.length[node])
            steps = min((best - int(store.cost[node])) // per_rule, m - length)
            fine += sum(math.perm(m - length, j) for j in range(steps + 1))
            coarse += sum(math.perm(m - length, j) for j in range(min(best // per_rule, m) - length + 1))
        assert detail["log10_remaining_fine"] == pytest.approx(math.log10(fine) if fine else 0)
        assert detail["log10_remaining_coarse"] == pytest.approx(math.log10(coarse) if coarse else 0)
        assert detail["log10_remaining_fine"] <= detail["log10_remaining_coarse"] + 1e-9
        assert snapshot.log10_remaining == detail["log10_remaining_coarse"]
    longest = min(math.floor(1 / (2 * 0.015)), m)
    assert detail["log10_total_naive"] == pytest.approx(math.log10(sum(math.perm(m, k) for k in range(longest + 1))))
    assert snapshot.counts["created"] <= 10 ** detail["log10_total_symmetry_aware"]


def test_costs_that_do_not_fit_are_refused():
    problem = nested_and_disjoint(n=201)
    search = CorelsSearch(problem, 0.9123456789123457, bounds=only("support"))
    with pytest.raises(ValueError, match="fewer digits"):
        search.advance(1)
