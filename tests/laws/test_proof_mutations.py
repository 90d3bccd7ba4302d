"""Every change of a proof is refused, or what is accepted is true."""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from proof_mutations import NAMES, damaged, judge, judge_file, mutations, proof_of

import rulelab as rl

FILES = ("rule list with lemmas", "list of predictive parity", "falling rule list", "softly falling", "least gap")
FILES = (*FILES, "least gap of sets (dnf)", "rule set (dnf, hamming, fair)")


@pytest.mark.parametrize("name", NAMES)
def test_whatever_is_accepted_is_true(name: str) -> None:
    proof = proof_of(name)
    answer = rl.verify(proof.problem, proof.model, proof.certificate)
    assert answer.state == ("bound" if "bound" in proof.name and not answer.valid else "optimal"), answer.reason
    assert judge(proof, proof.certificate) in ("same claim", "bound")
    rng = np.random.default_rng(1)
    found: Counter[str] = Counter()
    for description, changed in mutations(rng, proof.certificate):
        try:
            found[judge(proof, changed)] += 1
        except AssertionError as error:
            raise AssertionError(f"{proof.name}, {description}: {error}") from error
    assert found["refused"] > 40
    assert found["refused"] > found["another true claim"]


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_refused_or_true(name: str) -> None:
    proof = proof_of(name)
    stream = io.BytesIO()
    proof.certificate.save(stream)
    found: Counter[str] = Counter()
    for seed in range(12):
        for description, content in damaged(np.random.default_rng(seed), stream.getvalue()):
            try:
                found[judge_file(proof, content)] += 1
            except AssertionError as error:
                raise AssertionError(f"{proof.name}, {description}: {error}") from error
    assert found["unreadable"] > 80
    assert not found["another true claim"]


def test_the_judge_knows_a_lie() -> None:
    """If the checker believed everything, the judge would say so."""
    proof = proof_of("rule list")
    believed = rl.verify(proof.problem, proof.model, proof.certificate)
    false = replace(proof, optimum=lambda _: proof.optimum(proof.certificate) + Fraction(1, 1000))
    assert believed.valid
    with pytest.raises(AssertionError, match=r"is the optimum|exceeds"):
        judge(false, proof.certificate)
