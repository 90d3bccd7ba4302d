"""Falling rule lists under fairness constraints against the naive reference, in slices, and with every bound off."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import laws
import naive
import numpy as np
import pandas as pd
import pytest
from laws import finished, problem_of
from random_problems import Rows, weights_as_read
from test_fair_rule_list import KINDS, RATES, TOLERANCES, larger_problem, some_rows

import rulelab as rl
from rulelab.cli import main
from rulelab.falling_rule_list import FairFallingSearch, FallingRuleListSearch
from rulelab.falling_rule_list.bounds import FAIR_FALLING_BOUNDS
from rulelab.falling_rule_list.fair import search as fair_search

PENALTIES = (0.0, 0.001, 0.02, 0.1)
WEIGHTS = (1.0, 3.0, 0.5, 2.5, 1 / 3)


def case_of(seed: int, **sizes: int) -> tuple[Rows, FairFallingSearch]:
    """A random problem of any kind, and a search on it."""
    rng = np.random.default_rng(seed)
    rows = some_rows(rng, KINDS[seed % len(KINDS)], **sizes)
    criterion = list(RATES)[seed // len(KINDS) % len(RATES)]
    search = rl.search_for(
        problem_of(rows),
        "falling_rule_list",
        regularization=float(rng.choice(PENALTIES)),
        positive_weight=float(rng.choice(WEIGHTS)),
        fairness=criterion(float(rng.choice(TOLERANCES))),
        max_length=int(rng.integers(0, 3)) if rng.random() < 0.2 else None,
        beam_width=int(rng.choice([0, 1, 3, 200])),
    )
    assert isinstance(search, FairFallingSearch)
    return rows, search


def expected(rows: Rows, search: FairFallingSearch) -> Fraction | None:
    tolerances = dict.fromkeys(RATES[type(search.fairness)], Fraction(repr(search.fairness.rates()[0].tolerance)))
    weight = [int(w * rows.scale) for w in weights_as_read(rows.weight)]
    w, penalty = Fraction(repr(search.positive_weight)), Fraction(repr(search.regularization))
    group = rows.group.tolist()
    return naive.best_fair_falling_rule_list(rows.A, rows.y, weight, group, w, penalty, tolerances, search.max_length)


def check(rows: Rows, search: FairFallingSearch, snapshot: rl.Snapshot) -> None:
    """The result is that of the reference, and its model falls and is as fair as it says."""
    best, resolution = expected(rows, search), snapshot.detail["resolution"]
    if best is None:
        assert snapshot.incumbent is None
        assert snapshot.status is rl.Status.INFEASIBLE or (resolution > 0 and snapshot.limit == "exactness")
        return
    assert snapshot.status is rl.Status.OPTIMAL or (resolution > 0 and snapshot.limit == "exactness")
    assert snapshot.lower_bound <= float(best) + 1e-15
    assert snapshot.incumbent is not None
    assert snapshot.incumbent.objective == pytest.approx(float(best), abs=1e-13)
    model = snapshot.incumbent.model
    assert model.falls
    predicted = model.predicts_positive(rows.A).tolist()
    weight = weights_as_read(rows.weight)
    for rate, limit in zip(RATES[type(search.fairness)], search.fairness.rates(), strict=True):
        gap = naive.weighted_gap(rate, rows.y, weight, rows.group.tolist(), predicted)
        assert gap <= Fraction(repr(limit.tolerance))
    assert model.objective(search.regularization) == snapshot.incumbent.objective


@pytest.mark.parametrize("part", [0, 1, *(pytest.param(k, marks=pytest.mark.long) for k in range(2, 10))])
def test_the_fair_optimum_is_that_of_the_naive_reference(part: int) -> None:
    for seed in range(40 * part, 40 * part + 40):
        rows, search = case_of(seed)
        check(rows, search, finished(search))


@pytest.mark.long
@pytest.mark.parametrize("part", range(6))
def test_the_fair_optimum_of_more_and_larger_problems(part: int) -> None:
    for seed in range(1000 + 40 * part, 1040 + 40 * part):
        rows, search = case_of(seed, most_columns=5, most_rows=24)
        check(rows, search, finished(search))


@pytest.mark.parametrize("effort", [1, pytest.param(200, marks=pytest.mark.long)])
def test_slices_and_pickling_change_nothing(monkeypatch: pytest.MonkeyPatch, effort: int) -> None:
    laws.slices_change_nothing(monkeypatch, fair_search, effort, case_of, range(40))


@pytest.mark.parametrize("off", FAIR_FALLING_BOUNDS)
def test_a_bound_that_is_off_cuts_nothing_and_changes_no_optimum(off: str) -> None:
    larger = rl.search_for(
        larger_problem(1, 200, 9),
        "falling_rule_list",
        regularization=0.0,
        positive_weight=4.0,
        fairness=rl.EqualOpportunity(0.1),
    )
    used = rl.solve(larger).pruned[off.replace("_", " ")]
    for seed in range(60):
        _, search = case_of(seed)
        wanted = finished(search)
        name, without = off.replace("_", " "), {off: False}
        used += wanted.pruned[name]
        alone = {**dict.fromkeys(FAIR_FALLING_BOUNDS, False), off: True}
        for bounds in (rl.FairFallingBounds(**without), rl.FairFallingBounds(**alone)):
            got = finished(FairFallingSearch(search.problem, **{**search.parameters, "bounds": bounds}))
            laws.same_optimum(got, wanted, 1e-13)
            count = got.pruned[name]
            used += count if getattr(bounds, off) else 0
            assert count == 0 or getattr(bounds, off)
    assert used > 0


def test_rows_that_are_repeated_weigh_as_much() -> None:
    laws.repeated_rows_weigh_as_much(case_of, range(1, 120, 4))


def test_a_loose_criterion_gives_the_optimum_without_one() -> None:
    for seed in range(40):
        _, search = case_of(seed)
        options = {"regularization": search.regularization, "positive_weight": search.positive_weight}
        loose = rl.search_for(search.problem, "falling_rule_list", **options, fairness=rl.EqualizedOdds(1.0))
        plain = rl.solve(rl.search_for(search.problem, "falling_rule_list", **options)).incumbent
        best = finished(loose).incumbent
        assert best is not None
        assert plain is not None
        assert best.objective == pytest.approx(plain.objective, abs=1e-13)


def test_no_list_is_fair() -> None:
    """All rows are alike, and the classes are not in the groups' proportions."""
    problem = rl.Problem.from_arrays(np.ones((6, 1)), [1, 1, 0, 1, 0, 0], groups=["a"] * 3 + ["b"] * 3)
    search = rl.search_for(problem, "falling_rule_list", regularization=0.01, fairness=rl.AccuracyParity(0.1))
    snapshot = rl.solve(search)
    assert (snapshot.status, snapshot.incumbent) == (rl.Status.INFEASIBLE, None)
    assert search.frame.empty
    assert json.loads(search.to_json())["state"]["status"] == "infeasible"


