"""Proofs are made and checked in parts: the parts change no answer, and Ctrl-C between two of them breaks nothing."""

import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import MAKES, larger_problem
from patience import PATIENCE
from proof_mutations import proof_of

import rulelab as rl
from rulelab.certificate import certificate as certificate_file
from rulelab.certificate import parts, prove_falling_rule_list, prove_rule_list
from rulelab.certificate.rule_set import closing as rule_set_closing
from rulelab.certificate.rule_set import columns as rule_set_columns
from rulelab.cli import commands as cli
from rulelab.kernels import bit_words, bits

SOUND = ("rule list", "rule list with lemmas", "falling rule list", "softly falling", "fair falling rule list")
SOUND = (*SOUND, "rule set (dnf, hamming)", "rule set (cnf, zero_one, fair)", "least gap of sets (dnf)")
"""Kinds that are checked in parts."""


def tiny(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    for module in (parts, rule_set_closing, rule_set_columns):
        monkeypatch.setattr(module, "CELLS", size)
        monkeypatch.setattr(module, "PRODUCTS", size)
    monkeypatch.setattr(rule_set_columns, "SORTED_AT_ONCE", size)
    monkeypatch.setattr(bits, "WORDS_AT_ONCE", size)


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from([1, 7, 100]))
def test_parts_make_the_whole(seed, size):
    rng = np.random.default_rng(seed)
    n, k, m = rng.choice([0, 1, 5, 11, 63, 64, 65, 130], 3)
    a, matrix, w = rng.integers(0, 9, (n, k)), rng.random((k, m)) < 0.5, rng.integers(-9, 9, k)
    with pytest.MonkeyPatch.context() as patch:
        tiny(patch, size)
        assert np.array_equal(parts.product(a, matrix.astype(float)), a @ matrix)
        both = np.column_stack([matrix, matrix[:, :1]])
        assert np.array_equal(parts.weighted(matrix, matrix[:, :1], w, float), both * w[:, None])
        assert np.array_equal(parts.column_sums(matrix, w), w @ matrix)
        assert np.array_equal(parts.column_sums(matrix, w << 52), (w << 52) @ matrix)
        rows, columns = rng.permutation(k), np.flatnonzero(rng.random(m) < 0.6)
        assert np.array_equal(parts.select(matrix, rows, columns), matrix[rows][:, columns])
        _, first, group = parts.unique_rows(matrix)
        assert np.array_equal(matrix[first][group], matrix)
        assert len(first) == len({bytes(row) for row in matrix})
        assert np.array_equal(parts.packed_outside(matrix), np.packbits(~matrix.T, axis=1))
        packed = bits.pack(matrix)
        assert np.array_equal(bits.unpack(packed, m), matrix)
        assert np.array_equal(bits.counts(packed), matrix.sum(axis=1))
        assert np.array_equal(bits.transpose(packed, m), bits.pack(matrix.T))
        assert np.array_equal(bit_words.transposed(packed, m), bits.pack(matrix.T))
        assert np.array_equal(bit_words.turned(packed), packed.T)
        group, first = bits.group_equal_rows(packed)
        assert np.array_equal(matrix[first][group], matrix)
        distinct = packed[first]
        assert np.array_equal(bits.order(distinct), np.lexsort(distinct.T[::-1]))
        assert first.tolist() == [min(np.flatnonzero(group == g)) for g in range(len(first))]


def test_rows_are_compared_in_full_when_hashes_agree(monkeypatch):
    matrix = np.random.default_rng(0).random((50, 70)) < 0.03
    expected = bits.group_equal_rows(bits.pack(matrix))
    monkeypatch.setattr(bits, "hashes", lambda words: np.zeros(len(words), dtype=np.uint64))
    assert all(map(np.array_equal, bits.group_equal_rows(bits.pack(matrix)), expected))


