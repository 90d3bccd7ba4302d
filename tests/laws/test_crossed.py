"""Every family of searches with all kinds of options on small tables, against enumeration in exact numbers."""

import os
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import crossed_worker
import naive
import naive_rule_sets as sets
import numpy as np
import pytest
from crossed import Judge, Outcome
from crossed_cases import CRITERIA, Case, case_of
from crossed_worker import ESTIMATORS, Worker, described
from patience import PATIENCE
from random_problems import WEIGHTS, random_rows

from rulelab.cli import commands as cli
from rulelab.snapshot import Status

GROUPED = range(0, 50, 3)  # every kind of weights, and every criterion
CASES = {
    "rule_list": range(20), "corels": range(10), "falling": range(20), "softly_falling": range(20),
    "rule_set": range(24), "fair_list": GROUPED, "fair_falling": GROUPED, "least_gap": GROUPED,
    "demanding": range(20), "demanding_set": range(12), "value_list": (1, 2, 4, 6, 9, 12, 14, 15, 18, 23),
    "several_classes": range(12), "fair_demanding": range(20), "least_gap_set": GROUPED,
    ESTIMATORS: (*range(6), *range(8, 40, 4)),  # the latter of rule sets, by every criterion
}  # fmt: skip
"""By family: the seeds that are always judged."""
ONCE_WRONG = {
    "rule_list": (757,),  # the objective of a small loss beside large weights
    "corels": (57,),
    "falling": (1448, 4624, 707704),  # proportions that are equal, or nearly so, of weights that are not integers
    "fair_demanding": (14,),  # an endless proof of a bound beside which a weak rule counts
    "rule_set": (141, 236, 244, 259, 288),  # many digits: overflow, a wrong optimum, an endless descent, an unfair set
    "least_gap": (50354,),  # more rules than there was room for where lists of the same gap are compared
    ESTIMATORS: (282, 488, 626, 702590),
}
"""By family: seeds that have found something."""
OPEN = {("demanding", 2): "in larger slices one unit of work is counted more: what suffices is looked at after each"}
"""What is known to be wrong, and not mended."""
MANY = 60
"""The seeds of each family that the long test judges."""
SLOW = {"value_list": 10, "rule_set": 2, "demanding_set": 2}
"""Families of which so many times fewer are judged."""


@pytest.fixture(scope="module")
def worker():
    with Worker(alarm=PATIENCE / 2) as started:
        yield started


JUDGED = [(f, seed) for f, seeds in CASES.items() for seed in (*seeds, *ONCE_WRONG.get(f, ()))]


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("family", "seed"),
    [
        pytest.param(*case, marks=[pytest.mark.xfail(strict=True, reason=OPEN[case])] if case in OPEN else [])
        for case in JUDGED
    ],
)
def test_a_small_case_is_solved_right(worker, family, seed):
    assert worker.outcome(family, seed).findings == [], described(family, seed)


@pytest.mark.long
@pytest.mark.parametrize("family", [family for family in CASES if family != ESTIMATORS])
def test_changed_proofs_of_small_cases_are_refused_or_true(worker, family):
    seeds = range(0, 5 * 11, 11 * min(5, SLOW.get(family, 1)))  # of five kinds of weights
    outcomes = {seed: worker.outcome(family, seed, mutate=True) for seed in seeds}
    assert {seed: outcome.findings for seed, outcome in outcomes.items() if outcome.findings} == {}
    assert family == "softly_falling" or sum(outcome.mutants for outcome in outcomes.values()) > 30


