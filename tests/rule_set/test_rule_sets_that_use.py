"""Rule sets that have to use columns or conditions, or may use some only so often, against all sets that do."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from patience import PATIENCE

import rulelab as rl
from rulelab.__main__ import main


def test_limits_hold_in_wide_problems_too() -> None:
    free = rl.solve(rl.RuleSetSearch(PROBLEM, 12, 3)).incumbent
    column = max(COLUMNS, key=lambda name: conditions_on(free.model, name))
    most = conditions_on(free.model, column)
    assert most > 1
    costs = []
    for k in range(most + 1):
        snapshot = rl.solve(rl.RuleSetSearch(PROBLEM, 12, 3, max_uses={column: k}))
        assert snapshot.status is rl.Status.OPTIMAL
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


def test_a_search_that_must_use_can_be_limited_and_goes_on() -> None:
    expected = rl.solve(rl.RuleSetSearch(PROBLEM, 6, 2, must_use=["sex", "age"]))
    assert expected.status is rl.Status.OPTIMAL
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


def test_what_cannot_be_used_is_refused_or_infeasible() -> None:
    for wrong, why in ((["sez"], r"must_use: no antecedent uses 'sez'.*'sex'"), ([1], "must_use must be names")):
        with pytest.raises(ValueError, match=why):
            rl.RuleSetSearch(PROBLEM, must_use=wrong)
    with pytest.raises(ValueError, match="must_use and must_not_use both have 'sex'"):
        rl.RuleSetSearch(PROBLEM.without("sex"), must_use=["sex"])
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


def test_every_door_lets_it_through(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = {"max_complexity": 6, "max_conditions": 2, "thresholds": 3}
    expected = rl.solve(rl.RuleSetSearch(PROBLEM, 6, 2, must_use=["sex"])).incumbent.objective
    fitted = rl.RuleSetClassifier(**asked, must_use=["sex"]).fit(DATA.X, DATA.y)
    assert (fitted.status_, fitted.objective_) == (rl.Status.OPTIMAL, expected)
    with pytest.raises(ValueError, match="no model meets 'use sex, age'"):
        rl.RuleSetClassifier(max_complexity=2, max_conditions=1, must_use=["sex", "age"]).fit(DATA.X, DATA.y)
    with pytest.raises(ValueError, match="cannot use a"):
        rl.RuleSetClassifier(must_use=["a"]).fit(pd.DataFrame({"a": [1] * 6}), [0, 1] * 3)
    grid = {"must_use": [None, ["sex"]], "max_complexity": [4], "max_conditions": [1]}
    sweep = rl.sweep(DATA, "rule_set", grid=grid, cv=2)
    assert sweep.wait(PATIENCE)
    assert set(sweep.frame["status"]) == {"optimal"}
    options = [f"--{name.replace('_', '-')}={value}" for name, value in asked.items()]
    command = ["fit", "diabetes", "--model", "rule-set", *options, "--max-uses", "bmi:1", "--quiet"]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "for rules of at most 2 conditions, of those that have at most 1 condition on bmi: " in said
    limited = rl.RuleSetClassifier(**asked, max_uses={"bmi": 1}).fit(DATA.X, DATA.y)
    assert conditions_on(limited.model_, "bmi") <= 1
    command = [*command[: -len(("--max-uses", "bmi:1", "--quiet"))], "--must-use", "sex", "--quiet"]
    assert main([*command, "-o", str(tmp_path / "m.json")]) == 0
    said = capsys.readouterr().out
    assert "for rules of at most 2 conditions, of those that use sex: " in said
    command = [*command, "--max-uses", "bmi:1", "-o", str(tmp_path / "m.json"), "--proof", str(tmp_path / "p.npz")]
    assert main(command) == 0
    capsys.readouterr()
    assert main(["verify", "diabetes", str(tmp_path / "m.json"), str(tmp_path / "p.npz")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "optimal among those of which each uses sex and has at most 1 condition on bmi for diabetes" in said
    from rulelab.views.cards import card

    search = rl.RuleSetSearch(PROBLEM, 4, 1, must_use=["sex"])
    shown = card.of_search(search, rl.solve(search))
    assert "for rules of at most 1 condition, of those that use sex, no such rule set over these" in shown.proof.scope


def test_a_rule_that_decides_no_row_does_not_meet_a_demand() -> None:
    A = pd.DataFrame({"a": [1, 1, 0, 0, 1, 0], "b": [0, 0, 1, 1, 0, 1], "c": [1, 0, 1, 0, 1, 0]}).astype(bool)
    problem = rl.Problem.from_arrays(A, [1, 1, 0, 0, 1, 1])
    search = rl.RuleSetSearch(problem, 6, 2, must_use=["b"])
    best = rl.solve(search).incumbent
    certificate = search.certificate()
    assert rl.verify(problem, best.model, certificate)
    empty = rl.RuleSet.from_problem(problem, [(0,), (0, 1)])  # b where a is not: nobody
    assert "decides no row" in rl.verify(problem, empty, certificate).reason


def test_proofs_of_wide_problems_hold_under_demands() -> None:
    for asked in ({"must_use": ["sex", "age"]}, {"max_uses": {"bmi": 0, "age": 1}, "must_use": ["sex"]}):
        search = rl.RuleSetSearch(PROBLEM, 10, 2, **asked)
        last = rl.solve(search)
        assert last.status is rl.Status.OPTIMAL
        certificate = search.certificate()
        answer = rl.verify(PROBLEM, last.incumbent.model, certificate)
        assert answer.valid, answer.reason
        assert "uses sex" in answer.among
        assert answer.reason.startswith("no rule set that uses sex")
        free = rl.RuleSetSearch(PROBLEM, 10, 2)
        unasked = rl.solve(free).incumbent.model
        assert "the model" in rl.verify(PROBLEM, unasked, certificate).reason
        assert not rl.verify(PROBLEM, last.incumbent.model, free.certificate())
