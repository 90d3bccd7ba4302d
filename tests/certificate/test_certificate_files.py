"""Files of certificates: what is saved is read back, and what comes from anywhere is refused before it does harm."""

import io
import json
import pickle
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from laws import reread
from places import cases_beside

import rulelab as rl
from rulelab.certificate import Certificate, CertificateError, Origin, OriginError, prove_rule_list, verify
from rulelab.certificate.certificate import LARGEST_FILE
from rulelab.certificate.origin import LARGEST_TEXT

CASES = cases_beside(__file__)


@pytest.fixture(scope="module")
def table():
    """Numbers, categories and missing cells, and a target with exceptions."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"age": rng.integers(18, 80, 300), "sex": rng.choice(["f", "m"], 300)})
    frame["score"] = np.where(rng.random(300) < 0.1, np.nan, np.round(rng.normal(size=300), 3))
    frame["member"] = rng.random(300) < 0.5
    y = ((frame["age"] < 40) & (frame["sex"] == "m")) ^ (rng.random(300) < 0.2)
    return frame, y.astype(int)


@pytest.fixture(scope="module")
def proven(table):
    """A problem with a model of several rules and its certificate."""
    X, y = table
    antecedents = rl.mine_antecedents(rl.Binarizer(thresholds=4).fit_transform(X))
    problem = rl.Problem.from_antecedents(antecedents, y)
    model = rl.solve(rl.RuleListSearch(problem, 0.01)).incumbent.model
    certificate = prove_rule_list(problem, model, 0.01)
    assert len(model) >= 1
    assert len(certificate.arrays["values"]) > 10
    return problem, model, certificate


def test_round_trip(proven, tmp_path):
    _, _, certificate = proven
    for other in (reread(certificate), pickle.loads(pickle.dumps(certificate))):
        assert (other.family, other.fingerprint) == (certificate.family, certificate.fingerprint)
        assert (other.parameters, other.origin) == (certificate.parameters, certificate.origin)
        for name, array in certificate.arrays.items():
            np.testing.assert_array_equal(other.arrays[name], array)
            assert other.arrays[name].dtype == array.dtype
    with pytest.raises(ValueError, match="read-only"):
        certificate.arrays["values"][0] = 1
    with pytest.raises(TypeError):
        certificate.parameters["regularization"] = 0.5
    with pytest.raises(FileNotFoundError):
        Certificate.load(tmp_path / "nothing.npz")


HEADER = {"schema": 1, "family": "rule_list", "fingerprint": "x", "parameters": {"regularization": 0.1}}


def text(header):
    return np.frombuffer(header if isinstance(header, bytes) else json.dumps(header).encode(), dtype=np.uint8)


def npy(array, shape=None):
    """The array as a file, which claims the shape given."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, allow_pickle=True)
    if shape is None:
        return stream.getvalue()
    out = io.BytesIO()
    header = {"descr": array.dtype.str, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(out, header)
    return out.getvalue() + array.tobytes()


def archive(members, compression=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as out:
        for name, content in members:
            out.writestr(name, content)
    return stream.getvalue()


def npz(**arrays):
    return archive([(f"{name}.npy", npy(array)) for name, array in arrays.items()])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a certificate"),
        (b"PK\x03\x04 but nothing else", "not a certificate"),
        (npz(header=text(HEADER))[:-30], "not a certificate"),
        (npy(np.zeros(3)), "not a certificate"),
        (npz(values=np.zeros(3)), "no header"),
        (npz(header=np.zeros(3)), "not text"),
        (npz(header=np.zeros((2, 2), dtype=np.uint8)), "not text"),
        (npz(header=text(b"{nothing")), "cannot be read"),
        (npz(header=text(b"\xff\xfe")), "cannot be read"),
        (npz(header=text(b"[" * 60_000)), "cannot be read"),
        (npz(header=text([1])), "no schema"),
        *((npz(header=text({**HEADER, **changed})), said) for changed, said in CASES["headers"]),
        (npz(header=np.frombuffer(b'{"schema": 1, "schema": 2}', dtype=np.uint8)), "'schema' is there twice"),
        (npz(header=text({**HEADER, "parameters": {"regularization": 10**400}})), "not a number"),
        (npz(header=text({**HEADER, "schema": 2}), origin=np.zeros(3)), "the origin of this certificate is not text"),
        (npz(header=text({**HEADER, "schema": 2}), origin=text({})), "the origin of this certificate cannot be read"),
        (npz(header=text(HEADER), sets=np.array([{}, []], dtype=object)), "only plain numbers"),
        (npz(header=text(HEADER), sets=np.array(["a"])), "only plain numbers"),
        (npz(header=text(HEADER), sets=np.zeros(2, dtype=[("a", "i4")])), "only plain numbers"),
        (npz(header=text(HEADER), sets=np.asfortranarray(np.ones((3, 2)))), "only plain numbers"),
        (archive([("sets.npy", b"not an array")]), "damaged"),
        (archive([("sets.npy", npy(np.zeros(3))[:-1])]), "claims the shape"),
        (archive([("sets.npy", npy(np.zeros(1), shape=(10**12,)))]), "claims the shape"),
        (archive([("sets.npy", npy(np.zeros(1), shape=(2**32, 2**32)))]), "claims the shape"),
        (archive([("sets.npy", npy(np.zeros(6), shape=(-2, -3)))]), "claims the shape"),
        (archive([("sets.npy", b"\x93NUMPY\x03\x00" + bytes(50))]), "unknown format"),
        (archive([("sets.txt", b"")]), "few arrays"),
        (npz(a=np.zeros(1), b=np.zeros(1)).replace(b"b.npy", b"a.npy"), "few arrays"),
        (archive([(f"{i}.npy", npy(np.zeros(1))) for i in range(20)]), "few arrays"),
        (archive([("a.npy", npy(np.zeros(1)))], zipfile.ZIP_LZMA), "unknown way"),
    ],
)
def test_hostile_files(content, message):
    with pytest.raises(CertificateError, match=message):
        Certificate.load(io.BytesIO(content))


