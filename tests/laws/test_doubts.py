"""What is to be doubted of a model: a model that has it and one that has not, at every door."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import rulelab as rl
from rulelab.cli import commands as cli
from rulelab.models.doubts import doubts
from rulelab.views.cards.incumbent import fairness_notes


def table(n: int = 400, positives: float = 0.4) -> tuple[pd.DataFrame, np.ndarray]:
    """Two columns that matter, of which ``a`` decides nearly all where it is alone."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.random(n) < positives, "b": rng.random(n) < 0.5})
    return X, np.where(X["a"] ^ (rng.random(n) < 0.05), "yes", "no")


def codes(model: object, rows: tuple[int, ...] = ()) -> list[str]:
    return [each.code for each in doubts(model, rows)]


def problem(X: pd.DataFrame, y: np.ndarray, **more: object) -> rl.Problem:
    return rl.Problem.from_arrays(X, y, **more)


def test_one_column_decides_alone_and_how_well():
    X, y = table()
    model = rl.RuleList.from_problem(problem(X, y), ["a"])
    (only,) = doubts(model)
    assert only.code == "one_column"
    assert f"gets {100 * (1 - model.errors / 400):.1f} % right" in only.words
    assert codes(rl.RuleList.from_problem(problem(X, y), ["a", "b"])) == []


@pytest.mark.parametrize("kind", ["list", "set", "falling", "classes"])
def test_a_constant_model_is_said_to_be_one_in_every_family(kind: str):
    X, y = table()
    given = problem(X, y)
    constant = {
        "list": lambda: rl.RuleList.from_problem(given, []),
        "set": lambda: rl.RuleSet.from_problem(given, []),
        "falling": lambda: rl.FallingRuleList.from_problem(given, []),
        "classes": _of_classes,
    }
    assert codes(constant[kind]()) == ["constant"]
    assert "constant" not in codes(rl.RuleSet.from_problem(given, [["a"]]))
    assert "constant" not in codes(rl.FallingRuleList.from_problem(given, ["a"]))


def _of_classes() -> object:
    X, _ = table()
    y = np.arange(400) % 3
    return rl.solve(rl.MultiClassRuleListSearch(rl.MultiClassProblem.from_arrays(X, y), 0.9)).incumbent.model


def test_few_rows_are_rows_whatever_they_weigh():
    X, y = table()
    heavy = rl.RuleList.from_problem(problem(X, y, sample_weight=np.full(400, 1000.0)), ["a", "b"])
    assert codes(heavy) == []
    assert codes(heavy, (380, 20)) == ["few_rows"]
    light = rl.RuleList.from_problem(problem(X, y, sample_weight=np.full(400, 0.001)), ["a", "b"])
    assert codes(light, (200, 200)) == []


def test_a_class_that_is_hardly_found_is_said():
    X, y = table()
    X["c"] = (y == "yes") & (np.arange(400) % 12 == 0)
    found = doubts(rl.RuleSet.from_problem(problem(X, y), [["b", "c"]]))
    assert "missed" in [each.code for each in found]
    assert "missed" not in codes(rl.RuleSet.from_problem(problem(X, y), [["a"], ["b", "c"]]))


def test_every_door_says_them(tmp_path, capsys):
    X, y = table()
    fitted = rl.RuleListClassifier(regularization=0.3).fit(X, y)
    assert [each.code for each in fitted.doubts_] == ["constant"]
    assert [each.code for each in rl.RuleListClassifier().fit(X, y).doubts_] == ["one_column"]
    path = tmp_path / "t.csv"
    X.assign(y=y).to_csv(path, index=False)
    assert cli.main(["fit", str(path), "--target", "y", "--regularization", "0.4", "--quiet"]) == 0
    assert "doubt: The best list says the same of everybody: lower the price of a rule" in capsys.readouterr().out
    search = rl.RuleListSearch(problem(X, y), 0.4)
    assert "says the same of everybody" in fairness_notes(rl.solve(search), None)
