"""Files that are made to exhaust whoever reads them: refused within little memory, by a clear error."""

import io
import json
import sys
import zipfile

import numpy as np
import pytest
from command_line import python
from test_certificate_files import archive, npz, text

import rulelab as rl
from rulelab.files import load_json

HEADER = {"schema": 2, "family": "rule_list", "fingerprint": "x", "parameters": {"regularization": 0.1}}
ORIGIN = {"target": "y", "classes": ["no", "yes"], "conditions": [["a", "==", 1]], "antecedents": [[0]], "names": {}}
MORE_MEMORY = 300 << 20
READ = """
import os, resource, sys
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
    os._exit(0)

for path in sys.argv[2:]:
    if os.fork() == 0:
        read(path)
    assert os.wait()[1] == 0, path
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
    with pytest.raises(rl.CertificateError, match=r"a certificate is loaded from|not a certificate"):
        rl.Certificate.load(nothing)  # type: ignore[arg-type]
    with pytest.raises(rl.ModelError, match="a model is loaded from the path of a file"):
        rl.load_model(nothing)  # type: ignore[arg-type]


@pytest.mark.parametrize("nothing", [None, 3, [], {}])
def test_what_is_no_json(nothing):
    with pytest.raises(rl.ModelError, match="a saved model is text, not"):
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
    with pytest.raises(rl.CertificateError, match=message):
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