@pytest.mark.parametrize("size", [1, 50])
@pytest.mark.parametrize("name", SOUND)
def test_small_parts_change_no_answer(name, size, monkeypatch):
    proof = proof_of(name)
    before = rl.verify(proof.problem, proof.model, proof.certificate)
    tiny(monkeypatch, size)
    after = rl.verify(proof.problem, proof.model, proof.certificate)
    assert (after.state, after.reason, after.checked) == (before.state, before.reason, before.checked)


def interrupted(monkeypatch: pytest.MonkeyPatch, work: Callable[[], Any]) -> int:
    """Run the work, interrupted at its first part, then at its second and so on; how often that was."""
    whole = parts.parts
    for times in range(10_000):
        left = times

        def some(*arguments: Any) -> Iterator[slice]:
            nonlocal left
            for part in whole(*arguments):
                left -= 1
                if left < 0:
                    raise KeyboardInterrupt
                yield part

        with monkeypatch.context() as patch:
            patch.setattr(parts, "parts", some)
            for module in (rule_set_closing, rule_set_columns):
                patch.setattr(module, "parts", some)
            try:
                work()
            except KeyboardInterrupt:
                continue
            return times
    raise AssertionError("it never ends")


@pytest.mark.parametrize("name", SOUND)
def test_an_interrupted_check_leaves_nothing_broken(name, monkeypatch):
    proof = proof_of(name)
    monkeypatch.setattr(parts, "CELLS", 100)

    def check() -> None:
        assert rl.verify(proof.problem, proof.model, proof.certificate).state in ("optimal", "bound")

    assert interrupted(monkeypatch, check) > 3


