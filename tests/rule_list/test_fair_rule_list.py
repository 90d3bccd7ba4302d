"""Rule lists under fairness constraints against the naive reference, whole and in slices, with every bound off."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import laws
import naive
import numpy as np
import pandas as pd
import pytest
import random_problems
from laws import finished, problem_of
from random_problems import Rows, weights_as_read

import rulelab as rl
from rulelab.cli import main
from rulelab.data.fairness import true_gaps
from rulelab.data.rate_constraints import constraints_of
from rulelab.rule_list.bounds import FAIR_BOUNDS, RuleListBounds
from rulelab.rule_list.fair import search as fair_search

RATES = {
    rl.EqualOpportunity: ("false_negative",),
    rl.EqualizedOdds: ("false_negative", "false_positive"),
    rl.FalsePositiveRateParity: ("false_positive",),
    rl.DemographicParity: ("positive",),
    rl.AccuracyParity: ("error",),
}
TOLERANCES = (0.0, 0.02, 0.1, 0.3)
PENALTIES = (1 / 3, 0.1, 0.02, 0.001)
KINDS = ("unit", "integer", "half", "real")


def some_rows(rng: np.random.Generator, kind: str, most_columns: int = 4, most_rows: int = 16) -> Rows:
    rows = random_problems.random_rows(rng, kind, most_columns, int(rng.integers(2, 4)))
    first = slice(None, most_rows)
    return replace(rows, A=rows.A[first], y=rows.y[first], weight=rows.weight[first], group=rows.group[first])


def case_of(seed: int, **sizes: int) -> tuple[Rows, rl.FairRuleListSearch]:
    """A random problem of any kind, and a search on it."""
    rng = np.random.default_rng(seed)
    rows = some_rows(rng, KINDS[seed % len(KINDS)], **sizes)
    criterion = list(RATES)[seed // len(KINDS) % len(RATES)]
    tolerance, penalty = float(rng.choice(TOLERANCES)), float(rng.choice(PENALTIES))
    labels = str(rng.choice(["free", "majority"]))
    search = rl.search_for(problem_of(rows), regularization=penalty, fairness=criterion(tolerance), labels=labels)
    assert isinstance(search, rl.FairRuleListSearch)
    return rows, search


def expected(rows: Rows, search: rl.FairRuleListSearch) -> Fraction | None:
    tolerance = Fraction(repr(search.fairness.rates()[0].tolerance))
    tolerances = dict.fromkeys(RATES[type(search.fairness)], tolerance)
    weight = [int(w * rows.scale) for w in weights_as_read(rows.weight)]
    penalty = Fraction(repr(search.regularization))
    return naive.best_fair_rule_list(rows.A, rows.y, weight, rows.group.tolist(), penalty, tolerances, search.labels)


def check(rows: Rows, search: rl.FairRuleListSearch, snapshot: rl.Snapshot) -> None:
    """The result is that of the reference, and its model is as fair as it says."""
    best = expected(rows, search)
    if best is None:
        assert (snapshot.status, snapshot.incumbent) == (rl.Status.INFEASIBLE, None)
        return
    assert snapshot.status is rl.Status.OPTIMAL or (rows.kind == "real" and snapshot.limit == "exactness")
    assert snapshot.incumbent is not None
    assert snapshot.incumbent.objective == pytest.approx(float(best), abs=1e-13)
    assert snapshot.lower_bound <= float(best) + 1e-15
    model = snapshot.incumbent.model
    predicted = model.predicts_positive(rows.A).tolist()
    weight = weights_as_read(rows.weight)
    for rate, limit in zip(RATES[type(search.fairness)], search.fairness.rates(), strict=True):
        gap = naive.weighted_gap(rate, rows.y, weight, rows.group.tolist(), predicted)
        assert gap <= Fraction(repr(limit.tolerance))
    assert model.objective(search.regularization) == snapshot.incumbent.objective
    if search.labels == "majority":
        assert model == rl.RuleList.from_problem(search.problem, model.antecedents)
    assert rl.RuleList.from_dict(model.to_dict()) == model


@pytest.mark.parametrize("part", [0, 1, *(pytest.param(k, marks=pytest.mark.long) for k in range(2, 8))])
def test_the_fair_optimum_is_that_of_the_naive_reference(part: int) -> None:
    for seed in range(40 * part, 40 * part + 40):
        rows, search = case_of(seed)
        check(rows, search, finished(search))


@pytest.mark.long
@pytest.mark.parametrize("part", range(8))
def test_the_fair_optimum_of_more_and_larger_problems(part: int) -> None:
    for seed in range(1000 + 40 * part, 1040 + 40 * part):
        rows, search = case_of(seed, most_columns=5, most_rows=20)
        check(rows, search, finished(search))


@pytest.mark.long
@pytest.mark.parametrize("effort", [1, 200, 5000])
def test_slices_and_pickling_change_nothing(monkeypatch: pytest.MonkeyPatch, effort: int) -> None:
    laws.slices_change_nothing(monkeypatch, fair_search, effort, case_of, range(60))


@pytest.mark.long
@pytest.mark.parametrize("off", FAIR_BOUNDS)
def test_a_bound_that_is_off_cuts_nothing_and_changes_no_optimum(off: str) -> None:
    used = 0
    for seed in range(80):
        _, search = case_of(seed)
        wanted = finished(search)
        bounds = rl.FairRuleListBounds(**{off: False})
        without = rl.FairRuleListSearch(search.problem, **{**search.parameters, "bounds": bounds})
        got = finished(without)
        name = off.replace("_", " ")
        used += wanted.pruned[name]
        assert got.pruned[name] == 0
        laws.same_optimum(got, wanted, 1e-13)
    assert used > 0 or off == "one_more_rule"


def test_rows_that_are_repeated_weigh_as_much() -> None:
    laws.repeated_rows_weigh_as_much(case_of, range(1, 120, 4))


def fifty_and_fifty() -> rl.Problem:
    """a1 holds for the positives, 20 of them in one group and 21 of 41 in the other; a2 for one of these 21."""
    y = np.repeat([1, 0], 50)
    groups = np.array(["a"] * 20 + ["b"] * 30 + ["a"] * 30 + ["b"] * 20)
    a1 = y == 1
    a1[20 + 21 : 50] = False
    a2 = np.zeros(100, dtype=bool)
    a2[40] = True
    return rl.Problem.from_arrays(np.column_stack([a1, a2]), y, names=["a1", "a2"], groups=groups)


def test_a_rule_of_a_single_row_can_be_worth_its_price() -> None:
    """Bounds on a rule's support, which hold for all optimal lists, do not hold for fair ones."""
    search = rl.search_for(fifty_and_fifty(), regularization=0.05, fairness=rl.DemographicParity(0.0))
    best = rl.solve(search).incumbent
    assert best is not None
    assert [(rule.name, rule.prediction, rule.captured) for rule in best.model.rules] == [("a2", 0, 1), ("a1", 1, 40)]
    assert best.objective == pytest.approx(0.1 + 0.1)


