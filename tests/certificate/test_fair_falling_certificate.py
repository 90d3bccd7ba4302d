"""Proofs of fair falling lists: they are accepted, and refused for a worse list, other data, or a damaged table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from test_fair_falling import case_of
from test_fair_rule_list import larger_problem

import rulelab as rl
from rulelab.certificate import CertificateError
from rulelab.falling_rule_list import FairFallingSearch


def proven(search: FairFallingSearch, kind: str = "unit") -> tuple[rl.FallingRuleList, rl.Certificate] | None:
    """The list and its proof; None where there is none to be had."""
    last = rl.solve(search)
    if last.status is not rl.Status.OPTIMAL or last.incumbent is None:
        return None
    if kind == "real" or search.positive_weight == 1 / 3:
        try:
            return last.incumbent.model, search.certificate()
        except CertificateError as error:
            reason = str(error)
        assert "too many digits" in reason
        return None
    return last.incumbent.model, search.certificate()


@pytest.mark.parametrize("part", [0, *(pytest.param(k, marks=pytest.mark.long) for k in range(1, 4))])
def test_every_proof_is_accepted_and_no_worse_list_with_it(part: int) -> None:
    made = refused = 0
    for seed in range(80 * part, 80 * part + 80):
        rows, search = case_of(seed)
        found = proven(search, rows.kind)
        if found is None:
            continue
        model, certificate = found
        answer = rl.verify(search.problem, model, certificate)
        assert answer.valid, answer.reason
        assert answer.lower_bound == pytest.approx(model.objective(search.regularization), abs=1e-15)
        made += 1
        for antecedents in [(), *((j,) for j in range(search.problem.n_antecedents))]:
            other = rl.FallingRuleList.from_problem(search.problem, antecedents, search.positive_weight)
            worse = other.objective(search.regularization) - model.objective(search.regularization)
            if worse > 1e-14:  # less than the rounding of sums of doubles is none
                refused += 1
                assert not rl.verify(search.problem, other, certificate).valid
    assert made > 25
    assert refused > 30


@pytest.mark.parametrize("part", [0, *(pytest.param(k, marks=pytest.mark.long) for k in range(1, 5))])
def test_larger_problems_are_proven_whatever_is_expanded_first(part: int) -> None:
    """The checker goes through all prefixes by itself, and refuses where a list was missed."""
    criteria = (rl.EqualOpportunity(0.02), rl.DemographicParity(0.05), rl.EqualizedOdds(0.1), rl.AccuracyParity(0.05))
    for seed in range(8 * part, 8 * part + 8):
        problem, criterion = larger_problem(seed, 250, 12), criteria[seed % 4]
        weight, penalty = (2.0, 4.0, 6.0)[seed % 3], (0.0, 0.003)[seed % 2]
        found = []
        for width in (0, 2, 20):
            search = rl.search_for(
                problem,
                "falling_rule_list",
                regularization=penalty,
                positive_weight=weight,
                fairness=criterion,
                beam_width=width,
            )
            last = rl.solve(search)
            found.append(None if last.incumbent is None else last.incumbent.objective)
            assert last.status is (rl.Status.OPTIMAL if last.incumbent is not None else rl.Status.INFEASIBLE)
            if last.incumbent is not None:
                assert rl.verify(problem, last.incumbent.model, search.certificate())
        assert found[0] == found[1] == found[2]


def larger() -> FairFallingSearch:
    search = rl.search_for(
        larger_problem(1), "falling_rule_list", regularization=0.0, positive_weight=4.0, fairness=rl.EqualizedOdds(0.05)
    )
    assert isinstance(search, FairFallingSearch)
    return search.without_relaxation()


def test_a_proof_of_many_sets() -> None:
    search = larger()
    found = proven(search)
    assert found is not None
    model, certificate = found
    answer = rl.verify(search.problem, model, certificate)
    assert answer.valid
    assert answer.checked["entries"] > 20
    assert "no fair falling rule list has an objective below" in answer.reason


def test_the_multipliers_and_the_prefixes_are_needed() -> None:
    search = larger()
    found = proven(search)
    assert found is not None
    model, certificate = found
    arrays = certificate.arrays
    none = {**arrays, "multipliers": np.zeros_like(arrays["multipliers"])}
    assert not rl.verify(search.problem, model, replace(certificate, arrays=none)).valid
    last = len(arrays["parents"]) - 1
    fewer = {name: array[:last] for name, array in arrays.items()}
    assert not rl.verify(search.problem, model, replace(certificate, arrays=fewer)).valid
    for name, value in (
        ("regularization", 0.001),
        ("positive_weight", 3.0),
        ("false_negative_rate_tolerance", 0.0),
        ("accuracy_tolerance", 0.0),
    ):
        other = replace(certificate, parameters={**certificate.parameters, name: value})
        assert not rl.verify(search.problem, model, other).valid


def test_a_proof_under_a_constraint_is_not_one_without() -> None:
    search = larger()
    found = proven(search)
    assert found is not None
    model, certificate = found
    names = ("regularization", "positive_weight")
    without = replace(certificate, parameters={name: certificate.parameters[name] for name in names})
    assert not rl.verify(search.problem, model, without).valid


def test_a_proof_among_short_lists_is_not_one_among_all() -> None:
    whole = larger()
    search = rl.search_for(
        whole.problem,
        "falling_rule_list",
        regularization=0.0,
        positive_weight=4.0,
        fairness=whole.fairness,
        max_length=1,
    )
    model, certificate = rl.solve(search).incumbent.model, search.certificate()
    answer = rl.verify(search.problem, model, certificate)
    assert answer.valid, answer.reason
    assert answer.among == "has at most 1 rule"
    best = rl.solve(whole).incumbent.model
    assert best.objective(0.0) < model.objective(0.0)
    assert "rules, more than the 1" in rl.verify(search.problem, best, certificate).reason
    for value in (2.0, 9.0, 1.5, -1.0, None):
        parameters = {name: given for name, given in certificate.parameters.items() if name != "max_length"}
        parameters |= {} if value is None else {"max_length": value}
        assert not rl.verify(search.problem, model, replace(certificate, parameters=parameters)).valid


def test_a_proof_is_made_at_the_end() -> None:
    with pytest.raises(CertificateError, match="not proven its list optimal yet"):
        larger().certificate()