@pytest.mark.long
@pytest.mark.parametrize("family", CASES)
def test_many_small_cases_are_solved_right(worker, family):
    seeds = [seed for seed in range(MANY) if seed not in CASES[family]][: MANY // SLOW.get(family, 1)]
    found = {seed: outcome.findings for seed in seeds if (outcome := worker.outcome(family, seed)).findings}
    assert found == {}


def test_the_seeds_take_every_combination():
    cases = [case_of("rule_set", seed) for seed in CASES["rule_set"]]
    criteria = [None, *CRITERIA]
    taken = {(c.options["loss"], c.options["form"], (c.options["fairness"] or [None])[0]) for c in cases}
    assert taken == set(product(("hamming", "zero_one"), ("dnf", "cnf"), criteria))
    for family, seeds in CASES.items():
        if family != ESTIMATORS:
            assert {case_of(family, seed).rows.kind for seed in {*range(10), *seeds}} == set(WEIGHTS)
        if seeds is GROUPED:
            asked = [case_of(family, seed) for seed in seeds]
            assert {case.rows.kind for case in asked} == set(WEIGHTS)
            assert {case.options["fairness"][0] for case in asked} == set(CRITERIA)
    assert {int(c.rows.group.max()) + 1 for c in cases} == {2, 3}


RATES = {
    "EqualOpportunity": ("false_negative",), "EqualizedOdds": ("false_negative", "false_positive"),
    "FalsePositiveRateParity": ("false_positive",), "DemographicParity": ("positive",), "AccuracyParity": ("error",),
}  # fmt: skip


@pytest.mark.parametrize(("loss", "name"), list(product(("hamming", "zero_one"), CRITERIA)))
def test_two_references_of_rule_sets_agree(loss, name):
    rng = np.random.default_rng(len(name))
    rows = random_rows(rng, "integer", most_columns=3)
    weight, groups = rows.whole, rows.group.tolist()
    data, tolerance = sets.Data(rows.A, rows.y, weight, groups), Fraction(1, 10)

    def fair(clauses: tuple[sets.Clause, ...]) -> bool:
        proxy = loss == "hamming"
        gaps = [naive.parity_gap(rate, rows.A, rows.y, weight, groups, clauses, proxy) for rate in RATES[name]]
        return max(gaps) <= tolerance

    expected = naive.best_rule_set(rows.A, rows.y, weight, 7, 2, naive.LOSSES[loss], Fraction(1, 3), fair)
    limits = [(rate, tolerance) for rate in CRITERIA[name]]
    assert sets.best_rule_set(data, 7, 2, loss, "dnf", Fraction(1, 3), limits) == expected


@pytest.mark.parametrize(("loss", "seed"), list(product(("hamming", "zero_one"), range(3))))
def test_a_cnf_is_a_dnf_of_the_other_label_over_negated_antecedents(loss, seed):
    rows = random_rows(np.random.default_rng(seed), "integer", most_columns=4)
    data = sets.Data(rows.A, rows.y, rows.whole, rows.group.tolist())
    mirror = sets.Data(~rows.A, ~rows.y, rows.whole, rows.group.tolist())
    penalty, tolerance = Fraction(1, 3), Fraction(1, 10)
    swapped = {"false_negative": "false_positive", "false_positive": "false_negative"}
    for rate in ("false_negative", "false_positive", "error"):
        cnf = sets.best_rule_set(data, 6, 2, loss, "cnf", penalty, [(rate, tolerance)])
        dnf = sets.best_rule_set(mirror, 6, 2, loss, "dnf", penalty, [(swapped.get(rate, rate), tolerance)])
        assert cnf == dnf
        for clauses in [(), ((0,),), ((0,), (0, 1))]:
            here, there = (sets.errors_of(d, clauses, loss, f) for d, f in ((data, "cnf"), (mirror, "dnf")))
            assert here == tuple((b, a) for a, b in there)


NO_RULES = SimpleNamespace(antecedents=())


def _case() -> Case:
    """One that rules pay for, with weights that are counted exactly."""
    cases = (case_of("rule_list", seed) for seed in range(99))
    free = (case for case in cases if case.options["max_length"] is None and case.rows.integral)
    return next(case for case in free if case.optimum < case.objective(NO_RULES))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"lower_bound": 1e3}, "above the optimum"), ({"objective": 0.123}, "is shown as 0.123"),
        ({"model": NO_RULES}, "is not the optimum"), ({"status": Status.INFEASIBLE}, "can be had"),
        ({"status": Status.RUNNING}, "RUNNING"), ({"gap": 0.5}, "with a gap of 0.5"),
        ({"status": Status.LIMIT, "limit": "work"}, "stopped by the limit 'work'"),
        ({"status": Status.LIMIT, "limit": "exactness"}, "not above 0"),
    ],
)  # fmt: skip
def test_a_search_that_lies_is_found_out(changed, said):
    case = _case()
    judge = Judge(case)
    honest = list(case.search().steps())[-1]
    assert honest.incumbent is not None
    shown = {"status": honest.status, "lower_bound": honest.lower_bound, "gap": 0.0, "limit": None, "work": 1}
    shown |= {"objective": honest.incumbent.objective, "model": honest.incumbent.model} | changed
    shown["incumbent"] = SimpleNamespace(objective=shown["objective"], model=shown["model"])
    last = SimpleNamespace(**shown, detail={"resolution": 0.0})
    judge.look_at(last)
    judge.judge_end(last)
    assert any(said in text for text in judge.found)


@pytest.mark.long
def test_a_case_that_does_not_end_is_reported_and_the_next_one_is_judged(monkeypatch):
    with Worker(alarm=0.0) as hasty:
        monkeypatch.setattr(crossed_worker, "TO_COMPILE", 0.0)
        assert "did not end within 0 s" in hasty.outcome("rule_list", 0).findings[0]
        monkeypatch.setattr(crossed_worker, "TO_COMPILE", 240.0)
        assert hasty.outcome("rule_list", 0).status == "optimal"


@pytest.mark.parametrize(("found", "status"), [([], 0), (["wrong"], 1)])
def test_the_benchmark_prints_how_to_repeat_a_finding(monkeypatch, capsys, found, status):
    monkeypatch.setattr(Worker, "outcome", lambda self, family, seed, mutate: Outcome(found, [], "optimal"))
    assert cli.main(["bench", "fuzz", "--family", "rule_list", "--seed", "7", "--cases", "2"]) == status
    shown = capsys.readouterr().out
    assert ("rulelab bench fuzz --family rule_list --seed 8 --cases 1" in shown) == bool(found)
    assert shown.splitlines()[-1].split()[:2] == ["rule_list", "2"]


def test_indices_are_checked_where_that_is_asked(monkeypatch):
    seen: list[tuple[str | None, str | None]] = []

    def outcome(self: Worker, family: str, seed: int, mutate: bool) -> Outcome:
        seen.append((os.environ.get("NUMBA_BOUNDSCHECK"), os.environ.get("NUMBA_CACHE_DIR")))
        return Outcome([], [], "optimal")

    monkeypatch.setattr(Worker, "outcome", outcome)
    before = dict(os.environ)
    for asked in ([], ["--check-bounds"]):
        assert cli.main(["bench", "fuzz", "--family", "rule_list", "--cases", "1", *asked]) == 0
    (_, usual), (checked, own) = seen
    assert checked == "1"
    assert own != usual
    assert dict(os.environ) == before
