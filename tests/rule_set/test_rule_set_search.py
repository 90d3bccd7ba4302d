"""The rule set engine against the naive reference, a solver over all columns, and certified benchmark instances."""

import pickle
from fractions import Fraction
from itertools import combinations

import highspy
import naive
import numpy as np
import pandas as pd
import pytest
from command_line import output_of
from crossed import Judge
from crossed_cases import case_of
from laws import certified, replaced
from random_problems import explained

import rulelab as rl
from rulelab.__main__ import main
from rulelab.cli.output import as_option
from rulelab.rule_set import RuleSetSearch, generation
from rulelab.rule_set.features import Features
from rulelab.rule_set.heuristics import local_search as local
from rulelab.rule_set.heuristics.set_search import SetSearch, draw
from rulelab.rule_set.master.dual_bound import bound, dual_point, knapsack, price_of
from rulelab.rule_set.pool import Pool
from rulelab.rule_set.program import Program, make_program


def test_the_optimum_is_that_of_the_naive_reference(monkeypatch):
    """By the proximal method; by the simplex method it is in ``test_crossed.py``."""
    monkeypatch.setattr(generation, "LARGE", 0)
    for seed in range(96):
        case = case_of("rule_set", seed)
        assert case.options["fairness"] is not None or Judge(case).run() == [], seed


def test_naive_reference_and_a_solver_over_all_columns_agree():
    """A third opinion on a problem that enumeration of sets could not do."""
    A, y = explained(3, 150, 12, 0.2)
    snapshot = certified(RuleSetSearch(rl.Problem.from_arrays(A, y), 10, 2))
    rules = [r for s in (1, 2) for r in combinations(range(12), s)]
    covers = np.array([A[:, list(r)].all(axis=1) for r in rules])
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    use = [model.addBinary(obj=float((hit & ~y).sum())) for hit in covers]
    for i in np.flatnonzero(y):
        missed = model.addVariable(0, 1, 1.0)
        model.addConstr(sum((use[k] for k in np.flatnonzero(covers[:, i])), missed) >= 1)
    model.addConstr(sum(((1 + len(r)) * use[k] for k, r in enumerate(rules)), 0 * use[0]) <= 10)
    model.run()
    assert snapshot.incumbent.objective == round(model.getInfo().objective_function_value)


def test_certified_instances(instances):
    for (name, max_complexity), expected in instances.EXPECTED["rule_set"].items():
        A, y, names = instances.load(name)
        problem = rl.Problem.from_arrays(pd.DataFrame(A, columns=names), y)
        snapshot = certified(RuleSetSearch(problem, max_complexity))
        assert snapshot.incumbent.objective == expected
        assert snapshot.incumbent.complexity <= max_complexity


def noisy(seed=0, n=300, m=16):
    rng = np.random.default_rng(seed)
    A = rng.random((n, m)) < rng.uniform(0.2, 0.7, m)
    y = (A[:, 0] & A[:, 1]) | (A[:, 2] & A[:, 3] & A[:, 4])
    return rl.Problem.from_arrays(A, y ^ (rng.random(n) < 0.2))


def test_every_dual_point_gives_a_bound():
    """Duals drawn at random, far from any optimum, are rounded into their box and bound the loss all the same."""
    rng = np.random.default_rng(1)
    A = rng.random((14, 4)) < 0.5
    y = rng.random(14) < 0.5
    y[:2] = True, False
    problem = rl.Problem.from_arrays(A, y)
    for loss, measure in naive.LOSSES.items():
        program = make_program(problem, 6, loss)
        optimum = naive.best_rule_set(A, y, [1] * 14, 6, 4, measure)
        for _ in range(20):
            point = dual_point(program, rng.normal(0.5, 0.7, len(program.watched)), np.zeros(0))
            in_rows = point.weight[problem.row_pattern] // np.bincount(problem.row_pattern)[problem.row_pattern]
            assert in_rows.shape == (14,)
            matrix = problem.matrix()
            best = np.array([0, *naive.largest_sums(matrix, point.weight.tolist(), 4)])
            assert bound(program, point, best) <= optimum
            price = price_of(point, best)
            assert Fraction(point.total - 6 * price, point.grid) <= optimum
            assert knapsack(best, 0, 6) <= 6 * price


