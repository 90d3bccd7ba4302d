"""Making, checking and explaining a proof keep to a time: what ends them says which, and nothing is claimed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rulelab as rl


def noisy() -> rl.Problem:
    rng = np.random.default_rng(0)
    A = rng.random((200, 8)) < 0.5
    y = (A[:, 0] & A[:, 1]) ^ (rng.random(200) < 0.3)
    return rl.Problem.from_arrays(A, y, groups=rng.random(200) < 0.4)


SEARCHES: dict[str, Callable[[rl.Problem], Any]] = {
    "list": lambda p: rl.RuleListSearch(p, 0.01),
    "corels": lambda p: rl.CorelsSearch(p, 0.01),
    "list that obeys": lambda p: rl.search_for(p, regularization=0.01, max_length=2, first_rule=p.names[0]),
    "falling list": lambda p: rl.FallingRuleListSearch(p, 0.01),
    "softly falling list": lambda p: rl.search_for(p, "falling_rule_list", regularization=0.01, violation_penalty=0.1),
    "fair list": lambda p: rl.search_for(p, regularization=0.01, fairness=rl.EqualOpportunity(0.02)),
    "fair list that obeys": lambda p: rl.search_for(
        p, regularization=0.01, fairness=rl.EqualOpportunity(0.02), max_length=2
    ),
    "list of predictive parity": lambda p: rl.search_for(p, regularization=0.01, fairness=rl.PredictiveParity(0.02)),
    "fair falling list": lambda p: rl.search_for(
        p, "falling_rule_list", regularization=0.01, fairness=rl.EqualOpportunity(0.02)
    ),
    "list of least gap": lambda p: rl.LeastGapSearch(p, "equal_opportunity", min_accuracy=0.5),
    "set": lambda p: rl.RuleSetSearch(p, max_complexity=6),
    "fair set": lambda p: rl.RuleSetSearch(p, max_complexity=6, fairness=rl.EqualOpportunity(0.02)),
    "set of least gap": lambda p: rl.LeastGapRuleSetSearch(p, "equal_opportunity", 0.5, max_complexity=4),
}


@pytest.mark.parametrize("name", list(SEARCHES))
def test_no_time_is_no_proof_and_enough_is_the_same_proof(name: str) -> None:
    problem = noisy()
    search = SEARCHES[name](problem)
    model = rl.solve(search).incumbent.model
    with pytest.raises(TimeoutError, match="the proof was not done in 0 s; raise time_limit"):
        rl.prove(search, time_limit=0)
    proof = rl.prove(search, time_limit=None)
    assert proof.arrays.keys() == search.certificate().arrays.keys()
    with pytest.raises(TimeoutError, match="the check was not done in 0 s"):
        rl.verify(problem, model, proof, time_limit=0)
    assert rl.verify(problem, model, proof).valid


def test_what_explains_a_proof_checks_it_in_time() -> None:
    problem = noisy()
    search = rl.RuleListSearch(problem, 0.01)
    model = rl.solve(search).incumbent.model
    asked = rl.RuleList.from_problem(problem, [0])
    with pytest.raises(TimeoutError, match="the check was not done"):
        rl.explain_proof(problem, model, search.certificate(), asked, time_limit=0)


def test_a_search_without_proofs_says_so() -> None:
    with pytest.raises(rl.CertificateError, match="NearOptimalSearch makes no certificates"):
        rl.prove(rl.NearOptimalSearch(noisy(), 0.01))