def test_an_interrupted_file_is_not_half_written(tmp_path, monkeypatch):
    path, other = tmp_path / "proof.npz", proof_of("falling rule list")
    proof_of("rule list").certificate.save(path)
    content = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(certificate_file, "parts", mock.Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            other.certificate.save(path)
        with pytest.raises(KeyboardInterrupt):
            other.certificate.save(tmp_path / "other.npz")
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (content, [path])
    other.certificate.save(path)
    assert rl.verify(other.problem, other.model, rl.Certificate.load(path))


@pytest.mark.parametrize(
    ("name", "prove"), [("rule list", prove_rule_list), ("falling rule list", prove_falling_rule_list)]
)
def test_an_interrupted_proof_leaves_nothing_broken(name, prove, monkeypatch):
    proof = proof_of(name)

    def make() -> None:
        again = prove(proof.problem, proof.model, proof.certificate.parameters["regularization"])
        assert rl.verify(proof.problem, proof.model, again)

    assert interrupted(monkeypatch, make) > 3


# making ---------------------------------------------------------------------------------------------------------------
noisy = partial(larger_problem, 0, 200, 8)


PROVING = (
    "list", "corels", "list, first rule", "falling", "softly falling", "fair list", "fair list, length",
    "list, predictive parity", "falling, fair", "least gap", "set", "set, fair", "least gap of sets",
)  # fmt: skip


@pytest.mark.parametrize("name", PROVING)
def test_no_time_is_no_proof_and_enough_is_the_same_proof(name):
    problem = noisy()
    search = MAKES[name](problem)
    model = rl.solve(search).incumbent.model
    with pytest.raises(TimeoutError, match="the proof was not done in 0 s; raise time_limit"):
        rl.prove(search, time_limit=0)
    proof = rl.prove(search, time_limit=None)
    assert proof.arrays.keys() == search.certificate().arrays.keys()
    with pytest.raises(TimeoutError, match="the check was not done in 0 s"):
        rl.verify(problem, model, proof, time_limit=0)
    assert rl.verify(problem, model, proof).valid


def test_what_explains_a_proof_checks_it_in_time():
    problem = noisy()
    search = rl.RuleListSearch(problem, 0.01)
    model = rl.solve(search).incumbent.model
    asked = rl.RuleList.from_problem(problem, [0])
    with pytest.raises(TimeoutError, match="the check was not done"):
        rl.explain_proof(problem, model, search.certificate(), asked, time_limit=0)


def test_a_search_without_proofs_says_so():
    with pytest.raises(rl.errors.CertificateError, match="NearOptimalSearch makes no certificates"):
        rl.prove(rl.NearOptimalSearch(noisy(), 0.01))


# a check of a proof compiles nothing and runs nothing compiled --------------------------------------------------------
WITHOUT_NUMBA = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("numba", "llvmlite"):
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
try:
    import numba
except ImportError:
    pass
else:
    raise AssertionError("numba is there")
"""
THROUGH_PYTHON = """
import pickle, pathlib
import rulelab as rl
from rulelab.cli import main
folder = pathlib.Path(sys.argv[1])
frame, y, groups = pickle.loads((folder / "table.pickle").read_bytes())
for path in sorted(folder.glob("*.npz")):
    model, proof = rl.load_model(path.with_suffix(".json")), rl.Certificate.load(path)
    for table in (frame, frame.astype(int)):
        problem = rl.Problem.from_arrays(table, y, groups=groups)
        answer = rl.verify(problem, model, proof)
        assert answer.valid, (path.name, answer.reason)
    counted = rl.Problem.from_counts(problem.matrix(), problem.positives, problem.negatives, problem.names)
    assert counted.fingerprint == problem.fingerprint
    assert (model.predict(frame) == model.predict(frame.to_numpy())).all()
    assert model.evaluate(frame, y).n_rows == len(frame)
    assert len(model.explain(frame)) == len(frame)
    print(path.stem)
sys.exit(main(["verify", *sys.argv[2:]]))
"""


@pytest.mark.long
def test_proofs_are_checked_without_numba(tmp_path):
    rng = np.random.default_rng(5)
    A = rng.random((200, 6)) < 0.5
    y = ((A[:, 0] & A[:, 1]) ^ (rng.random(200) < 0.1)).astype(int)
    groups = rng.choice(["a", "b"], 200)
    frame = pd.DataFrame(A, columns=[f"c{j}" for j in range(6)])
    problem = rl.Problem.from_arrays(frame, y, groups=groups)
    searches = {
        "falling": rl.FallingRuleListSearch(problem, 0.01, 2.0),
        "list": rl.RuleListSearch(problem, 0.01),
        "set": rl.RuleSetSearch(problem, 6, 2),
        "set_cnf": rl.RuleSetSearch(problem, 6, 2, form="cnf", regularization=0.5),
        "set_fair": rl.RuleSetSearch(problem, 6, 2, fairness=rl.EqualizedOdds(0.1, 0.1)),
    }
    folder, (data, model, proof) = tmp_path / "proofs", (str(tmp_path / name) for name in ("d.csv", "m.json", "p.npz"))
    folder.mkdir()
    for name, search in searches.items():
        rl.solve(search).incumbent.model.save(folder / f"{name}.json")
        search.certificate().save(folder / f"{name}.npz")
    (folder / "table.pickle").write_bytes(pickle.dumps((frame, y, groups)))
    rows = pd.DataFrame({"age": rng.integers(18, 80, 300), "sex": rng.choice(["f", "m"], 300)})
    rows["score"] = np.where(rng.random(300) < 0.1, np.nan, np.round(rng.normal(size=300), 2))
    paid = ~((rows["age"] <= 40) & (rows["sex"] == "f")) ^ (rng.random(300) < 0.1)
    rows.assign(paid=np.where(paid, "yes", "no")).to_csv(data, index=False)
    fit = ["fit", data, "--target", "paid", "--thresholds", "3", "--quiet", "--sensitive", "sex", "--model", "rule-set"]
    fit += ["--max-complexity", "6", "--fairness", "equal-opportunity:0.05", "-o", model, "--proof", proof]
    assert cli.main(fit) == 0
    command = [sys.executable, "-c", WITHOUT_NUMBA + THROUGH_PYTHON, str(folder), data, model, proof]
    done = subprocess.run([*command, "--sensitive", "sex"], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    *checked, said = done.stdout.split("\n", len(searches))
    assert (checked, said[:7]) == (sorted(searches), "valid: ")