def test_too_many_columns_end_with_a_limit_that_can_be_raised():
    search = RuleSetSearch(noisy(2), 9, 3, column_limit=2)
    stopped = rl.solve(search)
    assert (stopped.status, stopped.limit) == (rl.Status.LIMIT, "columns")
    assert stopped.gap > 0
    search.column_limit = 5000
    assert rl.solve(search).status is rl.Status.OPTIMAL
    assert certified(RuleSetSearch(noisy(2), 9, 3)).incumbent.objective == search.advance(1).incumbent.objective


def test_a_warm_start_is_the_first_set():
    problem = noisy(2)
    first = certified(RuleSetSearch(problem, 9, 3))
    again = RuleSetSearch(problem, 9, 3, warm_start=first.incumbent.model)
    assert again.advance(1).incumbent.objective == first.incumbent.objective
    assert certified(again).incumbent.objective == first.incumbent.objective
    donor = RuleSetSearch(problem, 5, 3)
    certified(donor)
    wider = RuleSetSearch(problem, 9, 3, warm_start=donor.columns)
    assert wider.advance(1).counts["columns"] >= len(donor.columns)
    assert certified(wider).incumbent.objective == first.incumbent.objective


@pytest.mark.parametrize("start", [[()], [(0, 16)], [(-1,)]])
def test_a_warm_start_of_unknown_antecedents_is_refused(start):
    with pytest.raises(ValueError, match="warm_start"):
        RuleSetSearch(noisy(), warm_start=start)


def test_the_selected_set_makes_no_more_errors():
    problem = noisy(3)
    search = RuleSetSearch(problem, 9, 3)
    snapshot = certified(search)
    assert search.selected.errors <= snapshot.incumbent.errors
    assert search.selected.complexity <= 9


# rule sets that have to use columns or conditions ---------------------------------------------------------------------
def test_limits_hold_in_wide_problems_too():
    free = rl.solve(rl.RuleSetSearch(PROBLEM, 12, 3)).incumbent
    column = max(COLUMNS, key=lambda name: conditions_on(free.model, name))
    most = conditions_on(free.model, column)
    assert most > 1
    costs = []
    for k in range(most + 1):
        snapshot = certified(rl.RuleSetSearch(PROBLEM, 12, 3, max_uses={column: k}))
        assert conditions_on(snapshot.incumbent.model, column) <= k
        costs.append(snapshot.incumbent.objective)
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] == free.objective < costs[0]
    without = rl.solve(rl.RuleSetSearch(PROBLEM.without(column), 12, 3)).incumbent
    assert costs[0] == without.objective


DATA = rl.datasets.load("diabetes")
PROBLEM = rl.Problem.from_arrays(rl.Binarizer(3).fit_transform(DATA.X), DATA.y)
COLUMNS = tuple(dict.fromkeys(joined[0].column for joined in PROBLEM.conditions or ()))


def conditions_on(model: rl.RuleSet, column: str) -> int:
    return sum(c.column == column for rule in model.rules for literal in rule.literals for c in literal.conditions)


def uses(model: rl.RuleSet, column: str) -> bool:
    return conditions_on(model, column) > 0


def test_a_search_that_must_use_can_be_limited_and_goes_on():
    expected = certified(rl.RuleSetSearch(PROBLEM, 6, 2, must_use=["sex", "age"]))
    assert uses(expected.incumbent.model, "sex")
    assert uses(expected.incumbent.model, "age")
    assert expected.incumbent.objective >= rl.solve(rl.RuleSetSearch(PROBLEM, 6, 2)).incumbent.objective
    search = rl.RuleSetSearch(PROBLEM, 6, 2, must_use=["sex", "age"], column_limit=2, warm_start=[(0,), (0, 1)])
    first = rl.solve(search, work_limit=3)
    assert (first.status, first.limit) == (rl.Status.LIMIT, "work")
    assert uses(first.incumbent.model, "sex")  # there is a set from the beginning
    search = pickle.loads(pickle.dumps(search))
    stopped = rl.solve(search)
    assert stopped.lower_bound <= expected.incumbent.objective <= stopped.incumbent.objective
    search.column_limit = 20_000
    last = rl.solve(search)
    assert (last.status, last.incumbent.objective) == (rl.Status.OPTIMAL, expected.incumbent.objective)
    assert len(search.pool()) == min(600, len(search.columns))
    assert rl.verify(PROBLEM, last.incumbent.model, search.certificate())


