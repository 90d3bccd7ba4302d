"""The command line: results on stdout, progress and one-line errors on stderr, exit status 0, 1 and 2."""

import csv
import functools
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import output_of, refusals, refused, run, start
from patience import PATIENCE, wait_until
from places import ROOT
from servers import free_port

import rulelab as rl
from rulelab.cli import output
from rulelab.cli.options import MODELS
from rulelab.cli.parsers import COMMANDS
from rulelab.rule_list import POLICIES


@pytest.fixture
def loans(tmp_path: Path) -> Path:
    """A table whose optimal list is known: ``paid`` is no exactly for the young without a job, but for 3 rows."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": 5 * rng.integers(4, 14, 400), "job": rng.choice(["none", "some"], 400)})
    frame["sex"] = rng.choice(["f", "m"], 400)
    paid = ~((frame["age"] <= 30) & (frame["job"] == "none"))
    paid.iloc[:3] = ~paid.iloc[:3]
    frame["paid"] = np.where(paid, "yes", "no")
    path = tmp_path / "loans.csv"
    frame.to_csv(path, index=False)
    return path


def test_fit_prints_the_certified_list_and_saves_it(loans: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    output = tmp_path / "model.json"
    out, err = output_of(capsys, "fit", loans, "--target", "paid", "--thresholds", 50, "-o", output)
    assert "age <= 30 and job == none then paid = no" in out
    assert "certified optimal: objective 0.0175000 = 3 errors / 400 rows + 0.01 x 1 rule" in out
    assert "400 rows, 2 features, 342 of class yes (85.5 %)" in err
    assert re.search(r"certified\s+objective 0\.0175000\s+bound 0\.0175000\s+gap 0\b", err)
    model = rl.load_model(output)
    said = model.provenance
    assert (said.status, said.objective, said.lower_bound, said.version) == ("optimal", 0.0175, 0.0175, rl.__version__)
    table = pd.read_csv(loans)
    assert model.classes == ("no", "yes")
    assert (model.predict(table) != table["paid"]).sum() == 3
    options = ("--target", "paid", "--positive", "no", "--thresholds", 50, "-o", output)
    out, _ = output_of(capsys, "fit", loans, *options)
    assert "then paid = no " in out
    model = rl.load_model(output)
    assert model.classes == ("yes", "no")
    assert (model.predict(table) != table["paid"]).sum() == 3


def test_sensitive_columns_are_left_out_and_reported_on(loans: Path, capsys: pytest.CaptureFixture[str]):
    options = ("fit", loans, "--target", "paid", "--quiet", "--sensitive", "job", "--sensitive", "sex")
    status, out, err = run(capsys, *options)
    assert (status, err) == (0, "")
    rules, said = out.split("certified optimal")
    assert "job" not in rules
    groups = said.partition("\ngroup ")[2]
    found = [line.split("  ")[0] for line in groups.splitlines()[1:] if " = " in line]
    assert found == ["job = none", "job = some", "sex = f", "sex = m"]
    _, out, _ = run(capsys, *options, "--keep-sensitive")
    assert "job == none" in out.split("certified optimal")[0]


def test_the_options_reach_the_search(loans: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    seen = []
    original = rl.RuleListSearch.__init__

    @functools.wraps(original)
    def note(self: rl.RuleListSearch, *args: object, **kwargs: object) -> None:
        original(self, *args, **kwargs)  # type: ignore[arg-type]
        seen.append(self)

    monkeypatch.setattr(rl.RuleListSearch, "__init__", note)
    options = "--regularization .02 --policy random --max-length 2 --beam-width 7 --random-state 3 --memory-limit 1.5GB"
    mining = "--max-conditions 1 --min-support 0.2 --max-support 0.7 --no-negations --thresholds 4 --jobs 2"
    assert run(capsys, "fit", loans, "--target", "paid", *options.split(), *mining.split())[0] == 0
    search = [each for each in seen if each.beam_width == 7][-1]  # others check the options, or compile
    assert search.parameters == {
        "regularization": 0.02,
        "policy": "random",
        "bounds": None,
        "max_length": 2,
        "memory_limit": 1_500_000_000,
        "random_state": 3,
        "warm_start": None,
        "beam_width": 7,
        "n_jobs": 2,
    }
    names = search.problem.names
    assert all(" and " not in name and "!=" not in name for name in names)
    assert len([name for name in names if name.startswith("age <=")]) == 2  # of the quartiles, .75 is beyond .7


GOOD = "a,b,y\n" + "1,p,0\n2,q,1\n3,p,1\n4,q,0\n" * 5


@pytest.mark.parametrize(("content", "expected"), [(b"", "is empty"), (b'"a\x1b[31m\n",y\n1,0\n2,1\n3,inf\n', "y")])
def test_bad_data_are_one_line_and_status_2(content: bytes, expected: str, tmp_path: Path, capsys):
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    err = refused(capsys, expected, "fit", path, "--target", "y")
    assert err.startswith("rulelab fit: error: ")
    assert err.rstrip("\n").isprintable()


@pytest.mark.parametrize(("arguments", "expected"), refusals("fit"))
def test_bad_options_are_one_line_and_status_2(arguments: tuple[str, ...], expected: str, tmp_path, capsys):
    path = tmp_path / "data.csv"
    path.write_text(GOOD)
    refused(capsys, expected, "fit", path, *arguments)


@pytest.mark.parametrize("arguments", [("conquer",), ("serve", "--port", "70000"), ("serve", "now")])
def test_bad_commands(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]):
    refused(capsys, "error: ", *arguments)


def test_a_model_that_cannot_be_written_is_status_1(loans: Path, tmp_path, capsys, monkeypatch):
    def full(self: Path, *args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    out, err = output_of(capsys, "fit", loans, "--target", "paid", "-o", tmp_path / "model.json", status=1)
    assert "certified optimal" in out
    assert "cannot be written: No space left on device" in err


def interrupted(sign: str, *command: object) -> tuple[str, str]:
    """What a command prints on both streams that ends well on Ctrl-C, pressed once it has said the sign."""
    process = start(*command)
    assert process.stderr is not None
    for line in process.stderr:
        if sign in line:
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    return out, err


@pytest.mark.long
def test_ctrl_c_stops_the_search_and_reports_the_gap(noise: Path, tmp_path: Path):
    arguments = (noise, "--target", "y", "--max-conditions", 1, "--regularization", 0.003)
    out, _ = interrupted("objective", "fit", *arguments, "--time-limit", 120, "-o", tmp_path / "model.json")
    assert "not certified (interrupted): objective" in out
    assert re.search(r"the gap is 0\.[0-9]{4,}$", out, re.MULTILINE)
    model = rl.load_model(tmp_path / "model.json")
    assert len(model.rules) >= 1
    assert model.provenance.status == "limit"
    assert model.provenance.lower_bound < model.provenance.objective


def test_datasets_are_listed(capsys: pytest.CaptureFixture[str]):
    status, out, _ = run(capsys, "datasets")
    lines = out.splitlines()
    assert status == 0
    assert lines[0].split() == ["name", "where", "rows", "features", "positive", "%", "target", "sensitive"]
    assert [line.split()[0] for line in lines[1 : len(rl.datasets.names()) + 1]] == list(rl.datasets.names())
    assert len({line.index(n) + len(n) for line, n in zip(lines[1:4], ("569", "442", "958"), strict=True)}) == 1


def test_benchmarks_are_listed(capsys: pytest.CaptureFixture[str]):
    out, _ = output_of(capsys, "bench")
    assert {"peers", "rule-list"} <= set(out.strip().removeprefix("benchmarks: ").split(", "))
    assert "rule-list" in refused(capsys, "the benchmarks are", "bench", "nothing")


@pytest.mark.long
def test_serve_answers_until_ctrl_c():
    port = free_port()
    process = start("serve", "--port", port)
    try:
        body = _fetched(f"http://127.0.0.1:{port}/", process)
        assert "rulelab" in body
        second = start("serve", "--port", port)
        out, err = second.communicate(timeout=PATIENCE)
        assert (second.returncode, err.count("\n")) == (1, 1), err
        assert "already in use" in err
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
        assert str(port) in out
        assert "Traceback" not in err
    finally:
        process.kill()
        process.wait()


def _fetched(url: str, process: subprocess.Popen[str]) -> str:
    found: list[str] = []

    def answers() -> bool:
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                found.append(answer.read().decode())
        except OSError:
            assert process.poll() is None, process.communicate()
        return bool(found)

    wait_until(answers, 0.2)
    return found[0]


def test_a_closed_pipe_is_no_traceback():
    command = f'"{sys.executable}" -m rulelab fit --help | head -n 1; "{sys.executable}" -m rulelab datasets | true'
    bash = ["bash", "-c", command]
    done = subprocess.run(bash, capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE, check=False)
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_one_line() -> None:
    assert output.one_line("a\nb\t c\x1b[0m\u202e") == "a b c\\x1b[0m\\u202e"


@pytest.mark.parametrize(("words", "said"), refusals("near"))
def test_what_is_misspelt_is_named_with_what_is_near(words: tuple[str, ...], said: str, loans: Path, capsys):
    refused(capsys, said.replace("LOANS", str(loans)), *(str(loans) if word == "LOANS" else word for word in words))


def test_alone_it_helps_and_help_names_every_policy(capsys: pytest.CaptureFixture[str]):
    out, err = output_of(capsys)
    assert ("fit" in out, err) == (True, "")
    out, _ = output_of(capsys, "fit", "--help")
    assert all(policy in out for policy in POLICIES)


@pytest.mark.long
def test_a_table_comes_by_the_standard_input_and_a_warning_is_one_line_of_its_own():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((400, 20)), columns=[f"c{j}" for j in range(20)])
    table = frame.assign(y=(frame["c0"] > 0.5).astype(int)).to_csv(index=False)
    command = [sys.executable, "-m", "rulelab", "sweep", "-", "--target", "y", "--vary", "regularization=.2"]
    done = subprocess.run([*command, "--folds", "2"], input=table, capture_output=True, text=True, check=True)
    assert "certified: each rule list is optimal for its training rows" in done.stdout
    assert "note: rules have at most 1 condition, not 2" in done.stderr
    assert "Warning" not in done.stderr


with Path(__file__).with_name("fits.csv").open(encoding="utf-8") as _file:
    FITS = [(row["model"], row["words"].split(), row["said"]) for row in csv.DictReader(_file)]


@pytest.mark.parametrize(("model", "options", "expected"), FITS)
def test_every_family_is_fitted_and_saved(model, options, expected, people, tmp_path, capsys):
    saved = tmp_path / "model.json"
    asked = ("--target", "paid", "--sensitive", "sex", "--model", model, *options)
    out, _ = output_of(capsys, "fit", people, *asked, "-o", saved)
    assert re.search(expected, out)
    assert "paid = yes" in out
    loaded = rl.load_model(saved)
    assert loaded.family == MODELS[model].name
    assert set(loaded.predict(pd.read_csv(people))) <= {"yes", "no"}


@pytest.mark.parametrize(("options", "expected"), refusals("families"))
def test_options_of_another_family_are_refused(options, expected, tmp_path, capsys):
    path = tmp_path / "data.csv"
    path.write_text("a,b,y\n" + "1,0,1\n0,1,0\n1,1,1\n0,0,0\n" * 5)
    refused(capsys, expected, "fit", path, "--target", "y", *options, told=True)


def test_the_first_help_has_the_commands_of_the_first_week_by_what_one_does(capsys: pytest.CaptureFixture[str]):
    out, _ = output_of(capsys, "--help")
    first = re.findall(r"^  ([a-z][a-z-]+) {2,}\S", out, re.MULTILINE)
    assert 11 <= len(first) <= 13
    assert len(re.findall(r"^[a-z ]+:$", out, re.MULTILINE)) >= 3
    rest = re.search(r"to study searches: (.*)", out)
    assert rest is not None
    assert {*first, *rest[1].split(", ")} == set(COMMANDS)
    assert output_of(capsys)[0] == out