def test_limits_stop_a_search_that_then_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_search, "_EFFORT_PER_WORK", 20_000)
    search = rl.search_for(
        larger_problem(),
        "falling_rule_list",
        regularization=0.0,
        positive_weight=5.0,
        fairness=rl.EqualOpportunity(0.02),
        beam_width=3,
    )
    assert rl.solve(search, time_limit=0.0).limit == "time"
    assert rl.solve(search, work_limit=2).limit == "work"
    first = rl.solve(search, gap=0.9)
    assert first.limit == "gap"
    search.memory_limit = 1
    stopped = rl.solve(search)
    assert (stopped.status, stopped.limit) == (rl.Status.LIMIT, "memory")
    assert stopped.lower_bound <= stopped.incumbent.objective
    search.memory_limit = None
    last = rl.solve(search)
    assert last.status is rl.Status.OPTIMAL
    assert last.detail["true_gaps"]["false_negative_rate"] <= 0.02


def test_weights_of_many_digits_are_settled_exactly() -> None:
    """Sums are rounded for the kernels and exact at the end; which lists fall is not certain, so nothing is proven."""
    rng = np.random.default_rng(5)
    for _ in range(10):
        rows = some_rows(rng, "real")
        search = rl.search_for(
            problem_of(rows),
            "falling_rule_list",
            regularization=0.01,
            positive_weight=2.0,
            fairness=rl.DemographicParity(0.1),
        )
        assert isinstance(search, FairFallingSearch)
        snapshot = finished(search)
        check(rows, search, snapshot)
        assert (snapshot.status, snapshot.limit) == (rl.Status.LIMIT, "exactness")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"fairness": "equal"}, "fairness must be a criterion"),
        ({"bounds": rl.FallingBounds(dominance=False)}, "bounds must be a FairFallingBounds"),
        ({"method": "monte_carlo"}, "method must be 'exact' where a falling list has to be fair"),
        ({"violation_penalty": 0.5}, "violation_penalty must be None where a falling list has to be fair"),
        ({"beam_width": -1}, "beam_width"),
        ({"min_group_size": 1000}, "no two groups to compare"),
        ({"min_group_size": -1}, "min_group_size must be an integer >= 0"),
        ({"memory_limit": 0}, "memory_limit"),
        ({"regularization": 1.0}, "regularization"),
    ],
)
def test_wrong_arguments_are_refused_in_words(arguments: dict[str, object], words: str) -> None:
    given: dict[str, object] = {"regularization": 0.01, "fairness": rl.EqualOpportunity(0.1)} | arguments
    with pytest.raises(ValueError, match=words):
        rl.search_for(larger_problem(n=60), "falling_rule_list", **given)


