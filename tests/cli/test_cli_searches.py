"""``rulelab near``, ``frontier`` and ``stability``, and ``fit --search corels``: what they print, save and refuse."""

import csv
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import output_of, refusals, refused, run
from test_cli import interrupted
from test_sweep_counted import FRAME, GRID
from test_sweep_counted import run as swept

import rulelab as rl
from rulelab.files import load_json

TOE = ("tic_tac_toe", "--max-conditions", 1)
SMALL = ("diabetes", "--thresholds", 3, "--max-conditions", 2, "--max-complexity", 4)


def saved(path: Path, kind: str) -> dict:
    """A result read back by a strict reader, whose models can be used."""
    result = load_json(path.read_text(encoding="utf-8"), 1 << 24, 1 << 17)
    assert (result["format"], result["schema_version"], result["kind"]) == ("rulelab result", 1, kind)
    assert len(result["rows"]) == len(result["models"])
    return result


def test_near_lists_are_printed_and_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "near.json"
    options = ("--regularization", 0.02, "--within", 0.004, "-o", output)
    out, err = output_of(capsys, "near", *TOE, *options)
    assert "certified complete: 2 models (24 lists) from the optimum 0.3105219 up to 0.3144885" in out
    assert "finished   optimum 0.3105219  2 models" in err
    result = saved(output, "near_optimal")
    assert result["state"]["status"] == "optimal"
    models = [rl.RuleList.from_dict(model) for model in result["models"]]
    table = rl.datasets.load("tic_tac_toe").X
    assert len({model.predict(table).tobytes() for model in models}) == 2
    assert [model.errors for model in models] == [row["errors"] for row in result["rows"]] == [240, 240]
    assert models[0].classes == ("negative", "positive")

    assert run(capsys, "near", *TOE, *options[:-1], tmp_path / "near.csv", "--quiet")[0] == 0
    with (tmp_path / "near.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["antecedents"].split(" | ")[0] for row in rows] == ["middle_middle == x"] * 2
    out, _ = output_of(capsys, "near", *TOE, "--time-limit", 0)
    assert re.search(r"nothing is certified \(time limit reached\): .* no rule list is below 0\.\d{7}", out)


def test_near_lists_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--regularization", 0.02, "--within", 0.004, "--count-lists")
    out, _ = output_of(capsys, "near", *TOE, *options, "-o", tmp_path / "count.json")
    assert "certified count: 24 lists from the optimum 0.3105219 up to 0.3144885" in out
    assert re.search(r"middle_middle == x +83\.3 +0\.3105219 +0\.3105219 +0\.0 to ", out), out
    result = saved(tmp_path / "count.json", "near_optimal_count")
    assert sum(row["lists"] for row in result["rows"]) == 24
    wide = ("--regularization", 0.02, "--within", 0.04, "--count-lists", "--memory-limit", "0.3MB", "--quiet")
    _, out, _ = run(capsys, "near", *TOE, *wide)
    assert re.search(r"not complete \(memory limit reached\): at least \d+ lists from the optimum", out), out
    assert "nothing is certified" in run(capsys, "near", *TOE, "--count-lists", "--time-limit", 0)[1]


def test_near_rule_sets_are_printed_and_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "near.json"
    options = ("--model", "rule-set", "--max-complexity", 4, "--max-conditions", 2, "--ratio", 0.05)
    out, _ = output_of(capsys, "near", *TOE, *options, "-o", output)
    said = re.search(r"certified complete, over rules of at most 2 conditions: (\d+) models? \((\d+) sets?\)", out)
    assert said, out
    result = saved(output, "near_optimal_rule_sets")
    assert len(result["rows"]) == int(said[1]) >= 1
    assert sum(row["sets"] for row in result["rows"]) == int(said[2])
    models = [rl.models.RuleSet.from_dict(model) for model in result["models"]]
    objectives = [model.objective("hamming") for model in models]
    assert objectives == [row["objective"] for row in result["rows"]] == sorted(objectives)
    assert run(capsys, "near", *TOE, *options, "--quiet", "-o", tmp_path / "near.csv")[0] == 0
    assert (tmp_path / "near.csv").read_text().startswith("rules,complexity,errors,objective,gap,sets,clauses")
    assert "nothing is certified" in run(capsys, "near", *TOE, *options, "--time-limit", 0)[1]
    assert (
        "not complete (the most models found): 1 model " in run(capsys, "near", *TOE, *options[:-1], 0.5, "--max", 1)[1]
    )


@pytest.mark.long
def test_where_a_limit_ends_the_proof_the_best_list_and_a_smaller_question_are_said(noise: Path, capsys) -> None:
    """The question that it says is one that the command answers."""
    asked = "near", noise, "--target", "y", "--regularization", 0.002, "--within", 0.001, "--quiet"
    status, out, _ = run(capsys, *asked, "--memory-limit", "3MB")
    assert (status, "nothing is certified (memory limit reached)" in out) == (0, True), out
    best = re.search(r"\nthe best list so far: (.+)\n(--max-length \d+) asks for less \(", out)
    assert best, out
    assert out.count("; or raise --memory-limit") == 1
    assert "certified co" in output_of(capsys, *asked, *best[2].split())[0]


def test_the_frontier_of_rule_lists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "frontier.json"
    out, _ = output_of(capsys, "frontier", *TOE, "--max-length", 3, "-o", output)
    assert "certified: no rule list of so many rules makes fewer errors" in out
    rows = saved(output, "rule_list_frontier")["rows"]
    assert [(row["length"], row["errors"]) for row in rows] == [(0, 332), (1, 288), (2, 282), (3, 240)]
    assert all(row["proven"] for row in rows)
    printed = [line.split()[:2] for line in out.splitlines()[1:5]]
    assert printed == [[str(row["length"]), str(row["errors"])] for row in rows]
    out, _ = output_of(capsys, "frontier", *TOE, "--time-limit", 0)
    assert re.search(r"not certified \(time limit reached\): \d of 9 points proven", out)
    assert "at least" in out


def test_nothing_is_certified_of_a_table_that_is_still_prepared(monkeypatch, capsys) -> None:
    monkeypatch.setattr("rulelab.slices.LARGEST_AT_ONCE", 0)
    status, out, _ = run(capsys, "frontier", *TOE, "--time-limit", 0)
    assert (status, "not certified (time limit reached): 0 of 9 points proven" in out) == (0, True)
    status, out, _ = run(capsys, "near", *TOE, "--time-limit", 0)
    assert (status, "nothing is certified (time limit reached)" in out) == (0, True)


def test_the_frontier_of_fair_rule_sets(people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "fair.json"
    options = ("--model", "rule-set", "--max-conditions", 2, "--thresholds", 4, "--sensitive", "sex", "-o", output)
    own = ("--fairness", "equal-opportunity:0,0.1", "--max-complexity", "3,5")
    out, _ = output_of(capsys, "frontier", people, "--target", "paid", *options, *own)
    assert "certified: no set of rules of at most 2 conditions that meets the tolerance has less loss" in out
    result = saved(output, "fair_frontier")
    places = [(row["tolerance"], row["max_complexity"]) for row in result["rows"]]
    assert places == [(0.0, 3), (0.0, 5), (0.1, 3), (0.1, 5)]
    frame = pd.read_csv(people)
    for row, content in zip(result["rows"], result["models"], strict=True):
        rates = rl.RuleSet.from_dict(content).evaluate(frame, frame["paid"], groups=frame["sex"]).groups
        gap = np.ptp(rates["true_positive_rate"])
        assert gap == pytest.approx(row["true_gap"])
        assert gap <= row["tolerance"] + 1e-12


def test_the_least_gap_is_printed_proven_and_saved(people: Path, tmp_path, capsys) -> None:
    model, proof, result = (tmp_path / name for name in ("model.json", "proof.npz", "result.json"))
    given = (people, "--target", "paid", "--sensitive", "sex", "--max-conditions", 1, "--thresholds", 4)
    options = ("--max-length", 2, "-o", model, "--proof", proof, "--to-json", result)
    out, err = output_of(capsys, "least-gap", *given, "--accuracy", 0.7, *options)
    assert re.search(
        r"certified: no rule list of at most 2 rules over these \d+ antecedents with an accuracy of at least 70 % has "
        r"a smaller gap in missed positives between groups than this one",
        out,
    )
    assert "sex = f" in out
    frame = pd.read_csv(people)
    rates = rl.load_model(model).evaluate(frame, frame["paid"], groups=frame["sex"]).groups
    row = saved(result, "least_gap")["rows"][0]
    assert np.ptp(rates["true_positive_rate"]) == pytest.approx(row["objective"])
    out, err = output_of(capsys, "verify", people, model, proof, "--sensitive", "sex")
    assert "smaller gap in false negative rate between groups than this one" in out
    assert "regularization" not in out
    _, err = output_of(capsys, "least-gap", *given, "--accuracy", 0.99, "--max-length", 1, status=1)
    assert "proven: there is no rule list of at most 1 rule" in err
    status, out, _ = run(capsys, "least-gap", *given, "--accuracy", 0.7, "--time-limit", 0, "--max-length", 2)
    assert status in (0, 1)
    assert status or "not certified (time limit reached)" in out


def test_the_least_gap_of_rule_sets_is_proven_and_saved(people: Path, tmp_path, capsys) -> None:
    model, proof = tmp_path / "model.json", tmp_path / "proof.npz"
    given = (people, "--target", "paid", "--sensitive", "sex", "--max-conditions", 1, "--thresholds", 4)
    options = ("--model", "rule-set", "--max-complexity", 3, "--accuracy")
    out, _ = output_of(capsys, "least-gap", *given, *options, 0.65, "-o", model, "--proof", proof)
    sentence = r"no rule set of complexity at most 3 of rules of at most 1 condition over these \d+ conditions with an "
    sentence += r"accuracy of at least 65 % has a smaller gap in (missed positives|false negative rate) between groups "
    assert re.search(f"certified: {sentence}than this one, as the Hamming loss counts both", out)
    assert "no other set of that gap has less loss" in out
    out, _ = output_of(capsys, "verify", people, model, proof, "--sensitive", "sex")
    assert re.search(f": {sentence}", out)
    output = tmp_path / "front.json"
    out, _ = output_of(capsys, "least-gap", *given, *options, ".6,.99", "--to-json", output)
    assert "certified: at each accuracy no rule set has a smaller gap, of complexity at most 3" in out
    assert [row["status"] for row in saved(output, "gap_frontier")["rows"]] == ["proven", "infeasible"]
    for wrong in (("--max-length", 3), ("--regularization", 0.1), ("--beam-width", 5)):
        assert run(capsys, "least-gap", *given, *options, 0.6, *wrong)[0] == 2
    assert run(capsys, "least-gap", *given, "--accuracy", 0.6, "--random-state", 1)[0] == 2


def test_stability_of_a_model(people: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output, given = tmp_path / "rules.csv", (people, "--target", "paid", "--thresholds", 4, "--max-conditions", 1)
    out, _ = output_of(capsys, "stability", *given, "--model", "rule-list", "--samples", 2, "-o", output)
    assert "2 of 2 samples done; 3 of 3 models proven optimal" in out
    saved = pd.read_csv(output)
    assert saved["rule"].iloc[0] in out
    assert saved["share"].max() <= 1
    assert saved["in_reference"].any()


def test_robustness_of_an_optimum(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "robustness.json"
    options = (*TOE, "--max-conditions", 1, "--regularization", 0.02)
    out, err = output_of(capsys, "robustness", *options, "-o", output)
    assert "certified: one wrong label lets another list win" in out
    assert "12 other lists that predict otherwise are as good already" in out
    rows = saved(output, "rule_list_robustness")["rows"]
    assert [row["change"] for row in rows] == ["relabelled", "removed", "added"]
    assert {(row["withstands"], row["breaks"]) for row in rows} == {(0, 1)}
    status, out, err = run(capsys, "fit", *options, "--robustness")
    assert (status, "one wrong label lets another list win\none removed row" in out) == (0, True), err
    status, out, err = run(capsys, "fit", *TOE, "--model", "falling-rule-list", "--robustness")
    assert (status, "--robustness is of rule lists" in err) == (2, True)
    status, out, _ = run(capsys, "robustness", *options, "--time-limit", 0)
    assert (status, "nothing is certified (time limit reached)" in out) == (0, True)


def test_the_search_of_the_papers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, proof = tmp_path / "model.json", tmp_path / "proof.npz"
    options = (*TOE, "--regularization", 0.03)
    out, _ = output_of(capsys, "fit", *options, "--search", "corels", "-o", model, "--proof", proof)
    assert "largest queue" in out
    own = rl.load_model(model)
    assert run(capsys, "verify", "tic_tac_toe", model, proof)[0] == 0
    assert run(capsys, "fit", *options, "-o", model)[0] == 0
    assert rl.load_model(model).errors == own.errors


@pytest.mark.parametrize(("arguments", "expected"), refusals("searches", TOE=TOE, SMALL=SMALL))
def test_bad_options_are_one_line_and_status_2(arguments: tuple[object, ...], expected: str, capsys) -> None:
    status, out, err = run(capsys, *arguments)  # where the options themselves are wrong, their usage comes first
    assert (status, out) == (2, "")
    assert expected in err
    assert re.match(rf"rulelab( {arguments[0]})?: error: ", err.splitlines()[-1])


VARY = ("--vary", "regularization=0.05,0.01", "--max-conditions", 1)
TABLE = ("--target", "y", "--sensitive", "sex", "--thresholds", 4)


@pytest.fixture
def files(tmp_path: Path) -> str:
    for k, part in enumerate((FRAME[:300], FRAME[300:])):
        part.to_parquet(tmp_path / f"part_{k}.parquet")
    return str(tmp_path / "part_*.parquet")


def test_counted_rows_are_swept_as_in_python(files: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    split = ("--key", "id", "--test-share", 0.3)
    saved = ("-o", tmp_path / "points.csv", "--fits", tmp_path / "fits.csv", "--results", tmp_path / "kept.jsonl")
    out, err = output_of(capsys, "sweep", files, *TABLE, *split, *VARY, "--compare", "cart", *saved)
    assert "certified: each rule list is optimal for its training rows" in out
    assert "30 % of the keys in 'id' are kept out for the test, by a hash" in out
    assert "of 10 fits done" in err
    known = swept(grid=GRID, baselines=["cart"])
    columns = ["point", "family", "test_errors", "train_errors", "objective", "test_equal_opportunity_gap"]
    fits = pd.read_csv(tmp_path / "fits.csv")
    pd.testing.assert_frame_equal(fits[columns], known.frame[columns], check_dtype=False)
    points = pd.read_csv(tmp_path / "points.csv")
    assert points.groupby("rows").size().to_dict() == {"test": 10, "train": 10}
    front = set(known.pareto(baselines=True)["point"])
    assert sum(line.rstrip().endswith("  yes") for line in out.splitlines()) == len(front)
    again, err = output_of(capsys, "sweep", files, *TABLE, *split, *VARY, "--compare", "cart", *saved[-2:])
    assert again.splitlines()[:-1] == out.splitlines()[:-1]
    assert "10 of 10 fits done" in err.splitlines()[3]


def test_a_data_set_is_cross_validated(capsys: pytest.CaptureFixture[str]) -> None:
    fair = ("--vary", "fairness=none,equal-opportunity:0.1", "--min-group-size", 0)
    fair += ("--regularization", 0.05, "--max-conditions", 1)
    out, err = output_of(capsys, "sweep", "diabetes", "--sensitive", "sex", "--folds", 2, *fair, "--quiet")
    assert "2 of 2" in out
    assert "EqualOpportunity" in out
    assert "2 folds, seed 0" in out
    assert err == ""


@pytest.mark.long
def test_ctrl_c_tells_what_is_done(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    noise = pd.DataFrame((rng.random((20000, 60)) < 0.5).astype(int), columns=[f"x{j}" for j in range(60)])
    noise.assign(y=rng.integers(0, 2, 20000)).to_csv(tmp_path / "noise.csv", index=False)
    options = ("--target", "y", "--folds", 2, "--time-limit", "none", "-o", tmp_path / "points.csv")
    command = ("sweep", tmp_path / "noise.csv", *options, "--vary", "regularization=0.0001")
    out, _ = interrupted("0 of 2 fits done", *command)
    assert out.startswith("interrupted: 0 of 2 fits done")
    assert (tmp_path / "points.csv").exists()


@pytest.mark.parametrize(("options", "message"), refusals("sweep"))
def test_what_is_wrong_is_said(files: str, options: tuple, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    refused(capsys, message, "sweep", files, *TABLE, *options, "--quiet", told=True)
