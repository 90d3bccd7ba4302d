"""Rates of groups searched part by part: no set is lost, slicing changes nothing, and proofs hold and can fail."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from crossed import Judge
from crossed_cases import case_of as crossed_case_of
from crossed_cases import least_gap_of_sets
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import changed, holds, in_slices, proof_by, refused, seeds, told, with_arrays, with_parameters
from test_least_gap_rule_set import case_of
from test_rule_set_certificate_fair import Table, make

import rulelab as rl
from rulelab.certificate.rule_set import columns, partition
from rulelab.rule_set import phases, rate_parts
from rulelab.rule_set.program import Program, make_program
from rulelab.rule_set.rate_parts import Part, parts

FEW = 2


@pytest.fixture(autouse=True)
def _divided(monkeypatch):
    """Searches are divided from the first."""
    monkeypatch.setattr(phases, "WHOLE_NODES", 0)


@pytest.fixture(params=[(24, 20_000), (24, 1), (FEW, 1)], ids=["by value", "also cut", "mostly cut"])
def dividing(request, monkeypatch):
    """In so many parts at most; returns the limit of columns."""
    most, columns = request.param
    monkeypatch.setattr(rate_parts, "MOST_PARTS", most)
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


def is_in(part: Part, left: np.ndarray, covers: np.ndarray) -> bool:
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
    monkeypatch.setattr(rate_parts, "MOST_PARTS", most)
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
                inside = [part for part in level if is_in(part, left, covers)]
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
    if last.status is rl.Status.LIMIT:  # of columns: the parts have been divided as far as they can be
        search.column_limit = 20_000
        last = rl.solve(search)
    if not case.fair:
        assert last.status is rl.Status.INFEASIBLE
        return None
    assert last.status is rl.Status.OPTIMAL
    assert Fraction(last.incumbent.objective) == case.least == Fraction(last.lower_bound)
    proof = search.certificate()
    assert holds(case.problem, last.incumbent.model, proof).lower_bound == float(case.least)
    case.check(proof, 6)
    return "part_ranges" in proof.arrays if search.by_value else None


@pytest.mark.parametrize("seed", range(400, 402))
def test_slices_and_pickling_change_nothing(dividing, seed):
    case = make(seed)
    whole, sliced = (case.search(column_limit=dividing) for _ in range(2))
    wanted = rl.solve(whole)
    sliced, got = in_slices(sliced, at_most=2, pickled=3)
    assert (got.work, told(got)) == (wanted.work, told(wanted))


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
        patch.setattr(phases, "WHOLE_NODES", 0)
        model, proof = proof_by(search)
    assert search.by_value
    return problem, model, proof


def test_a_group_of_few_rows_does_not_keep_the_bound_low(monkeypatch):
    monkeypatch.undo()
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
    assert re.search(message, refused(problem, model, changed(proof, name, change)))


def test_parts_are_of_rates_only(proven, monkeypatch):
    problem, model, proof = proven
    plain = {name: value for name, value in proof.parameters.items() if "tolerance" not in name}
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


# proofs of a bound, of sets that obey, and of the least gap between groups --------------------------------------------
LOOKED_AT = (1, 4, 12, 40)
"""Units of work by parts, after which a bound is proven."""


def bounds_of(case: Table, columns: int) -> list[tuple[rl.results.Snapshot, rl.Certificate]]:
    """A search's states by parts with a set, the last one included, and the proofs of their bounds."""
    search, seen, out = case.search(column_limit=columns), 0, []
    for snapshot in search.steps(work_per_step=1, work_limit=300):
        if search.by_value and snapshot.incumbent is not None:
            seen += 1
            if seen in LOOKED_AT or snapshot.status is not rl.Status.RUNNING:
                out.append((snapshot, search.certificate(bound_only=True)))
    return out


def check_bounds(first: int, times: int) -> Counter[str]:
    counted: Counter[str] = Counter()
    for seed in range(first, first + times):
        case = make(seed)
        for limit in (1, 20_000):
            for snapshot, proof in bounds_of(case, limit):
                answer = rl.verify(case.problem, snapshot.incumbent.model, proof)
                assert answer.state in ("bound", "optimal"), (seed, answer.reason)
                assert answer.lower_bound <= snapshot.lower_bound
                assert answer.lower_bound <= case.least, seed
                assert answer.valid == (answer.lower_bound == answer.objective)
                assert answer.valid or "is for a bound" in answer.reason
                if snapshot.status is rl.Status.OPTIMAL:
                    assert answer.valid, (seed, answer.reason)
                counted[answer.state] += 1
                counted["positive"] += answer.lower_bound > 0
                counted["all of it"] += answer.state == "bound" and answer.lower_bound == snapshot.lower_bound
    return counted


@pytest.mark.parametrize("first", [0, pytest.param(100, marks=pytest.mark.long)])
def test_a_search_by_parts_proves_a_bound_at_any_limit(first):
    counted = check_bounds(first, 8)
    assert counted["bound"] > 5
    assert counted["positive"] > 5
    assert counted["all of it"]


