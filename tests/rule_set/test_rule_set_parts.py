"""Rates of groups searched part by part: no set is lost, slicing changes nothing, and proofs hold and can fail."""

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import in_slices
from proof_checks import proof_by
from strategies import seeds
from test_rule_set_certificate_fair import Table, make

import rulelab as rl
from rulelab.certificate.rule_set import partition
from rulelab.rule_set import phases, rate_parts
from rulelab.rule_set.program import Program, make_program
from rulelab.rule_set.rate_parts import Part, parts
from rulelab.snapshot import Status

FEW = 2


@pytest.fixture(params=[(24, 20_000), (24, 1), (FEW, 1)], ids=["by value", "also cut", "mostly cut"])
def dividing(request, monkeypatch):
    """Searches are divided from the first; returns the limit of columns."""
    most, columns = request.param
    monkeypatch.setattr(phases, "_WHOLE_NODES", 0)
    monkeypatch.setattr(rate_parts, "_MOST_PARTS", most)
    return columns


def measured(program: Program, case: Table, clauses: tuple[tuple[int, ...], ...]) -> tuple[np.ndarray, np.ndarray]:
    """Uncovered and covered mass of each kind."""
    matrix = case.problem.matrix() if case.form == "dnf" else ~case.problem.matrix()
    times = sum(
        (matrix[:, list(clause)].all(axis=1).astype(int) for clause in clauses), np.zeros(len(matrix), dtype=int)
    )
    own = times[program.pattern]
    left = np.bincount(program.kind, weights=program.whole * (own == 0), minlength=program.n_kinds)
    covers = np.bincount(program.kind, weights=program.whole * own, minlength=program.n_kinds)
    return left.astype(np.int64), covers.astype(np.int64)


def holds(part: Part, left: np.ndarray, covers: np.ndarray) -> bool:
    """Whether a set is in a part, by the part's definition."""
    for (leave, cover), step, (low, high) in zip(part.rates.vectors, part.rates.steps, part.ranges, strict=True):
        value = sum(a * int(x) for a, x in zip(leave, left, strict=True))
        value += sum(a * int(x) for a, x in zip(cover, covers, strict=True))
        steps = Fraction(value) * part.rates.unit / step
        assert steps.denominator == 1, "a rate is a multiple of its step"
        if not low <= steps <= high:
            return False
    return True


@pytest.mark.parametrize("most", [24, FEW])
@pytest.mark.parametrize("loss", ["hamming", "zero_one"])
def test_every_fair_set_is_in_a_part_and_costs_what_the_part_says(most, loss, monkeypatch):
    monkeypatch.setattr(rate_parts, "_MOST_PARTS", most)
    divided = 0
    for seed in range(60):
        case = make(seed)
        penalty = float(case.penalty)
        program = make_program(case.problem, case.most, loss, case.form, case.criterion, penalty)
        again: list[Part] = []
        found = parts(program, program.worst + 1)
        for part in found:
            again += [part] if part.whole else parts(part.program, program.worst + 1)
        divided += len(found) > 1
        for clauses in case.losses:
            left, covers = measured(program, case, clauses)
            if not program.is_fair(left, covers):
                continue
            cost = program.cost(left, covers, sum(1 + len(clause) for clause in clauses))
            for level in (found, again):
                inside = [part for part in level if holds(part, left, covers)]
                assert len(inside) == 1
                assert inside[0].least <= cost
                assert inside[0].program.is_fair(left, covers)
    assert divided > 15


@pytest.mark.few(5)
@pytest.mark.parametrize("first", [0, pytest.param(8, marks=pytest.mark.long)])
@pytest.mark.parametrize("loss", ["hamming", "zero_one"])
def test_searched_part_by_part_the_optimum_is_the_same_and_proven(dividing, loss, first):
    found = [require_proven(make(seed, loss), dividing) for seed in range(first, 50 if first else 8)]
    in_parts = [parted for parted in found if parted is not None]
    if loss == "hamming":
        assert all(in_parts)
    else:  # a set of fewest errors of all may be fair, and its proof needs no parts
        assert sum(in_parts) > 3 or not in_parts


def require_proven(case: Table, dividing: int) -> bool | None:
    """Whether the proof is in parts, where the search was; None where it was not."""
    search = case.search(column_limit=dividing)
    last = rl.solve(search)
    if last.status is Status.LIMIT:  # of columns: the parts have been divided as far as they can be
        search.column_limit = 20_000
        last = rl.solve(search)
    if not case.fair:
        assert last.status is Status.INFEASIBLE
        return None
    assert last.status is Status.OPTIMAL
    assert Fraction(last.incumbent.objective) == case.least == Fraction(last.lower_bound)
    proof = search.certificate()
    verdict = rl.verify(case.problem, last.incumbent.model, proof)
    assert verdict.valid, verdict.reason
    assert verdict.lower_bound == float(case.least)
    case.check(proof, 6)
    return "part_ranges" in proof.arrays if search.by_value else None


@pytest.mark.parametrize("seed", range(400, 402))
def test_slices_and_pickling_change_nothing(dividing, seed):
    case = make(seed)
    whole, sliced = (case.search(column_limit=dividing) for _ in range(2))
    wanted = rl.solve(whole)
    sliced, got = in_slices(sliced, at_most=2, pickled=3)
    assert (got.status, got.work, got.lower_bound, got.counts) == (
        wanted.status,
        wanted.work,
        wanted.lower_bound,
        wanted.counts,
    )


