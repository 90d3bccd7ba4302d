"""The proximal masters against the simplex one, and whole searches that use nothing else."""

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from subprocess import run

import naive
import numpy as np
import pytest
from patience import PATIENCE
from test_rule_set_fairness import compas_like, compas_problem
from test_rule_set_search import certified

import rulelab as rl
from rulelab.linear_solver import LinearSolver
from rulelab.rule_set import RuleSetSearch, generation
from rulelab.rule_set.features import Features
from rulelab.rule_set.generation import ColumnGeneration
from rulelab.rule_set.master.constrained_proximal import ConstrainedProximalMaster
from rulelab.rule_set.master.dual_bound import dual_point
from rulelab.rule_set.master.linear_program import MasterSolve, nothing_fixed
from rulelab.rule_set.master.proximal import ProximalMaster
from rulelab.rule_set.pool import Pool
from rulelab.rule_set.program import make_program

CRITERIA = [
    None, rl.EqualOpportunity(0.02), rl.EqualOpportunity(0.0), rl.EqualizedOdds(0.02, 0.05),
    rl.FalsePositiveRateParity(0.01), rl.DemographicParity(0.01), rl.AccuracyParity(0.02), rl.AccuracyParity(0.0),
]  # fmt: skip


@pytest.fixture
def proximal(monkeypatch):
    """Let problems of any size take the proximal methods."""
    monkeypatch.setattr(generation, "LARGE_CONSTRAINED", 0)
    monkeypatch.setattr(generation, "LARGE", 0)


@pytest.mark.few(5)
@pytest.mark.parametrize("criterion", CRITERIA, ids=repr)
@pytest.mark.parametrize("loss", sorted(naive.LOSSES))
@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_without_new_rules_it_ends_at_the_value_of_the_linear_program(criterion, loss, form):
    """Its bounds are within, the best ones near it."""
    problem = compas_problem()
    program = make_program(problem, 9, loss, form, criterion)
    pool = Pool(program, Features.from_problem(problem, form))
    pool.add([*((j,) for j in range(8)), *combinations(range(8), 2)])
    columns = pool.columns(np.arange(len(pool)))
    solve = MasterSolve(program, columns, nothing_fixed(program, len(columns.kind)))
    while (simplex := solve.advance()) is None:
        pass
    value, rules, best = simplex.value, np.arange(len(pool)), -np.inf
    master = ProximalMaster(program, pool) if criterion is None else ConstrainedProximalMaster(program, pool)
    within, near = (1e-6, (1e-3, 1e-3)) if criterion is None else (1e-5, (2e-3, 2e-2))
    for _ in range(60):
        solution = master.solve(rules, value - best)
        assert solution.price >= 0
        assert len(solution.gamma) or solution.value >= value - within
        assert (solution.gamma >= 0).all()
        point = dual_point(program, solution.share, solution.gamma)
        gains = pool.sums(rules, point.weight) / (point.grid * pool.complexity) - program.penalty
        linear = point.total / point.grid - program.max_complexity * max(0.0, gains.max())
        assert linear <= value + within
        best = max(best, linear)
        master.judge(linear, exact=True)
    assert [best, solution.value] == [pytest.approx(value, abs=each) for each in near]
    assert (master.use >= 0).all()


def test_weights_that_are_not_integers(proximal):
    A, y, groups = compas_like(200)
    weight = np.random.default_rng(1).uniform(0.1, 3.0, len(y))
    problem = rl.Problem.from_arrays(A, y, sample_weight=weight, groups=groups)
    found = certified(RuleSetSearch(problem, 6, 2, fairness=rl.EqualOpportunity(0.1)))
    assert found.counts["newton_steps"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generation, "LARGE_CONSTRAINED", 1 << 30)
        simplex = certified(RuleSetSearch(problem, 6, 2, fairness=rl.EqualOpportunity(0.1)))
    assert found.incumbent.objective == simplex.incumbent.objective


def generated(criterion: rl.EqualOpportunity) -> ColumnGeneration:
    """Column generation at its end."""
    problem = compas_problem()
    program, features = make_program(problem, 11, fairness=criterion), Features.from_problem(problem)
    columns = ColumnGeneration(program, features, Pool(program, features), 3)
    while not columns.done:
        columns.advance()
    return columns


def proven(columns: ColumnGeneration) -> float:
    """The linear bound."""
    point, price = columns.closing_point
    return float((point.total - price * columns.program.max_complexity) / point.grid)


