"""At any limit a search proves its lower bound: one test over all families, and what no certificate may claim."""

import io
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from inside import Inside
from laws import falling_for
from proof_mutations import NAMES, damaged, judge, judge_file, mutations, proof_of

import rulelab as rl

N, M = 60, 7


class Case:
    """A noisy table of two groups, small enough for every list to be tried."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.A = rng.random((N, M)) < 0.45
        self.groups = rng.integers(0, 2, N)
        self.y = (self.A[:, 0] & ~self.A[:, 1] | self.A[:, 2]) ^ (rng.random(N) < 0.25) ^ (self.groups & self.A[:, 3])
        self.weight = rng.integers(1, 4, N).tolist()
        self.problem = rl.Problem.from_arrays(self.A, self.y, sample_weight=self.weight, groups=self.groups)

    @property
    def table(self) -> tuple[Any, ...]:
        return self.A, self.y, self.weight


FAIR = rl.EqualOpportunity(0.1)
SEARCHES: dict[str, Callable[[rl.Problem], Any]] = {
    "rule list": lambda p: rl.RuleListSearch(p, 0.03, beam_width=0),
    "rule list, papers' bounds": lambda p: rl.CorelsSearch(p, 0.03),
    "fair rule list": lambda p: rl.search_for(p, regularization=0.03, fairness=FAIR, beam_width=0),
    "fair rule list, majority": lambda p: rl.search_for(
        p, regularization=0.03, fairness=FAIR, labels="majority", beam_width=0
    ),
    "rule list of predictive parity": lambda p: rl.search_for(
        p, regularization=0.03, fairness=rl.PredictiveParity(0.1)
    ),
    "demanding rule list": lambda p: rl.search_for(p, regularization=0.03, must_use=["antecedent 4"]),
    "rule list of limited length": lambda p: rl.search_for(
        p, regularization=0.03, must_use=["antecedent 4"], max_length=2
    ),
    "falling rule list": lambda p: rl.FallingRuleListSearch(p, regularization=0.01, iterations=0),
    "softly falling rule list": lambda p: falling_for(p, regularization=0.01, violation_penalty=0.5, iterations=0),
    "fair falling rule list": lambda p: falling_for(p, regularization=0.01, fairness=FAIR, beam_width=0),
    "rule set": lambda p: rl.RuleSetSearch(p, max_complexity=6, max_conditions=2),
    "fair rule set": lambda p: rl.RuleSetSearch(p, max_complexity=6, max_conditions=2, fairness=FAIR),
}
SLOW = "rule list of predictive parity"


def bounds_on_the_way(search: Any, most: int = 12) -> list[tuple[rl.Snapshot, rl.Certificate]]:
    """Certificates of a search that has not ended, at each of its different bounds."""
    found: list[tuple[rl.Snapshot, rl.Certificate]] = []
    for _ in range(4000):
        last = search.advance(1)
        if last.status is not rl.Status.RUNNING or len(found) == most:
            break
        seen = found[-1][0].lower_bound if found else 0.0
        generation = Inside(search).generation if isinstance(search, rl.RuleSetSearch) else None
        provable = not isinstance(search, rl.RuleSetSearch) or getattr(generation, "closing_point", None) is not None
        if last.incumbent is not None and last.lower_bound > seen and provable:
            found.append((last, search.certificate(bound_only=True)))
    return found


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_that_has_not_ended_proves_its_bound(name):
    proven = 0
    for seed in range(1 if name == SLOW else 3):
        case = Case(seed)
        search = SEARCHES[name](case.problem)
        found = bounds_on_the_way(search, most=4 if name == SLOW else 12)
        best = rl.solve(search)
        assert best.status is rl.Status.OPTIMAL
        ended = search.certificate(bound_only=not name.endswith("set"))
        assert rl.verify(case.problem, best.incumbent.model, ended).state == "optimal"
        for last, certificate in found:
            answer = rl.verify(case.problem, last.incumbent.model, certificate)
            assert answer.state == "bound", answer.reason
            assert not answer
            assert "and no more" in answer.reason
            assert answer.lower_bound <= best.incumbent.objective + 1e-12
            assert answer.objective == pytest.approx(last.incumbent.objective, rel=1e-12)
            if name.endswith("set"):  # the bound of the linear programme, before what a better model rules out
                assert answer.lower_bound <= last.lower_bound + 1e-9
            else:
                assert answer.lower_bound == pytest.approx(last.lower_bound, rel=1e-9)
            proven += 1
    assert proven >= (1 if name.endswith("set") else 3)


@pytest.mark.parametrize("name", [name for name in SEARCHES if not name.endswith("set")])
def test_a_bound_that_does_not_hold_is_refused(name):
    """Whatever is claimed is at most the optimum, which the search itself proves."""
    tampered = 0
    for seed in range(1 if name == SLOW else 2):
        case = Case(seed)
        search = SEARCHES[name](case.problem)
        found = bounds_on_the_way(search, most=3)
        best = rl.solve(search).incumbent
        for last, certificate in found:
            model = last.incumbent.model
            for factor in (1.02, 1.2, 0.9):
                claim = certificate.parameters["lower_bound"] * factor
                other = replace(certificate, parameters={**certificate.parameters, "lower_bound": claim})
                answer = rl.verify(case.problem, model, other)
                if answer.state == "bound":
                    assert answer.lower_bound <= best.objective + 1e-12
                else:
                    assert answer.state == "refused"
            without = {key: value for key, value in certificate.parameters.items() if key != "lower_bound"}
            answer = rl.verify(case.problem, model, replace(certificate, parameters=without))
            if answer.state != "refused":  # of few lists the check finds out by itself that none is better
                assert answer.objective == pytest.approx(best.objective, rel=1e-12)
            above = best.objective * 1.01
            high = replace(certificate, parameters={**certificate.parameters, "lower_bound": above})
            assert rl.verify(case.problem, model, high).state == "refused"
            for key, array in certificate.arrays.items():
                if key == "values" and len(array):
                    raised = array.copy()
                    raised[0] += 1_000
                    wrong = replace(certificate, arrays={**certificate.arrays, key: raised})
                    answer = rl.verify(case.problem, model, wrong)
                    assert answer.state != "optimal"
                    assert answer.state == "refused" or answer.lower_bound <= best.objective + 1e-12
            tampered += 1
    assert tampered


@pytest.mark.parametrize("claim", [0.0, -0.1, 1e308])
def test_a_bound_that_is_none_is_refused(claim):
    case = Case(0)
    search = SEARCHES["rule list"](case.problem)
    last, certificate = bounds_on_the_way(search, most=1)[0]
    wrong = replace(certificate, parameters={**certificate.parameters, "lower_bound": claim})
    assert rl.verify(case.problem, last.incumbent.model, wrong).state == "refused"


def test_before_a_bound_there_is_none_to_prove():
    of_limited_length = rl.RuleListSearch(Case(2).problem, 0.03, max_length=2)
    of_limited_length.advance(3)
    with pytest.raises(rl.CertificateError, match="max_length=None"):
        of_limited_length.certificate(bound_only=True)
    search = SEARCHES["rule list"](Case(0).problem)
    with pytest.raises(rl.CertificateError, match=r"no bound above 0|not proven"):
        search.certificate(bound_only=True)
    search.advance(1)
    with pytest.raises(rl.CertificateError, match="not proven its list optimal"):
        search.certificate()


# every change of a proof is refused -----------------------------------------------------------------------------------
FILES = ("rule list with lemmas", "list of predictive parity", "falling rule list", "softly falling", "least gap")
FILES = (*FILES, "least gap of sets (dnf)", "rule set (dnf, hamming, fair)")


@pytest.mark.parametrize("name", NAMES)
def test_whatever_is_accepted_is_true(name):
    proof = proof_of(name)
    answer = rl.verify(proof.problem, proof.model, proof.certificate)
    assert answer.state == ("bound" if "bound" in proof.name and not answer.valid else "optimal"), answer.reason
    assert judge(proof, proof.certificate) in ("same claim", "bound")
    rng = np.random.default_rng(1)
    found: Counter[str] = Counter()
    for description, changed in mutations(rng, proof.certificate):
        try:
            found[judge(proof, changed)] += 1
        except AssertionError as error:
            raise AssertionError(f"{proof.name}, {description}: {error}") from error
    assert found["refused"] > 40
    assert found["refused"] > found["another true claim"]


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_refused_or_true(name):
    proof = proof_of(name)
    stream = io.BytesIO()
    proof.certificate.save(stream)
    found: Counter[str] = Counter()
    for seed in range(12):
        for description, content in damaged(np.random.default_rng(seed), stream.getvalue()):
            try:
                found[judge_file(proof, content)] += 1
            except AssertionError as error:
                raise AssertionError(f"{proof.name}, {description}: {error}") from error
    assert found["unreadable"] > 80
    assert not found["another true claim"]


def test_the_judge_knows_a_lie():
    """If the checker believed everything, the judge would say so."""
    proof = proof_of("rule list")
    believed = rl.verify(proof.problem, proof.model, proof.certificate)
    false = replace(proof, optimum=lambda _: proof.optimum(proof.certificate) + Fraction(1, 1000))
    assert believed.valid
    with pytest.raises(AssertionError, match=r"is the optimum|exceeds"):
        judge(false, proof.certificate)