def test_what_cannot_be_used_is_refused_or_infeasible():
    with pytest.raises(ValueError, match=r"must_use: no antecedent uses 'sez'.*'sex'"):
        rl.RuleSetSearch(PROBLEM, must_use=["sez"])
    for limits, why in (({"sez": 1}, r"max_uses: no antecedent uses 'sez'.*'sex'"), (["sex"], "max_uses must have a")):
        with pytest.raises(ValueError, match=why):
            rl.RuleSetSearch(PROBLEM, max_uses=limits)
    with pytest.raises(ValueError, match="made of an array without columns"):
        rl.RuleSetSearch(rl.Problem.from_arrays(np.eye(4, dtype=bool), [0, 1, 0, 1]), max_uses={"a": 1})
    assert rl.solve(rl.RuleSetSearch(PROBLEM, 3, 1, must_use=["sex", "age"])).status is rl.Status.INFEASIBLE
    never = rl.RuleSetSearch(PROBLEM, 4, 1, must_use=["sex"], max_uses={"sex": 0})
    assert rl.solve(never).status is rl.Status.INFEASIBLE
    never = rl.Problem.from_arrays(pd.DataFrame({"a": [0, 1, 0, 1], "b": [0, 0, 0, 0]}), [0, 1, 0, 1])
    assert rl.solve(rl.RuleSetSearch(never, must_use=["b"])).status is rl.Status.INFEASIBLE
    found = rl.solve(rl.RuleSetSearch(never, must_use="b", form="cnf"))
    assert (found.status, found.incumbent.model.clauses) == (rl.Status.OPTIMAL, ((0, 1),))


def test_every_door_lets_it_through(tmp_path, capsys):
    asked = {"max_complexity": 6, "max_conditions": 2, "thresholds": 3}
    expected = rl.solve(rl.RuleSetSearch(PROBLEM, 6, 2, must_use=["sex"])).incumbent.objective
    fitted = rl.RuleSetClassifier(**asked, must_use=["sex"]).fit(DATA.X, DATA.y)
    assert (fitted.status_, fitted.objective_) == (rl.Status.OPTIMAL, expected)
    with pytest.raises(ValueError, match="no model meets 'use sex, age'"):
        rl.RuleSetClassifier(max_complexity=2, max_conditions=1, must_use=["sex", "age"]).fit(DATA.X, DATA.y)
    options = [f"{as_option(name)}={value}" for name, value in asked.items()]
    command = ["fit", "diabetes", "--model", "rule-set", *options, "--max-uses", "bmi:1", "--quiet"]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "for rules of at most 2 conditions, of those that have at most 1 condition on bmi: " in said
    command = [*command, "--must-use", "sex", "-o", str(tmp_path / "m.json"), "--proof", str(tmp_path / "p.npz")]
    assert main(command) == 0
    capsys.readouterr()
    said = " ".join(output_of(capsys, "verify", "diabetes", tmp_path / "m.json", tmp_path / "p.npz")[0].split())
    assert "optimal among those of which each uses sex and has at most 1 condition on bmi for diabetes" in said


def test_a_rule_that_decides_no_row_does_not_meet_a_demand():
    A = pd.DataFrame({"a": [1, 1, 0, 0, 1, 0], "b": [0, 0, 1, 1, 0, 1], "c": [1, 0, 1, 0, 1, 0]}).astype(bool)
    problem = rl.Problem.from_arrays(A, [1, 1, 0, 0, 1, 1])
    search = rl.RuleSetSearch(problem, 6, 2, must_use=["b"])
    best = rl.solve(search).incumbent
    certificate = search.certificate()
    assert rl.verify(problem, best.model, certificate)
    empty = rl.RuleSet.from_problem(problem, [(0,), (0, 1)])  # b where a is not: nobody
    assert "decides no row" in rl.verify(problem, empty, certificate).reason


