"""Weights of any digits: falling lists are proven within the rounding of their sums, and no worse list is."""

from collections.abc import Callable
from fractions import Fraction

import naive
import numpy as np
import pytest
from laws import reread

import rulelab as rl
from rulelab.certificate import CertificateError, prove_soft_falling_rule_list
from rulelab.data.exact_weights import in_units

WEIGHTS: dict[str, Callable[[np.random.Generator, np.ndarray], np.ndarray]] = {
    "balanced": lambda rng, y: np.where(y, 0.5 / y.mean(), 0.5 / (1 - y.mean())),
    "population": lambda rng, y: (rng.random(len(y)) + 0.01) * 1e9,
    "thirds": lambda rng, y: rng.integers(1, 7, len(y)) / 3,
    "tenths": lambda rng, y: rng.integers(1, 7, len(y)) * 0.1,
    "doubles": lambda rng, y: rng.random(len(y)) + 0.01,
    "nothing beside the others": lambda rng, y: np.where(rng.random(len(y)) < 0.3, 1e-18, 1.0) * rng.random(len(y)),
}
OTHERS = [(), *((j,) for j in range(4)), (0, 1), (2, 1), (3, 0, 1)]


def exact(*numbers: float | None) -> list[Fraction | None]:
    return [None if number is None else Fraction(repr(number)) for number in numbers]


@pytest.mark.parametrize("family", ["falling", "soft", "fair"])
@pytest.mark.parametrize("kind", WEIGHTS)
def test_weights_of_any_digits_are_proven_within_their_rounding(family, kind):
    """Lists fall and are fair by the weights as they are, also where proportions are equal; nothing is below a bound.

    Where proportions are so nearly equal that rounding hides which is larger, the bound of lists that fall can be that
    of a list that rises by as little; this is said.
    """
    proven = refused = 0
    for seed in range(16):
        rng = np.random.default_rng(seed)
        A = rng.random((int(rng.integers(5, 20)), 4)) < 0.5
        y, groups = rng.random(len(A)) < 0.5, rng.integers(0, 2, len(A))
        y[:4], groups[:4] = (True, False, True, False), (0, 0, 1, 1)
        C, w, most = (float(rng.choice(some)) for some in ((0, 0.01, 0.1 / 3), (1, 0.5, 1 / 3, 3), (0, 0.05, 0.3)))
        weight = WEIGHTS[kind](rng, y)
        units = [int(u) for u in in_units([weight])[0][0]]
        problem = rl.Problem.from_arrays(A, y, sample_weight=weight, groups=groups)
        given = {"regularization": C, "positive_weight": w}
        penalty = float(rng.choice([0, 0.01, 0.1, 1 / 3, 2])) if family == "soft" else None
        if family == "fair":
            name, criterion = (("positive", rl.DemographicParity), ("error", rl.AccuracyParity))[seed % 2]
            given |= {"fairness": criterion(most), "beam_width": (0, 2, 200)[seed % 3]}
        else:
            given |= {"violation_penalty": penalty, "iterations": (0, 30)[seed % 2]}
        search = rl.search_for(problem, "falling_rule_list", **given)
        last = rl.solve(search if family != "fair" or seed % 4 > 1 else search.without_relaxation())
        of_rows = A, y, units
        if family == "fair":
            tolerances = {name: Fraction(repr(most))}
            least = naive.best_fair_falling_rule_list(*of_rows, groups.tolist(), *exact(w, C), tolerances)
        else:
            least = naive.best_falling_rule_list(*of_rows, *exact(w, C, penalty))
        if least is None:
            assert last.status is rl.Status.INFEASIBLE
            continue
        model = last.incumbent.model
        assert last.status is rl.Status.OPTIMAL or last.limit == "exactness"
        assert Fraction(last.lower_bound) <= least + Fraction(1, 10**16)
        assert family == "soft" or naive.falls(*of_rows, model.antecedents)
        if family == "fair":
            predicted = naive.falling_predictions(*of_rows, exact(w)[0], model.antecedents)
            assert naive.weighted_gap(name, y, units, groups.tolist(), predicted) <= tolerances[name]
        if family == "falling" and last.gap > 1e-12:
            with pytest.raises(CertificateError, match="one that falls but for the rounding of weights"):
                search.certificate()
            assert kind in ("thirds", "tenths", "nothing beside the others")
            continue
        assert last.gap < 1e-10
        assert naive.falling_objective(*of_rows, *exact(w, C), model.antecedents, *exact(penalty)) - least < 1e-10
        certificate = reread(search.certificate())
        answer = rl.verify(problem, model, certificate)
        assert answer, answer.reason
        assert answer.resolution < 1e-8
        assert Fraction(answer.lower_bound) <= least + Fraction(1, 10**16)
        proven += 1
        for antecedents in OTHERS:
            other = rl.FallingRuleList.from_problem(problem, antecedents, w, penalty)
            value = naive.falling_objective(*of_rows, *exact(w, C), antecedents, *exact(penalty))
            if value > least + Fraction(1, 10**7):
                refused += 1
                assert not rl.verify(problem, other, certificate)
                if family == "soft":
                    with pytest.raises(CertificateError, match=r"a better list exists|the model costs too much"):
                        prove_soft_falling_rule_list(problem, other, C)
    assert proven > 6
    assert refused > 20
