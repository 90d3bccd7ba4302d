"""The script in a report, a checker in another language, says of each proof what `rulelab.verify` says."""

import json
from collections import Counter

import numpy as np
import pytest
from laws import learn_soon, noisy_problem
from places import TESTS
from proof_mutations import mutations, proof_of
from test_assets import run
from test_separation import proof as proof_with_pairs

import rulelab as rl
from rulelab.views.cards.report import can_be_carried, carried


def accepted(node, proofs):
    """How many proofs that both accept hold each array; they have to agree on each proof."""
    lines = "\n".join(json.dumps(carried(*proof)) for proof in proofs)
    said = map(json.loads, run(node, TESTS / "assets" / "check_proofs.mjs", given=lines))
    found = [each["valid"] and (each["inequalities"], round(each["objective"], 12)) for each in said]
    answers = [rl.verify(*proof) for proof in proofs]
    assert found == [each.valid and (each.checked["inequalities"], round(each.objective, 12)) for each in answers]
    return Counter(name for proof, valid in zip(proofs, found, strict=True) if valid for name in proof[2].arrays)


def random_proof(seed):
    """A proof of a search that learns soon, of few or very many rows."""
    rng = np.random.default_rng(seed)
    price = (0.004, 0.01, 0.05, 0.3, 0.0031622776601683794, 0.0123456789012345)[seed % 6]
    problem = noisy_problem(seed, 80 + 20 * (seed % 7), 10, 0.1)
    if seed % 3 == 0:
        problem = rl.Problem.from_arrays(rng.random((30, 6)) < 0.4, np.arange(30) < 9, None, rng.integers(1, 2**30, 30))
    search = rl.RuleListSearch(problem, price)
    learn_soon(search, 0, 0, 0)
    if seed % 4 == 0:
        search = rl.FallingRuleListSearch(problem, price, positive_weight=seed % 5 + 0.5, iterations=50)
    return problem, rl.solve(search).incumbent.model, search.certificate()


@pytest.mark.long
def test_proofs_of_random_problems_have_the_same_verdict(node) -> None:
    proofs = list(map(random_proof, range(60)))
    assert all(can_be_carried(problem, proof) for problem, _, proof in proofs)
    found = accepted(node, proofs)
    assert found["values"] == 60
    assert min(found[name] for name in ("lemmas", "pairs", "parents")) > 3


@pytest.mark.long
@pytest.mark.parametrize("name", ["rule list", "rule list with lemmas", "pairs", "falling rule list"])
def test_changed_proofs_have_the_same_verdict(node, name) -> None:
    known = None if name == "pairs" else proof_of(name)
    problem, model, proof = proof_with_pairs() if known is None else (known.problem, known.model, known.certificate)
    others = [other for k in range(5) for _, other in mutations(np.random.default_rng(k), proof)]
    # but for what a report does not carry: names, and what a number looks like in memory
    others = [each for each in others if (each.fingerprint, each.origin) == (proof.fingerprint, proof.origin)]
    others = [each for each in others if all(array.dtype.isnative for array in each.arrays.values())]
    found = accepted(node, [(problem, model, each) for each in (proof, *others)])
    assert 0 < found["values"] < len(others) / 5


def test_compas_is_checked(node, instances) -> None:
    A, y, names = instances.load("compas_a")
    search = rl.RuleListSearch(rl.Problem.from_arrays(A, y, names), 0.005)
    model = rl.solve(search).incumbent.model
    assert accepted(node, [(search.problem, model, search.certificate())])["values"] == 1