def under_way() -> tuple[rl.Problem, rl.RuleSet, rl.Certificate, float, float]:
    """A problem, a set, the proof of a bound with parts that have ended and others, the bound, and the optimum."""
    problem = small_group()
    search = rl.RuleSetSearch(problem, 8, 2, fairness=rl.EqualOpportunity(0.1))
    for snapshot in search.steps(work_per_step=1):
        if search.by_value and snapshot.status is rl.Status.RUNNING:
            proof = search.certificate(bound_only=True)
            if 0 < proof.arrays["part_ended"].sum() < len(proof.arrays["part_ended"]):
                break
    return problem, snapshot.incumbent.model, proof, snapshot.lower_bound, rl.solve(search).incumbent.objective


def lacking_parts(problem: rl.Problem, model: rl.RuleSet, proof: rl.Certificate) -> Iterator[tuple[bool, str]]:
    """Why the proof is refused without a part, and with one that is narrower, which is said."""
    for k in range(len(proof.arrays["part_price"])):
        lacking = {name: np.delete(array, k, axis=0) for name, array in proof.arrays.items()}
        yield False, refused(problem, model, replace(proof, arrays=lacking))
        ranges = proof.arrays["part_ranges"].copy()
        ranges[k, :, 1] = ranges[k, :, 0]
        yield True, refused(problem, model, with_arrays(proof, part_ranges=ranges))


def test_of_a_bound_nothing_more_passes(tmp_path):
    problem, model, proof, bound, optimum = under_way()
    proof.save(tmp_path / "proof.npz")
    answer = rl.verify(problem, model, rl.Certificate.load(tmp_path / "proof.npz"))
    assert (answer.state, answer.checked["parts"]) == ("bound", len(proof.arrays["part_price"]))
    assert 0 < answer.lower_bound <= bound <= optimum
    ended = proof.arrays["part_ended"]
    plain = {name: value for name, value in proof.parameters.items() if name != "bound_only"}
    assert rl.verify(problem, model, replace(proof, parameters=plain)).state == "refused"
    all_ended = with_arrays(proof, part_ended=np.ones_like(ended))
    forged = rl.verify(problem, model, all_ended)
    assert forged.state == "refused" or forged.lower_bound <= optimum
    none_ended = with_arrays(proof, part_ended=np.zeros_like(ended))
    assert rl.verify(problem, model, none_ended).lower_bound <= answer.lower_bound
    for wrong in (ended + 2, ended.astype(np.int64), ended[1:]):
        refused = rl.verify(problem, model, with_arrays(proof, part_ended=wrong))
        assert refused.state == "refused"
    assert all("leave out some rates" in reason for _, reason in lacking_parts(problem, model, proof))


def test_where_ended_parts_take_too_long_less_is_proven(monkeypatch):
    problem, model, proof, _, _ = under_way()
    whole = rl.verify(problem, model, proof)
    monkeypatch.setattr(columns, "MOST_COLUMNS", 1)
    less = rl.verify(problem, model, proof)
    assert less.state in ("bound", "refused")
    assert less.lower_bound is None or less.lower_bound <= whole.lower_bound


@settings(max_examples=40)
@given(seeds)
def test_any_bound_that_passes_is_true(seed):
    """Random flags and prices: no bound is above the optimum."""
    case, rng = make(seed), np.random.default_rng(seed)
    if not case.fair:
        return
    found = [(state, proof) for state, proof in bounds_of(case, 20_000) if "part_ended" in proof.arrays]
    if not found:
        return
    snapshot, proof = found[int(rng.integers(len(found)))]
    arrays = dict(proof.arrays)
    n = len(arrays["part_ended"])
    arrays["part_ended"] = rng.integers(0, 2, n).astype(np.uint8)
    arrays["part_range_prices"] = arrays["part_range_prices"] * rng.choice([1.0, 1.0, 2.0], (n, 1, 1))
    arrays["part_price"] = arrays["part_price"] + rng.integers(-1, 2, n) * arrays["part_grid"] * rng.integers(0, 2, n)
    arrays["part_price"] = np.maximum(arrays["part_price"], 0)
    answer = rl.verify(case.problem, snapshot.incumbent.model, replace(proof, arrays=arrays))
    assert answer.lower_bound is None or answer.lower_bound <= case.least, answer.reason


@pytest.mark.few(5)
@pytest.mark.parametrize("most", [24, FEW])
@pytest.mark.parametrize(("k", "seed"), list(enumerate([58, 96, 106, 134, 240, 318, 346])))  # whose rates are divided
def test_sets_that_obey_are_proven_by_parts(k, seed, most, monkeypatch):
    """And what is changed of the one or the other proof is refused, or true."""
    monkeypatch.setattr(rate_parts, "MOST_PARTS", most)
    case, changed = crossed_case_of("demanding_set", seed), (most == FEW) == bool(k % 2)
    judge, search = Judge(case, mutate=changed), case.search()
    assert judge.run() == []
    assert (judge.mutants > 100) == changed
    assert rl.solve(search).status is rl.Status.OPTIMAL
    assert search.by_value or most == FEW