def test_a_file_that_claims_to_be_enormous():
    content = npz(header=text(HEADER), sets=np.zeros(3))
    parts = content.split(b"PK\x01\x02")  # records of the directory; the size of the content is at byte 24
    enormous = [part[:20] + (0xFFFFFF00).to_bytes(4, "little") + part[24:] for part in parts[1:]]
    with pytest.raises(CertificateError, match=f"at most {LARGEST_FILE}"):
        Certificate.load(io.BytesIO(b"PK\x01\x02".join([parts[0], *enormous])))


def test_a_file_whose_end_has_a_flipped_bit_is_refused_as_its_bytes_are(tmp_path, proven):
    """A stream in memory and a file refuse a place before their beginning in ways of their own."""
    path = tmp_path / "proof.npz"
    proven[2].save(path)
    content = path.read_bytes()
    outcomes = []
    for bit in range(8 * 22):
        damaged = bytearray(content)
        damaged[len(content) - 1 - bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        outcomes.append([is_refused(given) for given in (path, io.BytesIO(bytes(damaged)))])
    assert all(of_file == of_bytes for of_file, of_bytes in outcomes)
    assert sum(of_file for of_file, _ in outcomes) > 100


def is_refused(given):
    try:
        Certificate.load(given)
    except CertificateError:
        return True
    return False


def test_a_file_of_the_first_schema_has_no_origin(proven):
    problem, model, certificate = proven
    header = {"family": "rule_list", "fingerprint": problem.fingerprint, "parameters": {"regularization": 0.01}}
    content = npz(header=text({"schema": 1, **header}), **certificate.arrays)
    old = Certificate.load(io.BytesIO(content))
    assert old.origin is None
    assert verify(problem, model, old).valid
    content = npz(header=text({"schema": 1, **header}), origin=text({}), **certificate.arrays)
    assert "'sets', 'values'" in verify(problem, model, Certificate.load(io.BytesIO(content))).reason


# origins --------------------------------------------------------------------------------------------------------------
def test_the_origin_gives_the_problem_anew(proven, table):
    problem, _, certificate = proven
    (X, y), origin = table, Origin.parse(certificate.origin.dump())
    assert origin == certificate.origin
    again = origin.problem(X.assign(other=1)[["other", *reversed(X.columns)]], y)
    assert (again.fingerprint, again.conditions) == (problem.fingerprint, problem.conditions)
    changed = X.assign(age=X["age"].where(X.index != 7, 79 - X["age"]))
    assert origin.problem(changed, y).fingerprint != problem.fingerprint
    with pytest.raises(OriginError, match="no column 'sex'"):
        origin.problem(X.drop(columns="sex"), y)
    with pytest.raises(OriginError, match=r"'age .* cannot be evaluated on the column 'age'"):
        origin.problem(X.assign(age="unknown"), y)


def test_a_problem_of_an_array_has_no_origin():
    A, y = np.array([[1, 0], [0, 1], [1, 1]]), np.array([0, 1, 1])
    assert Origin.of(rl.Problem.from_arrays(A, y)) is None
    assert Origin.of(rl.Problem.from_arrays(pd.DataFrame(A), y, names=["first", "second"])) is None
    assert Origin.of(rl.Problem.from_arrays(pd.DataFrame(A), y)).names == ("0", "1")
    problem = rl.Problem.from_arrays(A, y)
    model = rl.RuleList.from_problem(problem, ())
    assert prove_rule_list(problem, model, 0.5).origin is None


def test_names_that_occur_twice_are_kept():
    frame = pd.DataFrame({"not a": [True, False, True, False], "a": [True, True, False, False]})
    y = np.array([0, 1, 1, 0])
    problem = rl.Problem.from_arrays(rl.Binarizer().fit_transform(frame), y)
    assert "not a (2)" in problem.names
    again = Origin.parse(Origin.of(problem).dump()).problem(frame, y)
    assert again.fingerprint == problem.fingerprint


GOOD = CASES["good"]


def test_a_good_origin():
    assert Origin.parse(json.dumps(GOOD).encode()).names == ("age <= 23", "sex == f", "age <= 23 and sex == f")
    conditions = ((rl.Condition("a", "==", True),), (rl.Condition("a", "==", 1),))
    origin = Origin(conditions, ("a", "a == 1"), (0, 1))
    assert Origin.parse(origin.dump()).names == origin.names, "one and True stay apart"


@pytest.mark.parametrize(("change", "message"), CASES["hostile"])
def test_hostile_origins(change, message):
    with pytest.raises(OriginError, match=message):
        Origin.parse(json.dumps({**GOOD, **change}).encode())


@pytest.mark.parametrize(
    "content", [b"", b"\xff", b"[]", b"[" * 100_000, b'{"target":' + b"9" * 10_000 + b"}", b" " * (LARGEST_TEXT + 1)]
)
def test_origins_that_are_no_json_object(content):
    with pytest.raises(OriginError):
        Origin.parse(content)


def test_an_origin_that_would_take_too_much_memory(monkeypatch, proven, table):
    monkeypatch.setattr("rulelab.certificate.origin.LARGEST_BITS", 1000)
    with pytest.raises(OriginError, match="at most 1000 are used"):
        proven[2].origin.problem(*table)


def test_an_origin_too_large_to_save(monkeypatch, proven):
    monkeypatch.setattr("rulelab.certificate.origin.LARGEST_TEXT", 1000)
    with pytest.raises(CertificateError, match="at most 1000 are saved"):
        proven[2].save(io.BytesIO())


def test_a_rule_with_other_conditions_is_refused(proven):
    problem, model, certificate = proven
    first, *rest = model.rules
    other = replace(first, conditions=(rl.Condition("age", ">", 70),))
    answer = verify(problem, replace(model, rules=(other, *rest)), certificate)
    assert "rule 1 of the model tests 'age > 70', but its antecedent" in answer.reason
