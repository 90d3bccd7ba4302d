"""Embedded, cached and downloaded data sets, and the normalisers, on made-up files in the sources' own formats."""

import dataclasses
import gzip
import hashlib
import io
import json
import pickle
import socket
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import python

from rulelab import datasets
from rulelab.datasets import DatasetError, cache, normalise
from rulelab.datasets.normalise import LOADERS, RECORDS, Record

FOLDER = Path(__file__).with_name("raw")
"""A file, or a folder of what is in an archive, for each source, and the table that is made of it."""
_ARCHIVES = {"bank_full": "bank", "bank_marketing": "bank"}
"""Of the data sets that come from one archive."""


def small_record(name: str, csv: bytes, url: str) -> Record:
    """The record of a data set as if it consisted of that CSV and were found there."""
    return dataclasses.replace(RECORDS[name], url=url, sha256=hashlib.sha256(csv).hexdigest())


def zipped(**members: bytes) -> bytes:
    """A zip archive of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def _packed(folder: Path) -> bytes:
    """The archive of a folder, in which folders whose names say so are archives again."""
    inner = [path for path in folder.iterdir() if path.suffix == ".zip"]
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not set(inner) & set(path.parents)]
    members = {str(path.relative_to(folder)): path.read_bytes() for path in files}
    return zipped(**members, **{path.name: _packed(path) for path in inner})


def _raw(name: str) -> bytes:
    folder = FOLDER / _ARCHIVES.get(name, name)
    if folder.is_dir():
        return _packed(folder)
    content = folder.with_suffix(".raw").read_bytes()
    return gzip.compress(content) if name == "musk" else content


NORMALISED = {path.stem: (_raw(path.stem), path.read_bytes().decode()) for path in sorted(FOLDER.glob("*.csv"))}
COMPAS_RAW = NORMALISED["compas"][0]
BUPA = (FOLDER / "liver" / "bupa.data").read_bytes()
LIVER = (FOLDER / "liver.csv").read_bytes()
NOT_SHARED = {"german", "pima", "ilpd", "heloc"}
"""Of which no file is beside the project."""


# known data sets ------------------------------------------------------------------------------------------------------
STORED = [name for name, record in RECORDS.items() if not record.embedded]
SHARED = [name for name in STORED if name not in NOT_SHARED]
EMBEDDED = [name for name, record in RECORDS.items() if record.embedded]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty folder of cached data sets."""
    folder = tmp_path / "home"
    monkeypatch.setenv("RULELAB_DATA_HOME", str(folder))
    return folder


@pytest.fixture
def shared_home(shared, monkeypatch):
    monkeypatch.setenv("RULELAB_DATA_HOME", str(shared / "data"))
    return shared / "data"


# embedded ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", EMBEDDED)
def test_embedded_sets_are_as_registered_and_need_no_folder(name, home):
    d, record = datasets.load(name), RECORDS[name]
    assert (len(d.X), d.X.shape[1], int(d.y.sum())) == (record.rows, record.features, record.positives)
    assert (d.y.name, d.y.dtype, set(d.y)) == (record.target, np.dtype("int64"), {0, 1})
    assert d.positive == record.positive
    assert record.target not in d.X
    assert not d.X.isna().any(axis=None)
    assert not home.exists()


def test_diabetes_target_is_above_the_third_quartile():
    from sklearn.datasets import load_diabetes

    progression = load_diabetes().target
    d = datasets.load("diabetes")
    assert d.y.tolist() == (progression > np.quantile(progression, 0.75)).astype(int).tolist()
    assert d.sensitive is not None
    assert d.sensitive["sex"].value_counts().to_dict() == {"group 1": 235, "group 2": 207}
    assert list(d.X.columns[:2]) == ["age", "sex"]
    assert datasets.load("diabetes", keep_sensitive=False).X.shape[1] == 9


