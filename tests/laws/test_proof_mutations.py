"""Every change of a proof is refused, or what is accepted is true."""

from __future__ import annotations

import io
from collections import Counter
from functools import cache

import numpy as np
import pytest
from proof_mutations import Proof, damaged, judge, judge_file, mutations, proofs

import rulelab as rl

FAIR = ["fair rule list", "list of predictive parity"]
LISTS = ["rule list", "rule list with lemmas", *FAIR, "least gap", "falling rule list", "softly falling"]
GAPS = ["least gap of sets (dnf)", "least gap of sets (cnf)"]
SETS = [f"rule set ({form}{fair})" for form in ("dnf", "cnf") for fair in (", fair", "")]
BOUNDS = [f"{name}, bound only" for name in ("rule set (dnf)", "rule set (cnf)", *FAIR)]


@cache
def kinds() -> dict[str, Proof]:
    return {proof.name: proof for proof in proofs(np.random.default_rng(7))}


@pytest.mark.parametrize("name", [*LISTS, *GAPS, *SETS, *BOUNDS])
def test_whatever_is_accepted_is_true(name: str) -> None:
    proof = kinds()[name]
    answer = rl.verify(proof.problem, proof.model, proof.certificate)
    assert answer.state == ("bound" if "bound" in proof.name and not answer.valid else "optimal"), answer.reason
    rng = np.random.default_rng(1)
    found: Counter[str] = Counter()
    for description, changed in mutations(rng, proof.certificate):
        try:
            found[judge(proof, changed)] += 1
        except AssertionError as error:
            raise AssertionError(f"{proof.name}, {description}: {error}") from error
    assert found["refused"] > 40
    assert found["refused"] > found["another true claim"]


@pytest.mark.parametrize("name", [*LISTS, GAPS[0], "rule set (dnf, fair)"])
def test_a_damaged_file_is_refused_or_true(name: str) -> None:
    proof = kinds()[name]
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


def test_a_sound_proof_is_judged_the_same() -> None:
    for proof in kinds().values():
        assert judge(proof, proof.certificate) in ("same claim", "bound")


def test_the_judge_knows_a_lie() -> None:
    """If the checker believed everything, the judge would say so."""
    proof = kinds()["rule list"]
    believed = rl.verify(proof.problem, proof.model, proof.certificate)
    false = Proof(
        proof.name, proof.problem, proof.model, proof.certificate, lambda _: proof.least({"regularization": 0.9})
    )
    assert believed.valid
    with pytest.raises(AssertionError, match=r"is the optimum|exceeds"):
        judge(false, proof.certificate)