def test_only_the_search_for_fair_lists_takes_a_criterion() -> None:
    with pytest.raises(rl.ParameterError, match=r"fairness must be None for a FallingRuleListSearch.*search_for"):
        rl.FallingRuleListSearch(larger_problem(n=60), fairness=rl.EqualOpportunity(0.1))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="FairFallingSearch has no option 'curiosity'"):
        rl.search_for(larger_problem(n=60), "falling_rule_list", fairness=rl.EqualOpportunity(0.1), curiosity=0.5)
    without = rl.search_for(larger_problem(n=60), "falling_rule_list", fairness=None, min_group_size=30)
    assert type(without) is FallingRuleListSearch


def test_the_classifier_is_fair_to_the_groups_that_it_is_given() -> None:
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.random((300, 6)) < 0.5, columns=list("abcdef"))
    y = np.where((X["a"] & X["b"]) ^ (rng.random(300) < 0.2), "yes", "no")
    groups = np.where(X["a"] ^ (rng.random(300) < 0.3), "old", "young")
    criterion = rl.DemographicParity(0.05)
    model = rl.FallingRuleListClassifier(0.02, fairness=criterion).fit(X, y, sensitive_features=groups)
    free = rl.FallingRuleListClassifier(0.02).fit(X, y, sensitive_features=groups)
    rates = model.group_rates_["selection_rate"]
    assert rates.max() - rates.min() <= 0.05
    assert free.group_rates_["selection_rate"].max() - free.group_rates_["selection_rate"].min() > 0.05
    assert model.status_ is rl.Status.OPTIMAL
    assert free.objective_ < model.objective_
    with pytest.raises(ValueError, match="fairness needs sensitive_features"):
        rl.FallingRuleListClassifier(fairness=criterion).fit(X, y)
    soft = rl.FallingRuleListClassifier(fairness=criterion, violation_penalty=0.5)
    with pytest.raises(ValueError, match="violation_penalty must be None"):
        soft.fit(X, y, sensitive_features=groups)


def test_the_command_line_holds_lists_to_a_criterion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(4)
    table = pd.DataFrame({name: rng.integers(0, 2, 240) for name in "abc"})
    table["sex"] = np.where(table["a"].to_numpy() ^ (rng.random(240) < 0.3), "f", "m")
    table["y"] = ((table["a"] & table["b"]) ^ (rng.random(240) < 0.2)).astype(int)
    file, saved = tmp_path / "people.csv", tmp_path / "model.json"
    table.to_csv(file, index=False)
    command = ["fit", str(file), "--target", "y", "--sensitive", "sex", "--quiet", "-o", str(saved)]
    command += ["--model", "falling-rule-list", "--fairness", "equal-opportunity:0.02"]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "certified optimal" in out
    assert "equal opportunity within 0.02 between groups" in out
    model = rl.load_model(saved)
    groups = model.evaluate(table.drop(columns=["y", "sex"]), table["y"], groups=table["sex"]).groups
    assert groups["true_positive_rate"].max() - groups["true_positive_rate"].min() <= 0.02
    assert main([*command, "--method", "monte_carlo"]) == 2
    assert "method must be 'exact' where a falling list has to be fair" in capsys.readouterr().err
