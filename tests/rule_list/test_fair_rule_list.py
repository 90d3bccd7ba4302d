"""Rule lists under fairness constraints: what holds of them alone, and lists of predictive parity."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from crossed import Judge
from crossed_cases import case_of
from laws import fifty_and_fifty, larger_problem
from random_problems import Rows

import rulelab as rl
from rulelab.__main__ import main


def test_a_rule_of_a_single_row_can_be_worth_its_price() -> None:
    """Bounds on a rule's support, which hold for all optimal lists, do not hold for fair ones."""
    search = rl.search_for(fifty_and_fifty(), regularization=0.05, fairness=rl.DemographicParity(0.0))
    best = rl.solve(search).incumbent
    assert best is not None
    assert [(rule.name, rule.prediction, rule.captured) for rule in best.model.rules] == [("a2", 0, 1), ("a1", 1, 40)]
    assert best.objective == pytest.approx(0.1 + 0.1)


def test_a_warm_start_is_the_first_list() -> None:
    problem = larger_problem()
    first = rl.solve(rl.search_for(problem, regularization=0.005, fairness=rl.EqualOpportunity(0.1))).incumbent
    assert first is not None
    assert len(first.model)
    search = rl.search_for(
        problem, regularization=0.005, fairness=rl.EqualOpportunity(0.1), warm_start=first.model, beam_width=1
    )
    assert search.advance(1).incumbent.objective == first.objective
    unfair = rl.solve(rl.RuleListSearch(problem, 0.005)).incumbent.model
    search = rl.search_for(
        problem, regularization=0.005, fairness=rl.EqualOpportunity(0.1), warm_start=unfair.antecedents
    )
    assert rl.solve(search).incumbent.objective == first.objective


def test_weights_of_too_many_digits_for_the_kernels() -> None:
    """Rounded sums decide nothing: every list that may be fair is looked at in exact numbers."""
    for seed in range(3):
        case = case_of("value_list", 4 * seed)
        rows, rng = case.rows, np.random.default_rng(seed)
        weight = rng.integers(1, 4, len(rows.y)) * (2.0**-40 if seed % 2 else 1.0) + rng.integers(1, 4, len(rows.y))
        case.options.update(regularization=0.02, fairness=("PredictiveParity", 0.1), min_group_size=0)
        assert Judge(case.with_rows(Rows(rows.A, rows.y, weight, rows.group, "real"))).run() == []


def test_a_list_may_predict_nobody_positive_and_small_groups_are_left_out() -> None:
    problem = rl.Problem.from_arrays([[0], [1]] * 3, [0, 1, 0, 0, 0, 1], groups=list("aabbbc"))
    search = rl.search_for(problem, regularization=0.4, fairness=rl.PredictiveParity(0.0))
    last = rl.solve(search)
    assert last.status is rl.Status.OPTIMAL
    assert not last.incumbent.model.predicts_positive(problem.matrix()).any()
    assert last.detail["true_gaps"] == {"precision": 0.0}
    small = rl.search_for(problem, regularization=0.01, fairness=rl.PredictiveParity(0.0), min_group_size=2)
    assert "c (1)" in small.left_out
    with pytest.raises(ValueError, match="no two groups"):
        rl.search_for(problem, regularization=0.01, fairness=rl.PredictiveParity(0.0), min_group_size=3)


def test_predictive_parity_by_classifier_and_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(2)
    table = pd.DataFrame(
        {"n": rng.integers(0, 9, 200), "c": rng.choice(list("uvw"), 200), "g": rng.choice(["x", "y"], 200)}
    )
    y = ((table["n"] > 4) ^ (rng.random(200) < np.where(table["g"] == "x", 0.1, 0.3))).astype(int)
    model = rl.RuleListClassifier(fairness=rl.PredictiveParity(0.05), min_group_size=0)
    model.fit(table[["n", "c"]], y, sensitive_features=table["g"])
    assert model.status_ is rl.Status.OPTIMAL
    predicted = model.predict(table[["n", "c"]]).astype(bool)
    values = [y[predicted & (table["g"] == g)].mean() for g in "xy" if (predicted & (table["g"] == g)).any()]
    assert max(values, default=0) - min(values, default=0) <= 0.05 + 1e-12
    table.assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    asked = ["--target", "y", "--sensitive", "g", "--fairness", "predictive-parity:0.05"]
    assert main(["fit", str(tmp_path / "t.csv"), "--model", "rule-list", *asked]) == 0
    assert "predictive parity within 0.05" in capsys.readouterr().out
    assert main(["fit", str(tmp_path / "t.csv"), "--model", "rule-set", *asked]) == 2
    assert "fairness must be a criterion other than predictive parity for a RuleSetSearch" in capsys.readouterr().err
