"""All rule sets near the optimum, against every set of a small problem one by one."""

from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import NamedTuple

import naive_rule_sets as naive
import numpy as np
import pytest
from laws import in_slices
from naive import decimal

import rulelab as rl


class Table(NamedTuple):
    problem: rl.Problem
    data: naive.Data


def table(seed: int, n: int = 26, m: int = 4, weighted: bool = False) -> Table:
    rng = np.random.default_rng(seed)
    A = rng.random((n, m)) < 0.5
    y = (A[:, 0] & A[:, 1] | A[:, -1] & ~A[:, 1]) ^ (rng.random(n) < 0.2)
    y[:2] = True, False
    weight = rng.integers(1, 4, n) if weighted else np.ones(n, dtype=np.int64)
    group = rng.integers(0, 2, n)
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight if weighted else None, groups=group)
    return Table(problem, naive.Data(A, y, [int(w) for w in weight], group.tolist()))


class Naive(NamedTuple):
    optimum: Fraction
    sets: dict[frozenset[frozenset[int]], Fraction]
    models: dict[frozenset[int], list[Fraction]]


def near_sets(t: Table, C: int, D: int, loss: str, form: str, penalty: Fraction, most) -> Naive:
    """Every set in which each rule covers rows that no other one does, and that costs at most ``most(optimum)``."""
    clauses = list(naive.all_clauses(t.data, D, form).items())
    found = {}
    for size in range(C // 2 + 1):
        for chosen in combinations(clauses, size):
            if sum(1 + len(clause) for clause, _ in chosen) > C:
                continue
            rows = [set(covered) for _, covered in chosen]
            if any(not mine - set().union(*(other for other in rows if other is not mine)) for mine in rows):
                continue
            key = frozenset(covered for _, covered in chosen)
            found[key] = naive.objective(t.data, [clause for clause, _ in chosen], loss, form, penalty)
    optimum = min(found.values())
    near = {key: cost for key, cost in found.items() if cost <= most(optimum)}
    models: dict[frozenset[int], list[Fraction]] = {}
    for key, cost in near.items():
        models.setdefault(frozenset().union(*key), []).append(cost)
    return Naive(optimum, near, models)


def check(t: Table, result: rl.results.NearOptimalRuleSets, expected: Naive, form: str) -> None:
    assert result.complete
    assert (result.optimum, result.n_sets) == (float(expected.optimum), len(expected.sets))
    assert result.count == len(expected.models)
    assert result.multiplicity.sum() == result.n_sets
    covered = [naive_cover(t, clauses, form) for clauses in result.clauses]
    assert len(set(covered)) == result.count
    for rows, objective, multiplicity in zip(covered, result.objectives, result.multiplicity, strict=True):
        costs = expected.models[rows]
        assert (objective, multiplicity) == (float(min(costs)), len(costs))
    assert (np.diff(result.objectives) >= 0).all()
    by_rule: dict[frozenset[int], list[Fraction]] = {}
    for key, cost in expected.sets.items():
        for rows in key:
            by_rule.setdefault(rows, []).append(cost)
    table = result.importance()
    assert len(table) == len(by_rule)
    for row in table.itertuples(index=False):
        rows = naive_cover(t, [row.conditions], form)
        assert (row.sets, row.objective) == (len(by_rule[rows]), float(min(by_rule[rows])))
        assert row.share == row.sets / result.n_sets
        without = [cost for key, cost in expected.sets.items() if rows not in key]
        assert row.without == float(min(without)) if without else np.isnan(row.without)
        share = sum(t.data.weight[i] for i in rows) / sum(t.data.weight)
        assert row.most == pytest.approx(share)
        assert row.least == (0.0 if without else pytest.approx(share))


def naive_cover(t: Table, clauses, form: str) -> frozenset[int]:
    return frozenset().union(*(naive.decides(t.data, tuple(clause), form) for clause in clauses))


@pytest.mark.parametrize("seed", range(10, 24))
def test_all_near_optimal_sets_are_found(seed):
    rng = np.random.default_rng(seed)
    loss, form = str(rng.choice(["hamming", "zero_one"])), str(rng.choice(["dnf", "cnf"]))
    how = {"ratio": float(rng.choice([0.0, 0.1, 0.5, 1.0]))} if rng.random() < 0.5 else {"within": int(rng.integers(4))}
    C, D = int(rng.integers(2, 8)), int(rng.integers(1, 4))
    penalty = Fraction(int(rng.integers(0, 5)), 4)
    t = table(seed, weighted=bool(rng.random() < 0.5))

    def most(optimum: Fraction) -> Fraction:
        return optimum + how["within"] if "within" in how else optimum * (1 + decimal(how["ratio"]))

    expected = near_sets(t, C, D, loss, form, penalty, most)
    settings = {"max_complexity": C, "max_conditions": D, "loss": loss, "form": form, "regularization": float(penalty)}
    result = near_optimal(t.problem, **how, **settings)
    check(t, result, expected, form)
    for model, objective, errors in zip(result.models, result.objectives, result.errors, strict=True):
        assert model.objective(loss, float(penalty)) == pytest.approx(objective)
        assert model.errors == errors


SETTINGS = {"max_complexity": 6, "max_conditions": 2}
near_optimal = partial(rl.near_optimal, model="rule_set")


def test_slices_and_pickles_change_nothing():
    problem = table(7).problem
    whole = near_optimal(problem, within=3, **SETTINGS)
    search, _ = in_slices(rl.engines.NearOptimalRuleSetSearch(problem, 3, **SETTINGS), 1, 1)
    again = search.result()
    assert again.frame().equals(whole.frame())
    assert again.rules.equals(whole.rules)
    before = search.advance(5)
    assert (before.status, before.count) == (rl.Status.OPTIMAL, whole.count)


def test_it_can_be_looked_at_at_any_time(monkeypatch):
    """Also before the first set is found."""
    monkeypatch.setattr("rulelab.rule_set.near_optimal.search.EFFORT_PER_WORK", 1)
    search = rl.engines.NearOptimalRuleSetSearch(table(3).problem, 2, **SETTINGS)
    while search.advance(1).phase != "enumerating":
        assert search.result().count == 0
    assert search.result().frame().empty
    for _ in range(10):
        search.advance(1)
        found = search.result()
        assert len(found.frame()) == found.count
        assert not found.complete


def test_rows_that_are_given_twice_are_rows_of_double_weight():
    t = table(8)
    twice = rl.Problem.from_arrays(np.vstack([t.data.A] * 2), np.hstack([t.data.y] * 2))
    once = rl.Problem.from_arrays(t.data.A, t.data.y, sample_weight=np.full(len(t.data.y), 2))
    first, second = (near_optimal(problem, 4, **SETTINGS).frame() for problem in (twice, once))
    assert first.equals(second)


def test_a_limit_of_models_leaves_a_distance_up_to_which_all_are_known():
    problem = table(9).problem
    whole = near_optimal(problem, within=5, **SETTINGS)
    part = near_optimal(problem, within=5, limit=whole.count // 2, **SETTINGS)
    assert not part.complete
    assert part.truncated == "limit"
    assert part.count <= whole.count // 2
    certain = int((whole.objectives <= part.covered).sum())
    assert 0 < certain <= part.count
    assert part.objectives[:certain].tolist() == whole.objectives[:certain].tolist()
    for ask in (part.importance, part.sample, part.column_ranges, part.patterns):
        with pytest.raises(ValueError, match="not complete"):
            ask()
    search = rl.engines.NearOptimalRuleSetSearch(problem, 5, limit=2, **SETTINGS)
    assert rl.solve(search).limit == "limit"
    search.limit = 10_000
    assert rl.solve(search).status is rl.Status.OPTIMAL
    assert search.result().count == whole.count


@pytest.mark.parametrize(
    ("limits", "truncated"), [({"work_limit": 1}, "work"), ({"memory_limit": 1}, "memory"), ({"time_limit": 0}, "time")]
)
def test_limits_of_work_and_memory_end_it(limits, truncated):
    found = near_optimal(table(3).problem, 3, **limits, **SETTINGS)
    assert (found.complete, found.truncated, found.count) == (False, truncated, 0)


def test_too_many_rules_leave_a_smaller_distance():
    problem = table(9).problem
    whole = near_optimal(problem, within=5, **SETTINGS)
    search = rl.RuleSetSearch(problem, **SETTINGS)
    rl.solve(search)
    search.column_limit = 3
    part = near_optimal(search, within=5)
    assert not part.complete
    assert part.truncated == "columns"
    if part.count:
        certain = int((whole.objectives <= part.covered).sum())
        assert part.objectives[:certain].tolist() == whole.objectives[:certain].tolist()


def test_without_conditions_that_hold_only_the_empty_set_is_there():
    problem = rl.Problem.from_arrays(np.zeros((4, 2), dtype=bool), [1, 0, 0, 0])
    found = near_optimal(problem, 3, max_complexity=4)
    assert (found.count, found.n_sets, found.clauses, found.complete) == (1, 1, ((),), True)
    assert found.frame()["objective"].tolist() == [1.0]


def test_tables_of_what_the_models_do():
    t = table(7)
    found = near_optimal(t.problem, 6, **SETTINGS)
    matrix = t.problem.matrix()
    says = np.array([model.predicts_positive(matrix) for model in found.models])
    weights = t.problem.positives + t.problem.negatives
    apart = ((says != says[2]) * weights).sum(axis=1) / weights.sum()
    assert found.disagreement(2) == pytest.approx(apart)
    patterns = found.patterns()
    assert patterns["sets"].tolist() == (found.multiplicity[:, None] * says).sum(axis=0).tolist()
    chosen = found.diverse(4)
    assert (chosen[0], len(set(chosen))) == (0, 4)
    columns = found.column_ranges()
    for name, least, most in columns.itertuples():
        j = t.problem.names.index(name)
        shares = []
        for clauses in found.clauses:
            rows = [matrix[:, list(clause)].all(axis=1) for clause in clauses if j in clause]
            hit = np.any(rows, axis=0) if rows else np.zeros(len(weights), dtype=bool)
            shares.append((hit * weights).sum() / weights.sum())
        assert (least, most) == pytest.approx((min(shares), max(shares)))
    groups = t.problem.groups
    for row in found.gap_ranges("equalized_odds").itertuples(index=False):
        side = groups.positives if row.rate == "true_positive_rate" else groups.negatives
        g, h = (groups.names.index(name) for name in (row.group, row.other))
        gaps = (says @ side[g]) / side[g].sum() - (says @ side[h]) / side[h].sum()
        assert (row.least, row.greatest) == pytest.approx((gaps.min(), gaps.max()))
        assert gaps[row.greatest_model] == pytest.approx(row.greatest)
    assert set(found.sample(20, random_state=1)["clauses"]) <= set(found.frame()["clauses"])
    assert len(found.top(3)) == 3
    assert found.by_gap["models"].sum() == found.count


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"within": 1, "ratio": 0.1}, "give only one"),
        ({"ratio": float("nan")}, "ratio must be"),
        ({"fairness": rl.EqualOpportunity(0.1)}, "found without fairness"),
        ({"must_use": ["antecedent 0"]}, "found without must_use"),
        ({"max_uses": {"c0": 1}}, "found without max_uses"),
        ({"regularization": 0.1234567890123456}, "few digits"),
    ],
)
def test_wrong_arguments_are_told(arguments, said):
    with pytest.raises(ValueError, match=said):
        rl.engines.NearOptimalRuleSetSearch(table(0).problem, **{**SETTINGS, **arguments})


def test_what_belongs_to_the_search_is_not_given_twice():
    problem = table(0).problem
    with pytest.raises(ValueError, match="the search's own"):
        rl.engines.NearOptimalRuleSetSearch(rl.RuleSetSearch(problem), 1, max_complexity=4)
    with pytest.raises(ValueError, match="must be a RuleSetSearch or a Problem"):
        rl.engines.NearOptimalRuleSetSearch("toe", 1)


@pytest.mark.parametrize("loss", ["hamming", "zero_one"])
def test_where_all_sets_cost_the_same(loss):
    """Half of every pattern is positive: no training error depends on the set."""
    problem = rl.Problem.from_arrays(np.array([[1], [1], [0], [0]]), np.array([0, 1, 0, 1]))
    found = near_optimal(problem, 1, max_complexity=2, loss=loss)
    assert (found.optimum, found.count) == (2, 2)
    assert rl.solve(rl.RuleSetSearch(problem, 2, loss=loss)).stands == "optimal"
