"""What all rule sets near the optimum have in common, against trying all sets."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import naive
import numpy as np
import pytest

import rulelab as rl
from rulelab.cli.commands import main

C, D = 5, 2


def table(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    A = rng.random((30, 4)) < 0.5
    y = (A[:, 0] & A[:, 1]) ^ (rng.random(30) < 0.2)
    groups = rng.integers(0, 2, 30)
    groups[:4], y[:4] = [0, 0, 1, 1], [0, 1, 0, 1]
    problem = rl.Problem.from_arrays(A, y.astype(int), groups=groups)
    sets = list(naive.all_rule_sets(A, C, D))
    return SimpleNamespace(A=A, y=y, groups=groups, problem=problem, sets=sets)


def losses(t: Any) -> np.ndarray:
    return np.array([naive.hamming_loss(t.A, t.y, [1] * len(t.y), clauses) for clauses in t.sets])


def uses(t: Any, j: int) -> np.ndarray:
    """Which sets have a rule with the antecedent; rules that cover nothing are in no set."""
    return np.array([any(j in clause for clause in clauses) for clauses in t.sets])


@pytest.mark.parametrize("within", [0, 1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_who_uses_a_column_is_what_trying_all_sets_finds(seed: int, within: int) -> None:
    t = table(seed)
    found = rl.rule_set_ranges(t.problem, within, max_complexity=C, max_conditions=D)
    loss = losses(t)
    assert found.optimum == loss.min()
    near = loss <= found.threshold
    for j, name in enumerate(t.problem.names):
        used, row = uses(t, j), found.columns.loc[name]
        least, without = loss[used].min(initial=10**9), loss[~used].min()
        assert row["bound"] <= least
        assert row["without_bound"] <= without
        if row["used_by"] == "none":
            assert not (near & used).any()
        elif row["used_by"] == "all":
            assert used[near].all()
        else:
            assert row["used_by"] == "some"
            assert row["without"] <= found.threshold
            assert row["objective"] <= found.threshold


@pytest.mark.parametrize("criterion", ["equal_opportunity", "demographic_parity"])
@pytest.mark.parametrize("seed", range(3))
def test_no_set_near_the_optimum_has_a_smaller_gap(seed: int, criterion: str) -> None:
    t = table(seed)
    found = rl.rule_set_ranges(t.problem, 2, criteria=(criterion,), max_complexity=C, max_conditions=D)
    rate = {"equal_opportunity": "false_negative", "demographic_parity": "positive"}[criterion]
    gaps = []
    for clauses, loss in zip(t.sets, losses(t), strict=True):
        if loss <= found.threshold:
            predicted = np.array([any(all(row[j] for j in clause) for clause in clauses) for row in t.A])
            gaps.append(float(naive.weighted_gap(rate, t.y, [1] * len(t.y), t.groups.tolist(), predicted)))
    row = found.gaps.loc[criterion]
    assert row["least"] == pytest.approx(min(gaps), abs=1e-6)
    assert row["found"] == pytest.approx(min(gaps), abs=1e-6)


def test_at_a_limit_nothing_is_said_that_is_not_known() -> None:
    t = table(0)
    search = rl.RuleSetSearch(t.problem, C, D)
    rl.solve(search)
    found = rl.rule_set_ranges(search, 0, time_limit=0.0)
    assert set(found.columns["used_by"]) <= {"all", "some", "none", "not known"}
    for j, name in enumerate(t.problem.names):
        if found.columns.loc[name, "used_by"] == "all":
            assert uses(t, j)[losses(t) <= found.threshold].all()
    with pytest.raises(ValueError, match="not certified"):
        rl.rule_set_ranges(rl.RuleSetSearch(t.problem, C, D), time_limit=0.0)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"within": 1, "ratio": 0.1}, "one of them"),
        ({"within": -1}, "within must be"),
        ({"ratio": "x"}, "ratio must be"),
        ({"time_limit": float("nan")}, "time_limit must be"),
        ({"criteria": "equal_opportunity"}, "criteria must be"),
        ({"fairness": rl.EqualOpportunity(0.1)}, "without a fairness constraint"),
        ({"must_use": ["antecedent 0"]}, "without what they must use"),
        ({"loss": "zero_one", "criteria": ("equal_opportunity",)}, "Hamming loss"),
    ],
)
def test_wrong_arguments_are_refused_in_words(arguments: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        rl.rule_set_ranges(table(0).problem, **arguments)


def test_the_command_says_who_uses_what(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["diabetes", "--model", "rule-set", "--max-complexity", "4", "--max-conditions", "1", "--thresholds", "2"]
    assert main(["near", *options, "--ranges", "--ratio", "0.05", "--quiet"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("column ")
    assert "used by" in out
    assert "equal opportunity" in out
    assert "of all rule sets over rules of at most 1 condition" in out
    for wrong, reason in (
        (["diabetes", "--ranges"], "--count-lists"),
        ([*options, "--ranges", "--max", "5"], "leave -o and --max out"),
    ):
        assert main(["near", *wrong]) == 2
        assert reason in capsys.readouterr().err
