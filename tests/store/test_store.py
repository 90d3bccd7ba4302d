"""Kept runs: what is saved is found again as it was, by whatever road; what is damaged or foreign is refused."""

import contextlib
import io
import re
import sqlite3
import zipfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from live import recorded, small_search
from places import ROOT

import rulelab as rl
from rulelab.store import LARGEST_BUNDLE, StoreError, database
from rulelab.store import run as run_module


@pytest.fixture(scope="module")
def recording() -> rl.Recording:
    out = recorded(small_search(), work_limit=10_000)
    assert out.snapshots[-1].status is rl.Status.OPTIMAL
    return out


@pytest.fixture(scope="module")
def proof() -> rl.Certificate:
    search = small_search()
    rl.solve(search)
    return search.certificate()


def sql(place: str | Path, *commands: str, **values: object) -> None:
    """Commands, in which names with a colon before them stand for values."""
    with contextlib.closing(sqlite3.connect(place)) as bare:
        for command in commands:
            bare.execute(command, values)
            bare.commit()


def test_what_is_saved_is_found_again(store, recording, proof, tmp_path: Path) -> None:
    run = store.save(recording, name="  first \n run ", query="family=rule_list", data_name="noise", proof=proof)
    last = recording.snapshots[-1]
    with rl.store.open(tmp_path / "runs.sqlite") as again:
        found = again.run(run.hash)
        assert found == run
        assert Path(again.place).stat().st_mode & 0o077 == 0, "only its owner reads the file"
        assert (found.name, found.data, found.query) == ("first run", "noise", "family=rule_list")
        figures = (found.status, found.objective, found.lower_bound)
        assert figures == ("optimal", last.incumbent.objective, last.lower_bound)
        assert found.gap == 0
        assert again.model(run) == last.incumbent.model
        expected = rl.Recording.from_bytes(recording.to_bytes())
        assert again.recording(run).frame.equals(expected.frame)
        assert again.recording(run.hash[:10]).tree_at(3).equals(expected.tree_at(3))
        curve, expected = again.trace(run), recording.frame
        for name in ("step", "work", "seconds", "objective", "lower_bound", "gap"):
            assert curve[name].tolist() == expected[name].tolist(), name
        problem = small_search().problem
        assert rl.verify(problem, again.model(run), again.proof(run)).valid


def test_rows_are_kept_where_they_are_few_and_always_their_hash(store, recording, monkeypatch) -> None:
    data = rl.datasets.load("tic_tac_toe")
    run = store.save(recording, data=data, test_rows=[0, 1, 2])
    found = pd.read_csv(io.BytesIO(store.file(run, "rows")))
    assert found.drop(columns="class").equals(data.X.iloc[3:].reset_index(drop=True))
    assert (found["class"] == str(data.positive)).astype(int).tolist() == data.y.iloc[3:].tolist()
    assert run.rows == len(data.y)
    monkeypatch.setattr("rulelab.store.kept_table.LARGEST_ROWS", 1000)
    without = store.save(recording, data=data)
    assert "rows" not in without.files
    assert without.data_hash == run.data_hash
    assert "only their hash" in without.notes[0]
    other = replace(data, y=1 - data.y)
    assert store.save(recording, data=other, keep_rows=False).data_hash != run.data_hash


