"""Certificates of rule sets under fairness constraints: by brute force, and what is refused."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import holds, proof_by, refused, seeds, with_arrays, with_parameters

import rulelab as rl
from rulelab.certificate import prove_rule_set
from rulelab.certificate.rule_set.checker import Case, set_costs
from rulelab.certificate.rule_set.claim import Claim
from rulelab.certificate.rule_set.columns import Columns
from rulelab.certificate.rule_set.dual import DualValues, read_dual
from rulelab.data.fairness import Rate

GRID = 512
CRITERIA = {
    rl.EqualOpportunity: ("false_negative",),
    rl.EqualizedOdds: ("false_negative", "false_positive"),
    rl.FalsePositiveRateParity: ("false_positive",),
    rl.DemographicParity: ("positive",),
    rl.AccuracyParity: ("error",),
}
NAMES = {
    "false_negative": "false_negative_rate",
    "false_positive": "false_positive_rate",
    "positive": "selection_rate",
    "error": "accuracy",
}
SWAPPED = {"false_negative": "false_positive", "false_positive": "false_negative"}


@dataclass(frozen=True, eq=False)
class Table:
    """A small table with groups, a criterion or none, and all its rule sets."""

    problem: rl.Problem
    criterion: rl.Criterion | None
    loss: str
    form: str
    most: int
    depth: int
    penalty: Fraction
    losses: dict[tuple[tuple[int, ...], ...], Fraction]
    gaps: dict[tuple[tuple[int, ...], ...], tuple[Fraction, ...]]

    @property
    def tolerance(self) -> Fraction:
        return naive.decimal(self.criterion.tolerance)  # type: ignore[attr-defined]

    @property
    def fair(self) -> list[tuple[tuple[int, ...], ...]]:
        return [clauses for clauses in self.losses if self.is_fair(clauses)]

    def is_fair(self, clauses: tuple[tuple[int, ...], ...]) -> bool:
        return self.criterion is None or max(self.gaps[clauses]) <= self.tolerance

    @property
    def least(self) -> Fraction:
        return min(self.losses[clauses] for clauses in self.fair)

    @property
    def rates(self) -> list[str]:
        return sorted(NAMES[rate] for rate in CRITERIA[type(self.criterion)])

    def check(self, proof: rl.Certificate, times: int) -> None:
        """Of some sets the fair ones of the least loss are proven, and no others."""
        for clauses in list(self.losses)[:: max(1, len(self.losses) // times)]:
            verdict = rl.verify(self.problem, self.model(clauses), proof)
            assert verdict.valid == (self.is_fair(clauses) and self.losses[clauses] == self.least), verdict.reason
            assert ("breaks a constraint" in verdict.reason) == (not self.is_fair(clauses))

    def model(self, clauses: tuple[tuple[int, ...], ...]) -> rl.RuleSet:
        return rl.RuleSet.from_problem(self.problem, clauses, self.form)

    def search(self, **options) -> rl.RuleSetSearch:
        limits = self.most, self.depth, self.loss, self.form, self.criterion
        return rl.RuleSetSearch(self.problem, *limits, regularization=float(self.penalty), **options)


def make(seed: int, loss: str = "hamming", fair: bool = True) -> Table:
    rng = np.random.default_rng(seed)
    n, m, n_groups = int(rng.integers(8, 26)), int(rng.integers(2, 5)), int(rng.integers(2, 4))
    A, y = rng.random((n, m)) < rng.uniform(0.3, 0.8, m), rng.random(n) < 0.5
    groups = rng.integers(0, n_groups, n)
    for g in range(n_groups):
        groups[2 * g : 2 * g + 2], y[2 * g : 2 * g + 2] = g, (True, False)
    weight = rng.integers(1, 4, n) * (1 + 5 * (seed % 3 == 0))
    criterion = list(CRITERIA)[int(rng.integers(len(CRITERIA)))](float(rng.choice([0, 0.05, 0.1, 0.3])))
    form, most, depth = str(rng.choice(["dnf", "cnf"])), int(rng.integers(2, 8)), int(rng.integers(1, 3))
    penalty = Fraction(int(rng.integers(0, 2)), 2)
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight, groups=groups)
    seen, wanted = (A, y) if form == "dnf" else (~A, ~y)
    rates = CRITERIA[type(criterion)]
    if form == "cnf":
        rates = tuple(SWAPPED.get(rate, rate) for rate in rates)
    losses, gaps, lost = {}, {}, naive.LOSSES[loss]
    for clauses in naive.all_rule_sets(seen, most, depth):
        losses[clauses] = lost(seen, wanted, weight.tolist(), clauses) + penalty * naive.rule_set_complexity(clauses)
        if fair:
            proxy = loss == "hamming"
            gaps[clauses] = tuple(naive.parity_gap(r, seen, wanted, weight, groups, clauses, proxy) for r in rates)
    return Table(problem, criterion if fair else None, loss, form, most, depth, penalty, losses, gaps)


def by_dual(
    problem: rl.Problem,
    model: rl.RuleSet,
    dual: np.ndarray,
    price: int,
    grid: int,
    most: int,
    depth: int,
    penalty: float = 0.0,
    multipliers: np.ndarray | None = None,
    **claimed,
) -> rl.Certificate:
    """The certificate of these dual values."""
    claim = Claim(most, depth, naive.decimal(penalty), grid, **claimed)
    arrays = {"dual": np.array(dual, dtype=np.int64), "price": np.array([price])}
    return prove_rule_set(problem, model, claim, arrays | ({} if multipliers is None else {"multipliers": multipliers}))


@pytest.mark.parametrize("fair", [True, False])
@pytest.mark.parametrize("loss", ["hamming", "zero_one"])
@settings(max_examples=50)
@given(seeds)
def test_exactly_the_optima_verify(loss, fair, seed):
    case = make(seed, loss, fair)
    search = case.search()
    last = rl.solve(search)
    if last.status is rl.Status.INFEASIBLE:
        assert not case.fair
        return
    proof = search.certificate()
    verdict = holds(case.problem, last.incumbent.model, proof)
    assert verdict.objective == verdict.lower_bound == float(case.least)
    assert ("of groups at most" in verdict.reason) == fair
    assert ("training errors as the loss" in verdict.reason) == (loss == "zero_one")
    case.check(proof, 8)


@settings(max_examples=80)
@given(seeds, st.sampled_from([1.0, 10.0, 300.0]))
def test_any_multipliers_prove_nothing_wrong(seed, size):
    case = make(seed)
    if not case.fair:
        return
    rng = np.random.default_rng(seed)
    groups = case.problem.groups
    assert groups is not None
    wanted = groups.positives if case.form == "dnf" else groups.negatives
    n = len(groups.names)
    tolerances = dict.fromkeys(case.rates, case.tolerance)
    shape = len(case.rates), n, n
    multipliers = size * rng.random(shape) * (1 - np.eye(n)) * (rng.random(shape) < 0.6)
    dual = rng.integers(0, 2, wanted.shape) * wanted * int(rng.integers(0, GRID))
    price = int(rng.integers(0, 40 * GRID))
    best = min(case.fair, key=case.losses.__getitem__)
    for clauses in (best, case.fair[0], case.fair[-1]):
        model = case.model(clauses)
        limits = case.most, case.depth, float(case.penalty)
        proof = by_dual(case.problem, model, dual, price, GRID, *limits, multipliers, tolerances=tolerances)
        verdict = rl.verify(case.problem, model, proof)
        assert not verdict.valid or case.losses[clauses] == case.least
        assert verdict.lower_bound is None or verdict.lower_bound <= float(case.least)


@settings(max_examples=100)
@given(seeds, st.sampled_from([0.0, 3.0, 200.0]))
def test_costs_are_the_bound_and_the_terms_above_it(seed, size):
    case = make(seed)
    if not case.fair:
        return
    rng = np.random.default_rng(seed)
    claim = Claim(case.most, case.depth, case.penalty, GRID, dict.fromkeys(case.rates, case.tolerance))
    checked = Case(case.problem, case.model(case.fair[0]), claim)
    sides, n = checked.sides, len(checked.sides.names)
    multipliers = size * rng.random((len(case.rates), n, n)) * (rng.random((len(case.rates), n, n)) < 0.5)
    multipliers *= 1 - np.eye(n)
    arrays = {"dual": np.zeros_like(sides.wanted), "price": np.zeros(1, dtype=np.int64), "multipliers": multipliers}

    def read() -> DualValues:
        return read_dual(sides, checked.parities, arrays, GRID, checked.per_loss, case.most)

    net = multipliers.sum(axis=2) - multipliers.sum(axis=1)
    for g in range(n):
        extra = sum(Fraction(float(x[g])) * parity.left_out[g] for parity, x in zip(checked.parities, net, strict=True))
        most = max(0, int(GRID * (checked.per_loss + extra)) - 1)  # one less, for the rounding of the sums above
        arrays["dual"][g] = np.floor(rng.random(sides.wanted.shape[1]) * most) * sides.wanted[g]
    clauses = naive.all_clauses(sides.matrix, case.depth)
    covered = np.array([sides.matrix[:, list(clause)].all(axis=1) for clause in clauses], dtype=np.int64)
    complexity = np.array([1 + len(clause) for clause in clauses], dtype=np.int64)
    gains = covered @ read().weight - GRID * checked.per_unit * complexity
    arrays["price"] = np.array([(-(-gains // complexity)).max(initial=0)])
    dual = read()
    reduced = dual.price * complexity - gains
    assert (reduced >= 0).all()
    rules = Columns(np.packbits(covered, axis=1), len(sides.matrix), complexity, reduced, 0)
    costs, raised = set_costs(checked, dual, rules, 0)
    assert min(a.min(initial=0) for a in (costs.reduced, costs.missed, costs.first, costs.again)) >= 0
    index = {clause: k for k, clause in enumerate(clauses)}
    for chosen, cost in case.losses.items():
        ks = [index[clause] for clause in chosen]
        times = covered[ks].sum(axis=0)
        unused = int(costs.prices[0]) * (case.most - int(complexity[ks].sum()))
        once = costs.first + costs.again * (times - 1)
        terms = int(np.where(times > 0, once, costs.missed).sum() + costs.reduced[ks].sum()) + unused
        exact = cost * checked.per_loss
        for parity, prices in zip(checked.parities, multipliers, strict=True):
            rates = parity.rates(*sides.measure(times))
            for g, h in np.ndindex(n, n):
                exact += Fraction(float(prices[g, h])) * (rates[g] - rates[h] - parity.tolerance)
        above = GRID * exact - (dual.total - dual.price * case.most)
        assert above >= terms - raised
        rounding = 3 * (1 + len(chosen)) * int(case.problem.total_weight)
        assert raised or above <= terms + rounding


@cache
def proven(criterion: rl.Criterion | None = None) -> tuple[rl.Problem, rl.RuleSet, rl.Certificate]:
    rng = np.random.default_rng(4)
    A = rng.random((300, 6)) < 0.5
    y = ((A[:, 0] & A[:, 2]) | (A[:, 3] & A[:, 4])) ^ (rng.random(300) < 0.1)
    groups = np.where(A[:, 2], "left", np.where(rng.random(300) < 0.5, "middle", "right"))
    problem = rl.Problem.from_arrays(A, y, groups=groups)
    return problem, *proof_by(rl.RuleSetSearch(problem, 8, 2, fairness=criterion or rl.EqualizedOdds(0.1, 0.1)))


@pytest.mark.parametrize(
    ("parameters", "arrays", "message"),
    [
        ({"false_negative_rate_tolerance": 0.0}, {}, "breaks a constraint: the false_negative_rate of the groups '"),
        ({"false_negative_rate_tolerance": -0.1}, {}, "must be at least 0"),
        ({"false_negative_rate_tolerance": float("inf")}, {}, "must be finite"),
        ({"accuracy_tolerance": 0.5}, {}, "'multipliers' must be"),
        ({"colour_tolerance": 0.5}, {}, "no rate is called 'colour'"),
        ({}, {"multipliers": np.zeros((2, 3, 2))}, "'multipliers' must be"),
        ({}, {"multipliers": np.zeros((2, 3, 3), dtype=np.int64)}, "'multipliers' must be"),
        ({}, {"multipliers": np.full((2, 3, 3), -1.0)}, "negative or not finite"),
        ({}, {"multipliers": np.full((2, 3, 3), np.nan)}, "negative or not finite"),
        ({}, {"multipliers": 1e300 * (1 - np.eye(3)) * np.ones((2, 1, 1))}, "too large"),
        ({}, {"price": np.array([2**62])}, "price of a unit"),
        ({}, {"dual": np.zeros(64, dtype=np.int64)}, "one integer for each pattern, and each group"),
        ({}, {"extra": np.array([0])}, "must hold"),
    ],
)
def test_damaged_certificates_are_refused(parameters, arrays, message):
    problem, model, proof = proven()
    damaged = with_arrays(with_parameters(proof, **parameters), **arrays)
    assert re.search(message, refused(problem, model, damaged))


def test_a_proof_without_constraints_is_not_one_with_them():
    problem, model, proof = proven()
    plain = {name: value for name, value in proof.parameters.items() if "tolerance" not in name}
    assert "must hold ['dual', 'price']" in refused(problem, model, replace(proof, parameters=plain))
    arrays = {"dual": proof.arrays["dual"].sum(axis=0), "price": proof.arrays["price"]}
    verdict = rl.verify(problem, model, replace(proof, parameters=plain, arrays=arrays))
    assert not verdict.valid


def test_the_groups_must_be_there():
    problem, model, proof = proven()
    assert "the problem has no groups" in refused(replace(problem, groups=None), model, proof)
    groups = problem.groups
    assert groups is not None
    doubled = replace(groups, positives=2 * groups.positives)
    assert "weights are not those of the problem" in refused(replace(problem, groups=doubled), model, proof)
    alone = replace(groups, positives=np.vstack([groups.positives.sum(axis=0), 0 * groups.positives[:2]]))
    assert "has no positives, so it has no false_negative_rate" in refused(replace(problem, groups=alone), model, proof)


class Unknown(rl.Criterion):
    """Counts errors on positives twice."""

    def rates(self) -> tuple[Rate, ...]:
        return (Rate("false_negative_rate", 2, 0, "positives", 0, 0.5),)


def test_a_criterion_that_certificates_do_not_know_has_none():
    with pytest.raises(rl.errors.CertificateError, match="do not know the rate 'false_negative_rate' of Unknown"):
        proven(Unknown())