def test_where_rounding_hides_a_breach_there_is_no_proof_by_parts():
    search = crossed_case_of("demanding_set", 130).search()
    assert rl.solve(search).status is rl.Status.OPTIMAL
    with pytest.raises(rl.errors.CertificateError, match="too many digits for a certificate in parts"):
        search.certificate()


def check_gaps(seeds: range, loss: str) -> tuple[int, int]:
    """Proofs of least gaps by parts, and how many wrong ones were refused."""
    proven = refused = 0
    for seed in seeds:
        case = case_of(seed, loss=loss)
        if not case.rows.integral or case.rows.kind == "huge":
            continue
        search, best = case.search(), least_gap_of_sets(case)
        snapshot = rl.solve(search)
        if best is None:
            continue
        proof = search.certificate()
        model = snapshot.incumbent.model
        answer = rl.verify(search.problem, model, proof)
        assert answer.valid, (seed, answer.reason)
        assert answer.objective == answer.lower_bound == float(best[0])
        if "part_ranges" not in proof.arrays:
            continue
        proven += 1
        rest = {name: value for name, value in proof.parameters.items() if name != "min_accuracy"}
        for accuracy in (0.0, search.min_accuracy / 2, search.min_accuracy - 0.1):
            if 0 <= accuracy < search.min_accuracy:
                changed = replace(proof, parameters={**rest, "min_accuracy": accuracy})
                looser = rl.verify(search.problem, model, changed)
                smaller = least_gap_of_sets(case_of(seed, loss=loss, min_accuracy=accuracy))
                assert not looser.valid or smaller[0] == best[0], seed
                refused += not looser.valid
    return proven, refused


@pytest.mark.parametrize("most", [24, FEW])
@pytest.mark.parametrize("loss", ["hamming", "zero_one"])
def test_least_gaps_are_proven_by_parts(most, loss, monkeypatch):
    monkeypatch.setattr(rate_parts, "MOST_PARTS", most)
    proven, refused = check_gaps(range(48), loss)
    if most > FEW:  # else not many are divided
        assert proven > 1
        assert refused


def test_a_proof_of_a_least_gap_lacks_no_part():
    search = rl.engines.LeastGapRuleSetSearch(small_group(), "equal_opportunity", 0.72, 8, 2)
    model, proof = proof_by(search)
    n = len(proof.arrays["part_price"])
    answer = holds(search.problem, model, proof)
    assert answer.checked["parts"] == n > 1
    assert search.least
    lacking = list(lacking_parts(search.problem, model, proof))
    assert all("leave out some rates" in reason for narrow, reason in lacking if not narrow)
    for name, wrong in (
        ("part_dual", proof.arrays["part_dual"] + (1 << 40)),
        ("part_dual", proof.arrays["part_dual"] + 1),
        ("part_grid", 0 * proof.arrays["part_grid"]),
        ("part_ended", np.ones(n, dtype=np.uint8)),
    ):
        assert not rl.verify(search.problem, model, replace(proof, arrays={**proof.arrays, name: wrong})), name
    gap = {**proof.parameters, "false_negative_rate_gap": proof.parameters["false_negative_rate_gap"] / 2}
    assert "gap" in rl.verify(search.problem, model, replace(proof, parameters=gap)).reason
    assert not rl.verify(search.problem, model, with_parameters(proof, bound_only=1.0))


@pytest.mark.parametrize("seed", [2, 3, 8])
def test_a_limit_of_columns_ends_the_search(seed, monkeypatch):
    """Of rows with weights of many digits in two groups."""
    monkeypatch.undo()
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(12, 40)), int(rng.integers(2, 6))
    A, y, groups = rng.random((n, m)) < 0.5, rng.random(n) < 0.5, rng.integers(0, 2, n)
    groups[:4], y[:4] = (0, 0, 1, 1), (0, 1, 0, 1)
    problem = rl.Problem.from_arrays(A, y, groups=groups, sample_weight=np.exp(rng.normal(0, 1, n)))
    criterion = (rl.EqualOpportunity, rl.EqualizedOdds, rl.DemographicParity)[seed % 3]
    most, fairness = int(rng.integers(3, 9)), criterion(float(rng.choice([0.01, 0.05, 0.1])))
    loss = ("hamming", "zero_one")[seed % 2]
    search = rl.RuleSetSearch(problem, most, 2, loss, fairness=fairness, column_limit=1 + seed % 7)
    last = rl.solve(search, work_limit=20_000)
    assert last.limit in (None, "columns", "exactness")
    if last.limit == "columns":  # and goes on to the end where it is raised
        search.column_limit = 20_000
        assert rl.solve(search, work_limit=20_000).limit in (None, "exactness")
