"""The benchmark of the papers' tables: its nested cross-validation against scikit-learn's, and that it runs."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rule_set_tables import BASELINES, chosen
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import rulelab as rl
from rulelab.cli import commands as cli


@pytest.mark.long
def test_parameters_are_chosen_on_training_rows_alone(tmp_path: Path):
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.random((240, 5)) < 0.5, columns=list("abcde"))
    table["y"] = (table["a"] & table["b"]) ^ (random.random(240) < 0.2)
    data = rl.datasets.from_frame(table, target="y", positive=True)
    args = Namespace(folds=3, inner=2, complexities=[3, 9], time_limit=20.0, n_jobs=1, results=tmp_path)
    found = pd.DataFrame(chosen("made", data, args))
    assert found.groupby("method").size().to_dict() == {"rule_set": 3, "cart": 3, "random_forest": 3}
    own = found[found["method"] == "rule_set"]
    assert own["proven"].all()
    assert set(own["parameter"]) <= {3, 9}
    X, y = data.X.to_numpy(dtype=np.float32), data.y.to_numpy()
    folds, inner = (StratifiedKFold(k, shuffle=True, random_state=0) for k in (3, 2))
    for row, (train, test) in zip(found[found["method"] == "cart"].to_dict("records"), folds.split(X, y), strict=True):
        grid = GridSearchCV(DecisionTreeClassifier(random_state=0), BASELINES["cart"], cv=inner, scoring="accuracy")
        grid.fit(X[train], y[train])
        scores = dict(zip(BASELINES["cart"]["min_samples_leaf"], grid.cv_results_["mean_test_score"], strict=True))
        assert scores[row["parameter"]] == pytest.approx(max(scores.values()))
        tree = DecisionTreeClassifier(random_state=0, min_samples_leaf=row["parameter"]).fit(X[train], y[train])
        assert row["accuracy"] == pytest.approx(tree.score(X[test], y[test]))


@pytest.mark.long
def test_tables(shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    figures = tmp_path / "tables.json"
    options = ["transfusion", "--folds", "2", "--complexities", "4", "8", "--json", str(figures)]
    assert cli.main(["bench", "rule-set-tables", *options]) == 0
    rows = json.loads(figures.read_text())["rows"]
    assert [row["method"] for row in rows[:3]] == ["rule_set", "cart", "random_forest"]
    paper = {row["method"]: row["accuracy %"] for row in rows[3:]}
    assert paper == {"paper: column generation": 77.9, "paper: CART": 78.7} | {
        "paper: random forest": 77.3,
        "paper: RIPPER": 78.9,
    }
    ours = rows[0]
    assert 70 < ours["accuracy %"] < 85
    assert 0 < ours["complexity"] <= 8
    light = capsys.readouterr().out.splitlines()[1:4]
    assert [line.split()[0] for line in light] == ["compas_24", "tic_tac_toe_54", "breast_cancer"]
    assert [int(line.split()[7]) for line in light] == [1737, 0, 11]
    assert all(int(line.split()[4]) <= int(line.split()[7]) for line in light)
