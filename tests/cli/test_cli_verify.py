"""``rulelab fit --proof`` and ``rulelab verify``: a proof is checked on the data file, and no change goes unnoticed."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import output_of, refused, run

import rulelab as rl
from rulelab.certificate import Certificate
from rulelab.cli import commands as cli
from rulelab.data.conditions import Condition


def people() -> pd.DataFrame:
    """Numbers, categories, Booleans and missing cells; ``paid`` follows a rule, with exceptions."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"age": rng.integers(18, 80, 400), "job": rng.choice(["none", "some", "two"], 400)})
    frame["score"] = np.where(rng.random(400) < 0.1, np.nan, np.round(rng.normal(size=400), 3))
    frame["member"] = rng.random(400) < 0.5
    paid = ~((frame["age"] <= 40) & (frame["job"] == "none")) ^ (rng.random(400) < 0.12)
    frame["paid"] = np.where(paid, "yes", "no")
    return frame


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data.csv, model.json and proof.npz."""
    folder = tmp_path_factory.mktemp("fitted")
    people().to_csv(folder / "data.csv", index=False)
    files = ("-o", folder / "model.json", "--proof", folder / "proof.npz")
    options = ("--target", "paid", "--thresholds", "5", "--quiet", "--regularization", "0.012")
    assert cli.main(list(map(str, ("fit", folder / "data.csv", *options, *files)))) == 0
    return folder


@pytest.fixture
def folder(fitted: Path, tmp_path: Path) -> Path:
    """A copy of the three files, to be tampered with."""
    return Path(shutil.copytree(fitted, tmp_path / "copy"))


def not_valid(capsys: pytest.CaptureFixture[str], said: str, *arguments: object) -> None:
    """A proof is checked, and does not hold, for this reason."""
    assert said in output_of(capsys, "verify", *arguments, status=1)[0]


def files(folder: Path) -> tuple[Path, Path, Path]:
    return folder / "data.csv", folder / "model.json", folder / "proof.npz"


def test_a_proof_has_a_time_limit_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    people().to_csv(tmp_path / "data.csv", index=False)
    options = ("--target", "paid", "--thresholds", 5, "--regularization", 0.012, "--proof", tmp_path / "proof.npz")
    status, out, err = run(capsys, "fit", tmp_path / "data.csv", *options, "--proof-time-limit", 0)
    assert (status, "certified optimal" in out) == (1, True)
    assert "no proof is saved: it was not made in 0 s; raise --proof-time-limit" in err
    assert not (tmp_path / "proof.npz").exists()


def test_a_proof_is_checked_on_the_data_file(fitted: Path, capsys: pytest.CaptureFixture[str]):
    status, out, err = run(capsys, "verify", *files(fitted))
    assert (status, err) == (0, "")
    model, table = rl.load_model(fitted / "model.json"), people()
    errors = int((model.predict(table) != table["paid"]).sum())
    certificate = Certificate.load(fitted / "proof.npz")
    first, second, third, fourth = out.splitlines()
    assert first == "valid: this rule list is optimal for data, target paid, at regularization 0.012"
    objective = errors / 400 + 0.012 * len(model)
    assert len(model) > 1
    assert second == f"objective {objective:.7f} = {errors} errors / 400 rows + 0.012 x {len(model)} rules"
    assert f"the proof's {len(certificate.origin.names)} antecedents" in third
    assert third.endswith("they join up to 2 conditions on age, job, score, member")
    assert fourth.startswith(f"checked: {len(certificate.arrays['values'])} sets, ")
    assert "resolution 0; " in fourth


def test_nothing_of_the_search_is_loaded(fitted: Path):
    script = (
        "import sys\nfrom rulelab.cli import commands as cli\nassert cli.main(['verify', *sys.argv[1:]]) == 0\n"
        "searching = ('rulelab.rule_list', 'rulelab.stepping', 'rulelab.data.binarize')\n"
        "assert not [name for name in sys.modules if name.startswith(searching)]\n"
    )
    subprocess.run([sys.executable, "-c", script, *map(str, files(fitted))], check=True, stdout=subprocess.DEVNULL)


def test_a_data_set_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model, proof = tmp_path / "model.json", tmp_path / "proof.npz"
    options = ("--max-conditions", 1, "--regularization", 0.02, "-o", model, "--proof", proof)
    _, err = output_of(capsys, "fit", "tic_tac_toe", *options)
    assert f"saved {proof}: " in err
    status, out, err = run(capsys, "verify", "tic_tac_toe", model, proof, "--regularization", 0.02)
    assert (status, err) == (0, "")
    assert out.startswith("valid: this rule list is optimal for tic_tac_toe, target class, at regularization 0.02\n")
    not_valid(capsys, "not valid: ", "diabetes", model, proof)
    refused(capsys, "leave --target and --positive out", "verify", "tic_tac_toe", model, proof, "--target", "class")


@pytest.mark.parametrize("positive", ["3", "1"])
def test_one_class_against_several_others(positive: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    frame = pd.DataFrame({"x": list(range(60)), "y": [1] * 20 + [2] * 20 + [3] * 20})
    frame.to_csv(tmp_path / "data.csv", index=False)
    data, model, proof = files(tmp_path)
    options = ("--target", "y", "--positive", positive, "-o", model, "--proof", proof)
    assert run(capsys, "fit", data, *options)[0] == 0
    assert run(capsys, "verify", data, model, proof)[:2][0] == 0
    assert run(capsys, "verify", data, model, proof, "--positive", positive)[0] == 0
    said = f"the classes 'not {positive}' and '{positive}', but"
    not_valid(capsys, said, data, model, proof, "--positive", "2")


def test_labels_that_are_dates(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    dates = people()["paid"].map({"no": pd.Timestamp("2020-01-01"), "yes": pd.Timestamp("2021-01-01")})
    people().assign(paid=dates).to_parquet(tmp_path / "data.parquet")
    data, model, proof = tmp_path / "data.parquet", tmp_path / "model.json", tmp_path / "proof.npz"
    options = ("--target", "paid", "--max-conditions", 1, "--regularization", 0.03, "-o", model, "--proof", proof)
    assert run(capsys, "fit", data, *options)[0] == 0
    assert rl.load_model(model).classes == ("2021-01-01 00:00:00", "2020-01-01 00:00:00")
    assert run(capsys, "verify", data, model, proof)[0] == 0


@pytest.mark.parametrize("positive", ["0", "1"])
def test_labels_that_are_numbers(positive: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    frame = people()
    frame.assign(paid=(frame["paid"] == "yes").astype(int)).to_csv(tmp_path / "data.csv", index=False)
    data, model, proof = files(tmp_path)
    options = ("--target", "paid", "--thresholds", 4, "--max-conditions", 1, "--regularization", 0.03)
    _, _ = output_of(capsys, "fit", data, *options, "--positive", positive, "-o", model, "--proof", proof)
    assert run(capsys, "verify", data, model, proof)[0] == 0
    swapped = (
        model.read_text().replace('"prediction": 0', '"prediction": 2').replace('"prediction": 1', '"prediction": 0')
    )
    model.write_text(swapped.replace('"prediction": 2', '"prediction": 1'))
    not_valid(capsys, "not valid: ", data, model, proof)


def made_in_python(folder: Path, y: Any, array: bool = False) -> None:
    """Save the model and the proof of a problem with these labels of `people`."""
    frame = people().drop(columns="paid")
    antecedents = rl.mine_antecedents(rl.Binarizer(thresholds=4).fit_transform(frame), max_conditions=1)
    problem = rl.Problem.from_arrays(antecedents.matrix, y) if array else rl.Problem.from_antecedents(antecedents, y)
    search = rl.RuleListSearch(problem, 0.03)
    rl.solve(search)
    search.certificate().save(folder / "proof.npz")
    rl.solve(search).incumbent.model.save(folder / "model.json")


def test_labels_of_the_file(folder: Path, capsys: pytest.CaptureFixture[str]):
    made_in_python(folder, people()["paid"])
    refused(capsys, "does not name the column that is predicted: give --target", "verify", *files(folder))
    status, out, _ = run(capsys, "verify", *files(folder), "--target", "paid")
    assert (status, out.startswith("valid: ")) == (0, True)


def test_labels_of_a_data_set(folder: Path, capsys: pytest.CaptureFixture[str]):
    data = rl.datasets.read(folder / "data.csv", target="paid")
    made_in_python(folder, data.y)
    out, _ = output_of(capsys, "verify", *files(folder), "--target", "paid")
    assert "its classes 1 and 0 stand for 'yes' and 'no'" in out
    not_valid(capsys, "fingerprints", *files(folder), "--target", "paid", "--positive", "no")


def test_1_and_0_are_never_other_labels_that_look_the_same(folder: Path, capsys: pytest.CaptureFixture[str]):
    frame = people()
    frame.assign(paid=np.where(frame["paid"] == "yes", 2, 1)).to_csv(folder / "data.csv", index=False)
    made_in_python(folder, rl.datasets.read(folder / "data.csv", target="paid").y)
    said = "the classes 0 and 1, but the target 'paid' has 2 and 1"
    not_valid(capsys, said, *files(folder), "--target", "paid")


def test_a_proof_without_conditions(folder: Path, capsys: pytest.CaptureFixture[str]):
    made_in_python(folder, people()["paid"], array=True)
    err = refused(capsys, "lacks the conditions of the antecedents", "verify", *files(folder), "--target", "paid")
    assert "rulelab.verify(problem, model, certificate)" in err


def change_data(change: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable[[Path], None]:
    return lambda folder: change(people()).to_csv(folder / "data.csv", index=False)


def cell(column: str, value: object) -> Callable[[Path], None]:
    """Another value in row 5."""

    def change(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(**{column: [value if i == 5 else old for i, old in enumerate(frame[column])]})

    return change_data(change)


def change_model(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        content = json.loads((folder / "model.json").read_text())
        change(content)
        (folder / "model.json").write_text(json.dumps(content))

    return apply


def change_proof(change: Callable[[Certificate], Certificate]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        certificate = change(Certificate.load(folder / "proof.npz"))
        certificate.save(folder / "proof.npz")

    return apply


def with_first(condition: Condition) -> Callable[[Path], None]:
    """Another first antecedent."""

    def change(certificate: Certificate) -> Certificate:
        origin = certificate.origin
        assert origin is not None
        conditions, names = ((condition,), *origin.conditions[1:]), (str(condition), *origin.names[1:])
        return replace(certificate, origin=replace(origin, conditions=conditions, names=names))

    return change_proof(change)


def relabel(model: dict[str, Any]) -> None:
    other = {"no": "bad", "yes": "good"}
    model["classes"] = [other[label] for label in model["classes"]]
    for rule in (*model["rules"], model["default"]):
        rule["prediction"] = other[rule["prediction"]]


def other_words(model: dict[str, Any]) -> None:
    """The rule says what it said, but tests something else."""
    model["rules"][0]["conditions"] = [{"column": "age", "operator": ">", "value": 30}]


TAMPERED: dict[str, tuple[Callable[[Path], None], str]] = {
    "a row less": (change_data(lambda frame: frame.drop(index=3)), "fingerprints"),
    "a label": (cell("paid", "no" if people()["paid"][5] == "yes" else "yes"), "fingerprints"),
    "text among numbers": (cell("age", "old"), "cannot be evaluated on the column 'age'"),
    "another label": (cell("paid", "maybe"), "but the target 'paid' has 'not yes' and 'yes'"),
    "a rule less": (change_model(lambda model: model["rules"].pop()), "the default rule of the model claims"),
    "other counts": (change_model(lambda model: model["default"].update(positives=10**300)), "claims to capture"),
    "other words": (change_model(other_words), "rule 1 of the model tests 'age > 30'"),
    "other labels": (change_model(relabel), "the model has the classes 'bad' and 'good'"),
    "another condition": (with_first(Condition("age", "<=", 79)), "fingerprints"),
    "a condition on the target": (with_first(Condition("paid", "==", "yes")), "condition on the target 'paid' itself"),
    "no cost": (change_proof(lambda c: replace(c, parameters={})), "does not say for which regularization"),
}


@pytest.mark.parametrize("case", TAMPERED)
def test_tampering_is_status_1_with_the_reason(case: str, folder: Path, capsys: pytest.CaptureFixture[str]):
    tamper, expected = TAMPERED[case]
    tamper(folder)
    out, err = output_of(capsys, "verify", *files(folder), status=1)
    assert err == "" or err.startswith("data.csv: column 'age': it is read as text")
    assert out.startswith("not valid: ")
    assert expected in out
    assert out.count("\n") == 1


def test_what_the_proof_must_speak_for(fitted: Path, capsys: pytest.CaptureFixture[str]):
    for said, options in (
        ("is for the regularization 0.012, not 0.02", ("--regularization", "0.02")),
        ("but the target 'paid' has 'yes' and 'no'", ("--positive", "no")),
        ("the proof is about the target 'paid', not 'member'", ("--target", "member", "--positive", "True")),
    ):
        not_valid(capsys, said, *files(fitted), *options)


@pytest.mark.parametrize("price", [0.0, 2.5])
def test_the_regularization_of_a_rule_set(price: float, tmp_path: Path, capsys: Any):
    people().to_csv(tmp_path / "data.csv", index=False)
    options = ("--target", "paid", "--thresholds", 3, "--max-complexity", 4, "--regularization", price)
    data, model, proof = files(tmp_path)
    output_of(capsys, "fit", data, "--model", "rule-set", *options, "-o", model, "--proof", proof)
    assert run(capsys, "verify", *files(tmp_path), f"--regularization={price}")[0] == 0
    not_valid(capsys, f"is for the regularization {price}, not 1.5", *files(tmp_path), "--regularization=1.5")
    for given in ("-1", "nan", "inf", "x"):
        status, _, err = run(capsys, "verify", *files(tmp_path), f"--regularization={given}")
        assert (status, f"must be a number of at least 0, not {given!r}" in err) == (2, True), err


def hostile(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    """Change the text in which the proof names its antecedents."""

    def apply(folder: Path) -> None:
        path = folder / "proof.npz"
        with np.load(path) as archive:
            arrays = dict(archive)
        content = json.loads(arrays["origin"].tobytes())
        change(content)
        text = np.frombuffer(json.dumps(content).encode(), dtype=np.uint8)
        np.savez_compressed(path, **{**arrays, "origin": text})

    return apply


UNREADABLE: dict[str, tuple[Callable[[Path], object], str]] = {
    "no data": (lambda folder: (folder / "data.csv").unlink(), "there is no file"),
    "no model": (lambda folder: (folder / "model.json").unlink(), "model.json cannot be read: No such file"),
    "no proof": (lambda folder: (folder / "proof.npz").unlink(), "proof.npz cannot be read: No such file"),
    "a folder": (lambda folder: ((folder / "proof.npz").unlink(), (folder / "proof.npz").mkdir()), "Is a directory"),
    "half a proof": (
        lambda folder: (folder / "proof.npz").write_bytes((folder / "proof.npz").read_bytes()[:500]),
        "not a certificate",
    ),
    "half a model": (lambda folder: (folder / "model.json").write_text('{"format": '), "not valid JSON"),
    "binary": (lambda folder: (folder / "data.csv").write_bytes(b"age,paid\n\xff\x01,1\n"), "control character"),
    "no target": (change_data(lambda frame: frame.drop(columns="paid")), "there is no target column 'paid'"),
    "a column less": (change_data(lambda frame: frame.drop(columns="job")), "has no column 'job'; the proof needs"),
    "a value": (hostile(lambda content: content["conditions"].append(["a", "==", {}])), "is no condition"),
}


MISUSED = ["no data", "no model", "no proof", "a folder", "binary", "no target", "a column less"]


@pytest.mark.parametrize("case", UNREADABLE)
def test_what_is_damaged_is_status_1_and_what_is_missing_2_in_one_line(case: str, folder: Path, capsys: Any):
    UNREADABLE[case][0](folder)
    status, out, err = run(capsys, "verify", *files(folder))
    assert (status, out, err.count("\n")) == (2 if case in MISUSED else 1, "", 1)
    assert err.startswith("rulelab verify: error: ")
    assert UNREADABLE[case][1] in err
    assert err.rstrip("\n").isprintable()


def test_a_search_that_was_stopped_proves_its_bound(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model, proof = tmp_path / "model.json", tmp_path / "proof.npz"
    options = ("--max-conditions", 1, "--gap", 0.2, "-o", model, "--proof", proof)
    out, err = output_of(capsys, "fit", "tic_tac_toe", *options)
    assert "not certified" in out
    assert "of the bound alone" in err
    bound = re.search(r"no rule list is below ([0-9.]+)", out)[1]
    out, err = output_of(capsys, "verify", "tic_tac_toe", model, proof, status=1)  # the model is not proven optimal
    assert err == ""
    assert out.startswith("not proven optimal, but a bound: for tic_tac_toe, target class, no rule list has an ")
    assert f"below {bound}\n" in out
    assert "above the best" in out
