"""Proofs of lists of predictive parity: accepted as they are, and refused when something in them is not true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from laws import finished, reread
from test_fair_rule_list import larger_problem
from test_predictive_parity import case

import rulelab as rl
from rulelab.certificate.rule_list.constrained.value_space import read_values
from rulelab.certificate.whole_weights import in_whole_weights_by_group

Proven = tuple[rl.Problem, rl.RuleList, rl.Certificate]


@pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.long)])
def test_certified_lists_have_proofs_that_hold(part: int) -> None:
    held = 0
    for seed in range(8 * part, 8 * part + 8):
        rows, search = case(seed)
        search.without_relaxation()
        snapshot = finished(search)
        if snapshot.incumbent is None:
            with pytest.raises(rl.CertificateError, match="has not proven its list optimal"):
                search.certificate()
            with pytest.raises(rl.CertificateError, match="has found none yet"):
                search.certificate(bound_only=True)
        else:
            certificate = reread(search.certificate())
            answer = rl.verify(search.problem, snapshot.incumbent.model, certificate)
            assert answer, (seed, answer.reason)
            assert answer.objective == answer.lower_bound or rows.kind == "real"
            assert answer.objective == pytest.approx(answer.lower_bound, abs=1e-12)
            assert answer.objective == pytest.approx(
                snapshot.incumbent.model.objective(search.regularization), abs=1e-15
            )
            assert answer.checked["ranges"] == len(certificate.arrays["sizes"])
            held += 1
    assert held >= 3


@pytest.mark.parametrize("tolerance", [0.02, 0.01])
def test_a_search_on_its_way_has_proofs_of_its_bound(tolerance: float) -> None:
    problem = larger_problem(m=10)
    search = rl.search_for(problem, regularization=0.005, fairness=rl.PredictiveParity(tolerance))
    bounds: list[float] = []
    for snapshot in search.steps(1):
        if snapshot.incumbent is None or snapshot.lower_bound in (0, *bounds) or snapshot.status is rl.Status.OPTIMAL:
            continue
        bounds.append(snapshot.lower_bound)
        certificate = reread(search.certificate(bound_only=True))
        answer = rl.verify(problem, snapshot.incumbent.model, certificate)
        assert (answer.state, answer.valid) == ("bound", False), answer.reason
        assert answer.lower_bound == pytest.approx(snapshot.lower_bound, abs=1e-9)
    assert len(bounds) > 1
    model = snapshot.incumbent.model
    for better in (model.objective(0.005) + 1e-4, -0.001):
        raised = replace(certificate, parameters={**certificate.parameters, "lower_bound": better})
        reason = rl.verify(problem, model, raised).reason
        assert ("above the model's objective" if better > 0 else "must be above 0") in reason


def test_a_bound_above_the_optimum_is_refused_whatever_the_model() -> None:
    problem = larger_problem(m=10)
    for criterion in (rl.PredictiveParity(0.02), rl.EqualOpportunity(0.05)):
        search = rl.search_for(problem, regularization=0.005, fairness=criterion)
        least = rl.solve(search).incumbent.objective
        certificate = search.certificate()
        certificate = replace(certificate, parameters={**certificate.parameters, "lower_bound": least})
        worse = rl.RuleList.from_problem(problem, (), [0])
        assert worse.objective(0.005) > least + 1e-3
        assert rl.verify(problem, worse, certificate).state == "bound"
        named = {**certificate.parameters, "lower_bound": least + 1e-3}
        answer = rl.verify(problem, worse, replace(certificate, parameters=named))
        assert answer.state == "refused", answer.reason


@pytest.fixture(scope="module")
def proof() -> Proven:
    """Of a list with rules, with several ranges."""
    problem = larger_problem(m=10)
    search = rl.search_for(problem, regularization=0.005, fairness=rl.PredictiveParity(0.02))
    model = rl.solve(search).incumbent.model
    certificate = search.certificate()
    assert rl.verify(problem, model, certificate)
    assert len(model) > 0
    assert (certificate.arrays["sizes"] > 0).sum() > 2
    return problem, model, certificate


def changed(certificate: rl.Certificate, **arrays: np.ndarray) -> rl.Certificate:
    return replace(certificate, arrays={**certificate.arrays, **arrays})


def test_a_fair_list_that_costs_more_is_refused(proof: Proven) -> None:
    problem, model, certificate = proof
    worse = rl.RuleList.from_problem(problem, (), [0])
    assert worse.objective(0.005) > model.objective(0.005)
    assert "costs less" in rl.verify(problem, worse, certificate).reason


def test_an_unfair_list_is_refused(proof: Proven) -> None:
    problem, _, certificate = proof
    unfair = rl.solve(rl.RuleListSearch(problem, 0.005)).incumbent.model
    assert "break" in rl.verify(problem, unfair, certificate).reason


def test_groups_are_part_of_what_is_checked(proof: Proven) -> None:
    problem, model, certificate = proof
    assert "no groups" in rl.verify(replace(problem, groups=None), model, certificate).reason


def test_a_range_that_is_left_out_is_missed(proof: Proven) -> None:
    """However few lists it has: the ranges must cover all numbers from 0 to 1."""
    problem, model, certificate = proof
    arrays, refused = certificate.arrays, 0
    starts = np.concatenate([[0], np.cumsum(arrays["sizes"])])
    for i in range(len(arrays["sizes"])):
        entries = np.r_[0 : starts[i], starts[i + 1] : starts[-1]]
        fewer: dict[str, np.ndarray] = {name: np.delete(arrays[name], i, axis=0) for name in ("multipliers", "sizes")}
        fewer |= {name: arrays[name][entries] for name in ("sets", "values")}
        for ends in (np.delete(arrays["ends"], i), np.delete(arrays["ends"], i + 1)):
            answer = rl.verify(problem, model, changed(certificate, ends=ends, **fewer))
            refused += not answer
            if ends[0] != 0 or ends[-1] != 1:
                assert "must be at most" in answer.reason
    assert refused > 2  # where the next range takes its place the proof may hold all the same


def test_ends_that_are_none_are_refused(proof: Proven) -> None:
    problem, model, certificate = proof
    ends = certificate.arrays["ends"]
    for other in (ends[::-1], ends * 2, ends / 2, np.where(ends == 1, np.nan, ends), ends[:1], np.sort(ends)[:, None]):
        answer = rl.verify(problem, model, changed(certificate, ends=np.ascontiguousarray(other)))
        assert "ranges" in answer.reason, other


def test_values_that_are_raised_are_refused(proof: Proven) -> None:
    problem, model, certificate = proof
    values = certificate.arrays["values"]
    for k in np.linspace(0, len(values) - 1, min(20, len(values))).astype(int):
        raised = values.copy()
        raised[k] = 1 << 60
        assert not rl.verify(problem, model, changed(certificate, values=raised)), k


def test_the_sets_of_one_range_do_not_prove_another(proof: Proven) -> None:
    problem, model, certificate = proof
    for name in ("multipliers", "sizes"):
        turned = np.ascontiguousarray(certificate.arrays[name][::-1])
        assert rl.verify(problem, model, changed(certificate, **{name: turned})).state == "refused"


def test_a_smaller_tolerance_than_was_proven_needs_a_fairer_list(proof: Proven) -> None:
    problem, model, certificate = proof
    named = {**certificate.parameters, "precision_tolerance": 0.0}
    assert rl.verify(problem, model, replace(certificate, parameters=named)).state == "refused"


def test_the_criterion_is_judged_exactly_where_it_is_close() -> None:
    """One third and two sixths are equal; a spread is within a tolerance that it equals, and not within less."""
    y, groups = [1, 0, 0, 1, 1, 0, 0, 0, 0], ["a"] * 3 + ["b"] * 6
    problem = in_whole_weights_by_group(rl.Problem.from_arrays([[i % 2] for i in range(9)], y, groups=groups))
    counts = np.array([[1, 2, 2, 4], [1, 2, 1, 1], [0, 0, 5, 1], [0, 0, 0, 0], [1, 9, 1, 4]], dtype=np.int64)

    def fair(tolerance: float) -> list[bool]:
        parameters: Mapping[str, float] = {"precision_tolerance": tolerance}
        return read_values(problem, parameters).fair(counts).tolist()

    assert fair(0.0) == [True, False, True, True, False]
    assert fair(0.1) == [True, False, True, True, True]
    assert fair(float(np.nextafter(0.1, 0))) == [True, False, True, True, False]
    assert fair(1 / 6) == [True, False, True, True, True]
    assert fair(0.17) == [True, True, True, True, True]
