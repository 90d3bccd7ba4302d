"""Proofs are made and checked in parts: the parts change no answer, and Ctrl-C between two of them breaks nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proof_mutations import proof_of

import rulelab as rl
from rulelab.certificate import certificate as certificate_file
from rulelab.certificate import parts, prove_falling_rule_list, prove_rule_list
from rulelab.certificate.rule_set import closing as rule_set_closing
from rulelab.certificate.rule_set import pairs as rule_set_pairs
from rulelab.kernels import bits

SOUND = ("rule list", "rule list with lemmas", "falling rule list", "softly falling", "fair falling rule list")
SOUND = (*SOUND, "rule set (dnf, hamming)", "rule set (cnf, zero_one, fair)", "least gap of sets (dnf)")
"""Kinds that are checked in parts."""


def tiny(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    for module in (parts, rule_set_closing, rule_set_pairs):
        monkeypatch.setattr(module, "CELLS", size)
        monkeypatch.setattr(module, "PRODUCTS", size)
    monkeypatch.setattr(rule_set_pairs, "_SORTED", size)
    monkeypatch.setattr(bits, "_AT_ONCE", size)


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from([1, 7, 100]))
def test_parts_make_the_whole(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    n, k, m = rng.integers(0, 12, 3)
    a, matrix, w = rng.integers(0, 9, (n, k)), rng.random((k, m)) < 0.5, rng.integers(-9, 9, k)
    with pytest.MonkeyPatch.context() as patch:
        tiny(patch, size)
        assert np.array_equal(parts.product(a, matrix.astype(float)), a @ matrix)
        assert np.array_equal(
            parts.weighted(matrix, matrix[:, :1], w, float), np.column_stack([matrix, matrix[:, :1]]) * w[:, None]
        )
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
        assert np.array_equal(bits.transpose(packed, m), bits.pack(matrix.T))
        group, first = bits.group_equal_rows(packed)
        assert np.array_equal(matrix[first][group], matrix)
        distinct = packed[first]
        assert np.array_equal(bits.order(distinct), np.lexsort(distinct.T[::-1]))
        assert first.tolist() == [min(np.flatnonzero(group == g)) for g in range(len(first))]


def test_rows_are_compared_in_full_when_hashes_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = np.random.default_rng(0).random((50, 70)) < 0.03
    expected = bits.group_equal_rows(bits.pack(matrix))
    monkeypatch.setattr(bits, "_hashes", lambda words: np.zeros(len(words), dtype=np.uint64))
    assert all(map(np.array_equal, bits.group_equal_rows(bits.pack(matrix)), expected))


@pytest.mark.parametrize("size", [1, 50])
@pytest.mark.parametrize("name", SOUND)
def test_small_parts_change_no_answer(name: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
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
            for module in (rule_set_closing, rule_set_pairs):
                patch.setattr(module, "parts", some)
            try:
                work()
            except KeyboardInterrupt:
                continue
            return times
    raise AssertionError("it never ends")


@pytest.mark.parametrize("name", SOUND)
def test_an_interrupted_check_leaves_nothing_broken(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    proof = proof_of(name)
    monkeypatch.setattr(parts, "CELLS", 100)

    def check() -> None:
        assert rl.verify(proof.problem, proof.model, proof.certificate).state in ("optimal", "bound")

    assert interrupted(monkeypatch, check) > 3


def test_an_interrupted_file_is_not_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, other = tmp_path / "proof.npz", proof_of("falling rule list")
    proof_of("rule list").certificate.save(path)
    content = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(certificate_file, "_write_arrays", lambda stream, arrays: (stream.write(b"PK"), _interrupt()))
        with pytest.raises(KeyboardInterrupt):
            other.certificate.save(path)
        with pytest.raises(KeyboardInterrupt):
            other.certificate.save(tmp_path / "other.npz")
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]
    other.certificate.save(path)
    assert rl.verify(other.problem, other.model, rl.Certificate.load(path))


def _interrupt() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("name", "prove"), [("rule list", prove_rule_list), ("falling rule list", prove_falling_rule_list)]
)
def test_an_interrupted_proof_leaves_nothing_broken(name: str, prove: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    proof = proof_of(name)

    def make() -> None:
        again = prove(proof.problem, proof.model, proof.certificate.parameters["regularization"])
        assert rl.verify(proof.problem, proof.model, again)

    assert interrupted(monkeypatch, make) > 3
