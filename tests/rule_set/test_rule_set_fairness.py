"""Rule sets under fairness constraints against the naive reference; signs checked by recomputed reduced costs."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_rule_set_search import solve_master

import rulelab as rl
from rulelab.data.fairness import true_gaps
from rulelab.data.metrics import confusion
from rulelab.rule_set import (
    AccuracyParity,
    Criterion,
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    FalsePositiveRateParity,
    RuleSetSearch,
    generation,
)
from rulelab.rule_set import phases as rule_set_phases
from rulelab.rule_set.features import Features
from rulelab.rule_set.master.dual_bound import dual_point
from rulelab.rule_set.master.linear_program import nothing_fixed
from rulelab.rule_set.pool import Pool
from rulelab.rule_set.program import make_program
from rulelab.snapshot import Status

RATES = {
    EqualOpportunity: ("false_negative",),
    EqualizedOdds: ("false_negative", "false_positive"),
    FalsePositiveRateParity: ("false_positive",),
    DemographicParity: ("positive",),
    AccuracyParity: ("error",),
}
SWAPPED = {"false_negative": "false_positive", "false_positive": "false_negative"}
LOSSES = {"hamming": naive.hamming_loss, "zero_one": naive.zero_one_loss}
TOLERANCES = (0.0, 0.05, 0.2, 0.5)


def tolerances(criterion: Criterion) -> list[Fraction]:
    values = [criterion.tolerance]
    if isinstance(criterion, EqualizedOdds):
        values.append(criterion.tolerance if criterion.on_negatives is None else criterion.on_negatives)
    return [Fraction(repr(v)) for v in values]


@st.composite
def grouped_problems(draw, max_rows=14):
    n, m = draw(st.integers(8, max_rows)), draw(st.integers(2, 4))
    cells = draw(st.lists(st.booleans(), min_size=n * m, max_size=n * m))
    y = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    n_groups = draw(st.integers(2, 3))
    groups = np.array(draw(st.lists(st.integers(0, n_groups - 1), min_size=n, max_size=n)))
    for g in range(n_groups):  # every group has both labels
        groups[2 * g : 2 * g + 2] = g
        y[2 * g : 2 * g + 2] = True, False
    weight = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    return np.array(cells).reshape(n, m), y, weight, groups


criteria = st.one_of(
    st.sampled_from(TOLERANCES).map(EqualOpportunity),
    st.tuples(st.sampled_from(TOLERANCES), st.sampled_from([None, *TOLERANCES])).map(lambda t: EqualizedOdds(*t)),
    st.sampled_from(TOLERANCES).map(FalsePositiveRateParity),
    st.sampled_from(TOLERANCES).map(DemographicParity),
    st.sampled_from(TOLERANCES).map(AccuracyParity),
)


@pytest.mark.parametrize("whole_nodes", [300, 0])
@pytest.mark.parametrize("large", [1 << 30, 0])
@settings(max_examples=80)
@given(
    grouped_problems(),
    criteria,
    st.integers(2, 7),
    st.sampled_from(["dnf", "cnf"]),
    st.sampled_from(sorted(LOSSES)),
    st.sampled_from([0.0, 0.01, 0.5]),
)
def test_the_fair_optimum_is_that_of_the_naive_reference(large, whole_nodes, case, criterion, most, form, loss, price):
    """By both methods, and also when rates that must be equal are searched value by value from the first."""
    A, y, weight, groups = case
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight, groups=groups)
    search = RuleSetSearch(problem, most, 2, loss, form, fairness=criterion, regularization=price)
    seen, wanted = (A, y) if form == "dnf" else (~A, ~y)
    rates = RATES[type(criterion)]
    if form == "cnf":
        rates = tuple(SWAPPED.get(rate, rate) for rate in rates)

    def fair(clauses):
        gaps = [naive.parity_gap(r, seen, wanted, weight, groups, clauses, loss == "hamming") for r in rates]
        return all(gap <= limit for gap, limit in zip(gaps, tolerances(criterion), strict=True))

    expected = naive.best_rule_set(seen, wanted, weight, most, 2, LOSSES[loss], Fraction(repr(price)), fair)
    last = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generation, "_LARGE_CONSTRAINED", large)
        patch.setattr(rule_set_phases, "_WHOLE_NODES", whole_nodes)
        for snapshot in rl.steps(search):
            assert expected is None or snapshot.lower_bound <= float(expected) + 1e-9
            last = snapshot
    assert last is not None
    if expected is None:
        assert (last.status, last.incumbent) == (Status.INFEASIBLE, None)
        return
    assert last.status is Status.OPTIMAL
    assert last.incumbent.objective == pytest.approx(float(expected), abs=1e-9)
    assert fair([tuple(literal.antecedent for literal in rule.literals) for rule in last.incumbent.model.rules])


def test_groups_whose_sizes_have_no_common_divisor_have_all_errors_or_none(monkeypatch):
    monkeypatch.setattr(rule_set_phases, "_WHOLE_NODES", 0)
    rng = np.random.default_rng(1)
    A = rng.random((600, 10)) < rng.uniform(0.3, 0.7, 10)
    y = (A[:, 0] & A[:, 1]) ^ (rng.random(600) < 0.25)
    groups = np.where(A[:, 2], "a", "b")
    while math.gcd(*(int(y[groups == g].sum()) for g in "ab")) > 1:
        y[np.argmin(y)] = True
    search = RuleSetSearch(rl.Problem.from_arrays(A, y, groups=groups), 9, 3, fairness=EqualOpportunity(0.0))
    snapshot = rl.solve(search, work_limit=5000)
    assert snapshot.status is Status.OPTIMAL
    assert "master_value" not in snapshot.detail, "the programme of one value bounds no other"
    found = snapshot.incumbent.model.predicts_positive(A)[y]
    assert found.all() or not found.any()
    assert rl.verify(search.problem, snapshot.incumbent.model, search.certificate())


def compas_like(n=400, seed=0):
    rng = np.random.default_rng(seed)
    A = rng.random((n, 8)) < rng.uniform(0.3, 0.7, 8)
    y = (A[:, 0] & A[:, 1]) ^ (rng.random(n) < 0.25)
    return A, y, np.where(A[:, 2], "a", np.where(A[:, 3], "b", "c"))


@pytest.mark.parametrize(
    "criterion", [EqualOpportunity(0.02), EqualizedOdds(0.02, 0.05), DemographicParity(0.01), AccuracyParity(0.02)]
)
@pytest.mark.parametrize("loss", sorted(LOSSES))
@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_reduced_costs_of_the_columns_in_the_model_have_the_right_signs(criterion, loss, form):
    A, y, groups = compas_like()
    problem = rl.Problem.from_arrays(A, y, groups=groups)
    program, features = make_program(problem, 9, loss, form, criterion), Features.from_problem(problem, form)
    pool = Pool(program, features)
    pool.add([*((j,) for j in range(8)), *combinations(range(8), 2)])
    columns = pool.columns(np.arange(len(pool)))
    solution = solve_master(program, columns, nothing_fixed(program, len(columns.kind)))
    point = dual_point(program, solution.share, solution.gamma)
    price = round(solution.price * point.grid)
    reduced = price * pool.complexity - features.sums(pool.rules, point.weight)
    tolerance = 1e-4 * point.grid
    assert reduced.min() >= -tolerance
    used = solution.use > 1e-6
    assert used.any()
    assert np.abs(reduced[used]).max() <= tolerance
    assert (point.total - 9 * price) / point.grid == pytest.approx(solution.value, abs=1e-2)
    assert (solution.gamma >= 0).all()
    assert solution.gamma.max() > 0 or isinstance(criterion, AccuracyParity)


def test_no_tolerance_is_met_by_the_set_without_rules():
    A, y, groups = compas_like(60)
    problem = rl.Problem.from_arrays(A, y, groups=groups)
    for criterion in (EqualOpportunity(0), EqualizedOdds(0, 0), DemographicParity(0), FalsePositiveRateParity(0)):
        assert criterion.met_by_no_rules
        first = RuleSetSearch(problem, 5, 2, fairness=criterion).advance(1)
        assert first.incumbent is not None
    assert not AccuracyParity(0).met_by_no_rules


def test_a_looser_tolerance_never_costs():
    A, y, groups = compas_like(200)
    problem = rl.Problem.from_arrays(A, y, groups=groups)
    losses = [
        rl.solve(RuleSetSearch(problem, 6, 2, fairness=EqualizedOdds(e))).incumbent.objective
        for e in (0.0, 0.02, 0.1, 0.3, 1.0)
    ]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] == rl.solve(RuleSetSearch(problem, 6, 2)).incumbent.objective


def test_true_gaps_are_those_of_the_predictions():
    A, y, groups = compas_like()
    problem = rl.Problem.from_arrays(A, y, groups=groups)
    snapshot = rl.solve(RuleSetSearch(problem, 8, 2, fairness=EqualizedOdds(0.05, 0.1)))
    gaps = snapshot.detail["true_gaps"]
    evaluation = snapshot.incumbent.model.evaluate(A, y, groups=groups)
    for rate in ("false_negative_rate", "false_positive_rate"):
        values = [counts.rate(rate) for counts in naive_groups(snapshot.incumbent.model.predict(A), y, groups)]
        assert gaps[rate] == pytest.approx(max(values) - min(values))
    assert gaps["false_negative_rate"] <= 0.05
    assert evaluation.errors == snapshot.incumbent.errors
    predicted = snapshot.incumbent.model.predicts_positive(problem.matrix())
    assert true_gaps(DemographicParity(0), problem.groups, predicted).keys() == {"selection_rate"}


def naive_groups(predicted, y, groups):
    return [confusion(y[groups == g], predicted[groups == g].astype(bool)) for g in np.unique(groups)]


def test_intersections_of_attributes_are_groups():
    A, y, _ = compas_like()
    both = pd.DataFrame({"sex": A[:, 6], "race": A[:, 7]})
    problem = rl.Problem.from_arrays(A, y, groups=both)
    assert len(problem.groups.names) == 4
    snapshot = rl.solve(RuleSetSearch(problem, 6, 2, fairness=EqualOpportunity(0.1)))
    assert snapshot.status is Status.OPTIMAL
    assert snapshot.detail["true_gaps"]["false_negative_rate"] <= 0.1


def test_a_group_without_positives_is_named():
    A, y, groups = compas_like()
    y = y & (groups != "b")
    problem = rl.Problem.from_arrays(A, y, groups=groups)
    with pytest.raises(ValueError, match="'b' has no positives"):
        RuleSetSearch(problem, fairness=EqualOpportunity(0.1))
    assert RuleSetSearch(problem, fairness=FalsePositiveRateParity(0.1)).fairness is not None


def test_groups_are_asked_for():
    A, y, _ = compas_like()
    with pytest.raises(ValueError, match="no groups"):
        RuleSetSearch(rl.Problem.from_arrays(A, y), fairness=EqualOpportunity(0.1))
    with pytest.raises(ValueError, match="a single group"):
        RuleSetSearch(rl.Problem.from_arrays(A, y, groups=["a"] * len(y)), fairness=EqualOpportunity(0.1))


@pytest.mark.parametrize("bad", [-0.1, float("nan"), "much", True, None])
def test_bad_tolerances_are_refused(bad):
    with pytest.raises(ValueError, match="tolerance of EqualOpportunity"):
        EqualOpportunity(bad)


def test_rules_over_the_same_rows_are_refused_where_they_would_count_twice():
    """And the certificate says that sets with such rules are left out."""
    A = np.array([[1, 1], [1, 1], [0, 1], [0, 0], [1, 1], [0, 1], [0, 0], [0, 0]], dtype=bool)
    problem = rl.Problem.from_arrays(A, A[:, 0] ^ (np.arange(8) == 4), groups=np.arange(8) % 2)
    twins = rl.RuleSet.from_problem(problem, [[0], [0, 1]])
    criterion = DemographicParity(0.2)
    for start in (twins, [(0,), (0, 1)]):
        with pytest.raises(ValueError, match="rules 1 and 2 cover the same rows"):
            RuleSetSearch(problem, 7, 2, fairness=criterion, warm_start=start)
        RuleSetSearch(problem, 7, 2, warm_start=start)
    with pytest.raises(ValueError, match="rules 1 and 2 cover the same rows"):
        rl.LeastGapRuleSetSearch(problem, "demographic_parity", 0.5, 7, warm_start=twins)
    for loss, said in (("hamming", True), ("zero_one", False)):
        search = RuleSetSearch(problem, 7, 2, fairness=criterion, loss=loss)
        last = rl.solve(search)
        answer = rl.verify(problem, last.incumbent.model, search.certificate())
        assert answer.valid
        assert ("of rules that cover different rows" in answer.reason) == said
