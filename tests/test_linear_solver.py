"""The solver of linear programs: nothing of it is seen, and its options are set."""

from __future__ import annotations

import pytest

from rulelab.linear_solver import LinearSolver


def test_it_says_nothing_when_it_is_made_and_when_it_solves(capfd: pytest.CaptureFixture[str]) -> None:
    solver = LinearSolver(presolve="off")
    solver.addVar(0.0, 2.0)
    solver.changeColCost(0, -1.0)
    solver.run()
    assert solver.getInfo().objective_function_value == -2.0
    assert capfd.readouterr() == ("", "")
    assert solver.getOptionValue("threads")[1] == 1
    assert solver.getOptionValue("presolve")[1] == "off"
