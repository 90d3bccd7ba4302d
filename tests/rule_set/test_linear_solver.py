"""The solver of linear programs: nothing of it is seen, its options are set, and it does not mind other models."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from subprocess import run

import pytest
from patience import PATIENCE

from rulelab.linear_solver import LinearSolver

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


def test_it_says_nothing_when_it_is_made_and_when_it_solves(capfd: pytest.CaptureFixture[str]) -> None:
    solver = LinearSolver(presolve="off")
    solver.addVar(0.0, 2.0)
    solver.changeColCost(0, -1.0)
    with ThreadPoolExecutor(1) as fresh:  # models of other tests in this thread may have asked for more threads
        fresh.submit(solver.run).result()
    assert solver.getInfo().objective_function_value == -2.0
    assert capfd.readouterr() == ("", "")
    assert solver.getOptionValue("threads")[1] == 1
    assert solver.getOptionValue("presolve")[1] == "off"


@pytest.mark.parametrize("first", ["theirs", "ours", "both"])
@pytest.mark.parametrize(
    ("threads", "kind"), [(1, "RuleSetSearch"), (2, "LeastGapRuleSetSearch"), (3, "RuleSetSearch")]
)
def test_other_models_in_the_same_process(first: str, threads: int, kind: str) -> None:
    """A user's own model is solved before, after and between, with any number of threads."""
    command = [sys.executable, "-c", _TOGETHER, first, str(threads), kind]
    done = run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["optimal"]), done.stderr