def test_rules_are_counted_and_accuracy_is_that_of_all_rows(store) -> None:
    data = rl.datasets.load("tic_tac_toe")
    bits = rl.Binarizer().fit_transform(data.X)
    recording = recorded(rl.RuleSetSearch(rl.Problem.from_arrays(bits, data.y), max_complexity=9), time_limit=1)
    model = recording.snapshots[-1].incumbent.model
    run = store.run(store.save(recording, data=data).hash)
    assert run.n_rules == len(model.rules) < model.complexity == run.complexity
    assert run.accuracy == pytest.approx((model.predict(bits) == data.y).mean(), abs=1e-12)
    split = store.save(recording, data=data, test_rows=[0, 1])
    assert split.accuracy is None, "a training figure among test figures"
    assert split.training_accuracy == 1 - recording.snapshots[-1].incumbent.errors / (len(data.y) - 2)
    assert split.test_accuracy == (model.predict(bits) == data.y)[:2].mean()
    assert "accuracy" not in replace(run, n_rules=None, accuracy=None).about, "older runs keep their hash"
    for name in ("accuracy", "training_accuracy", "test_accuracy"):
        with pytest.raises(StoreError, match="the accuracy"):
            replace(run, **{name: 1.5})


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_kept_out_are_predicted_by_the_model(store, weighted) -> None:
    data = rl.datasets.load("diabetes")
    out, weight = np.arange(len(data.y)) % 3 == 0, pd.Series(np.arange(len(data.y)) % 4)
    data = replace(data, weight=weight if weighted else None)
    bits = rl.Binarizer().fit(data.X[~out]).transform(data.X[~out])
    problem = rl.Problem.from_arrays(bits, data.y[~out], sample_weight=weight[~out] if weighted else None)
    recording = recorded(rl.RuleListSearch(problem, 0.05))
    run = store.run(store.save(recording, data=data, test_rows=np.flatnonzero(out)).hash)
    right = recording.snapshots[-1].incumbent.model.predict(data.X)[out] == data.y[out]
    counts = weight[out] if weighted else np.ones(out.sum())
    assert run.test_accuracy == pytest.approx((right * counts).sum() / counts.sum(), abs=1e-12)


def test_search_rename_delete_and_bring_back(store, recording) -> None:
    first = store.save(recording, name="one", data_name="mushrooms")
    second = store.save(recording, name="two%", settings={"policy": "curiosity"})
    assert [run.name for run in store.runs()] == ["two%", "one"]
    both = ["two%", "one"]
    for words, names in (("MUSH", ["one"]), ("one mush", ["one"]), ("one curio", []), ("%", ["two%"]), ("_", both)):
        assert [run.name for run in store.runs(words)] == names, words
    store.rename(second, "<b>three</b>")
    assert (store.run(second).name, store.run(second).hash) == ("<b>three</b>", second.hash)
    store.delete(first)
    assert [run.hash for run in store.runs()] == [second.hash]
    assert [run.hash for run in store.runs(deleted=True)] == [first.hash]
    store.restore(first)
    assert len(store.frame()) == 2
    store.delete(first, forever=True)
    with pytest.raises(StoreError, match="no run begins"):
        store.run(first.hash)
    assert store.model(second) == recording.snapshots[-1].incumbent.model, "the file that both had is still there"
    after = store.save(recording, instead_of=second.hash)
    assert [(run.hash, run.name) for run in store.runs()] == [(after.hash, "<b>three</b>")], "a later state of it"


def test_deleted_runs_are_forgotten_after_a_week(store, recording, tmp_path: Path) -> None:
    old, young = store.save(recording, name="old"), store.save(recording, name="young")
    for run in (old, young):
        store.delete(run)
    sql(store.place, f"UPDATE runs SET deleted = '2020-01-01' WHERE hash = '{old.hash}'")
    with rl.store.open(store.place) as again:
        assert [run.name for run in again.runs(deleted=True)] == ["young"]


def test_an_archive_holds_everything_and_brings_it_elsewhere(store, recording, proof, tmp_path: Path) -> None:
    runs = [store.save(recording, name="one", data=rl.datasets.load("tic_tac_toe")), store.save(recording, name="two")]
    store.add_proof(runs[0], proof)
    raw = store.export(tmp_path / "runs.zip", runs)
    with rl.store.open(tmp_path / "other.sqlite") as other:
        assert other.take(tmp_path / "runs.zip") == [store.run(run) for run in runs]
        assert (other.export(None, runs), other.take(raw)) == (raw, [])
        other.delete(runs[0])
        other.take(raw)
        assert (len(other.runs()), other.proof(runs[0]).fingerprint) == (2, proof.fingerprint)