@pytest.mark.parametrize("labels", ["free", "majority"])
def test_no_list_is_fair(labels: str) -> None:
    """All rows are alike, and the classes are not in the groups' proportions."""
    y, groups = [1, 1, 0, 1, 0, 0], ["a"] * 3 + ["b"] * 3
    problem = rl.Problem.from_arrays(np.ones((6, 1)), y, groups=groups)
    search = rl.search_for(problem, regularization=0.01, fairness=rl.AccuracyParity(0.1), labels=labels)
    snapshot = rl.solve(search)
    assert (snapshot.status, snapshot.incumbent) == (rl.Status.INFEASIBLE, None)
    assert search.frame.empty
    assert json.loads(search.to_json())["state"]["status"] == "infeasible"


def test_a_loose_criterion_gives_the_optimum_without_one() -> None:
    for seed in range(40):
        _, search = case_of(seed)
        loose = rl.FairRuleListSearch(search.problem, search.regularization, rl.EqualizedOdds(1.0), search.labels)
        plain = rl.solve(rl.RuleListSearch(search.problem, search.regularization)).incumbent
        best = finished(loose).incumbent
        assert best is not None
        assert plain is not None
        assert best.objective == pytest.approx(plain.objective, abs=1e-13)


def larger_problem(seed: int = 0, n: int = 600, m: int = 16) -> rl.Problem:
    rng = np.random.default_rng(seed)
    A = rng.random((n, m)) < rng.uniform(0.2, 0.8, m)
    y = (A[:, 0] & A[:, 1] | A[:, 2] & ~A[:, 3]) ^ (rng.random(n) < 0.25)
    return rl.Problem.from_arrays(A, y, groups=np.where(A[:, 2] ^ (rng.random(n) < 0.4), "a", "b"))