def small_group(n: int = 400, seed: int = 3) -> rl.Problem:
    """Groups of which one has two positives only."""
    rng = np.random.default_rng(seed)
    A = rng.random((n, 7)) < rng.uniform(0.3, 0.7, 7)
    y = (A[:, 0] & A[:, 1] | A[:, 3] & A[:, 4]) ^ (rng.random(n) < 0.2)
    groups = np.where(A[:, 2], "a", "b")
    few = np.concatenate([np.flatnonzero(y)[:2], np.flatnonzero(~y)[:5]])
    groups[few] = "few"
    return rl.Problem.from_arrays(A, y, groups=groups)


@pytest.fixture(scope="module")
def proven() -> tuple[rl.Problem, rl.RuleSet, rl.Certificate]:
    problem = small_group()
    search = rl.RuleSetSearch(problem, 8, 2, fairness=rl.EqualOpportunity(0.1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(phases, "_WHOLE_NODES", 0)
        model, proof = proof_by(search)
    assert search.by_value
    return problem, model, proof


def test_a_group_of_few_rows_does_not_keep_the_bound_low():
    problem = small_group(4000)
    search = rl.RuleSetSearch(problem, 8, 2, fairness=rl.EqualOpportunity(0.1), column_limit=1)
    assert rl.solve(search).lower_bound > 0


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("part_price", lambda a: a[:-1], "'part_price' must be int64 of shape"),
        ("part_price", lambda a: 0 * a, "a rule gains more than it costs|lower bound|better"),
        ("part_price", lambda a: a - 1 - a, "price of a unit"),
        ("part_grid", lambda a: 0 * a, "grid of a part"),
        ("part_dual", lambda a: a + (1 << 40), "more than its pattern's weight"),
        ("part_dual", lambda a: a.astype(np.float64), "'part_dual' must be int64"),
        ("part_ranges", lambda a: a[..., ::-1], "empty or too large"),
        ("part_range_prices", lambda a: a - 1, "negative or not finite"),
        ("part_range_prices", lambda a: a + np.inf, "negative or not finite"),
        ("part_range_prices", lambda a: -0.0 * (a + 1), "negative or not finite"),
        ("part_multipliers", lambda a: a + 1, "of a group and itself"),
    ],
)
def test_damaged_proofs_in_parts_are_refused(name, change, message, proven):
    problem, model, proof = proven
    damaged = replace(proof, arrays={**proof.arrays, name: change(proof.arrays[name])})
    verdict = rl.verify(problem, model, damaged)
    assert not verdict.valid
    assert re.search(message, verdict.reason), verdict.reason


def test_parts_are_of_rates_only(proven, monkeypatch):
    problem, model, proof = proven
    plain = {name: value for name, value in proof.parameters.items() if not name.endswith("_tolerance")}
    assert "parts are of rates" in rl.verify(problem, model, replace(proof, parameters=plain)).reason
    bound = {**proof.parameters, "bound_only": 1.0}
    assert not rl.verify(problem, model, replace(proof, parameters=bound)).valid
    lacking = {name: array for name, array in proof.arrays.items() if name != "part_grid"}
    assert "must hold" in rl.verify(problem, model, replace(proof, arrays=lacking)).reason
    monkeypatch.setattr(partition, "MOST_BOXES", 0)
    assert "given up" in rl.verify(problem, model, proof).reason


@settings(max_examples=100)
@given(seeds, st.sampled_from([1.0, 10.0, 300.0]))
def test_any_parts_prove_nothing_wrong(seed, size):
    """Random ranges and dual values: whatever verifies is optimal, and no bound is above an optimum."""
    case = make(seed)
    rng = np.random.default_rng(seed)
    if not case.fair:
        return
    best = min(case.fair, key=lambda clauses: case.losses[clauses])
    names, n_groups, n = case.rates, len(case.problem.groups.names), int(rng.integers(1, 4))
    shape = (n, len(names) * n_groups)
    wanted = case.problem.groups.positives if case.form == "dnf" else case.problem.groups.negatives
    low = rng.integers(-40, 3, shape)
    ranges = np.stack([low, low + rng.integers(0, 90, shape)], axis=-1)
    grid, apart = 16, np.tile(1 - np.eye(n_groups), (len(names), 1))
    arrays = {
        "part_ranges": ranges,
        "part_range_prices": (size * rng.random((*shape, 2)) * (rng.random((*shape, 2)) < 0.3)),
        "part_dual": rng.integers(0, grid * 2, (n, *wanted.shape)) * (wanted > 0),
        "part_multipliers": size * rng.random((*shape, n_groups)) * apart * (rng.random() < 0.5),
        "part_price": rng.integers(0, grid * 40, n),
        "part_grid": np.full(n, grid),
    }
    search = case.search()
    rl.solve(search)
    proof = search.certificate()
    kept = {name: value for name, value in proof.parameters.items() if name != "grid"}
    tried = replace(proof, parameters={**kept, "grid": 1.0}, arrays=arrays)
    for clauses in [best, *list(case.losses)[:4]]:
        verdict = rl.verify(case.problem, case.model(clauses), tried)
        optimal = clauses in case.fair and case.losses[clauses] == case.least
        assert optimal or not verdict.valid, verdict.reason
