"""Proofs of lists that compare groups, of all engines: accepted as they are, refused where something is not true."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from laws import holds, larger_problem, reread, with_arrays, with_parameters
from places import cases_beside

import rulelab as rl
from rulelab.certificate.outcome import in_whole_weights_by_group
from rulelab.certificate.rule_list.constrained.predictive import read_values
from rulelab.data.rate_constraints import constraints_of

PRICE = 0.005
FALLING = {"regularization": 0.0, "positive_weight": 4.0, "fairness": rl.EqualizedOdds(0.05)}
MAKE: dict[str, Callable[[], Any]] = {
    "fair_list": lambda: rl.search(larger_problem(m=10), regularization=PRICE, fairness=rl.EqualOpportunity(0.1)),
    "value_list": lambda: rl.search(larger_problem(m=10), regularization=PRICE, fairness=rl.PredictiveParity(0.02)),
    "least_gap": lambda: rl.LeastGapSearch(larger_problem(m=10), "equal_opportunity", min_accuracy=0.64, max_length=4),
    "fair_falling": lambda: rl.search(larger_problem(1), "falling_rule_list", **FALLING),
}
"""Of lists with rules, where the table has many sets."""


def made(kind: str) -> rl.Search:
    search = MAKE[kind]()
    return search if kind in ("value_list", "least_gap") else search.without_relaxation()


@pytest.fixture(scope="module")
def proofs():
    out = {}
    for kind in MAKE:
        search = made(kind)
        model = rl.solve(search).incumbent.model
        certificate = reread(search.certificate())
        assert len(model) > 0
        assert rl.verify(search.problem, model, certificate)
        out[kind] = search.problem, model, certificate
    assert (out["value_list"][2].arrays["sizes"] > 0).sum() > 2
    assert len(out["least_gap"][2].arrays["values"]) > 5
    assert len(out["fair_falling"][2].arrays["parents"]) > 20
    return out


@pytest.mark.parametrize("kind", ["fair_list", "value_list", "fair_falling"])
def test_a_fair_list_that_costs_more_and_an_unfair_one_are_refused(kind, proofs):
    problem, model, certificate = proofs[kind]
    make = type(model).from_problem
    price = certificate.parameters["regularization"]
    worse = make(problem, (), 4.0) if kind == "fair_falling" else make(problem, (), [0])
    assert worse.objective(price) > model.objective(price)
    refused = rl.verify(problem, worse, certificate)
    assert "costs less" in refused.reason or (kind == "fair_falling" and not refused)
    if kind != "fair_falling":
        best = rl.solve(rl.RuleListSearch(problem, price)).incumbent.model
        unfair = make(problem, (2,), [1, 0]) if kind == "fair_list" else best
        assert "break" in rl.verify(problem, unfair, certificate).reason


@pytest.mark.parametrize("kind", MAKE)
def test_groups_are_part_of_what_is_checked(kind, proofs):
    problem, model, certificate = proofs[kind]
    assert "no groups" in rl.verify(replace(problem, groups=None), model, certificate).reason


@pytest.mark.parametrize("kind", ["fair_list", "value_list", "least_gap"])
def test_values_that_are_raised_are_refused(kind, proofs):
    problem, model, certificate = proofs[kind]
    values = certificate.arrays["values"]
    for k in np.linspace(0, len(values) - 1, min(20, len(values))).astype(int):
        raised = values.copy()
        raised[k] = 1 << 60
        assert not rl.verify(problem, model, with_arrays(certificate, values=raised)), k


CLAIMS: dict[str, list[tuple[dict[str, float | None], str]]] = cases_beside(__file__)


@pytest.mark.parametrize("kind", CLAIMS)
def test_what_was_not_proven_is_refused(kind, proofs):
    problem, model, certificate = proofs[kind]
    for parameters, words in CLAIMS[kind]:
        answer = rl.verify(problem, model, with_parameters(certificate, **parameters))
        assert answer.state == "refused", parameters
        assert any(part in answer.reason for part in words.split("|")), answer.reason


def test_a_list_of_a_larger_gap_is_refused(proofs):
    problem, model, certificate = proofs["least_gap"]
    best = rl.solve(rl.RuleListSearch(problem, PRICE)).incumbent.model
    assert best != model
    assert "the model's gap" in rl.verify(problem, best, certificate).reason
    search = rl.LeastGapSearch(problem, "equal_opportunity", min_accuracy=0.64, warm_start=best)
    gap = search.advance(1).incumbent.objective
    longest = float(max(len(best), certificate.parameters["max_length"]))
    larger = with_parameters(certificate, false_negative_rate_gap=gap, max_length=longest)
    assert "smaller gap" in rl.verify(problem, best, larger).reason


def test_sums_that_the_search_has_rounded_are_proven_as_they_are():
    """Beyond 2^58 the search rounds its sums, and has multiplied those; a check adds up what they stand for."""
    proven = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        A = rng.random((24, 5)) < 0.5
        y = (A[:, 0] ^ (rng.random(24) < 0.3)).astype(int)
        groups = np.where(A[:, 1] ^ (rng.random(24) < 0.3), "a", "b")
        weight = rng.integers(1 << 24, 1 << int(rng.integers(25, 29)), 24)
        problem = rl.Problem.from_arrays(A, y, sample_weight=weight, groups=groups)
        criterion = (rl.DemographicParity, rl.EqualOpportunity)[seed % 2](0.1)
        if constraints_of(problem, criterion, 0).shifts != [1]:
            continue
        search = rl.search(problem, regularization=0.03, fairness=criterion).without_relaxation()
        best = rl.solve(search).incumbent
        assert best is not None
        proof = search.certificate()
        assert rl.verify(problem, best.model, proof)
        proven += bool((proof.arrays["multipliers"] != 0).any())
        if proven == 2:
            return
    raise AssertionError("no multipliers of rounded sums were tried")


def test_a_bound_above_the_optimum_is_refused_whatever_the_model():
    problem = larger_problem(m=10)
    for criterion in (rl.PredictiveParity(0.02), rl.EqualOpportunity(0.05)):
        search = rl.search(problem, regularization=PRICE, fairness=criterion)
        least = rl.solve(search).incumbent.objective
        certificate = search.certificate()
        worse = rl.RuleList.from_problem(problem, (), [0])
        assert worse.objective(PRICE) > least + 1e-3
        assert rl.verify(problem, worse, with_parameters(certificate, lower_bound=least)).state == "bound"
        answer = rl.verify(problem, worse, with_parameters(certificate, lower_bound=least + 1e-3))
        assert answer.state == "refused", answer.reason


def test_a_range_that_is_left_out_is_missed(proofs):
    """However few lists it has: the ranges must cover all numbers from 0 to 1."""
    problem, model, certificate = proofs["value_list"]
    arrays, refused = certificate.arrays, 0
    starts = np.concatenate([[0], np.cumsum(arrays["sizes"])])
    for i in range(len(arrays["sizes"])):
        entries = np.r_[0 : starts[i], starts[i + 1] : starts[-1]]
        fewer: dict[str, np.ndarray] = {name: np.delete(arrays[name], i, axis=0) for name in ("multipliers", "sizes")}
        fewer |= {name: arrays[name][entries] for name in ("sets", "values")}
        for ends in (np.delete(arrays["ends"], i), np.delete(arrays["ends"], i + 1)):
            answer = rl.verify(problem, model, with_arrays(certificate, ends=ends, **fewer))
            refused += not answer
            if ends[0] != 0 or ends[-1] != 1:
                assert "must be at most" in answer.reason
    assert refused > 2  # where the next range takes its place the proof may hold all the same


def test_ranges_and_their_sets_are_those_that_were_proven(proofs):
    problem, model, certificate = proofs["value_list"]
    ends = certificate.arrays["ends"]
    for other in (ends[::-1], ends * 2, ends / 2, np.where(ends == 1, np.nan, ends), ends[:1], np.sort(ends)[:, None]):
        answer = rl.verify(problem, model, with_arrays(certificate, ends=np.ascontiguousarray(other)))
        assert "ranges" in answer.reason, other
    for name in ("multipliers", "sizes"):
        turned = np.ascontiguousarray(certificate.arrays[name][::-1])
        assert rl.verify(problem, model, with_arrays(certificate, **{name: turned})).state == "refused"


def test_the_criterion_is_judged_exactly_where_it_is_close():
    """One third and two sixths are equal; a spread is within a tolerance that it equals, and not within less."""
    y, groups = [1, 0, 0, 1, 1, 0, 0, 0, 0], ["a"] * 3 + ["b"] * 6
    problem = in_whole_weights_by_group(rl.Problem.from_arrays([[i % 2] for i in range(9)], y, groups=groups))
    counts = np.array([[1, 2, 2, 4], [1, 2, 1, 1], [0, 0, 5, 1], [0, 0, 0, 0], [1, 9, 1, 4]], dtype=np.int64)

    def fair(tolerance: float) -> list[bool]:
        parameters: Mapping[str, float] = {"precision_tolerance": tolerance}
        return read_values(problem, parameters).fair(counts).tolist()

    assert (fair(0.0), fair(0.1)) == ([True, False, True, True, False], [True, False, True, True, True])
    assert fair(float(np.nextafter(0.1, 0))) == [True, False, True, True, False]
    assert (fair(1 / 6), fair(0.17)) == ([True, False, True, True, True], [True, True, True, True, True])


@pytest.mark.parametrize("part", [0, *(pytest.param(k, marks=pytest.mark.long) for k in range(1, 3))])
def test_larger_falling_lists_are_proven_whatever_is_expanded_first(part):
    """The checker goes through all prefixes by itself, and refuses where a list was missed."""
    criteria = (rl.EqualOpportunity(0.02), rl.DemographicParity(0.05), rl.EqualizedOdds(0.1), rl.AccuracyParity(0.05))
    for seed in range(8 * part, 8 * part + 8):
        problem, criterion = larger_problem(seed, 250, 12), criteria[seed % 4]
        given = {"positive_weight": (2.0, 4.0, 6.0)[seed % 3], "regularization": (0.0, 0.003)[seed % 2]}
        found = []
        for width in (0, 2, 20):
            search = rl.search(problem, "falling_rule_list", **given, fairness=criterion, beam_width=width)
            last = rl.solve(search)
            found.append(None if last.incumbent is None else last.incumbent.objective)
            assert last.status is (rl.Status.OPTIMAL if last.incumbent is not None else rl.Status.INFEASIBLE)
            if last.incumbent is not None:
                assert rl.verify(problem, last.incumbent.model, search.certificate())
        assert found[0] == found[1] == found[2]


def test_the_multipliers_and_the_prefixes_are_needed(proofs):
    problem, model, certificate = proofs["fair_falling"]
    answer = rl.verify(problem, model, certificate)
    assert answer.checked["entries"] > 20
    assert "no fair falling rule list has an objective below" in answer.reason
    arrays = certificate.arrays
    none = with_arrays(certificate, multipliers=np.zeros_like(arrays["multipliers"]))
    assert not rl.verify(problem, model, none).valid
    last = len(arrays["parents"]) - 1
    assert not rl.verify(problem, model, with_arrays(certificate, **{k: a[:last] for k, a in arrays.items()})).valid


def test_a_proof_among_short_lists_is_not_one_among_all(proofs):
    problem, best, _ = proofs["fair_falling"]
    search = rl.search(problem, "falling_rule_list", **FALLING, max_length=1)
    model, certificate = rl.solve(search).incumbent.model, search.certificate()
    answer = holds(problem, model, certificate)
    assert answer.among == "has at most 1 rule"
    assert best.objective(0.0) < model.objective(0.0)
    assert "rules, more than the 1" in rl.verify(problem, best, certificate).reason
    for value in (2.0, 9.0, 1.5, -1.0, None):
        assert not rl.verify(problem, model, with_parameters(certificate, max_length=value)).valid


def test_a_proof_is_made_at_the_end():
    with pytest.raises(rl.errors.CertificateError, match="not proven its list optimal yet"):
        made("fair_falling").certificate()
