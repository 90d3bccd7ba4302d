"""The script in a report, a checker in another language, says of each proof what `rulelab.verify` says."""

import json
from collections import Counter
from itertools import chain

import numpy as np
import pytest
from laws import changed, learn_soon, noisy_problem
from proof_mutations import mutations, proof_of
from test_assets import run
from test_separation import WRONG
from test_separation import proof as proof_with_pairs

import rulelab as rl
from rulelab.assets import FOLDER
from rulelab.views.cards.report import can_be_carried, carried

PRICES = (0.004, 0.01, 0.05, 1 / 3, 0.0031622776601683794, 0.0123456789012345)


def verdicts(node, proofs):
    """How many proofs both accept, by the arrays that they hold; they have to agree on each."""
    lines = "\n".join(json.dumps(carried(*proof)) for proof in proofs)
    found = [json.loads(said) for said in run(node, FOLDER.parents[1] / "tests/assets/check_proofs.mjs", given=lines)]
    valid = Counter()
    for proof, said in zip(proofs, found, strict=True):
        answer = rl.verify(*proof)
        assert said["valid"] == answer.valid, (answer.reason, said)
        if answer.valid:
            assert said["objective"] == pytest.approx(answer.objective, rel=1e-14)
            assert said["inequalities"] == answer.checked["inequalities"]
            valid[tuple(proof[2].arrays)] += 1
    return valid


def random_proof(seed):
    """A proof of a search that learns soon, of few or very many rows; None where costs have too many digits."""
    rng = np.random.default_rng(seed)
    A, weight = rng.random((30, 6)) < 0.4, rng.integers(1, 2**40, 30)
    problem = rl.Problem.from_arrays(A, np.arange(30) % 3 == 0, sample_weight=weight)
    problem = problem if seed % 3 == 0 else noisy_problem(seed, 80 + 20 * (seed % 7), 10, 0.1)
    search = rl.RuleListSearch(problem, PRICES[seed % len(PRICES)])
    if seed % 2:
        learn_soon(search, 0, 0, 0)
    last = rl.solve(search, work_limit=5000)
    if last.status is not rl.Status.OPTIMAL or not can_be_carried(problem, search.certificate()):
        return None
    return problem, last.incumbent.model, search.certificate()


@pytest.mark.long
def test_proofs_of_random_problems_have_the_same_verdict(node) -> None:
    proofs = list(filter(None, map(random_proof, range(60))))
    found = verdicts(node, proofs)
    assert found.total() == len(proofs) > 50
    assert {"lemmas", "pairs"} <= set(chain(*found))


@pytest.mark.long
@pytest.mark.parametrize("name", ["rule list", "rule list with lemmas", "pairs"])
def test_changed_proofs_have_the_same_verdict(node, name) -> None:
    if name == "pairs":
        problem, model, certificate = proof_with_pairs()
    else:
        known = proof_of(name)
        problem, model, certificate = known.problem, known.model, known.certificate
    known = certificate.fingerprint, certificate.origin
    each = chain(*(mutations(np.random.default_rng(seed), certificate) for seed in range(5)))
    more = [changed(certificate, *WRONG[what]) for what in WRONG] if name == "pairs" else []
    # what the report does not carry is left out: names, and what a number looks like in memory
    others = [other for _, other in each if (other.fingerprint, other.origin) == known]
    others = [other for other in others if all(array.dtype.isnative for array in other.arrays.values())]
    found = verdicts(node, [(problem, model, other) for other in (certificate, *others, *more)])
    assert 0 < found.total() < len(others) / 5


def test_compas_is_checked(node, instances) -> None:
    A, y, names = instances.load("compas_a")
    problem = rl.Problem.from_arrays(A, y, names)
    search = rl.RuleListSearch(problem, 0.005)
    model = rl.solve(search).incumbent.model
    assert verdicts(node, [(problem, model, search.certificate())]).total() == 1
