"""At any limit a search proves its lower bound: one test over all families, and what no certificate may claim."""

import io
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from laws import Inside, falling_for, with_parameters
from proof_mutations import NAMES, damaged, judge, judge_file, mutations, proof_of

import rulelab as rl
from rulelab.rehearsal import noisy_problem
from rulelab.results import Snapshot

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


FAIR, LISTED = rl.EqualOpportunity(0.1), partial(rl.search, regularization=0.03)
SEARCHES: dict[str, Callable[[rl.Problem], Any]] = {
    "rule list": lambda p: rl.RuleListSearch(p, 0.03, beam_width=0),
    "rule list, papers' bounds": lambda p: rl.CorelsSearch(p, 0.03),
    "fair rule list": partial(LISTED, fairness=FAIR, beam_width=0),
    "fair rule list, majority": partial(LISTED, fairness=FAIR, labels="majority", beam_width=0),
    "rule list of predictive parity": partial(LISTED, fairness=rl.PredictiveParity(0.1)),
    "demanding rule list": partial(LISTED, must_use=["antecedent 4"]),
    "rule list of limited length": partial(LISTED, must_use=["antecedent 4"], max_length=2),
    "falling rule list": lambda p: rl.FallingRuleListSearch(p, regularization=0.01, iterations=0),
    "softly falling rule list": lambda p: falling_for(p, regularization=0.01, violation_penalty=0.5, iterations=0),
    "fair falling rule list": lambda p: falling_for(p, regularization=0.01, fairness=FAIR, beam_width=0),
    "rule set": lambda p: rl.RuleSetSearch(p, max_complexity=6, max_conditions=2),
    "fair rule set": lambda p: rl.RuleSetSearch(p, max_complexity=6, max_conditions=2, fairness=FAIR),
}
SLOW = "rule list of predictive parity"


def bounds_on_the_way(search: Any, most: int = 12) -> list[tuple[Snapshot, rl.Certificate]]:
    """Certificates of a search that has not ended, at each of its different bounds."""
    found: list[tuple[Snapshot, rl.Certificate]] = []
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


@cache
def ended(name: str, seed: int) -> tuple[Case, Any, list[tuple[Snapshot, rl.Certificate]], Snapshot]:
    """A case, its search when it has ended, bounds on the way, and the end."""
    case = Case(seed)
    search = SEARCHES[name](case.problem)
    found = bounds_on_the_way(search, most=4 if name == SLOW else 12)
    return case, search, found, rl.solve(search)


@pytest.mark.few(4)
@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_that_has_not_ended_proves_its_bound_and_no_higher_one(name):
    proven, sets = 0, name.endswith("set")
    for seed in range(1 if name == SLOW else 3):
        case, search, found, best = ended(name, seed)
        optimum = best.incumbent.objective
        assert best.status is rl.Status.OPTIMAL
        proof = search.certificate(bound_only=not sets)
        assert rl.verify(case.problem, best.incumbent.model, proof).state == "optimal"
        for last, certificate in found:
            model = last.incumbent.model
            answer = rl.verify(case.problem, model, certificate)
            assert answer.state == "bound", answer.reason
            assert not answer
            assert "and no more" in answer.reason
            assert answer.lower_bound <= optimum + 1e-12
            assert answer.objective == pytest.approx(last.incumbent.objective, rel=1e-12)
            proven += 1
            if sets:  # the bound of the linear programme, before what a better model rules out
                assert answer.lower_bound <= last.lower_bound + 1e-9
                continue
            assert answer.lower_bound == pytest.approx(last.lower_bound, rel=1e-9)
            for factor in (1.02, 1.2, 0.9):
                claim = with_parameters(certificate, lower_bound=certificate.parameters["lower_bound"] * factor)
                answer = rl.verify(case.problem, model, claim)
                assert answer.state == "refused" or answer.lower_bound <= optimum + 1e-12
            for high in (optimum * 1.01, 0.0, -0.1, 1e308):
                claim = with_parameters(certificate, lower_bound=high)
                assert rl.verify(case.problem, model, claim).state == "refused"
    assert proven >= (1 if sets else 3)


def test_before_a_bound_there_is_none_to_prove():
    of_limited_length = rl.RuleListSearch(Case(2).problem, 0.03, max_length=2)
    of_limited_length.advance(3)
    with pytest.raises(rl.errors.CertificateError, match="max_length=None"):
        of_limited_length.certificate(bound_only=True)
    search = SEARCHES["rule list"](Case(0).problem)
    with pytest.raises(rl.errors.CertificateError, match=r"no bound above 0|not proven"):
        search.certificate(bound_only=True)
    search.advance(1)
    with pytest.raises(rl.errors.CertificateError, match="not proven its list optimal"):
        search.certificate()
    of_sets = rl.RuleSetSearch(noisy_problem(), 10, 3)
    with pytest.raises(rl.errors.CertificateError, match="not proven"):
        of_sets.certificate(bound_only=True)
    next(snapshot for snapshot in of_sets.steps() if snapshot.lower_bound > 0)
    with pytest.raises(rl.errors.CertificateError, match="not proven"):
        of_sets.certificate()


# every change of a proof is refused -----------------------------------------------------------------------------------
FILES = (
    "rule list with lemmas", "list of predictive parity", "falling rule list", "softly falling", "least gap",
    "least gap of sets (dnf)", "rule set (dnf, hamming, fair)",
)  # fmt: skip


@pytest.mark.few(4)
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