def test_limits_stop_a_search_that_then_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_search, "_EFFORT_PER_WORK", 100_000)
    search = rl.search_for(larger_problem(), regularization=0.01, fairness=rl.EqualOpportunity(0.02))
    assert rl.solve(search, time_limit=0.0).limit == "time"
    assert rl.solve(search, work_limit=3).limit == "work"
    first = rl.solve(search, gap=0.3)
    assert first.limit == "gap"
    assert first.incumbent is not None
    assert true_gaps(search.fairness, search.problem.groups, first.incumbent.model.predicts_positive(
        search.problem.matrix()
    ))["false_negative_rate"] <= 0.02  # fmt: skip
    search.memory_limit = 1
    stopped = rl.solve(search)
    assert (stopped.status, stopped.limit) == (rl.Status.LIMIT, "memory")
    assert stopped.lower_bound <= stopped.incumbent.objective
    search.memory_limit = None
    assert rl.solve(search).status is rl.Status.OPTIMAL


def test_a_warm_start_is_the_first_list() -> None:
    problem = larger_problem()
    first = rl.solve(rl.search_for(problem, regularization=0.005, fairness=rl.EqualOpportunity(0.1))).incumbent
    assert first is not None
    assert len(first.model)
    search = rl.search_for(
        problem, regularization=0.005, fairness=rl.EqualOpportunity(0.1), warm_start=first.model, beam_width=1
    )
    assert search.advance(1).incumbent.objective == first.objective
    unfair = rl.solve(rl.RuleListSearch(problem, 0.005)).incumbent.model
    search = rl.search_for(
        problem, regularization=0.005, fairness=rl.EqualOpportunity(0.1), warm_start=unfair.antecedents
    )
    assert rl.solve(search).incumbent.objective == first.objective


def test_doubtful_lists_are_settled_exactly() -> None:
    """Weights of 53 digits: sums are rounded for the kernels, and exact at the end."""
    rng = np.random.default_rng(5)
    for _ in range(10):
        rows = some_rows(rng, "real")
        criterion = rl.DemographicParity(0.0)
        constraints = constraints_of(problem_of(rows), criterion, 0)
        assert (constraints.low < constraints.low_inside).any()
        search = rl.FairRuleListSearch(problem_of(rows), 0.01, criterion)
        check(rows, search, finished(search))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"fairness": "equal"}, "fairness must be a criterion"),
        ({"labels": "any"}, "labels must be one of free, majority"),
        ({"bounds": RuleListBounds(grid=False)}, "bounds must be a FairRuleListBounds or None"),
        ({"policy": "random"}, "policy must be 'lower_bound' where a list has to be fair"),
        ({"max_length": 3, "policy": "random"}, "policy must be 'lower_bound' where a list has to obey"),
        (
            {"max_length": 3, "fairness": rl.PredictiveParity(0.1)},
            "a criterion other than predictive parity where a list has to obey",
        ),
        ({"max_length": -3}, "max_length must be"),
        ({"beam_width": -1}, "beam_width"),
        ({"min_group_size": 1000}, "no two groups to compare"),
        ({"memory_limit": 0}, "memory_limit"),
        ({"regularization": 0.0}, "regularization"),
    ],
)
def test_wrong_arguments_are_refused_in_words(arguments: dict[str, object], words: str) -> None:
    given = {"regularization": 0.01, "fairness": rl.EqualOpportunity(0.1)} | arguments
    with pytest.raises(ValueError, match=words):
        rl.search_for(fifty_and_fifty(), **given)


