"""``rulelab fit`` for each family of models."""

import re

import pandas as pd
import pytest
from command_line import output_of, refusals, refused

import rulelab as rl


@pytest.mark.parametrize(
    ("model", "options", "expected"),
    [
        (
            "falling-rule-list",
            ("--positive-weight", 2, "--max-conditions", 1, "--regularization", 0.02),
            r"certified optimal: .* = \(\d+ false alarms? \+ 2 x \d+ missed \w+\) / 200 rows \+ 0.02 x \d",
        ),
        (
            "falling-rule-list",
            ("--violation-penalty", 0.5, "--max-conditions", 1, "--regularization", 0.05),
            r"certified optimal: .* \+ 0.5 x a rise of 0",
        ),
        (
            "falling-rule-list",
            ("--method", "monte_carlo", "--iterations", 3, "--regularization", 0.0005, "--positive-weight", 0.3),
            r"not certified \(iterations limit reached\)",
        ),
        (
            "rule-set",
            ("--max-complexity", 8, "--max-conditions", 3, "--thresholds", 4),
            r"certified optimal for rules of at most 3 conditions: .* complexity \d of at most 8",
        ),
        ("rule-set", ("--max-complexity", 4, "--form", "cnf", "--thresholds", 4), "certified optimal for rules of"),
        (
            "rule-set",
            ("--max-complexity", 6, "--max-conditions", 2, "--thresholds", 4, "--fairness", "equal-opportunity:0.1"),
            r"certified optimal for rules of at most",
        ),
    ],
)
def test_every_family_is_fitted_and_saved(model, options, expected, people, tmp_path, capsys):
    saved = tmp_path / "model.json"
    asked = ("--target", "paid", "--sensitive", "sex", "--model", model, *options)
    out, _ = output_of(capsys, "fit", people, *asked, "-o", saved)
    assert re.search(expected, out)
    assert "paid = yes" in out
    loaded = rl.load_model(saved)
    assert loaded.family == model.replace("-", "_")
    assert set(loaded.predict(pd.read_csv(people))) <= {"yes", "no"}


@pytest.mark.parametrize(("options", "expected"), refusals("families"))
def test_options_of_another_family_are_refused(options, expected, tmp_path, capsys):
    path = tmp_path / "data.csv"
    path.write_text("a,b,y\n" + "1,0,1\n0,1,0\n1,1,1\n0,0,0\n" * 5)
    refused(capsys, expected, "fit", path, "--target", "y", *options, told=True)