def changed(raw: bytes, name: str, new: bytes | None) -> bytes:
    """The archive with another content of one of its members, or without it."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(out, "w") as made:
        for member in old.namelist():
            if not member.endswith(name):
                made.writestr(member, old.read(member))
            elif new is not None:
                made.writestr(member, new)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "new", "reason"),
    [
        ("model.json", b"{}", "not what its hash says"), ("run.rulelab", None, "lacks"),
        ("run.json", b"[]", "something else than a run"),
        ("run.json", b'{"about": "{}", "name": 3}', "not what its hash says"),
        ("run.json", None, "holds no run"), ("proof.npz", b"PK", "not a certificate"),
        ("trace.csv", b"x", "not what its hash says"),
    ],
)  # fmt: skip
def test_a_damaged_archive_is_refused_as_a_whole(store, recording, proof, tmp_path, name, new, reason) -> None:
    raw = store.export(None, [store.save(recording, proof=proof)])
    with rl.store.open(tmp_path / "other.sqlite") as other:
        with pytest.raises(StoreError, match=reason):
            other.take(changed(raw, name, new))
        assert other.runs() == []


def test_what_is_no_archive_is_refused(store) -> None:
    for raw in (b"", b"nothing", b"PK\x05\x06" + bytes(18)):
        with pytest.raises(StoreError, match="archive"):
            store.take(raw)
    with pytest.raises(StoreError, match="larger"):
        store.take(bytes(LARGEST_BUNDLE + 1))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", bytes(LARGEST_BUNDLE + 1))
    with pytest.raises(StoreError, match="unpacks to more"):
        store.take(out.getvalue())


def test_a_file_of_something_else_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    text, empty, other = tmp_path / "notes.txt", tmp_path / "empty", tmp_path / "other.sqlite"
    text.write_text("dear diary")
    empty.touch()
    sql(other, "CREATE TABLE runs (hash TEXT)", "INSERT INTO runs VALUES ('mine')")
    for file, reason in ((text, "no SQLite file"), (empty, "no SQLite file"), (other, "something else than rulelab")):
        before = file.read_bytes()
        with pytest.raises(StoreError, match=reason):
            rl.store.open(file)
        assert file.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "notes.txt", "other.sqlite"]


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("CREATE TABLE more (x)", "which rulelab has not made"),
        ("CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM files; END", "which rulelab has not made"),
        ("CREATE VIEW v AS SELECT * FROM runs", "which rulelab has not made"),
        ("ALTER TABLE runs ADD COLUMN x", "not as it was"), ("DROP TABLE parts", "not as it was"),
        ("DROP TABLE rulelab_schema", "says no version"),
        ("UPDATE rulelab_schema SET version = 1000", "newer rulelab"),
        ("UPDATE rulelab_schema SET version = 'x'", "its version is"),
        ("INSERT INTO rulelab_schema VALUES (1)", "its version is"),
    ],
)  # fmt: skip
def test_tables_that_are_not_as_they_should_be_are_refused(store, tmp_path: Path, command: str, reason: str) -> None:
    sql(store.place, command, "PRAGMA wal_checkpoint(TRUNCATE)")
    before = Path(store.place).read_bytes()
    with pytest.raises(StoreError, match=reason):
        rl.store.open(store.place)
    assert Path(store.place).read_bytes() == before


def test_a_file_with_a_damaged_page_is_refused_and_left_as_it_is(store, recording, tmp_path: Path) -> None:
    store.save(recording)
    sql(store.place, "PRAGMA wal_checkpoint(TRUNCATE)")
    damaged = tmp_path / "damaged.sqlite"
    raw = bytearray(Path(store.place).read_bytes())
    raw[4096:] = b"\xff" * (len(raw) - 4096)
    damaged.write_bytes(raw)
    with pytest.raises(StoreError, match="damaged, and is left as it is"):
        rl.store.open(damaged)
    assert damaged.read_bytes() == raw


@pytest.mark.parametrize("about", ["", "{}", "[]", '{"format": "rulelab run"}', "[" * 1000, '{"a": 1, "a": 2}', "NaN"])
def test_a_damaged_run_is_told_of_and_the_others_are_there(store, recording, about: str) -> None:
    good, bad = store.save(recording, name="good"), store.save(recording, name="bad")
    for key in (bad.hash, run_module.digest(about.encode())):  # with its old hash, and with one that fits
        sql(store.place, "UPDATE runs SET about = :about, hash = :key WHERE name = 'bad'", about=about, key=key)
        assert [run.hash for run in store.runs()] == [good.hash]
        assert len(store.damaged()) == 1
        with pytest.raises(StoreError, match=r"damaged|cannot be read"):
            store.run(key)


def test_a_damaged_file_of_a_run_is_refused(store, recording) -> None:
    run = store.save(recording)
    sql(store.place, f"UPDATE files SET content = X'00' WHERE hash = '{run.files['model']}'")
    sql(store.place, f"DELETE FROM files WHERE hash = '{run.files['recording']}'")
    for kind, reason in (("model", "is damaged"), ("recording", "is not there"), ("proof", "no proof is kept")):
        with pytest.raises(StoreError, match=reason):
            store.file(run, kind)
    with pytest.raises(StoreError):
        store.export(None, [run])


@pytest.mark.parametrize(
    "change",
    [
        {"status": "optimal", "lower_bound": 0.0}, {"status": "proven"},
        {"lower_bound": 2.0, "status": "limit"}, {"objective": float("nan")}, {"objective": True}, {"work": -1},
        {"seconds": "1"}, {"made": "yesterday"}, {"files": {"model": "../../etc/passwd"}},
        {"files": {"virus": "0" * 64}}, {"settings": {"a": 1}}, {"data": 3}, {"name": "x" * 5000},
    ],
    ids=str,
)  # fmt: skip
def test_what_no_run_can_be_is_refused(store, recording, change) -> None:
    run = store.save(recording)
    with pytest.raises(StoreError, match="a run cannot have"):
        replace(run, **change)


def test_who_writes_too_long_is_told_of(store, recording, monkeypatch) -> None:
    monkeypatch.setitem(database.SQLITE_OPTIONS["connect_args"], "timeout", 0.05)
    with rl.store.open(store.place) as other:
        with (
            database.Database(str(store.place)).writing(),
            pytest.raises(StoreError, match="being written by another process"),
        ):
            other.save(recording)
        assert other.runs() == []
        other.save(recording)
    assert len(store.runs()) == 1


def test_nothing_of_a_write_that_fails_is_kept(store, recording, monkeypatch) -> None:
    insert = database.insert_file

    def broken(connection, run, kind, content) -> None:
        if kind == "model":
            raise OSError("half-way")
        insert(connection, run, kind, content)

    monkeypatch.setattr(database, "insert_file", broken)
    with pytest.raises(OSError, match="half-way"):
        store.save(recording)
    with contextlib.closing(sqlite3.connect(store.place)) as bare:
        assert list(bare.execute("SELECT count(*) FROM files")) == [(0,)]


def test_urls_that_are_no_store_are_refused_without_their_password() -> None:
    none = ("nodatabase://x", "://", "sqlite://", "sqlite:///:memory:", "sqlite:///x?mode=ro")
    for url in (*none, "postgresql+nodriver://user:secret@host/name"):
        with pytest.raises(StoreError) as caught:
            rl.store.open(url)
        assert "secret" not in str(caught.value)


def test_the_default_place_is_the_folder_that_is_named(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv(rl.store.HOME_VARIABLE, str(tmp_path / "deep" / "folder"))
    with rl.store.open() as store:
        assert store.place == str(tmp_path / "deep" / "folder" / "runs.sqlite")
    monkeypatch.delenv(rl.store.HOME_VARIABLE)
    assert "rulelab" in rl.store.default_url()


def test_what_the_book_shows_in_python_works(recording, proof, tmp_path: Path, monkeypatch) -> None:
    page = ROOT / "notebooks" / "book" / "page.md"
    (code,) = re.findall(r"```py\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    search = SimpleNamespace(certificate=lambda: proof)
    found = {"rl": rl, "recording": recording, "data": rl.datasets.load("tic_tac_toe"), "search": search}
    exec(code, found)
    with rl.store.open("elsewhere.sqlite") as other:
        assert other.take("runs.zip") == [found["run"]]


def test_names_are_kept_as_every_database_takes_them(tmp_path) -> None:
    recording = recorded(small_search(), work_limit=10)
    with rl.store.open(tmp_path / "runs.sqlite") as store:
        run = store.save(recording, name="a\x00b", data_name="half \ud800")
        assert (run.name, run.data) == ("ab", "half ?")
        assert store.rename(run, "\udfff\x00").name == "?"
        assert store.runs("h\x00alf") == [store.run(run.hash)]