def test_groups_are_needed() -> None:
    problem = rl.Problem.from_arrays(np.eye(4), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="no groups"):
        rl.search_for(problem, regularization=0.01, fairness=rl.EqualOpportunity(0.1))
    assert type(rl.search_for(problem, regularization=0.01, labels="majority")) is rl.RuleListSearch


def test_the_classifier_is_fair_to_the_groups_that_it_is_given() -> None:
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.random((300, 6)) < 0.5, columns=list("abcdef"))
    y = np.where((X["a"] & X["b"]) ^ (rng.random(300) < 0.2), "yes", "no")
    groups = np.where(X["a"] ^ (rng.random(300) < 0.3), "old", "young")
    criterion = rl.DemographicParity(0.05)
    model = rl.RuleListClassifier(0.02, fairness=criterion).fit(X, y, sensitive_features=groups)
    free = rl.RuleListClassifier(0.02).fit(X, y, sensitive_features=groups)
    rates = model.group_rates_["selection_rate"]
    assert rates.max() - rates.min() <= 0.05
    assert free.group_rates_["selection_rate"].max() - free.group_rates_["selection_rate"].min() > 0.05
    assert model.status_ is rl.Status.OPTIMAL
    assert free.objective_ < model.objective_
    strict = rl.RuleListClassifier(0.02, fairness=criterion, labels="majority").fit(X, y, sensitive_features=groups)
    assert strict.objective_ >= model.objective_
    with pytest.raises(ValueError, match="fairness needs sensitive_features"):
        rl.RuleListClassifier(fairness=criterion).fit(X, y)


def test_a_sweep_goes_along_its_path_of_fair_lists() -> None:
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.random((240, 5)) < 0.5, columns=list("abcde"))
    y = (X["a"] & X["b"]) ^ (rng.random(240) < 0.2)
    sensitive = pd.DataFrame({"age": np.where(X["a"] ^ (rng.random(240) < 0.3), "old", "young")})
    data = rl.datasets.Dataset(X=X, y=y.astype(int), sensitive=sensitive, name="made", target="y", positive=1)
    grid = {
        "regularization": [0.05, 0.02],
        "fairness": [None, rl.EqualOpportunity(0.05)],
        "max_conditions": [1],
        "min_group_size": [5],
    }
    sweep = rl.sweep(data, "rule_list", grid, cv=2, sensitive="age")
    sweep.wait()
    frame = sweep.frame
    assert set(frame["status"]) == {"optimal"}
    held = frame[frame["fairness"].notna()]
    assert len(held) == 4
    assert (held["train_equal_opportunity_gap"] <= 0.05).all()


def test_the_command_line_holds_lists_to_a_criterion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(4)
    table = pd.DataFrame({name: rng.integers(0, 2, 240) for name in "abc"})
    table["sex"] = np.where(table["a"].to_numpy() ^ (rng.random(240) < 0.3), "f", "m")
    table["y"] = ((table["a"] & table["b"]) ^ (rng.random(240) < 0.2)).astype(int)
    file, saved = tmp_path / "people.csv", tmp_path / "model.json"
    table.to_csv(file, index=False)
    command = ["fit", str(file), "--target", "y", "--sensitive", "sex", "--quiet", "-o", str(saved)]
    assert main([*command, "--fairness", "equal-opportunity:0.02", "--labels", "majority"]) == 0
    out = capsys.readouterr().out
    assert "certified optimal" in out
    assert "equal opportunity within 0.02 between groups" in out
    model = rl.load_model(saved)
    groups = model.evaluate(table.drop(columns=["y", "sex"]), table["y"], groups=table["sex"]).groups
    assert groups["true_positive_rate"].max() - groups["true_positive_rate"].min() <= 0.02
    proof = tmp_path / "proof.npz"
    assert main([*command, "--fairness", "equal-opportunity:0.02", "--labels", "majority", "--proof", str(proof)]) == 0
    assert main(["verify", str(file), str(saved), str(proof), "--sensitive", "sex"]) == 0
    capsys.readouterr()
    assert main([*command, "--search", "corels", "--fairness", "equal-opportunity:0.02"]) == 2
    assert "--fairness is not an option of --search corels" in capsys.readouterr().err
