"""``rulelab runs``, ``doctor`` and ``examples``."""

import importlib.metadata
import json
import re
import runpy
from pathlib import Path

import pandas as pd
import pytest
from command_line import output_of, refusals, refused, run
from laws import replaced
from live import recorded, small_search
from places import ROOT
from sklearn.datasets import load_iris

import rulelab as rl
from rulelab.cli import examples
from rulelab.cli.commands import main
from rulelab.kernels.mining import mine_pairs
from rulelab.store import HOME_VARIABLE


@pytest.fixture
def kept(tmp_path: Path, monkeypatch) -> list[str]:
    """Hashes of two runs in the default store, the later one last."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    recording = recorded(small_search(), work_limit=1000)
    with rl.store.open() as store:
        return [store.save(recording, name=name, data_name="noise").hash for name in ("first", "an\x1b[31mother")]


def test_runs_are_listed_and_shown(kept, capsys) -> None:
    out, _ = output_of(capsys, "runs", "list")
    assert out.index(kept[1][:12]) < out.index(kept[0][:12])
    assert "\x1b" not in out
    assert "2 runs in" in out
    (entry,) = json.loads(output_of(capsys, "runs", "list", "first", "noise", "--json")[0])
    assert entry["hash"] == kept[0]
    out, _ = output_of(capsys, "runs", "show", kept[0][:8])
    assert kept[0] in out
    assert "if" in out
    assert entry["status"] in out


def test_runs_are_exported_deleted_brought_back_and_imported(kept, capsys, tmp_path: Path) -> None:
    archive = str(tmp_path / "runs.zip")
    assert main(["runs", "export", "-o", archive]) == 0
    assert main(["runs", "delete", kept[0][:12]]) == 0
    assert kept[0] not in output_of(capsys, "runs", "list", "--json")[0].replace(kept[0] + "\n", "", 1)
    assert main(["runs", "delete", "--undo", kept[0]]) == 0
    output_of(capsys, "runs", "delete", "--forever", *kept)
    other = ["--store", str(tmp_path / "other.sqlite")]
    for store in ([], other):
        assert sorted(output_of(capsys, "runs", "import", archive, *store)[0].split()) == sorted(kept)


@pytest.mark.parametrize(("arguments", "said"), refusals("runs", THIS=[__file__]))
def test_what_is_wrong_is_said_in_one_line(kept, capsys, arguments, said) -> None:
    refused(capsys, said, "runs", *arguments)


def test_doctor_says_where_runs_are_kept(kept, capsys, tmp_path: Path) -> None:
    place = tmp_path / "home" / "runs.sqlite"
    assert main(["doctor"]) == 0
    assert re.search(rf"^ok +kept runs +2 in {re.escape(str(place))}", capsys.readouterr().out, flags=re.MULTILINE)
    place.write_text("something else")
    assert re.search(rf"^kept runs: .*{HOME_VARIABLE}", output_of(capsys, "doctor", status=1)[0], flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ([], "home/runs.sqlite"),
        (["--store", "none"], None),
        (["--store", "mine.sqlite"], "mine.sqlite"),
        (["--address", "0.0.0.0"], None),
        (["--address", "0.0.0.0", "--store", "mine.sqlite"], "mine.sqlite"),
        (["--address", "localhost"], "home/runs.sqlite"),
        (["--demo"], None),
    ],
    ids=str,
)
def test_the_page_keeps_its_runs_where_it_is_told_to(tmp_path: Path, monkeypatch, capsys, arguments, place) -> None:
    from rulelab.views.kept_runs.keeping import keeper

    found = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))

    def serve(begun, **options) -> None:
        found.append(keeper() and keeper().store.place)
        begun()

    monkeypatch.setattr(rl.views, "serve", serve)
    assert main(["serve", *arguments]) == 0
    assert found == [None if place is None else str(tmp_path / place)]
    assert keeper() is None
    said = capsys.readouterr().err
    assert ("runs are not kept" in said) == (place is None)
    assert ("for all visitors" in said) == (arguments in (["--address", "0.0.0.0"], ["--demo"]))
    assert (tmp_path / "home").exists() == (place == "home/runs.sqlite")


def test_a_store_that_cannot_be_used_ends_serve_with_the_reason(tmp_path: Path, capsys) -> None:
    _, err = output_of(capsys, "serve", "--store", __file__, status=2)
    assert "no SQLite file" in err
    assert "--store none" in err


def test_a_fit_is_kept_with_its_proof_and_its_rows(tmp_path: Path, monkeypatch, capsys) -> None:
    from rulelab.views.kept_runs.keeping import evidence

    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    rows = "".join(f"{k % 7},{'ab'[k % 2]},{int(k % 7 > 3)}\n" for k in range(60))
    (tmp_path / "people.csv").write_text(f"age,town,y\n{rows}")
    data = ["fit", str(tmp_path / "people.csv"), "--target", "y", "--regularization", "0.02", "--quiet"]
    assert main([*data, "--keep", "first one"]) == 0
    assert main(["fit", "tic_tac_toe", "--max-conditions", "1", "--regularization", "0.02", "--keep"]) == 0
    assert ", with its proof" in capsys.readouterr().err
    with rl.store.open() as store:
        named, own = store.runs()
        assert (own.name, own.status, named.data, named.name) == ("first one", "optimal", "tic_tac_toe", "")
        assert own.settings["Model family"] == "rule list"
        assert "rows" in own.files
        assert "rows" not in named.files
        proof = store.proof(own)
        frame = pd.read_csv(tmp_path / "people.csv")
        problem = proof.origin.problem(frame[["age", "town"]], frame["y"])
        assert rl.verify(problem, store.model(own), proof).valid
        given = evidence(store, named.hash)
        assert (given.rows, given.proof) == (None, store.file(named, "proof"))
    refused(capsys, "add --keep", *data, "--store", tmp_path / "x.sqlite")
    refused(capsys, "no SQLite file", *data, "--keep", "--store", __file__)
    assert main([*data, "--max-length", "1", "--keep", "short"]) == 0
    assert main([*data, "--must-use", "town", "--max-uses", "age:1", "--keep", "asked"]) == 0
    assert main([*data, "--weight", "age", "--keep", "weighted"]) == 0
    with rl.store.open() as store:
        (short,), (asked,), (weighted,) = (store.runs(name) for name in ("short", "asked", "weighted"))
        for run in (short, asked):
            assert rl.verify(problem, store.model(run), store.proof(run)).valid
        assert short.settings["Rules, at most"] == "1"
        assert (asked.settings["Must use"], asked.settings["Conditions on a column, at most"]) == ("town", "age: 1")
        assert weighted.proof is None
        with pytest.raises(rl.store.StoreError, match="no proof is kept"):
            evidence(store, weighted.hash)


def test_a_proof_that_is_interrupted_loses_neither_model_nor_run(tmp_path: Path, monkeypatch, capsys) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    monkeypatch.setattr(rl.RuleListSearch, "certificate", interrupted)
    model, proof = tmp_path / "model.json", tmp_path / "proof.npz"
    fit = ["fit", "tic_tac_toe", "--max-conditions", "1", "--regularization", "0.02", "--keep", "without"]
    out, err = output_of(capsys, *fit, "-o", model, "--proof", proof, status=1)
    assert "certified optimal" in out
    assert "Ctrl-C goes on without it" in err
    assert "no proof is saved: its making was interrupted after 0 s" in err
    assert model.is_file()
    assert not proof.exists()
    with rl.store.open() as store:
        (run,) = store.runs("without")
        assert run.status == "optimal"
        assert "proof" not in run.files


NOTEBOOKS = ROOT / "notebooks"


def test_all_is_well_here(capsys) -> None:
    out, _ = output_of(capsys, "doctor")
    assert out.endswith("all is well\n")
    for what in ("python", "numba", "compiled kernels", "data sets", "search (tic_tac_toe)", "its proof"):
        assert f"ok  {what}" in out


def test_packages_that_are_old_or_not_there_and_a_search_that_fails_are_findings(capsys, monkeypatch) -> None:
    known = importlib.metadata.version

    def version(name: str) -> str:
        if name == "pooch":
            raise importlib.metadata.PackageNotFoundError(name)
        return "0.60.0" if name == "numba" else known(name)

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no\nkernel")

    monkeypatch.setattr(importlib.metadata, "version", version)
    monkeypatch.setattr(rl.RuleListSearch, "compile", broken)
    out, _ = output_of(capsys, "doctor", status=1)
    assert "wrong  numba" in out
    assert re.search(r"\nnumba: rulelab needs numba\S*>=0.63\S*: install that\n", out)
    assert "is not installed" in out
    assert "RuntimeError: no kernel" in out
    assert "3 of " in out


def test_a_cache_that_cannot_be_written_is_named(capsys, monkeypatch, tmp_path) -> None:
    place = tmp_path / "a file"
    place.write_text("")
    stats = replaced(mine_pairs.stats, cache_path=str(place / "kernels"))
    monkeypatch.setattr(type(mine_pairs), "stats", property(lambda self: stats))
    assert "NUMBA_CACHE_DIR" in output_of(capsys, "doctor", status=1)[0]


def test_examples_are_listed_by_their_headings(capsys) -> None:
    out, _ = output_of(capsys, "examples", "--list")
    for path in NOTEBOOKS.glob("*.ipynb"):
        assert path.name in out
        assert examples.title_of(path) in out


def test_examples_are_copied_and_nothing_is_overwritten_unasked(capsys, tmp_path) -> None:
    folder = tmp_path / "mine"
    assert main(["examples", str(folder), "--benchmarks"]) == 0
    copied = folder / "notebooks" / "01_quick_start.ipynb"
    assert str(copied) in capsys.readouterr().out
    assert json.loads(copied.read_text())["nbformat"] == 4
    assert all((folder / "benchmarks" / name).is_file() for name in ("rule_list.py", "peers.txt"))
    assert runpy.run_path(str(folder / "benchmarks" / "fuzz.py"))["FAMILIES"], "its judges came with it"
    copied.write_text("mine")
    refused(capsys, "--overwrite replaces them", "examples", folder)
    assert copied.read_text() == "mine"
    assert main(["examples", str(folder), "--overwrite"]) == 0
    assert copied.read_text() != "mine"


def test_a_folder_that_cannot_be_written_is_an_error_of_one_line(capsys, tmp_path) -> None:
    (tmp_path / "file").write_text("")
    assert output_of(capsys, "examples", tmp_path / "file", status=1)[1].count("\n") == 1


def test_a_wheel_has_the_notebooks_and_benchmarks_where_the_command_looks() -> None:
    tomllib = pytest.importorskip("tomllib")
    root = NOTEBOOKS.parent
    built = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    included = {root / place: root / target for place, target in built["force-include"].items()}
    assert included == dict(examples.FOLDERS.values())


# ``rulelab fit --several-classes "one list"``: what it prints and saves is what the search gives; refusals ------------
ASKED = ("--several-classes", "one list")
SMALL = ("--thresholds", "3", "--max-conditions", "1", "--regularization", "0.02")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = load_iris(as_frame=True)
    frame = found.data.assign(species=found.target.map(dict(enumerate(found.target_names))), n=2, half=0.5)
    path = tmp_path_factory.mktemp("classes") / "iris.csv"
    frame.to_csv(path, index=False)
    return path


def test_the_list_is_that_of_the_search_and_its_proof_is_checked(capsys, tmp_path: Path, table: Path) -> None:
    out = tmp_path / "model.json"
    columns = ("--weight", "n", "--leave-out", "half")
    status, said, heard = run(capsys, "fit", table, "--target", "species", *ASKED, *SMALL, *columns, "-o", out)
    found = load_iris(as_frame=True)
    conditions = rl.mine_antecedents(rl.Binarizer(thresholds=3).fit_transform(found.data), 1)
    problem = rl.MultiClassProblem.from_antecedents(conditions, found.target_names[found.target])
    best = rl.solve(rl.engines.MultiClassRuleListSearch(problem, 0.02)).incumbent
    assert status == 0, heard
    assert "150 rows, 4 features, 3 classes" in heard
    # each row counts twice
    equation = f"{best.objective:.7f} = {2 * best.errors} errors / a weight of 300 + 0.02 x {best.complexity} rules"
    assert f"certified optimal: objective {equation}" in said
    saved = json.loads(out.read_text())
    assert [rule["prediction"] for rule in saved["rules"]] == [rule.prediction for rule in best.model.rules]
    assert sum(sum(rule["counts"]) for rule in (*saved["rules"], saved["default"])) == 300


def test_a_proof_is_checked_on_the_file(capsys, tmp_path: Path, table: Path) -> None:
    model, proof = tmp_path / "model.json", tmp_path / "proof.npz"
    asked = ("fit", table, "--target", "species", *ASKED, *SMALL, "--leave-out", "half", "-o", model, "--proof", proof)
    assert run(capsys, *asked)[0] == 0
    said, heard = output_of(capsys, "verify", table, model, proof)
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
    _, heard = output_of(capsys, "explain-proof", table, model, proof, "--rule", "n > 1", status=2)
    assert "a list of several classes, where a model of two classes is asked for" in heard


def test_limits_say_what_is_proven(capsys, table: Path) -> None:
    asked = ("fit", table, "--target", "species", *ASKED, *SMALL, "--leave-out", "half", "--quiet")
    status, said, heard = run(capsys, *asked, "--max-length", "1")
    assert (status, heard) == (0, ""), "how wide a petal is, is no leak"
    assert "certified optimal among the lists that have at most 1 rule: objective" in said
    assert "proof" not in said
    said, _ = output_of(capsys, *asked, "--memory-limit", "500B")
    assert "not certified (memory limit reached)" in said
    assert "no rule list of several classes is below 0." in said


@pytest.mark.parametrize(("options", "text"), refusals("several classes"))
def test_what_it_cannot_do_is_refused(capsys, table: Path, options: tuple[str, ...], text: str) -> None:
    refused(capsys, text, "fit", table, "--target", "species", *ASKED, *SMALL, *options)
    refused(capsys, "tic_tac_toe has two classes", "fit", "tic_tac_toe", *ASKED)