@pytest.mark.parametrize("criterion", CRITERIA, ids=repr)
def test_column_generation_meets_the_one_with_the_simplex_method(criterion, monkeypatch):
    simplex = generated(criterion)
    assert not simplex.newton_steps
    for name in ("LARGE", "LARGE_CONSTRAINED"):
        monkeypatch.setattr(generation, name, 0)
    columns = generated(criterion)
    assert columns.newton_steps
    assert proven(columns) == pytest.approx(proven(simplex), abs=0.25)
    assert columns.value == pytest.approx(simplex.value, abs=0.25)
    assert criterion is None or columns.gamma.shape == simplex.gamma.shape
    assert criterion is not None or (columns.lower, columns.simplex_iterations) == (simplex.lower, 0)


@pytest.mark.parametrize("criterion", [None, rl.EqualOpportunity(0.02)], ids=repr)
def test_the_simplex_method_takes_over_when_nothing_is_found(criterion, proximal, monkeypatch):
    expected = proven(generated(criterion))
    monkeypatch.setattr(generation, "MOST_FRUITLESS", 1)
    monkeypatch.setattr(ColumnGeneration, "_closed", lambda self: False)
    columns = generated(criterion)
    assert columns.newton_steps
    assert columns.simplex_iterations
    assert proven(columns) == pytest.approx(expected, abs=0.25)


@pytest.mark.parametrize("criterion", [rl.EqualOpportunity(0.02), rl.DemographicParity(0.02)], ids=repr)
def test_a_search_pickled_after_every_unit_ends_alike_and_is_proven(proximal, criterion):
    problem = compas_problem()
    whole = certified(RuleSetSearch(problem, 8, 3, fairness=criterion).without_relaxation())
    search, bounded = RuleSetSearch(problem, 8, 3, fairness=criterion).without_relaxation(), False
    while (snapshot := search.advance(1)).status is rl.Status.RUNNING:
        search = pickle.loads(pickle.dumps(search))
        if not bounded and snapshot.lower_bound > 0 and snapshot.incumbent is not None:
            verdict = rl.verify(problem, snapshot.incumbent.model, search.certificate(bound_only=True))
            assert verdict.state == "bound"
            assert 0 < verdict.lower_bound <= whole.incumbent.objective
            bounded = True
    assert bounded
    assert snapshot.counts == whole.counts
    assert snapshot.counts["newton_steps"]
    assert snapshot.incumbent.model == whole.incumbent.model
    assert rl.verify(problem, snapshot.incumbent.model, search.certificate()).valid


# the solver of linear programs ----------------------------------------------------------------------------------------
_TOGETHER = """
import sys
import highspy, numpy as np, rulelab as rl

def model(threads):
    own = highspy.Highs()
    own.setOptionValue("output_flag", False)
    own.setOptionValue("threads", threads)
    own.addConstr(own.addVariable(0, 1, -1) <= 1)
    return own

def works(own):
    own.changeColCost(0, -1 - own.getObjectiveValue() ** 2)  # so that there is something to solve
    assert own.run() == highspy.HighsStatus.kOk and own.getModelStatus() == highspy.HighsModelStatus.kOptimal

first, threads, kind = sys.argv[1], int(sys.argv[2]), sys.argv[3]
rng = np.random.default_rng(3)
A = rng.random((60, 6)) < 0.5
y = (A[:, 0] & A[:, 1]) ^ (rng.random(60) < 0.2)
problem = rl.Problem.from_arrays(A, y, groups=np.where(A[:, 5], "a", "b"))
search = rl.RuleSetSearch(problem, 6, 2) if kind == "RuleSetSearch" else rl.engines.LeastGapRuleSetSearch(
    problem, "equal_opportunity", 0.7, 6)
own = model(threads)
if first == "theirs":
    works(own)
while search.advance(1).status == "running":
    if first == "both":
        works(own)
works(own)
works(model(threads))
print(search.advance(1).status)
"""


def test_it_says_nothing_when_it_is_made_and_when_it_solves(capfd):
    solver = LinearSolver(presolve="off")
    solver.addVar(0.0, 2.0)
    solver.changeColCost(0, -1.0)
    with ThreadPoolExecutor(1) as fresh:  # models of other tests in this thread may have asked for more threads
        fresh.submit(solver.run).result()
    assert solver.getInfo().objective_function_value == -2.0
    assert capfd.readouterr() == ("", "")
    assert (solver.getOptionValue("threads")[1], solver.getOptionValue("presolve")[1]) == (1, "off")


@pytest.mark.long
@pytest.mark.parametrize(
    ("first", "threads", "kind"), [("theirs", 2, "LeastGapRuleSetSearch"), ("both", 3, "RuleSetSearch")]
)
def test_other_models_in_the_same_process(first, threads, kind):
    """A user's own model is solved before, after and between, with any number of threads."""
    command = [sys.executable, "-c", _TOGETHER, first, str(threads), kind]
    done = run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["optimal"]), done.stderr
