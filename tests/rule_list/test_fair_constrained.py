"""Fair lists that have to use something: of two prefixes that leave the same rows neither may stand for the other."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import rulelab as rl
from rulelab.data.conditions import Condition, attach_conditions

PRICE = 0.01


@pytest.fixture
def nested() -> rl.Problem:
    """Rules that capture ever more rows: each must come before the next one, and "in" is not needed."""
    rows = [((1, 1, 1), 1, 8), ((0, 1, 1), 1, 20), ((0, 0, 1), 0, 30), ((0, 0, 0), 1, 25)]
    A = np.concatenate([np.tile(holds, (n, 1)) for holds, _, n in rows]).astype(bool)
    y = np.concatenate([np.full(n, label) for _, label, n in rows])
    return rl.Problem.from_arrays(A, y, names=["in", "of", "all"], groups=np.arange(len(y)) % 2)


@pytest.mark.parametrize("labels", ["free", "majority"])
def test_what_a_prefix_has_met_is_not_given_up_for_a_cheaper_one(nested: rl.Problem, labels: str) -> None:
    asked = {"fairness": rl.DemographicParity(0.5), "labels": labels, "beam_width": 0}
    free = rl.solve(rl.search_for(nested, regularization=PRICE, **asked)).incumbent.model
    assert free.antecedents == (1, 2)
    search = rl.search_for(nested, regularization=PRICE, must_use=["in"], **asked)
    best = rl.solve(search)
    assert best.status is rl.Status.OPTIMAL
    assert best.incumbent.model.antecedents == (0, 1, 2)
    assert best.incumbent.objective == pytest.approx(3 * PRICE)
    certificate = search.certificate()
    assert rl.verify(nested, best.incumbent.model, certificate).valid
    worse = rl.RuleList.from_problem(nested, [0, 2])
    assert worse.objective(PRICE) > best.incumbent.objective
    assert not rl.verify(nested, worse, certificate).valid


@pytest.mark.parametrize("most", [1, 2])
def test_what_a_prefix_has_used_is_not_given_up_for_one_that_costs_the_same(most: int) -> None:
    """Rules on u and on v leave the same rows; the last rule uses u, and has to come after one of them."""
    conditions = [Condition("u", ">", 0), Condition("v", ">", 0), Condition("u", ">", -1)]
    rows = [((1, 1, 1), 1, 30), ((0, 0, 1), 0, 30), ((0, 0, 0), 1, 20)]
    A = np.concatenate([np.tile(holds, (n, 1)) for holds, _, n in rows]).astype(bool)
    y = np.concatenate([np.full(n, label) for _, label, n in rows])
    table = pd.DataFrame(A, columns=list(map(str, conditions)))
    attach_conditions(table, conditions)
    problem = rl.Problem.from_arrays(table, y, groups=np.arange(len(y)) % 2)
    search = rl.search_for(
        problem, regularization=PRICE, fairness=rl.DemographicParity(0.5), max_uses={"u": most}, beam_width=0
    )
    best = rl.solve(search)
    assert best.status is rl.Status.OPTIMAL
    assert best.incumbent.objective == pytest.approx(2 * PRICE)
    assert best.incumbent.model.antecedents in [(1, 2), (0, 2)][:most]
    certificate = search.certificate()
    assert rl.verify(problem, best.incumbent.model, certificate).valid
    worse = rl.RuleList.from_problem(problem, [0])
    assert not rl.verify(problem, worse, certificate).valid