def test_tic_tac_toe_equals_the_uci_file(shared):
    theirs = gzip.decompress((shared / "data" / "tic_tac_toe.csv.gz").read_bytes()).split()
    ours = normalise.to_csv(LOADERS["tic_tac_toe"]()).split()
    assert (ours[0], sorted(ours)) == (theirs[0], sorted(theirs))


def test_the_compas_file_of_the_package_is_the_one_of_the_record():
    csv = normalise.to_csv(LOADERS["compas"]())
    assert hashlib.sha256(csv).hexdigest() == RECORDS["compas"].sha256


# the folder of normalised files -----------------------------------------------------------------------------------
def test_registry_agrees_with_the_manifest(shared):
    manifest = json.loads((shared / "data" / "MANIFEST.json").read_text())
    assert set(manifest) == {*SHARED, "tic_tac_toe", "compas"}
    for name, entry in manifest.items():
        record = RECORDS[name]
        for field in ("rows", "columns", "positives", "target", "positive"):
            assert getattr(record, field) == entry[field], (name, field)
        assert sorted(record.sensitive) == sorted(entry["sensitive"])
        assert name == "tic_tac_toe" or record.sha256 == entry["sha256_csv"]


@pytest.mark.long
@pytest.mark.parametrize("name", SHARED)
def test_stored_sets_load_from_the_folder(name, shared_home):
    d, record = datasets.load(name, download=False), RECORDS[name]
    assert (len(d.X), d.X.shape[1], int(d.y.sum())) == (record.rows, record.features, record.positives)
    assert (d.name, d.target, d.positive, d.y.name) == (name, record.target, record.positive, record.target)
    assert (d.sensitive is None) == (not record.sensitive)
    csv = gzip.decompress((shared_home / record.file).read_bytes())
    assert normalise.to_csv(cache.table(record)) == csv


def test_compas_keeps_scores_and_race_out_of_the_features(shared_home):
    d = datasets.load("compas")
    counts = ["juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"]
    assert list(d.X.columns) == ["sex", "age", *counts, "c_charge_degree"]
    assert d.sensitive is not None
    assert d.extra is not None
    assert list(d.sensitive.columns) == ["race", "sex"]
    assert {"decile_score", "score_text", "days_b_screening_arrest"} <= set(d.extra.columns)
    assert int(d.extra["days_b_screening_arrest"].notna().sum()) == 6907
    assert "race" in datasets.load("compas", keep_sensitive=True).X
    assert "sex" not in datasets.load("compas", keep_sensitive=["race"]).X
    assert "race (not a feature), sex (also a feature)" in d.summary()


def test_names_and_catalogue_say_what_is_where(home):
    names = datasets.names()
    assert (list(names)[: len(EMBEDDED)], {names[n] for n in EMBEDDED}) == (EMBEDDED, {"embedded"})
    assert ({names[n] for n in STORED if n != "heloc"}, names["heloc"]) == ({"download"}, "by hand")
    home.mkdir()
    (home / "liver.csv.gz").write_bytes(b"")
    assert datasets.names()["liver"] == "cached"
    table = datasets.catalogue()
    assert (list(table.index), table.loc["liver", "availability"]) == (list(names), "cached")
    assert (table.loc["compas", "features"], table.loc["compas", "sensitive"]) == (7, "race, sex")


def test_unknown_name_suggests_the_nearest():
    with pytest.raises(DatasetError, match=r"no data set 'Compass'; did you mean 'compas'\?"):
        datasets.load("Compass")


def test_wrong_checksum_is_refused(home):
    home.mkdir()
    path = home / "liver.csv.gz"
    csv = b"mcv,alkphos,sgpt,sgot,gammagt,drinks_gt_2\n85,92,45,27,31,0\n86,54,33,16,54,1\n"
    path.write_bytes(gzip.compress(csv))
    with pytest.raises(DatasetError) as caught:
        datasets.load("liver")
    message = str(caught.value)
    for part in (str(path), hashlib.sha256(csv).hexdigest(), RECORDS["liver"].sha256, "Remove it"):
        assert str(part) in message