# the search of sets in the pool: its moves, against sets measured anew, and its ways to begin -------------------------
def ended(seed: int, **asked) -> RuleSetSearch:
    """A search that has ended, for its pool and program."""
    search = RuleSetSearch(noisy(seed), 9, 2, **asked)
    certified(search)
    return search


def cost(program: Program, moves: local.Moves, chosen: np.ndarray) -> tuple[float, np.ndarray]:
    """Cost of a set and what it takes of each constraint, by hand."""
    left = np.ones(len(moves.leave), dtype=bool)
    for k in np.flatnonzero(chosen):
        left[moves.entity[moves.start[k] : moves.start[k + 1]]] = False
    mass = np.bincount(moves.kind[left], weights=moves.mass[left], minlength=program.n_kinds)
    bound = np.array([float(c.bound) for c in program.constraints])
    taken = moves.leave_used @ mass + moves.used[chosen == 1].sum(axis=0) - bound
    return float(program.constant * program.scale) + moves.leave[left].sum() + moves.cost[chosen == 1].sum(), taken


def pool_of(search):
    """What a search counts by, and the rules that it has met."""
    program = make_program(search.problem, search.max_complexity, fairness=search.fairness)
    pool = Pool(program, Features.from_problem(search.problem))
    pool.add(list(search.columns))
    return program, pool


@pytest.mark.parametrize("penalty", [0.0, 3.0])
@pytest.mark.parametrize("fairness", [None, rl.EqualOpportunity(0.3)])
@pytest.mark.parametrize("seed", range(3))
def test_a_descent_ends_where_no_single_move_helps(seed, fairness, penalty):
    problem = noisy(seed)
    if fairness is not None:
        rng = np.random.default_rng(seed)
        A, y = rng.random((120, 6)) < 0.4, rng.random(120) < 0.4
        problem = rl.Problem.from_arrays(A, y, groups=rng.integers(0, 2, 120))
    search = RuleSetSearch(problem, 9, 2, fairness=fairness)
    certified(search)
    program, pool = pool_of(search)
    moves = replaced(local.moves_of(program, pool.columns(np.arange(min(len(pool), 25)))), penalty=penalty)
    walk = local.new_walk(program, moves, seed)
    draw(moves, walk, np.full(len(moves.cost), 1 / len(moves.cost)), 8)
    local.descend(moves, walk)

    def score(chosen):
        value, taken = cost(program, moves, chosen)
        return value + penalty * np.maximum(taken, 0).sum()

    now, taken = cost(program, moves, walk.chosen)
    assert walk.score[0] == pytest.approx(now)
    assert walk.taken == pytest.approx(taken)
    reached = score(walk.chosen)
    for moved in [*combinations(range(len(moves.cost)), 1), *combinations(range(len(moves.cost)), 2)]:
        other = walk.chosen.copy()
        other[list(moved)] ^= 1
        if len(moved) == 2 and other.sum() != walk.chosen.sum():
            continue
        if moves.complexity[other == 1].sum() <= moves.room:
            assert score(other) >= reached - 1e-6 * max(1.0, abs(reached))


def set_search(search: RuleSetSearch) -> SetSearch:
    program, pool = pool_of(search)
    chosen = np.arange(len(pool))
    return SetSearch(program, pool, chosen, np.ones(len(pool)), np.zeros(0), 3, 60, rebuilds=True)


@pytest.mark.parametrize("seed", range(4))
def test_sets_built_anew_are_within_the_complexity_and_no_better_than_the_optimum(seed):
    search = ended(seed)
    sets, found, other = set_search(search), [], set_search(search)
    while not sets.done:
        sets.advance()
        found.append(sets.found)
        other = pickle.loads(pickle.dumps(other))
        other.advance()
        assert other.found == sets.found
    best = [rules for rules in found if rules is not None][-1]
    model = rl.RuleSet.from_problem(search.problem, best)
    assert model.complexity <= 9
    assert model.hamming_loss >= search.advance(1).incumbent.objective
