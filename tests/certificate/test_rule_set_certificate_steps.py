"""The two searches of the checker of rule sets against plain enumeration, and what it says when it gives up."""

from itertools import combinations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from proof_checks import holds, proof_by, refused
from strategies import seeds
from test_rule_set_certificate_fair import by_dual

import rulelab as rl
from rulelab.certificate.rule_set import closing
from rulelab.certificate.rule_set import columns as columns_of
from rulelab.certificate.rule_set.closing import Closing, SetCosts
from rulelab.certificate.rule_set.columns import columns


@settings(max_examples=150)
@given(seeds)
def test_every_rule_within_the_slack_is_enumerated_at_any_depth(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 40)), int(rng.integers(1, 8))
    matrix = rng.random((n, m)) < rng.uniform(0.2, 0.95, m)
    if m > 2 and rng.random() < 0.5:
        matrix[:, 0] |= matrix[:, 1]  # nested
        matrix[:, 2] = ~matrix[:, 1]  # disjoint
    weight = rng.integers(-6, 7, n) * rng.integers(0, 2, n)
    price, slack, depth = int(rng.integers(0, 4)), int(rng.integers(-12, 12)), int(rng.integers(1, m + 2))
    found = columns(matrix, weight, price, slack, depth)
    expected: dict[bytes, int] = {}
    for clause in naive.all_clauses(matrix, depth):
        covered = matrix[:, list(clause)].all(axis=1)
        if price * (1 + len(clause)) - weight[covered].sum() <= slack:
            expected[covered.tobytes()] = 1 + len(clause)
    covers = found.covers().astype(bool)
    got = [covered.tobytes() for covered in covers]
    assert (dict(zip(got, found.complexity.tolist(), strict=True)), len(got)) == (expected, len(expected))
    assert found.reduced.tolist() == [price * c - w for c, w in zip(found.complexity, covers @ weight, strict=True)]


@settings(max_examples=150)
@given(seeds)
def test_the_closing_step_meets_exactly_the_sets_within_the_slack(seed):
    rng = np.random.default_rng(seed)
    n, patterns, limits = int(rng.integers(0, 9)), int(rng.integers(1, 12)), int(rng.integers(0, 3))
    covered = (rng.random((n, patterns)) < rng.uniform(0.1, 0.7)).astype(np.uint8)
    missed, first, again = (rng.integers(0, 5, patterns) * rng.integers(0, 2, patterns) for _ in range(3))
    costs = SetCosts(
        prices=rng.integers(0, 4, 1 + limits),
        room=np.array([int(rng.integers(2, 12)), *rng.integers(0, 4, limits).tolist()]),
        reduced=rng.integers(0, 6, n),
        sizes=np.column_stack([rng.integers(2, 5, n), rng.integers(0, 3, (n, limits))]),
        missed=missed,
        first=first * int(rng.integers(0, 2)),
        again=again,
    )
    slack = int(rng.integers(0, 25))

    def cost(rules: tuple[int, ...]) -> int:
        times = covered[list(rules)].sum(axis=0, dtype=int)
        unused = costs.room - costs.sizes[list(rules)].sum(axis=0)
        once = costs.first + costs.again * (times - 1)
        return int(costs.prices @ unused + costs.reduced[list(rules)].sum() + np.where(times > 0, once, missed).sum())

    within = {
        rules
        for size in range(n + 1)
        for rules in combinations(range(n), size)
        if (costs.sizes[list(rules)].sum(axis=0) <= costs.room).all() and cost(rules) <= slack
    }
    met: list[tuple[int, ...]] = []
    search = Closing(covered, costs, slack, lambda rules: bool(met.append(tuple(sorted(rules)))))
    assert not search.finds_better()
    assert (set(met), len(met)) == (within, len(within))
    for wanted in sorted(within)[:3]:
        assert Closing(covered, costs, slack, lambda rules, w=wanted: tuple(sorted(rules)) == w).finds_better()


@pytest.mark.parametrize(
    ("module", "name", "most", "said", "bounded"),
    [
        (closing, "MOST_CELLS", 1000, ("nothing is known to be wrong", "for a better set", "a lower bound of"), True),
        (columns_of, "MOST_COLUMNS", 5, ("more than 5 rules",), True),
        (columns_of, "MOST_CELLS", 1000, ("the enumeration of rules was given up",), False),
    ],
)
def test_a_check_that_takes_too_long_is_given_up(module, name, most, said, bounded, monkeypatch):
    """Dual values of 0 leave all to the closing step."""
    rng = np.random.default_rng(3)
    A = rng.random((200, 8)) < 0.5
    y = ((A[:, 0] & A[:, 1]) | (A[:, 2] & A[:, 3])) ^ (rng.random(200) < 0.3)
    problem = rl.Problem.from_arrays(A, y)
    model = rl.solve(rl.RuleSetSearch(problem, 12, 2)).incumbent.model
    proof = by_dual(problem, model, 0 * problem.positives, 0, 1, 12, 2)
    full = holds(problem, model, proof)
    assert min(full.checked["columns"] - 10, full.checked["sets"]) > 0
    monkeypatch.setattr(module, name, most)
    verdict = rl.verify(problem, model, proof)
    assert not verdict.valid
    assert all(each in verdict.reason for each in said)
    assert verdict.objective == model.hamming_loss
    assert (verdict.lower_bound is not None) == bounded
    assert not bounded or verdict.lower_bound < model.hamming_loss


@pytest.mark.long
def test_real_certificates_of_a_search_verify(shared, instances):
    for name, limits in (("compas_24", (5, 10)), ("tic_tac_toe_54", (20,))):
        A, y, names = instances.load(name)
        problem = rl.Problem.from_arrays(A, y, names=names)
        for most in limits:
            model, proof = proof_by(rl.RuleSetSearch(problem, most, 4))
            holds(problem, model, proof)
            assert refused(problem, rl.RuleSet.from_problem(problem, model.clauses[1:]), proof)
