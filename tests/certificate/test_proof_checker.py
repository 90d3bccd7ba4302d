"""The script in a report, a checker in another language, says of each proof what `rulelab.verify` says."""

import json
from collections import Counter

import numpy as np
import pytest
from laws import changed, learn_soon, noisy_problem
from places import TESTS
from proof_mutations import mutations, proof_of
from test_assets import run
from test_separation import WRONG
from test_separation import proof as proof_with_pairs

import rulelab as rl
from rulelab.views.cards.report import can_be_carried, carried

PRICES = (0.004, 0.01, 0.05, 0.3, 0.0031622776601683794, 0.0123456789012345)


def accepted(node, proofs):
    """How many proofs both accept, by the arrays that they hold; they have to agree on each."""
    lines = "\n".join(json.dumps(carried(*proof)) for proof in proofs)
    found, valid = run(node, TESTS / "assets" / "check_proofs.mjs", given=lines), Counter()
    for proof, said in zip(proofs, map(json.loads, found), strict=True):
        answer = rl.verify(*proof)
        assert said["valid"] == answer.valid, (answer.reason, said)
        if answer.valid:
            assert said["objective"] == pytest.approx(answer.objective, rel=1e-13)
            assert said["inequalities"] == answer.checked["inequalities"]
            valid.update(proof[2].arrays)
    return valid


def random_proof(seed):
    """A proof of a search that learns soon, of few or very many rows; None where costs have too many digits."""
    rng = np.random.default_rng(seed)
    A, weight = rng.random((30, 6)) < 0.4, rng.integers(1, 2**40, 30)
    problem = rl.Problem.from_arrays(A, np.arange(30) % 3 == 0, sample_weight=weight)
    problem = problem if seed % 3 == 0 else noisy_problem(seed, 80 + 20 * (seed % 7), 10, 0.1)
    search = rl.RuleListSearch(problem, PRICES[seed % 6])
    learn_soon(search, 0, 0, 0)
    if seed % 4 == 0:
        search = rl.FallingRuleListSearch(problem, PRICES[seed % 5], positive_weight=seed % 5 + 0.5, iterations=50)
    last = rl.solve(search, work_limit=5000)
    if last.status is not rl.Status.OPTIMAL or not can_be_carried(problem, search.certificate()):
        return None
    return problem, last.incumbent.model, search.certificate()


@pytest.mark.long
def test_proofs_of_random_problems_have_the_same_verdict(node) -> None:
    proofs = [proof for proof in map(random_proof, range(60)) if proof is not None]
    found = accepted(node, proofs)
    assert found["values"] == len(proofs) > 50
    assert min(found[name] for name in ("lemmas", "pairs", "parents")) > 3


@pytest.mark.long
@pytest.mark.parametrize("name", ["rule list", "rule list with lemmas", "pairs", "falling rule list"])
def test_changed_proofs_have_the_same_verdict(node, name) -> None:
    known = None if name == "pairs" else proof_of(name)
    problem, model, proof = proof_with_pairs() if known is None else (known.problem, known.model, known.certificate)
    assert can_be_carried(problem, proof)
    others = [other for k in range(5) for _, other in mutations(np.random.default_rng(k), proof)]
    # but for what a report does not carry: names, and what a number looks like in memory
    others = [each for each in others if (each.fingerprint, each.origin) == (proof.fingerprint, proof.origin)]
    others = [each for each in others if all(array.dtype.isnative for array in each.arrays.values())]
    wrong = [changed(proof, *WRONG[what]) for what in WRONG if known is None]
    found = accepted(node, [(problem, model, each) for each in (proof, *others, *wrong)])
    assert 0 < found["values"] < len(others) / 5


def test_compas_is_checked(node, instances) -> None:
    A, y, names = instances.load("compas_a")
    search = rl.RuleListSearch(rl.Problem.from_arrays(A, y, names), 0.005)
    model = rl.solve(search).incumbent.model
    assert accepted(node, [(search.problem, model, search.certificate())])["values"] == 1
