"""Rule sets that have to use columns or conditions, or may use some only so often, against all sets that do."""

from __future__ import annotations

import pickle
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import naive_rule_sets as sets
import numpy as np
import pandas as pd
import pytest
from patience import PATIENCE
from random_problems import weights_as_read

import rulelab as rl
from rulelab.__main__ import main
from rulelab.data.conditions import Condition, attach_conditions
from rulelab.data.naming import users

LIMITS = {"false_negative": rl.EqualOpportunity, "selection": rl.DemographicParity}


def drawn(seed: int) -> tuple[rl.Problem, dict[str, object], Fraction | None, list[set[int]], list[tuple[set, int]]]:
    """A small random problem, arguments of the search, the least objective, what must be used, what is limited."""
    rng = np.random.default_rng(seed)
    m, rows = int(rng.integers(3, 6)), int(rng.integers(6, 16))
    A = rng.random((rows, m)) < rng.choice([0.2, 0.5, 0.8])
    A[:, 0] = A[:, 1] if rng.random() < 0.2 else A[:, 0] & (rng.random() < 0.9)
    A[:, m - 1] = ~A[:, 1] if rng.random() < 0.3 else A[:, m - 1]
    y = rng.random(rows) < 0.5
    y[:4], group = [0, 1, 0, 1], np.arange(rows) // 2 % 2
    kind = seed % 4
    weight = np.ones(rows) if kind < 2 else rng.integers(1, 4, rows) * (1 if kind == 2 else 0.125)
    columns = [f"c{j // 2}" for j in range(m)]
    frame = pd.DataFrame(A, columns=[f"{column} == {j}" for j, column in enumerate(columns)])
    attach_conditions(frame, [Condition(column, "==", j) for j, column in enumerate(columns)])
    names = {c: {j for j in range(m) if columns[j] == c} for c in columns} | {n: {j} for j, n in enumerate(frame)}
    must = [str(name) for name in rng.choice(list(names), int(rng.integers(1, 3)), replace=False)]
    at_most = {c: int(rng.integers(0, 3)) for c in sorted(set(columns)) if rng.random() < 0.4}
    must = [] if at_most and rng.random() < 0.5 else must
    limited = [(names[column], k) for column, k in at_most.items()]
    complexity, most = int(rng.integers(2, 8)), int(rng.integers(1, 4))
    asked = {"loss": str(rng.choice(["hamming", "zero_one"])), "form": str(rng.choice(["dnf", "cnf"]))}
    price = Fraction(int(rng.integers(0, 4)), 4)
    fair = rng.choice(["", *LIMITS])
    tolerance = Fraction(int(rng.integers(0, 4)), 10)
    limits = [(str(fair), tolerance)] if fair else []
    data = sets.Data(A, y, weights_as_read(weight), group.tolist())
    demands = [names[name] for name in must]
    counts = [(dict.fromkeys(which, 1), k) for which, k in limited]
    best = sets.best_obedient_rule_set(
        data, demands, counts, complexity, most, asked["loss"], asked["form"], price, limits
    )
    problem = rl.Problem.from_arrays(frame, y, sample_weight=weight, groups=group)
    criterion = LIMITS[str(fair)](float(tolerance)) if fair else None
    given = {"max_complexity": complexity, "max_conditions": most, "regularization": float(price)}
    more = {"fairness": criterion, "must_use": must, "max_uses": at_most or None}
    return problem, {**given, **asked, **more}, best, demands, limited


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


def alike(problem: rl.Problem, name: str) -> list[str]:
    """The names that stand for the same antecedents, as those of a column of one condition and of this condition do."""
    joined = [condition for some in problem.conditions for condition in some]
    known = {*(condition.column for condition in joined), *map(str, joined), *problem.names}
    meant = users(name, problem.names, problem.conditions)
    return [other for other in known if (users(other, problem.names, problem.conditions) == meant).all()]


def check_proofs(seeds: range) -> None:
    """Proofs hold, and none passes for another set or for other demands, unless what it then says is true."""
    proofs = refused = bounds = 0
    for seed in seeds:
        problem, asked, best, _, _ = drawn(seed)
        if best is None or asked["loss"] != "hamming":
            continue
        search = rl.RuleSetSearch(problem, **asked)
        model = rl.solve(search).incumbent.model
        if rl.solve(search).detail["resolution"]:
            with pytest.raises(rl.CertificateError, match="weights have too many digits"):
                search.certificate()
            continue
        certificate = search.certificate()
        answer = rl.verify(problem, model, certificate)
        assert answer.valid, (seed, answer.reason)
        assert answer.objective == answer.lower_bound == float(best)
        for name in asked["must_use"]:
            assert any(f"uses {same}" in answer.among for same in alike(problem, name)), seed
        proofs += 1
        bound = rl.verify(problem, model, search.certificate(bound_only=True))
        bounds += bound.state == "bound"
        assert bound.lower_bound <= float(best), seed
        for other in others(problem, asked):
            changed = rl.verify(problem, other, certificate)
            assert not changed.valid or changed.objective == float(best), seed
            assert changed.valid or changed.lower_bound is None or changed.lower_bound <= float(best), seed
            refused += "does not use all" in changed.reason or "more often than it may" in changed.reason
        for array in ("demands", "uses", "most_uses", "demand_prices"):
            if array in certificate.arrays:
                less = {name: value for name, value in certificate.arrays.items() if name != array}
                assert rl.verify(problem, model, replace(certificate, arrays=less)).state == "refused", (seed, array)
    assert proofs > len(seeds) // 8
    assert refused > proofs
    assert bounds


def others(problem: rl.Problem, asked: dict[str, object]) -> list[rl.RuleSet]:
    """Sets that may obey or not: without rules, of one rule, of two."""
    m, form = problem.n_antecedents, str(asked["form"])
    clauses = [(), *(((j,),) for j in range(m)), *(((j,), (k,)) for j in range(m) for k in range(j))]
    return [rl.RuleSet.from_problem(problem, each, form) for each in clauses]


def test_proofs_hold_and_nothing_else_passes() -> None:
    check_proofs(range(60))


@pytest.mark.long
def test_proofs_hold_and_nothing_else_passes_of_many() -> None:
    check_proofs(range(60, 330))


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
