"""Proofs of lists that compare groups, of all engines: accepted as they are, refused where something is not true."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import naive
import numpy as np
import pytest
from crossed_cases import case_of
from laws import finished, larger_problem, reread

import rulelab as rl
from rulelab.certificate.rule_list.constrained.value_space import read_values
from rulelab.certificate.whole_weights import in_whole_weights_by_group
from rulelab.data.exact_weights import in_units

Proven = tuple[rl.Problem, Any, rl.Certificate]
PRICE = 0.005
FALLING = {"regularization": 0.0, "positive_weight": 4.0, "fairness": rl.EqualizedOdds(0.05)}
MAKE: dict[str, Callable[[], Any]] = {
    "fair_list": lambda: rl.search_for(larger_problem(m=10), regularization=PRICE, fairness=rl.EqualOpportunity(0.1)),
    "value_list": lambda: rl.search_for(larger_problem(m=10), regularization=PRICE, fairness=rl.PredictiveParity(0.02)),
    "least_gap": lambda: rl.LeastGapSearch(larger_problem(m=10), "equal_opportunity", min_accuracy=0.64, max_length=4),
    "fair_falling": lambda: rl.search_for(larger_problem(1), "falling_rule_list", **FALLING),
}
"""Of lists with rules, where the table has many sets."""


def made(kind: str) -> rl.Search:
    search = MAKE[kind]()
    return search if kind in ("value_list", "least_gap") else search.without_relaxation()


@pytest.fixture(scope="module")
def proofs() -> dict[str, Proven]:
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


def changed(certificate: rl.Certificate, **arrays: np.ndarray) -> rl.Certificate:
    return replace(certificate, arrays={**certificate.arrays, **arrays})


def named(certificate: rl.Certificate, **parameters: float | None) -> rl.Certificate:
    """With other parameters, without those of None."""
    given = {name: value for name, value in {**certificate.parameters, **parameters}.items() if value is not None}
    return replace(certificate, parameters=given)


NOT_YET = {"least_gap": "has not proven the least gap"}


@pytest.mark.parametrize(
    ("family", "seeds"),
    [
        ("fair_list", range(0, 150, 3)),
        ("value_list", range(0, 24, 3)),
        ("least_gap", range(0, 90, 3)),
        ("fair_falling", range(0, 150, 3)),
    ],
)
def test_certified_lists_have_proofs_that_hold_and_no_worse_list_with_them(family: str, seeds: range) -> None:
    held = refused = 0
    for seed in seeds:
        case = case_of(family, seed)
        search = case.search()
        if family == "value_list":
            search.without_relaxation()
        last = finished(search)
        if last.incumbent is None:
            with pytest.raises(rl.CertificateError, match=NOT_YET.get(family, "has found none that obeys")):
                search.certificate()
            continue
        model, price = last.incumbent.model, search.parameters["regularization"]
        if last.status is not rl.Status.OPTIMAL:
            assert last.limit == "exactness"
            continue
        try:
            certificate = reread(search.certificate())
        except rl.CertificateError as error:
            assert not case.rows.integral or case.rows.kind == "huge" or family == "fair_falling"
            assert "digits" in str(error) or "large" in str(error)  # noqa: PT017
            continue
        answer = rl.verify(search.problem, model, certificate)
        assert answer, (seed, answer.reason)
        assert answer.objective == pytest.approx(answer.lower_bound, abs=1e-12)
        if family == "least_gap":
            assert answer.objective == pytest.approx(float(search.least), abs=1e-15)
        else:
            assert answer.objective == pytest.approx(model.objective(price), abs=1e-15)
        if family == "value_list":
            assert answer.checked["ranges"] == len(certificate.arrays["sizes"])
        if family == "fair_falling":
            for antecedents in [(), *((j,) for j in range(search.problem.n_antecedents))]:
                other = rl.FallingRuleList.from_problem(search.problem, antecedents, search.positive_weight)
                if other.objective(price) - model.objective(price) > 1e-14:  # less is the rounding of sums of doubles
                    refused += 1
                    assert not rl.verify(search.problem, other, certificate).valid
        held += 1
    assert held >= (3 if family == "value_list" else 15)
    assert refused > 15 or family != "fair_falling"


@pytest.mark.parametrize("kind", ["fair_list", "value_list", "fair_falling"])
def test_a_fair_list_that_costs_more_and_an_unfair_one_are_refused(kind: str, proofs: dict[str, Proven]) -> None:
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
def test_groups_are_part_of_what_is_checked(kind: str, proofs: dict[str, Proven]) -> None:
    problem, model, certificate = proofs[kind]
    assert "no groups" in rl.verify(replace(problem, groups=None), model, certificate).reason


@pytest.mark.parametrize("kind", ["fair_list", "value_list", "least_gap"])
def test_values_that_are_raised_are_refused(kind: str, proofs: dict[str, Proven]) -> None:
    problem, model, certificate = proofs[kind]
    values = certificate.arrays["values"]
    for k in np.linspace(0, len(values) - 1, min(20, len(values))).astype(int):
        raised = values.copy()
        raised[k] = 1 << 60
        assert not rl.verify(problem, model, changed(certificate, values=raised)), k


CLAIMS: dict[str, list[tuple[dict[str, float | None], str]]] = {
    "fair_list": [({"false_negative_rate_tolerance": 0.0}, ""), ({"regularization": 0.001}, "")],
    "value_list": [({"precision_tolerance": 0.0}, ""), ({"regularization": 0.001}, "")],
    "least_gap": [
        ({"min_accuracy": 0.5}, "has a smaller gap|the table leaves|needs one"),
        ({"min_accuracy": 0.99}, "accuracy is"),
        ({"max_length": 10.0}, "has a smaller gap|the table leaves|needs one"),
        ({"max_length": 1.0}, "rules, more than"),
        ({"false_negative_rate_gap": 0.0}, "the model's gap in the false_negative_rate"),
        ({"accuracy_gap": 0.5}, "the model's gap in the accuracy"),
        ({"regularization": 0.01}, "parameters that lists of least gap do not have"),
    ],
    "fair_falling": [
        ({"regularization": 0.001}, ""),
        ({"positive_weight": 3.0}, ""),
        ({"false_negative_rate_tolerance": 0.0}, ""),
        ({"accuracy_tolerance": 0.0}, ""),
        ({"false_negative_rate_tolerance": None, "false_positive_rate_tolerance": None}, ""),
    ],
}


@pytest.mark.parametrize("kind", CLAIMS)
def test_what_was_not_proven_is_refused(kind: str, proofs: dict[str, Proven]) -> None:
    problem, model, certificate = proofs[kind]
    for parameters, words in CLAIMS[kind]:
        answer = rl.verify(problem, model, named(certificate, **parameters))
        assert answer.state == "refused", parameters
        assert any(part in answer.reason for part in words.split("|")), answer.reason


def test_a_list_of_a_larger_gap_is_refused(proofs: dict[str, Proven]) -> None:
    problem, model, certificate = proofs["least_gap"]
    best = rl.solve(rl.RuleListSearch(problem, PRICE)).incumbent.model
    assert best != model
    assert "the model's gap" in rl.verify(problem, best, certificate).reason
    search = rl.LeastGapSearch(problem, "equal_opportunity", min_accuracy=0.64, warm_start=best)
    gap = search.advance(1).incumbent.objective
    longest = float(max(len(best), certificate.parameters["max_length"]))
    larger = named(certificate, false_negative_rate_gap=gap, max_length=longest)
    assert "smaller gap" in rl.verify(problem, best, larger).reason


def test_sums_that_the_search_has_rounded_are_proven_as_they_are() -> None:
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
        search = rl.search_for(problem, regularization=0.03, fairness=criterion).without_relaxation()
        if search._constraints.shifts != [1]:
            continue
        best = rl.solve(search).incumbent
        assert best is not None
        proof = search.certificate()
        assert rl.verify(problem, best.model, proof)
        proven += bool((proof.arrays["multipliers"] != 0).any())
        if proven == 2:
            return
    raise AssertionError("no multipliers of rounded sums were tried")


@pytest.mark.parametrize("tolerance", [0.02, 0.01])
def test_a_search_on_its_way_has_proofs_of_its_bound(tolerance: float) -> None:
    problem = larger_problem(m=10)
    search = rl.search_for(problem, regularization=PRICE, fairness=rl.PredictiveParity(tolerance))
    with pytest.raises(rl.CertificateError, match=r"no bound above 0|has found none yet|not proven"):
        search.certificate(bound_only=True)
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
    for better in (model.objective(PRICE) + 1e-4, -0.001):
        reason = rl.verify(problem, model, named(certificate, lower_bound=better)).reason
        assert ("above the model's objective" if better > 0 else "must be above 0") in reason


def test_a_bound_above_the_optimum_is_refused_whatever_the_model() -> None:
    problem = larger_problem(m=10)
    for criterion in (rl.PredictiveParity(0.02), rl.EqualOpportunity(0.05)):
        search = rl.search_for(problem, regularization=PRICE, fairness=criterion)
        least = rl.solve(search).incumbent.objective
        certificate = search.certificate()
        worse = rl.RuleList.from_problem(problem, (), [0])
        assert worse.objective(PRICE) > least + 1e-3
        assert rl.verify(problem, worse, named(certificate, lower_bound=least)).state == "bound"
        answer = rl.verify(problem, worse, named(certificate, lower_bound=least + 1e-3))
        assert answer.state == "refused", answer.reason


def test_a_range_that_is_left_out_is_missed(proofs: dict[str, Proven]) -> None:
    """However few lists it has: the ranges must cover all numbers from 0 to 1."""
    problem, model, certificate = proofs["value_list"]
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


def test_ranges_and_their_sets_are_those_that_were_proven(proofs: dict[str, Proven]) -> None:
    problem, model, certificate = proofs["value_list"]
    ends = certificate.arrays["ends"]
    for other in (ends[::-1], ends * 2, ends / 2, np.where(ends == 1, np.nan, ends), ends[:1], np.sort(ends)[:, None]):
        answer = rl.verify(problem, model, changed(certificate, ends=np.ascontiguousarray(other)))
        assert "ranges" in answer.reason, other
    for name in ("multipliers", "sizes"):
        turned = np.ascontiguousarray(certificate.arrays[name][::-1])
        assert rl.verify(problem, model, changed(certificate, **{name: turned})).state == "refused"


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


@pytest.mark.parametrize("part", [0, *(pytest.param(k, marks=pytest.mark.long) for k in range(1, 3))])
def test_larger_falling_lists_are_proven_whatever_is_expanded_first(part: int) -> None:
    """The checker goes through all prefixes by itself, and refuses where a list was missed."""
    criteria = (rl.EqualOpportunity(0.02), rl.DemographicParity(0.05), rl.EqualizedOdds(0.1), rl.AccuracyParity(0.05))
    for seed in range(8 * part, 8 * part + 8):
        problem, criterion = larger_problem(seed, 250, 12), criteria[seed % 4]
        given = {"positive_weight": (2.0, 4.0, 6.0)[seed % 3], "regularization": (0.0, 0.003)[seed % 2]}
        found = []
        for width in (0, 2, 20):
            search = rl.search_for(problem, "falling_rule_list", **given, fairness=criterion, beam_width=width)
            last = rl.solve(search)
            found.append(None if last.incumbent is None else last.incumbent.objective)
            assert last.status is (rl.Status.OPTIMAL if last.incumbent is not None else rl.Status.INFEASIBLE)
            if last.incumbent is not None:
                assert rl.verify(problem, last.incumbent.model, search.certificate())
        assert found[0] == found[1] == found[2]


def test_the_multipliers_and_the_prefixes_are_needed(proofs: dict[str, Proven]) -> None:
    problem, model, certificate = proofs["fair_falling"]
    answer = rl.verify(problem, model, certificate)
    assert answer.checked["entries"] > 20
    assert "no fair falling rule list has an objective below" in answer.reason
    arrays = certificate.arrays
    assert not rl.verify(problem, model, changed(certificate, multipliers=np.zeros_like(arrays["multipliers"]))).valid
    last = len(arrays["parents"]) - 1
    assert not rl.verify(problem, model, changed(certificate, **{k: a[:last] for k, a in arrays.items()})).valid


def test_a_proof_among_short_lists_is_not_one_among_all(proofs: dict[str, Proven]) -> None:
    problem, best, _ = proofs["fair_falling"]
    search = rl.search_for(problem, "falling_rule_list", **FALLING, max_length=1)
    model, certificate = rl.solve(search).incumbent.model, search.certificate()
    answer = rl.verify(problem, model, certificate)
    assert answer.valid, answer.reason
    assert answer.among == "has at most 1 rule"
    assert best.objective(0.0) < model.objective(0.0)
    assert "rules, more than the 1" in rl.verify(problem, best, certificate).reason
    for value in (2.0, 9.0, 1.5, -1.0, None):
        assert not rl.verify(problem, model, named(certificate, max_length=value)).valid


def test_a_proof_is_made_at_the_end() -> None:
    with pytest.raises(rl.CertificateError, match="not proven its list optimal yet"):
        made("fair_falling").certificate()


WEIGHTS: dict[str, Callable[[np.random.Generator, np.ndarray], np.ndarray]] = {
    "balanced": lambda rng, y: np.where(y, 0.5 / y.mean(), 0.5 / (1 - y.mean())),
    "thirds": lambda rng, y: rng.integers(1, 7, len(y)) / 3,
    "tenths": lambda rng, y: rng.integers(1, 7, len(y)) * 0.1,
    "doubles": lambda rng, y: rng.random(len(y)) + 0.01,
    "nothing beside the others": lambda rng, y: np.where(rng.random(len(y)) < 0.3, 1e-18, 1.0) * rng.random(len(y)),
}


@pytest.mark.parametrize("kind", WEIGHTS)
def test_falling_lists_of_weights_of_any_digits_are_proven_within_their_rounding(kind: str) -> None:
    """Lists fall and are fair by the weights as they are; where none is, that is certain, too."""
    proven = refused = 0
    for seed in range(24):
        rng = np.random.default_rng(seed)
        A = rng.random((int(rng.integers(5, 20)), 4)) < 0.5
        y, groups = rng.random(len(A)) < 0.5, rng.integers(0, 2, len(A))
        y[:4], groups[:4] = (True, False, True, False), (0, 0, 1, 1)
        weight = WEIGHTS[kind](rng, y)
        C, w, most = (float(rng.choice(some)) for some in ((0, 0.01, 0.1 / 3), (1, 0.5, 1 / 3, 3), (0, 0.05, 0.3)))
        name, criterion = (("positive", rl.DemographicParity), ("error", rl.AccuracyParity))[seed % 2]
        problem = rl.Problem.from_arrays(A, y, sample_weight=weight, groups=groups)
        given = {"regularization": C, "positive_weight": w, "beam_width": (0, 2, 200)[seed % 3]}
        search = rl.search_for(problem, "falling_rule_list", **given, fairness=criterion(most))
        last = rl.solve(search if seed % 4 > 1 else search.without_relaxation())
        units = [int(u) for u in in_units([weight])[0][0]]
        exact = Fraction(repr(w)), Fraction(repr(C))
        tolerances = {name: Fraction(repr(most))}
        least = naive.best_fair_falling_rule_list(A, y, units, groups.tolist(), *exact, tolerances)
        if least is None:
            assert last.status is rl.Status.INFEASIBLE
            continue
        model = last.incumbent.model
        assert naive.falls(A, y, units, model.antecedents)
        predicted = naive.falling_predictions(A, y, units, exact[0], model.antecedents)
        assert naive.weighted_gap(name, y, units, groups.tolist(), predicted) <= tolerances[name]
        assert naive.falling_objective(A, y, units, *exact, model.antecedents) - least < 1e-13
        assert last.status is rl.Status.OPTIMAL or last.limit == "exactness"
        assert last.gap < 1e-12
        assert Fraction(last.lower_bound) <= least + Fraction(1, 10**16)
        certificate = reread(search.certificate())
        answer = rl.verify(problem, model, certificate)
        assert answer, answer.reason
        assert answer.resolution < 1e-11
        assert Fraction(answer.lower_bound) <= least + Fraction(1, 10**16)
        proven += 1
        for antecedents in [(), *((j,) for j in range(4)), (0, 1), (2, 1)]:
            other = rl.FallingRuleList.from_problem(problem, antecedents, w)
            if naive.falling_objective(A, y, units, *exact, antecedents) > least + Fraction(1, 10**9):
                refused += 1
                assert not rl.verify(problem, other, certificate)
    assert proven > 12
    assert refused > 25