@pytest.mark.parametrize("damage", [b"", b"not gzip", gzip.compress(b"a,b\n1,2\n" * 99)[:40]])
def test_damaged_file_is_refused(home, damage):
    home.mkdir()
    (home / "liver.csv.gz").write_bytes(damage)
    with pytest.raises(DatasetError, match=r"liver\.csv\.gz"):
        datasets.load("liver")


def test_default_home_is_the_users_cache(monkeypatch):
    monkeypatch.delenv("RULELAB_DATA_HOME", raising=False)
    assert "rulelab" in datasets.home().parts
    monkeypatch.setenv("RULELAB_DATA_HOME", "~/somewhere")
    assert datasets.home() == Path.home() / "somewhere"


# downloads from a server on this machine --------------------------------------------------------------------------
class Handler(BaseHTTPRequestHandler):
    body = b""
    requests = 0

    def do_GET(self) -> None:
        type(self).requests += 1
        self.send_response(200 if self.body else 404)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *args: object) -> None:
        """No output."""


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    handler = type("OneFile", (Handler,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield handler, f"http://127.0.0.1:{http.server_port}/data"
        http.shutdown()
        thread.join()


def test_download_is_normalised_checked_and_cached(home, server):
    handler, url = server
    handler.body = zipped(**{"Index": b"x", "bupa.data": BUPA})
    record = small_record("liver", LIVER, url)
    frame = cache.table(record)
    assert (normalise.to_csv(frame), [p.name for p in home.iterdir()]) == (LIVER, ["liver.csv.gz"])
    assert gzip.decompress((home / "liver.csv.gz").read_bytes()) == LIVER
    pd.testing.assert_frame_equal(cache.table(record), frame)
    assert handler.requests == 1


def test_changed_source_is_refused_and_not_cached(home, server):
    handler, url = server
    handler.body = zipped(**{"bupa.data": BUPA.replace(b"92", b"93")})
    with pytest.raises(DatasetError, match="has other contents") as caught:
        cache.table(small_record("liver", LIVER, url))
    assert hashlib.sha256(LIVER).hexdigest() in str(caught.value)
    assert not home.exists()


def test_missing_source_says_what_to_do(home, server):
    handler, url = server
    with pytest.raises(DatasetError) as caught:
        cache.table(small_record("liver", LIVER, url))
    for part in (url, "liver.csv.gz", str(home), "RULELAB_DATA_HOME", "UCI repository", "rulelab.datasets.install"):
        assert part in str(caught.value)
    assert handler.requests == 1


def test_offline_and_silent_servers_do_not_hang(home, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        record = small_record("liver", LIVER, f"http://127.0.0.1:{port}/")
        with pytest.raises(DatasetError, match="cannot be fetched"):
            cache.table(record)
        silent.listen()
        with pytest.raises(DatasetError, match=r"cannot be fetched \(ReadTimeout\)"):
            cache.table(record, timeout=(0.2, 0.2))


def test_without_download_nothing_is_fetched(home, server):
    handler, url = server
    with pytest.raises(DatasetError, match="is not cached"):
        cache.table(small_record("liver", LIVER, url), download=False)
    assert handler.requests == 0


def test_folder_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("RULELAB_DATA_HOME", str(tmp_path / "file"))
    with pytest.raises(DatasetError, match="RULELAB_DATA_HOME"):
        cache.install(small_record("liver", LIVER, "http://127.0.0.1/"), LIVER, "liver.csv")


@pytest.mark.parametrize(
    "form", [LIVER, gzip.compress(LIVER), BUPA, gzip.compress(BUPA), zipped(bupa=b"", **{"bupa.data": BUPA})]
)
def test_install_takes_normalised_and_original_files(home, form):
    path = cache.install(small_record("liver", LIVER, "http://127.0.0.1/"), form, "a file")
    assert gzip.decompress(path.read_bytes()) == LIVER


def test_a_file_under_a_licence_is_put_in_place_by_hand_and_known_by_its_size(home, tmp_path):
    raw, csv = NORMALISED["heloc"]
    with pytest.raises(DatasetError, match=r"not cached\. By hand: accept the licence and fetch .*fico\.com"):
        datasets.load("heloc")
    file = tmp_path / "heloc_dataset_v1.csv"
    file.write_bytes(raw)
    with pytest.raises(DatasetError, match="there are 2 rows, 3 columns and 1 of the positive class, expected 10459 r"):
        datasets.install("heloc", file)
    assert not home.exists()
    record = dataclasses.replace(RECORDS["heloc"], rows=2, columns=3, positives=1)
    path = cache.install(record, raw, "a file")
    assert gzip.decompress(path.read_bytes()).decode() == csv
    assert normalise.to_csv(cache.table(record)).decode() == csv
    path.write_bytes(gzip.compress(csv.replace("Good", "Bad").encode()))
    with pytest.raises(DatasetError, match="2 of the positive class, expected 2 rows, 3 columns and 1 of"):
        cache.table(record)


@pytest.mark.parametrize("name", STORED)
def test_install_refuses_anything_else(home, tmp_path, name):
    file = tmp_path / "junk"
    for junk in (b"", b"hello", b"PK\x03\x04junk", b"\x1f\x8bjunk", zipped(other=b"1,2"), b"\xff\xfe" * 9):
        file.write_bytes(junk)
        with pytest.raises(DatasetError, match="junk"):
            datasets.install(name, file)
    assert not home.exists()


def test_install_refuses_embedded_and_missing_files(home, tmp_path):
    with pytest.raises(DatasetError, match="embedded"):
        datasets.install("tic_tac_toe", tmp_path)
    with pytest.raises(DatasetError, match="cannot be read"):
        datasets.install("liver", tmp_path / "absent")


# normalisers, on made-up rows -------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", STORED)
def test_normaliser_on_made_up_rows(home, name):
    raw, csv = NORMALISED[name]
    record = small_record(name, csv.encode(), "http://127.0.0.1/")
    assert cache.to_normalised(record, raw, "a file").decode() == csv
    if RECORDS[name].sha256 is None:
        assert normalise.to_csv(normalise.NORMALISERS[name](csv.encode())).decode() == csv, "known by its size alone"


@pytest.mark.parametrize("name", SHARED)
def test_made_up_files_have_the_columns_of_the_real_ones(name, shared):
    with gzip.open(shared / "data" / f"{name}.csv.gz", "rt") as file:
        real = file.readline().strip().split(",")
    ours = NORMALISED[name][1].partition("\n")[0].split(",")
    if name.startswith("bank_"):
        assert set(ours) <= set(real)
    else:
        assert ours == real


def test_no_personal_data_are_kept_of_compas(home):
    csv = NORMALISED["compas"][1].encode()
    path = cache.install(small_record("compas", csv, "http://127.0.0.1/"), COMPAS_RAW, "a file")
    text = gzip.decompress(path.read_bytes())
    for word in (b"example", b"1970", b"00X", b"Theft"):
        assert word in COMPAS_RAW
        assert word not in text


# the object -------------------------------------------------------------------------------------------------------
def test_dataset_is_frozen_short_and_picklable():
    d = datasets.load("tic_tac_toe")
    with pytest.raises(dataclasses.FrozenInstanceError):
        d.name = "other"  # type: ignore[misc]
    assert repr(d) == "Dataset('tic_tac_toe': 958 rows, 9 features, 626 positive (65.3 %))"
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(d)).X, d.X)
    assert "negative class: negative" in d.summary()


def test_import_is_light():
    code = (
        "import sys, rulelab.datasets as d; d.names; "
        "print([m for m in ('sklearn', 'numba', 'panel', 'bokeh', 'pooch', 'requests') if m in sys.modules])"
    )
    assert python("-c", code) == "[]\n"
