"""Tables as they come: read, described, fitted, predicted and exported; what is refused is refused in words.

Each seed writes a file of columns that the reader has to make sense of. ``RULELAB_SEEDS=100:400`` tries others.
"""

import csv
import gzip
import io
import json
import sys
import warnings
import zipfile
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from command_line import python
from test_across_rooms import SEEDS
from test_certificate_files import archive, npz, text
from test_exchange import doors

import rulelab as rl
from rulelab.datasets import DatasetError
from rulelab.files import load_json
from rulelab.tables import TableError

Rng = np.random.Generator
MARKS = ["", "?", "-", "NA", "n/a", "k.A.", "null", "NaN", "#N/A", "unknown", "."]
NAMES = ["age", "Größe (cm)", "a,b", 'say "x"', "select", "x <= 1", "y y", "Z", "über;alles", "col\nbreak", "1", "=1+1"]
CELLS: dict[str, Callable[[Rng, int], list[str]]] = {
    "whole": lambda rng, n: [str(v) for v in rng.integers(-5, 40, n)],
    "decimal": lambda rng, n: [f"{v:.2f}" for v in rng.normal(0, 9, n)],
    "money": lambda rng, n: [f"${v:,.2f}" for v in rng.uniform(0, 90_000, n)],
    "percent": lambda rng, n: [f"{v:.1f}%" for v in rng.uniform(0, 100, n)],
    "unit": lambda rng, n: [f"{v} kg" for v in rng.integers(1, 90, n)],
    "code": lambda rng, n: list(rng.choice(["01", "1", "001", "10"], n)),
    "yes": lambda rng, n: list(rng.choice(["yes", "no"], n)),
    "true": lambda rng, n: list(rng.choice(["True", "False"], n)),
    "words": lambda rng, n: list(rng.choice(["low", "mid, or so", 'h"igh', "ñandú"], n)),
    "dates": lambda rng, n: [f"2024-{v % 12 + 1:02}-{v % 28 + 1:02}" for v in rng.integers(0, 999, n)],
    "times": lambda rng, n: [f"2024-03-{v % 28 + 1:02} {v % 24:02}:15:00" for v in rng.integers(0, 999, n)],
    "days": lambda rng, n: [f"{v % 28 + 1}.{v % 12 + 1}.2024" for v in rng.integers(0, 999, n)],
    "american": lambda rng, n: [
        f"{v % 12 + 1:02}/{v % 28 + 1:02}/2024 {v % 12 + 1}:05 PM" for v in rng.integers(0, 999, n)
    ],
    "moments": lambda rng, n: [
        f"2024-03-{v % 28 + 1:02}T{v % 24:02}:15:00.5+0{v % 3}:00" for v in rng.integers(0, 999, n)
    ],
    "clock": lambda rng, n: [f"{v % 24}:{v % 60:02}" for v in rng.integers(0, 999, n)],
    "lasted": lambda rng, n: [f"{v % 3} days {v % 24:02}:{v % 60:02}:07.25" for v in rng.integers(0, 999, n)],
    "exponent": lambda rng, n: [f"{v:.3e}" for v in rng.uniform(0, 1, n)],
    "large": lambda rng, n: [str(2**53 + int(v)) for v in rng.integers(0, 9, n)],
    "one value": lambda rng, n: ["same"] * n,
    "empty": lambda rng, n: [""] * n,
    "own": lambda rng, n: [f"id-{k}" for k in range(n)],
}
TARGETS = [("yes", "no"), ("1", "0"), ("ja", "nein"), ("B", "A"), ("true", "false"), ("good", "bad")]


