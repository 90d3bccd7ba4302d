"""``rulelab fit --several-classes "one list"``: what it prints and saves is what the search gives; refusals."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import output_of, refusals, refused, run
from sklearn.datasets import load_iris

import rulelab as rl

ASKED = ("--several-classes", "one list")
SMALL = ("--thresholds", "3", "--max-conditions", "1", "--regularization", "0.02")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = load_iris(as_frame=True)
    frame = found.data.assign(species=found.target.map(dict(enumerate(found.target_names))), n=2, half=0.5)
    path = tmp_path_factory.mktemp("classes") / "iris.csv"
    frame.to_csv(path, index=False)
    return path


def test_the_list_is_that_of_the_search_and_its_proof_is_checked(capsys: Any, tmp_path: Path, table: Path) -> None:
    out = tmp_path / "model.json"
    columns = ("--weight", "n", "--leave-out", "half")
    status, said, heard = run(capsys, "fit", table, "--target", "species", *ASKED, *SMALL, *columns, "-o", out)
    found = load_iris(as_frame=True)
    conditions = rl.mine_antecedents(rl.Binarizer(thresholds=3).fit_transform(found.data), 1)
    problem = rl.MultiClassProblem.from_antecedents(conditions, found.target_names[found.target])
    best = rl.solve(rl.MultiClassRuleListSearch(problem, 0.02)).incumbent
    assert status == 0, heard
    assert "150 rows, 4 features, 3 classes" in heard
    # each row counts twice
    equation = f"{best.objective:.7f} = {2 * best.errors} errors / a weight of 300 + 0.02 x {best.complexity} rules"
    assert f"certified optimal: objective {equation}" in said
    saved = json.loads(out.read_text())
    assert [rule["prediction"] for rule in saved["rules"]] == [rule.prediction for rule in best.model.rules]
    assert sum(sum(rule["counts"]) for rule in (*saved["rules"], saved["default"])) == 300


def test_a_proof_is_checked_on_the_file(capsys: Any, tmp_path: Path, table: Path) -> None:
    model, proof = tmp_path / "model.json", tmp_path / "proof.npz"
    asked = ("fit", table, "--target", "species", *ASKED, *SMALL, "--leave-out", "half", "-o", model, "--proof", proof)
    assert run(capsys, *asked)[0] == 0
    status, said, heard = run(capsys, "verify", table, model, proof)
    assert status == 0, heard
    assert f"valid: this rule list is optimal for {table.stem}, target species, at regularization 0.02" in said
    assert "of 3 classes" in said
    assert run(capsys, "verify", table, model, proof, "--regularization", "0.02")[0] == 0
    rows = table.read_text().splitlines()
    turned = tmp_path / table.name
    turned.write_text("\n".join([rows[0], *rows[:0:-1]]))
    assert run(capsys, "verify", turned, model, proof)[0] == 0, "the order of the rows does not matter"
    turned.write_text("\n".join(rows[:-1]))
    status, said, _ = run(capsys, "verify", turned, model, proof)
    assert (status, said) == (1, "not valid: the proof is of other data\n")
    turned.write_text("\n".join(rows[:101]))
    status, said, _ = run(capsys, "verify", turned, model, proof)
    assert (status, "the classes are ('setosa', 'versicolor'), not" in said) == (1, True)
    worse = json.loads(model.read_text())
    worse["rules"][0]["prediction"] = worse["default"]["prediction"]
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(worse))
    status, said, _ = run(capsys, "verify", table, changed, proof)
    assert status == 1
    assert "predicts, or counts, otherwise" in said
    for options, status, text in (
        (("--regularization", "0.03"), 1, "is for the regularization 0.02, not 0.03"),
        (("--positive", "setosa"), 2, "without --positive"),
        (("--target", "half"), 1, "about the target 'species', not 'half'"),
    ):
        found, said, heard = run(capsys, "verify", table, model, proof, *options)
        assert found == status
        assert text in said + heard
    status, _, heard = run(capsys, "explain-proof", table, model, proof, "--rule", "n > 1")
    assert status == 2
    assert "a list of several classes, where a model of two classes is asked for" in heard


def test_limits_say_what_is_proven(capsys: Any, table: Path) -> None:
    asked = ("fit", table, "--target", "species", *ASKED, *SMALL, "--leave-out", "half", "--quiet")
    status, said, heard = run(capsys, *asked, "--max-length", "1")
    assert (status, heard) == (0, ""), "how wide a petal is, is no leak"
    assert "certified optimal among the lists that have at most 1 rule: objective" in said
    assert "proof" not in said
    said, _ = output_of(capsys, *asked, "--memory-limit", "500B")
    assert "not certified (memory limit reached)" in said
    assert "no rule list of several classes is below 0." in said


@pytest.mark.parametrize(("options", "text"), refusals("several classes"))
def test_what_it_cannot_do_is_refused(capsys: Any, table: Path, options: tuple[str, ...], text: str) -> None:
    refused(capsys, text, "fit", table, "--target", "species", *ASKED, *SMALL, *options)
    refused(capsys, "tic_tac_toe has two classes", "fit", "tic_tac_toe", *ASKED)
