"""The figures of the papers: from anywhere by one command; what is not there says what it needs."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import output_of, refused
from places import ROOT
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import rulelab as rl
from rulelab.papers import Figure, Made, figures, write
from rulelab.papers.figure import table
from rulelab.papers.rule_sets import Effort, chosen

NEEDED = "needs: data"


def lacking(quick: bool) -> Made:
    raise rl.datasets.DatasetError("data set 'x' is not here: fetch it")


def small(quick: bool) -> Made:
    return Made({"<Numbers>": table([{"source": "ran", "test %": 66.66, "rows": 1234567, "figure": 0.123456}])})


def test_what_is_not_there_is_a_row_that_says_what_to_do() -> None:
    made = Figure("x", "A paper", "Figure 1", lacking, "").made(quick=True)
    (frame,) = made.tables.values()
    assert frame.to_dict("records") == [
        {"source": "needs: data or a package", "what to do": "data set 'x' is not here: fetch it"}
    ]


def test_the_page_has_each_table_beside_its_csv_and_no_text_as_html(tmp_path: Path) -> None:
    known = {"a": Figure("a", "A <paper>", "Figure 1", small, "note"), "b": Figure("b", "P", "Figure 2", lacking, "")}
    page = write(tmp_path / "new", {each: each.made(True) for each in known.values()}, True)
    text = page.read_text("utf-8")
    assert "A &lt;paper&gt;" in text
    assert "&lt;Numbers&gt;" in text
    assert all(f'<td class="right">{shown}</td>' in text for shown in ("66.7", "1 234 567", "0.1235"))
    assert pd.read_csv(tmp_path / "new" / "a.csv")["test %"].tolist() == [66.66]
    assert "fetch it" in (tmp_path / "new" / "b.csv").read_text("utf-8")


def test_names_are_listed_and_an_unknown_one_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = output_of(capsys, "papers", "--list")[0]
    assert all(name in listed for name in figures())
    refused(capsys, "there are corels-compas, ", "papers", "corels-compass")
    (tmp_path / "file").touch()
    refused(capsys, "give a folder", "papers", "corels-brute-force", "-o", tmp_path / "file")


@pytest.mark.long
def test_the_quick_form_runs_from_an_empty_folder(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "rulelab", "papers", "--quick", "-o", "page"]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    page = tmp_path / "page"
    text = (page / "index.html").read_text("utf-8")
    assert all(f'id="{name}"' in text for name in figures())
    frames = {file.stem: pd.read_csv(file) for file in page.glob("*.csv")}
    assert len(frames) == 22
    for frame in frames.values():
        assert frame["source"].str.match(r"(ran|quoted: .+|needs: .+|computed from our run)$").all()
    if (rl.datasets.catalogue().loc[["heart", "bank_full"], "availability"] == "cached").all():
        absent = pd.concat(frames.values()).query("source.str.startswith('needs')")["data"].dropna()
        assert absent.tolist() == ["gas"]
        assert text.count("<svg") == 22

    accuracy = frames["corels-compas"].set_index(["source", "method"])
    ours = accuracy.loc[("ran", "rule list, regularization 0.005")]
    assert ours["proven"] == ours["folds"] == 3
    paper = accuracy.loc[("quoted: section 6.4", "rule list, regularization 0.005")]
    assert abs(ours["test %"] - paper["test %"]) < paper["sd"]
    score = accuracy.xs("compas score", level="method")["test %"]
    assert score.max() - score.min() < 0.5
    assert (frames["corels-compas-2"]["status"] == "optimal").all()
    bounds = frames["corels-bounds"].query("source == 'ran'").set_index("variant")
    assert bounds.loc["CORELS", "ended"] == "optimal"
    assert bounds.loc["CORELS", "objective"] == pytest.approx(0.34333, abs=1e-4)
    assert bounds.query("ended == 'optimal'")["objective"].nunique() == 1
    light = frames["rule-sets-2"].pivot_table("Hamming loss", "data", "source")
    assert (light["ran"] <= light.filter(like="quoted").squeeze()).all()
    apart = frames["hamming-loss-2"].pivot_table("errors", "rows", "trained on")
    assert (apart["Hamming loss"] == apart.index - 2).all(), "Theorem 4: the empty set"
    assert (apart["0-1 loss"] == 2).all()
    pool = frames["hamming-loss-3"].query("source == 'ran'")
    assert (pool.filter(like="training").diff(axis=1).iloc[:, 1] >= 0).all(), "the least 0-1 loss of all that were met"
    generated = frames["column-generation"].set_index("data")
    assert (generated["Hamming loss"] == generated["bound"]).all()
    assert generated.loc["four rows of Appendix D", ["rules", "Hamming loss"]].tolist() == [2, 0]
    lists = frames["falling-search-2"].pivot_table("loss", "w", "method")
    assert (lists["certified falling rule list"] <= lists["falling rule list"] + 1e-9).all()
    apart = frames["hamming-gap-2"]
    assert apart["gap %"].tolist() == pytest.approx((100 - 100 / apart["rules"]).tolist()), "Theorem 5"
    own = frames["hamming-gap"].query("rows == 'train' and tolerance.notna() and `constraint by` == '0-1 loss'")
    assert len(own) == 3
    assert (own["gap %"] <= 100 * own["tolerance"] + 1e-6).all()
    assert set(frames["crossed-groups"]["alike for"]) == {"nobody", "races", "races and sexes"}
    fair = frames["fair-rule-sets"].query("source == 'ran' and method == 'rule set' and tolerance.notna()")
    assert (fair["training gap %"] <= 100 * fair["tolerance"] + 1e-6).all()
    assert len(fair) == 3


METHODS = ("rule_set", "cart", "random_forest", "ripper", "c45_rules", "c50")


@pytest.mark.long
def test_parameters_are_chosen_on_training_rows_alone() -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.random((240, 5)) < 0.5, columns=list("abcde"))
    frame["y"] = (frame["a"] & frame["b"]) ^ (random.random(240) < 0.2)
    data = rl.datasets.from_frame(frame, target="y", positive=True)
    found = pd.DataFrame(chosen(data, Effort(3, 2, [3, 9], 20.0, ())))
    assert found.groupby("method").size().to_dict() == dict.fromkeys(METHODS, 3)
    own = found[found["method"] == "rule_set"]
    assert own["proven"].all()
    assert set(own["parameter"]) <= {3, 9}
    X, y = data.X.to_numpy(dtype=np.float32), data.y.to_numpy()
    folds, inner = (StratifiedKFold(k, shuffle=True, random_state=0) for k in (3, 2))
    leaves = {"min_samples_leaf": [1, 2, 5, 10, 20, 40]}
    for row, (train, test) in zip(found[found["method"] == "cart"].to_dict("records"), folds.split(X, y), strict=True):
        grid = GridSearchCV(DecisionTreeClassifier(random_state=0), leaves, cv=inner, scoring="accuracy")
        grid.fit(X[train], y[train])
        scores = dict(zip(leaves["min_samples_leaf"], grid.cv_results_["mean_test_score"], strict=True))
        assert scores[row["parameter"]] == pytest.approx(max(scores.values()))
        tree = DecisionTreeClassifier(random_state=0, min_samples_leaf=int(row["parameter"])).fit(X[train], y[train])
        assert row["accuracy"] == pytest.approx(tree.score(X[test], y[test]))