def messy(seed: int) -> tuple[bytes, int]:
    """The bytes of a file and how many rows it has; the target is the column "target"."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(40, 90))
    kinds = list(rng.choice(list(CELLS), int(rng.integers(2, 6)), replace=False))
    names = list(rng.choice(NAMES, len(kinds), replace=False))
    columns = [CELLS[kind](rng, n) for kind in kinds]
    for column in columns:
        if rng.random() < 0.4:
            mark = str(rng.choice(MARKS))
            for k in rng.permutation(n)[: n // 8]:
                column[k] = mark
    positive, negative = TARGETS[seed % len(TARGETS)]
    order = pd.factorize(pd.Series(columns[0]))[0]
    classes = np.where((order % 2 == 0) ^ (rng.random(n) < 0.1), positive, negative)
    classes[:2] = positive, negative
    written = io.StringIO()
    mark = str(rng.choice([",", ";", "\t", "|"]))
    writer = csv.writer(written, delimiter=mark, lineterminator=str(rng.choice(["\n", "\r\n"])))
    writer.writerow([*names, "target"])
    writer.writerows(zip(*columns, classes, strict=True))
    raw = written.getvalue().encode(str(rng.choice(["utf-8", "utf-8-sig", "cp1252", "utf-16"])))
    if seed % 5 == 3:
        raw = gzip.compress(raw)
    if seed % 5 == 4:
        raw = archive([("table.csv", raw)], zipfile.ZIP_STORED)
    return raw, n


def fitted(data: rl.datasets.Dataset, family: str):
    make = {"list": rl.RuleListClassifier, "falling": rl.FallingRuleListClassifier, "set": rl.RuleSetClassifier}[family]
    options = {"max_complexity": 4} if family == "set" else {"max_conditions": 1, "regularization": 0.02}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(thresholds=3, time_limit=2, min_group_size=0, **options).fit(data.X, data.y)


def in_words(refused: ValueError) -> None:
    said = str(refused)
    assert 10 < len(said) < 500


@pytest.mark.few(4)
@pytest.mark.parametrize("family", ["list", "falling", "set"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_messy_table_is_read_fitted_and_exported_or_refused_in_words(seed, family):
    raw, rows = messy(10 * seed + len(family))
    try:
        sheet = rl.datasets.sheet(raw)
        assert len(sheet.frame) == rows or sheet.doubts
        assert sheet.target in (None, "target") or sheet.doubts
        data = sheet.dataset("target")
    except DatasetError as refused:
        in_words(refused)
        return
    assert len(data.X) == rows
    means_yes = {"yes", "1", "ja", "true", "True", "bad"}
    assert str(data.positive) in means_yes or 2 * data.y.sum() <= len(data.y)
    model = fitted(data, family)
    expected = [int(each) for each in model.predict(data.X)]
    printed = model.model_.to_text("target")
    assert printed
    assert not printed.count("\n\n")
    texts = data.X.astype(object).where(data.X.notna(), None)
    for name, ask in doors(model.model_, data.X).items():
        if any(isinstance(cell, bool) for cell in texts.to_numpy().ravel()) and name == "sqlite":
            continue  # it has no Booleans
        assert [int(each) for each in ask()] == expected, name
    saved = model.model_.to_json()
    used = [name for name in data.X.columns if json.dumps(name, ensure_ascii=False) in saved]
    assert [int(each) for each in model.predict(data.X[used or list(data.X.columns)])] == expected
    again = rl.datasets.sheet(raw).dataset("target")
    pd.testing.assert_frame_equal(again.X, data.X)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_messy_table_is_counted_as_it_is_read(seed, tmp_path):
    """The same conditions, classes and rows under them, or words that say why not."""
    raw, _ = messy(seed)
    path = tmp_path / ("t.csv.gz" if raw.startswith(b"\x1f\x8b") else "t.csv")
    path.write_bytes(raw)
    try:
        data = rl.datasets.sheet(raw).dataset("target", sensitive=(), excluded=())
        binarizer = rl.Binarizer(thresholds=3).fit(data.X)
        table = rl.tables.open(path)
        found = rl.Binarizer(thresholds=3).fit(table.features("target"))
    except (DatasetError, TableError, rl.errors.NothingFound) as refused:
        in_words(refused)
        return
    assert found.conditions_ == binarizer.conditions_
    counts = rl.tables.count(table, found, "target")
    assert (counts.positive, counts.n_rows) == (data.positive, len(data.y))
    rows = binarizer.transform(data.X).assign(y=data.y).to_numpy().tolist()
    kinds = counts.frame.assign(y=counts.label).loc[counts.rows.index.repeat(counts.rows)].to_numpy().tolist()
    assert sorted(kinds) == sorted(rows)


@pytest.mark.parametrize("seed", SEEDS)
def test_half_a_file_is_refused_in_words_or_read(seed):
    raw, _ = messy(seed)
    rng = np.random.default_rng(seed)
    for broken in (
        raw[: len(raw) // 2],
        raw[:7],
        bytes(rng.permutation(np.frombuffer(raw, np.uint8))),
        raw.replace(b"\n", b"\n\n", 3),
        raw + b"\x00\xff" * 9,
        b"A table of people\n\n" + raw,
    ):
        try:
            rl.datasets.sheet(broken).dataset("target")
        except DatasetError as refused:
            in_words(refused)


# files that are made to exhaust whoever reads them: refused within little memory, by a clear error --------------------
HEADER = {"schema": 2, "family": "rule_list", "fingerprint": "x", "parameters": {"regularization": 0.1}}
ORIGIN = {"target": "y", "classes": ["no", "yes"], "conditions": [["a", "==", 1]], "antecedents": [[0]], "names": {}}
MORE_MEMORY = 300 << 20
READ = """
import multiprocessing, os, resource, sys
import numpy as np, pandas as pd
import rulelab as rl
from rulelab.certificate import Certificate, CertificateError
from rulelab.models import ModelError, load_model

def read(path):
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    limit = used + int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        (load_model if path.endswith(".json") else Certificate.load)(path)
    except (CertificateError, ModelError) as error:
        print(os.path.basename(path), "refused:", " ".join(str(error)[:300].split()), flush=True)

for path in sys.argv[2:]:
    process = multiprocessing.get_context("fork").Process(target=read, args=(path,))
    process.start()
    process.join()
    assert process.exitcode == 0, path
"""
"""Each file is read in a process of its own."""


def with_origin(**changes: object) -> bytes:
    return npz(header=text(HEADER), origin=text({**ORIGIN, **changes}))


def bomb() -> bytes:
    """An array of 400 MB of zeros in a file of 400 kB."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("sets.npy", "w") as out:
        for _ in range(400):
            out.write(bytes(1 << 20))
    return stream.getvalue()


