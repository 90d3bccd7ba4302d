"""Files as they come on the command line, and how they are read; what a command writes is never what it reads."""

import os
import re
from itertools import cycle, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import output_of, refused, run

import rulelab as rl
from rulelab import files

LATE = ("--drop-missing-target", "--leave-out", "note", "--thresholds", "20", "--max-conditions", "1")


@pytest.fixture
def german(tmp_path: Path) -> Path:
    """Decimal commas, latin-1, a date, a weight, free text, rows without a target; paid is yes where Höhe > 1,5."""
    rng = np.random.default_rng(1)
    height = rng.integers(100, 200, 200) / 100
    frame = pd.DataFrame({"Höhe": height, "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(200), "D")})
    frame["weight"] = rng.integers(1, 4, 200)
    frame["note"] = [f"a remark of several words {k}" for k in range(200)]
    frame["paid"] = np.where(height > 1.5, "ja", "nein").astype(object)
    frame.loc[[3, 4], "paid"] = None
    path = tmp_path / "german.csv"
    path.write_bytes(frame.to_csv(index=False, sep=";", decimal=",", date_format="%d.%m.%Y").encode("latin-1"))
    return path


def test_the_sheet_is_printed(german: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = output_of(capsys, "datasets", "--describe", german, "--target", "paid")
    head, *lines = out.splitlines()
    assert head == "german.csv: 200 rows, 5 columns; cp1252, separated by semicolon, decimal comma, thousands none"
    found = {line.split()[0]: " ".join(line.split()[1:]) for line in lines if line}
    assert found["Höhe"].startswith("number 0 ")
    assert "leak? the cut at 1.5 separates the classes" in found["Höhe"]
    assert found["day"].startswith("date 0 200 feature as year, month and weekday")
    assert "ignore free text: 200 different values" in found["note"]
    assert found["paid"].startswith("category 2 2 target")
    assert "it is not UTF-8" in lines[-1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--target", "Paid"), "there is no column 'Paid'"),
        (("--decimal", "x"), "decimal must be one of"),
        (("--encoding", "ascii"), "is not ASCII"),
    ],
)
def test_what_cannot_be_described_is_one_line(german: Path, capsys, options: tuple[str, str], message: str) -> None:
    refused(capsys, message, "datasets", "--describe", german, *options)


def test_a_german_file_is_fitted_and_its_proof_checked(german: Path, tmp_path: Path, capsys) -> None:
    files = tmp_path / "model.json", tmp_path / "proof.npz"
    options = ("fit", german, "--target", "paid", *LATE, "--leave-out", "weight", "--leave-out", "day: weekday")
    out, err = output_of(capsys, *options, "-o", files[0], "--proof", files[1])
    assert "Höhe <= 1.5" in out or "Höhe > 1.5" in out
    assert "2 of 200 rows have no target and are left out" in err
    assert "dates ('day') are given as year, month, weekday" in err
    assert "it is not UTF-8" in err
    assert run(capsys, "verify", german, *files, "--drop-missing-target")[0] == 0
    refused(capsys, "'paid' is missing in rows 4, 5", "verify", german, *files, told=True)


def test_a_wrong_mark_is_said(german: Path, capsys) -> None:
    marks = "--decimal", "point", "--thousands", "none"
    _, err = output_of(capsys, "fit", german, "--target", "paid", *LATE, *marks, "--regularization", 0.2)
    assert "column 'Höhe': it is read as text, but" in err
    assert "numbers with a decimal comma" in err


def test_weights_are_those_of_repeated_rows(german: Path, tmp_path: Path, capsys) -> None:
    options = ("--target", "paid", *LATE, "--dates", "ignore", "--quiet")
    weighted, _ = output_of(capsys, "fit", german, *options, "--weight", "weight")
    sheet = rl.datasets.sheet(german)
    frame = sheet.frame.dropna(subset="paid")
    repeated = frame.loc[frame.index.repeat(frame["weight"])].drop(columns=["weight", "day"])
    repeated.to_csv(tmp_path / "repeated.csv", index=False)
    rows, _ = output_of(capsys, "fit", tmp_path / "repeated.csv", *options)
    assert "certified optimal" in weighted

    def said(printed: str) -> list[str]:
        return [line.split(" = ")[0] for line in printed.splitlines() if "search time" not in line]

    assert said(weighted) == said(rows)


@pytest.mark.parametrize("factor", [1000, 1e-9])
def test_what_all_weights_are_multiplied_by_changes_no_rate(tmp_path: Path, capsys, factor: float) -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {"x": rng.integers(0, 3, 300), "sex": rng.choice(["f", "m", "rare"], 300, p=[0.6, 0.38, 0.02])}
    )
    frame["y"] = np.where((frame["x"] > 1) ^ (rng.random(300) < 0.2), "yes", "no")
    frame["weight"] = rng.choice([0.5, 1, 3], 300)
    said = []
    for k in (1, factor):
        path = tmp_path / f"{k}.csv"
        frame.assign(weight=frame["weight"] * k).to_csv(path, index=False)
        options = ("--target", "y", "--positive", "yes", "--weight", "weight", "--sensitive", "sex", "--quiet")
        out, _ = output_of(capsys, "fit", path, *options)
        assert not re.search(r"right for .*\de[-+]|\de-\d+ errors|weight of \S*e-|= f .*\de-", out)
        table, _, doubts = out[out.index("group ") :].partition("\n\nBefore you trust this\n")
        assert "sex = rare with" in doubts
        rows = [[cell for at, cell in enumerate(re.split(r"  +", line)) if at != 2] for line in table.splitlines()]
        said.append((doubts, rows))
    assert said[0] == said[1]
    head, _, _, rare, note = said[0][1]
    assert head[:2] == ["group", "rows"]
    assert rare[1] == str((frame["sex"] == "rare").sum())
    assert all(cell.endswith("*") or cell == "-" for cell in rare[2:])
    assert note == ["* a share of fewer than 30 rows, which says little"]


def test_weights_where_they_are_not_known_are_refused(german: Path, tmp_path: Path, capsys) -> None:
    options = ("fit", german, "--target", "paid", *LATE, "--weight", "weight")
    refused(capsys, "leave --weight out", *options, "--proof", tmp_path / "proof.npz", told=True)
    data = rl.datasets.sheet(german).dataset("paid", weight="weight", drop_missing_target=True)
    with pytest.raises(rl.errors.SweepError, match="have weights; give that column"):
        rl.sweep(data, cv=2)


def test_models_and_proofs_of_both_readers_are_the_same(tmp_path: Path, capsys) -> None:
    """Of words that DuckDB takes for Booleans, codes, marks for nothing among numbers, and an unknown class."""
    random = np.random.default_rng(0)
    n = 300
    code = random.choice(["01", "1", "10"], n)
    dose = np.where(random.random(n) < 0.2, "?", random.integers(1, 90, n).astype(str))
    paid = np.where((code == "01") ^ (random.random(n) < 0.05), "yes", "no").astype(object)
    paid[:20] = "unknown"
    table = pd.DataFrame({"code": code, "dose": dose, "sex": random.choice(["f", "m"], n), "paid": paid})
    table.to_csv(tmp_path / "t.csv", index=False)
    models = []
    for count in ((), ("--count",)):
        files = tmp_path / f"m{len(count)}.json", tmp_path / f"p{len(count)}.npz"
        options = ("fit", tmp_path / "t.csv", "--target", "paid", "--positive", "yes", "--regularization", 0.02, *count)
        out, err = output_of(capsys, *options, "-o", files[0], "--proof", files[1])
        assert "code == 01 then paid = yes" in out
        assert "sensitive by name: 'sex', not for rules unless kept" in err
        assert "these are read as empty: '?'" in err
        assert "20" in next(line for line in err.splitlines() if "left out" in line)
        models.append(files)
    assert models[0][0].read_text() == models[1][0].read_text()
    for files in models:
        for count in ((), ("--count",)):
            assert run(capsys, "verify", tmp_path / "t.csv", *files, *count)[0] == 0


def test_a_leak_is_said_where_a_model_is_fitted(tmp_path: Path, capsys) -> None:
    y = np.arange(100) % 3 == 0
    pd.DataFrame({"a": np.arange(100) % 7, "why": np.where(y, "left", None), "y": y * 1}).to_csv(tmp_path / "t.csv")
    text = (tmp_path / "t.csv").read_text()
    (tmp_path / "t.csv").write_text(f"row{text}")
    for count in ((), ("--count",)):
        _, err = output_of(capsys, "fit", tmp_path / "t.csv", "--target", "y", "--leave-out", "row", "--quiet", *count)
        assert "why: leak? cells that are filled go with one class" in err


@pytest.mark.long
def test_whole_numbers_that_number_the_rows_are_no_features_where_rows_are_counted_either(tmp_path, capsys) -> None:
    """The file of the Titanic's passengers, in which one passenger in two is told by a number."""
    rows = [f'{k},{k % 2},{k % 3 + 1},"Name, Mr. {k}",{"fm"[k % 2]},{k % 50 or ""},A/5 {k}' for k in range(1, 90)]
    (tmp_path / "t.csv").write_text("PassengerId,Survived,Pclass,Name,Sex,Age,Ticket\n" + "\n".join(rows) + "\n")
    asked = ["fit", str(tmp_path / "t.csv"), "--target", "Survived", "--quiet", "--thresholds", "4", "-o"]
    saved = {}
    for name, more in {"here": [], "there": ["--count"], "kept": ["--keep-identifiers"]}.items():
        _, said = output_of(capsys, *asked, tmp_path / f"{name}.json", *more)
        hint = "identifiers of rows: 'PassengerId', no feature unless --keep-identifiers"
        assert (hint in said) == (name != "kept")
        assert "written as text" not in said
        saved[name] = (tmp_path / f"{name}.json").read_text()
    assert "PassengerId" not in saved["here"]
    assert "PassengerId" not in saved["there"]


FIT = ("fit", "people.csv", "--target", "y", "--quiet", "--max-conditions", "1")
TABLE = ("people.csv", "--target", "y", "--quiet")
WRITING = [
    *((*FIT, option) for option in ("-o", "--proof", "--record")),
    *((command, *TABLE, "-o") for command in ("near", "robustness", "frontier", "ablate", "stability", "sweep")),
    *(("sweep", *TABLE, option) for option in ("--fits", "--results")),
    *(("least-gap", *TABLE, "--sensitive", "g", "--accuracy", ".6", option) for option in ("-o", "--proof")),
    ("least-gap", *TABLE, "--sensitive", "g", "--to-json"),
    ("near", "people.*", *TABLE[1:], "-o"),
    ("export", "people.csv", "--to", "sql", "-o"),
]

NAMES = ["people.csv", "link.csv", "other.csv", "../{folder}/people.csv"]


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table in the folder where commands run, and other names of it."""
    rng = np.random.default_rng(0)
    path = tmp_path / "people.csv"
    pd.DataFrame(rng.integers(0, 2, (40, 3)), columns=["g", "x", "y"]).to_csv(path, index=False)
    (tmp_path / "link.csv").symlink_to(path)
    os.link(path, tmp_path / "other.csv")
    monkeypatch.chdir(tmp_path)
    return path


@pytest.mark.parametrize(
    ("words", "name"),
    [*product(WRITING[:1], NAMES), *zip(WRITING[1:], cycle(NAMES))],
    ids=lambda given: given if isinstance(given, str) else f"{given[0]} {given[-1]}",
)
def test_no_command_writes_over_what_it_reads(words: tuple[str, ...], name: str, people: Path, capsys):
    before = people.read_bytes()
    status, out, err = run(capsys, *words, name.format(folder=people.parent.name))
    assert (status, out) == (2, "")
    assert "name another file to write" in err or "must end in" in err
    assert people.read_bytes() == before


def test_two_results_are_two_files(people: Path, capsys: pytest.CaptureFixture[str]):
    refused(capsys, "cannot both be written", *FIT, "-o", "m.json", "--proof", "./m.json", told=True)


def test_the_kept_runs_are_no_output(people: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setenv("RULELAB_HOME", str(people.parent))
    refused(capsys, "runs.sqlite is read", *FIT, "--keep", "-o", "runs.sqlite", told=True)


def test_a_file_is_replaced_whole_or_not_at_all(people: Path):
    people.chmod(0o640)
    with pytest.raises(OSError, match="full"):
        _half("link.csv")
    assert people.read_text().startswith("g,x,y")
    files.write("link.csv", "new")
    assert (people.read_text(), Path("link.csv").is_symlink(), people.stat().st_mode & 0o777) == ("new", True, 0o640)
    assert sorted(os.listdir()) == ["link.csv", "other.csv", "people.csv"]


def _half(name: str) -> None:
    with files.replacing(name) as part:
        part.write_text("half")
        raise OSError("the disk is full")
