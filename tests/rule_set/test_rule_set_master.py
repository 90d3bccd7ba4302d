"""The proximal master against the simplex one, and whole searches that use nothing else."""

import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from subprocess import run

import numpy as np
import pytest
from patience import PATIENCE
from test_rule_set_search import LOSSES, noisy

from rulelab.linear_solver import LinearSolver
from rulelab.rule_set.features import Features
from rulelab.rule_set.master.dual_bound import dual_point
from rulelab.rule_set.master.linear_program import MasterSolve, nothing_fixed
from rulelab.rule_set.master.proximal import ProximalMaster
from rulelab.rule_set.pool import Pool
from rulelab.rule_set.program import Program, make_program


def some_rules(loss: str = "hamming") -> tuple[Program, Pool]:
    problem = noisy(5)
    program = make_program(problem, 9, loss)
    pool = Pool(program, Features.from_problem(problem))
    pool.add([*((j,) for j in range(10)), *combinations(range(10), 2)])
    return program, pool


def solve_master(*given):
    """The restricted master over some columns of the pool, solved; the parameters are those of `MasterSolve`."""
    solve = MasterSolve(*given)
    while (solution := solve.advance()) is None:
        pass
    return solution


def check_its_end(kind, program, pool, within, near):
    """Without new rules it ends at the value of the linear program: its bounds within, the best ones near it."""
    columns = pool.columns(np.arange(len(pool)))
    value = solve_master(program, columns, nothing_fixed(program, len(columns.kind))).value
    master, rules, best = kind(program, pool), np.arange(len(pool)), -np.inf
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


@pytest.mark.parametrize("loss", sorted(LOSSES))
def test_without_new_rules_it_ends_at_the_value_of_the_linear_program(loss):
    check_its_end(ProximalMaster, *some_rules(loss), 1e-6, (1e-3, 1e-3))


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
search = rl.RuleSetSearch(problem, 6, 2) if kind == "RuleSetSearch" else rl.LeastGapRuleSetSearch(
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