def many_members() -> bytes:
    return archive([(f"{k}.npy", b"") for k in range(60_000)])


def hidden_bomb() -> bytes:
    """The same, but the directory says that the array is small."""
    content = bytearray(bomb())
    at = content.rindex(b"PK\x01\x02")
    content[at + 24 : at + 28] = (1000).to_bytes(4, "little")
    return bytes(content)


FILES = {
    "bomb.npz": (bomb, "no certificate does"),
    "hidden_bomb.npz": (hidden_bomb, "damaged"),
    "members.npz": (many_members, "a few arrays"),
    "lists.npz": (lambda: with_origin(antecedents=[[]] * 5_000_000), "no certificate does|lists and objects"),
    "nested.npz": (lambda: npz(header=text(HEADER), origin=text(b"[" * 900_000)), "lists and objects"),
    "deep.npz": (lambda: npz(header=text(HEADER), origin=text(b"[" * 90_000)), "nested too deeply|not valid JSON"),
    "names.npz": (
        lambda: with_origin(conditions=[["a" * 300_000, "==", 1]], antecedents=[[0, 0]] * 60_000),
        "bytes; at most",
    ),
    "code.npz": (lambda: archive([("a.npy", b"\x93NUMPY\1\0\x40\x1f" + b"(" * 8000)]), "damaged"),
    "deep.json": (lambda: b"[" * 4_000_000, "lists and objects"),
    "lists.json": (lambda: b"[" + b"[]," * 1_300_000 + b"[]]", "lists and objects"),
    "numbers.json": (lambda: b"[" + b"1," * 2_000_000 + b"1]", "entries"),
    "large.json": (lambda: b'{"a": "' + b"a" * 60_000_000 + b'"}', "at most"),
    "twice.json": (lambda: b'{"format": "rulelab model", "format": 1}', "'format' is there twice"),
    "nan.json": (lambda: b'{"format": NaN}', "NaN"),
    "open.json": (lambda: b'"' + b'\\"' * 2_000_000, "not valid JSON"),
}
QUICK = {"nested.npz", "code.npz", "deep.json"}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are set as Linux does")
@pytest.mark.parametrize("names", [QUICK, pytest.param({*FILES} - QUICK, marks=pytest.mark.long)], ids=["few", "all"])
def test_files_that_would_take_all_memory(names, tmp_path):
    for name in names:
        (tmp_path / name).write_bytes(FILES[name][0]())
    printed = python("-c", READ, str(MORE_MEMORY), *(str(tmp_path / name) for name in names))
    said = dict(line.split(" refused: ", 1) for line in printed.splitlines())
    assert said.keys() == names
    for name in names:
        assert any(part in said[name] for part in FILES[name][1].split("|")), (name, said[name])


@pytest.mark.parametrize("nothing", [None, 3, b"PK", [], io.StringIO("text")])
def test_what_is_no_file(nothing):
    with pytest.raises(rl.errors.CertificateError, match=r"a certificate is loaded from|not a certificate"):
        rl.Certificate.load(nothing)  # type: ignore[arg-type]
    with pytest.raises(rl.errors.ModelError, match="a model is loaded from the path of a file"):
        rl.load_model(nothing)  # type: ignore[arg-type]


@pytest.mark.parametrize("nothing", [None, 3, [], {}])
def test_what_is_no_json(nothing):
    with pytest.raises(rl.errors.ModelError, match="a saved model is text, not"):
        rl.RuleList.from_json(nothing)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"family": 3}, "must be texts"),
        ({"fingerprint": None}, "must be texts"),
        ({"parameters": None}, "must be a mapping"),
        ({"parameters": {1: 1.0}}, "must be a mapping"),
        ({"parameters": {"regularization": "0.1"}}, "'regularization' of a certificate must be a number, not '0.1'"),
        ({"parameters": {"regularization": True}}, "must be a number"),
        ({"arrays": {"sets": [1, 2]}}, "'sets' of a certificate must be an array of numbers, not list"),
        ({"arrays": {"sets": np.array([None])}}, "must be an array of numbers"),
        ({"origin": "y"}, "must be an Origin, not str"),
    ],
)
def test_a_certificate_of_other_types_cannot_be_made(change, message):
    good = {"family": "rule_list", "fingerprint": "x", "parameters": {}, "arrays": {}}
    with pytest.raises(rl.errors.CertificateError, match=message):
        rl.Certificate(**{**good, **change})


def test_strict_json_reads_what_is_standard():
    content = {"a": [1, 2.5, None, True, 'brackets [[[ in "text"\\', {"b": {}}], "é": "\\"}
    for raw in (
        json.dumps(content),
        json.dumps(content, ensure_ascii=False).encode(),
        json.dumps(content).encode("utf-8-sig"),
    ):
        assert load_json(raw, 1000, 5) == content
    with pytest.raises(ValueError, match="lists and objects; at most 3"):
        load_json(json.dumps(content), 1000, 3)
