"""Lists that compare groups, of every engine: in slices, with bounds off, beside lists that do not, and at every door.

That their optimum is the naive one is tested with all other families in ``test_crossed.py``.
"""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import crossed_cases
import laws
import numpy as np
import pandas as pd
import pytest
from command_line import refused
from laws import certified, fifty_and_fifty, finished, larger_problem
from random_problems import Rows, repeated

import rulelab as rl
from rulelab.data.fairness import true_gaps
from rulelab.falling_rule_list import FairFallingSearch
from rulelab.falling_rule_list.fair import search as fair_falling
from rulelab.plots.styling import in_words
from rulelab.rule_list.fair import passes as fair_lists

SEEDS = range(0, 50, 3)
"""Every kind of weights, and every criterion."""
FEW = range(0, 50, 7)
"""Eight of the ten kinds, and every criterion."""
long = pytest.mark.long
OPPORTUNITY = rl.EqualOpportunity(0.02)


def cases(family: str) -> Callable[[int], tuple[Rows, rl.Search]]:
    def case_of(seed: int) -> tuple[Rows, rl.Search]:
        case = crossed_cases.case_of(family, seed)
        return case.rows, case.search()

    return case_of


def ends_alike(snapshot: rl.results.Snapshot) -> tuple[object, ...]:
    """Of lists of predictive parity, whose ranges are searched in another order then."""
    best = snapshot.incumbent
    return snapshot.status, round(snapshot.lower_bound, 12), None if best is None else round(best.objective, 12)


@pytest.mark.parametrize(
    ("family", "engine", "effort", "seeds"),
    [
        ("fair_list", fair_lists, 200, FEW),
        pytest.param("fair_list", fair_lists, 1, SEEDS, marks=long),
        ("least_gap", fair_lists, 300, FEW),
        pytest.param("least_gap", fair_lists, 1, SEEDS, marks=long),
        ("fair_falling", fair_falling, 1, FEW),
        pytest.param("fair_falling", fair_falling, 200, SEEDS, marks=long),
        pytest.param("value_list", fair_lists, 200, range(1), marks=long),
    ],
)
def test_slices_and_pickling_change_nothing(monkeypatch, family, engine, effort, seeds):
    told = ends_alike if family == "value_list" else laws.told
    laws.slices_change_nothing(monkeypatch, engine, effort, cases(family), seeds, told)


BOUNDS = {
    "fair_list": rl.engines.FairRuleListBounds,
    "least_gap": rl.engines.FairRuleListBounds,
    "fair_falling": rl.engines.FairFallingBounds,
}


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("family", "off"),
    [
        pytest.param(family, off, marks=[] if family == "fair_falling" else long)
        for family, bounds in BOUNDS.items()
        for off in bounds().to_dict()
    ],
)
def test_a_bound_that_is_off_cuts_nothing_and_changes_no_optimum(family, off):
    make, name, used = BOUNDS[family], in_words(off), 0
    searches = [cases(family)(seed)[1] for seed in (*SEEDS, 93, 144)]  # in the last two alone the reach cuts
    if family == "fair_falling":
        options = {"regularization": 0.0, "positive_weight": 4.0, "fairness": rl.EqualOpportunity(0.1)}
        searches.append(rl.search(larger_problem(1, 200, 9), "falling_rule_list", **options))
    alone = {**dict.fromkeys(make().to_dict(), False), off: True}
    for search in searches:
        found = []
        for bounds in ({}, {off: False}, alone):
            other = type(search)(search.problem, **{**search.parameters, "bounds": make(**bounds)})
            got = finished(other if search.problem.n_rows < 200 else other.without_relaxation())
            found.append(got)
            on = bounds.get(off, True)
            used += got.pruned[name] if on else 0
            assert on or got.pruned[name] == 0
            laws.same_optimum(got, found[0], 1e-13)
    assert used > 0 or off == "one_more_rule"


@pytest.mark.parametrize("family", ["fair_list", "fair_falling", "least_gap", "least_gap_set"])
def test_rows_that_are_repeated_weigh_as_much(family):
    for seed in range(1, 101, 10):
        case = crossed_cases.case_of(family, seed)
        assert case.rows.kind == "integer"
        case.options["min_group_size"] = 0
        again = case.with_rows(repeated(case.rows)).search()
        laws.same_optimum(finished(case.search()), finished(again))


@pytest.mark.parametrize("family", ["fair_list", "fair_falling"])
def test_a_loose_criterion_gives_the_optimum_without_one(family):
    names = ("regularization", "positive_weight", "max_length")
    for seed in range(0, 40, 3):
        search = cases(family)(seed)[1]
        given = {name: value for name, value in search.parameters.items() if name in names}
        kind = "falling_rule_list" if family == "fair_falling" else "rule_list"
        loose = finished(rl.search(search.problem, kind, **given, fairness=rl.EqualizedOdds(1.0))).incumbent
        plain = rl.solve(rl.search(search.problem, kind, **given)).incumbent
        assert loose.objective == pytest.approx(plain.objective, abs=1e-13)


SAME = rl.Problem.from_arrays(np.ones((6, 1)), [1, 1, 0, 1, 0, 0], groups=["a"] * 3 + ["b"] * 3)
"""All rows are alike, and the classes are not in the groups' proportions."""


@pytest.mark.parametrize(
    ("model", "options"),
    [
        ("rule_list", {"fairness": rl.AccuracyParity(0.1), "labels": "free"}),
        ("rule_list", {"fairness": rl.AccuracyParity(0.1), "labels": "majority"}),
        ("falling_rule_list", {"fairness": rl.AccuracyParity(0.1)}),
        (rl.LeastGapSearch, {"criterion": "demographic_parity", "min_accuracy": 0.6}),
    ],
)
def test_where_no_list_will_do_the_search_says_so(model, options):
    asked = {"regularization": 0.01, **options}
    search = rl.search(SAME, model, **asked) if isinstance(model, str) else model(SAME, **asked)
    snapshot = rl.solve(search)
    assert (snapshot.status, snapshot.incumbent) == (rl.Status.INFEASIBLE, None)
    assert search.frame.empty
    assert json.loads(search.to_json())["state"]["status"] == "infeasible"


def test_limits_stop_a_search_for_a_fair_falling_list_that_then_goes_on(monkeypatch):
    """Of the others it is a law of all engines, which this one's small tables do not fill the memory of."""
    monkeypatch.setattr(fair_falling, "EFFORT_PER_WORK", 20_000)
    options = {"regularization": 0.0, "positive_weight": 5.0, "beam_width": 3, "fairness": OPPORTUNITY}
    search = rl.search(larger_problem(), "falling_rule_list", **options)
    assert rl.solve(search, time_limit=0.0).limit == "time"
    assert rl.solve(search, work_limit=2).limit == "work"
    first = rl.solve(search, gap=0.9)
    assert first.limit == "gap"
    assert first.incumbent is not None
    search.memory_limit = 1
    stopped = rl.solve(search)
    assert (stopped.status, stopped.limit) == (rl.Status.LIMIT, "memory")
    assert stopped.lower_bound <= stopped.incumbent.objective
    search.memory_limit = None
    last = certified(search)
    problem, model = search.problem, last.incumbent.model
    gaps = true_gaps(search.fairness, problem.groups, model.predicts_positive(problem.matrix()))
    assert last.detail["true_gaps"] == pytest.approx(gaps)
    assert max(gaps.values()) <= 0.02
    assert rl.verify(problem, model, search.certificate())


LIST, FALL = "rule_list", "falling_rule_list"
WRONG: list[tuple[Any, dict[str, Any], str]] = [
    (LIST, {"fairness": "equal"}, "fairness must be a criterion"),
    (LIST, {"labels": "any"}, "labels must be one of free, majority"),
    (LIST, {"bounds": rl.engines.RuleListBounds(grid=False)}, "bounds must be a FairRuleListBounds or None"),
    (FALL, {"fairness": "equal"}, "fairness must be a criterion"),
    (FALL, {"bounds": rl.engines.FallingBounds(dominance=False)}, "bounds must be a FairFallingBounds"),
    (None, {"criterion": rl.EqualOpportunity(0.1)}, "without a tolerance"),
    (None, {"criterion": "equality"}, "criterion must be a class"),
    *[(model, {"min_group_size": 1000}, "no two groups to compare") for model in (LIST, FALL, None)],
]


@pytest.mark.parametrize(("model", "arguments", "words"), WRONG)
def test_wrong_arguments_are_refused_in_words(model, arguments, words):
    given = {"regularization": 0.01, "fairness": rl.EqualOpportunity(0.1), **arguments}
    make = rl.LeastGapSearch if model is None else rl.search
    with pytest.raises(ValueError, match=words):
        make(fifty_and_fifty(), **(arguments if model is None else {"model": model, **given}))


def test_groups_are_needed():
    problem = rl.Problem.from_arrays(np.eye(4), [0, 1, 0, 1])
    of_list = partial(rl.search, regularization=0.01, fairness=rl.EqualOpportunity(0.1))
    of_sets = partial(rl.RuleSetSearch, fairness=rl.EqualOpportunity(0.1))
    for make in (of_list, of_sets, rl.LeastGapSearch, partial(rl.frontier, by="tolerance")):
        with pytest.raises(ValueError, match="no groups"):
            make(problem)
    with pytest.raises(ValueError, match="a single group"):
        of_sets(rl.Problem.from_arrays(np.eye(4), [0, 1, 0, 1], groups=["a"] * 4))
    assert type(rl.search(problem, regularization=0.01, labels="majority")) is rl.RuleListSearch


def test_predictive_parity_is_for_rule_lists():
    problem, criterion = larger_problem(), rl.PredictiveParity(0.1)
    for make in (rl.RuleSetSearch, FairFallingSearch, rl.engines.FairRuleListSearch):
        with pytest.raises(ValueError, match="PredictiveParity is for rule lists"):
            make(problem, fairness=criterion)
    with pytest.raises(ValueError, match="criterion must be"):
        rl.LeastGapSearch(problem, rl.PredictiveParity, 0.01, 0.6)
    with pytest.raises(ValueError, match=r"fairness must be rulelab.PredictiveParity"):
        rl.engines.PredictiveParitySearch(problem, 0.01, rl.EqualOpportunity(0.1))
    with pytest.raises(ValueError, match="tolerance"):
        rl.PredictiveParity(-1.0)


@pytest.mark.parametrize("make", [rl.RuleListClassifier, rl.FallingRuleListClassifier])
def test_the_classifier_is_fair_to_the_groups_that_it_is_given(make):
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.random((300, 6)) < 0.5, columns=list("abcdef"))
    y = np.where((X["a"] & X["b"]) ^ (rng.random(300) < 0.2), "yes", "no")
    groups = np.where(X["a"] ^ (rng.random(300) < 0.3), "old", "young")
    criterion = rl.DemographicParity(0.05)
    model = make(0.02, fairness=criterion).fit(X, y, sensitive_features=groups)
    free = make(0.02).fit(X, y, sensitive_features=groups)
    rates = model.group_rates_["selection_rate"]
    assert rates.max() - rates.min() <= 0.05
    assert free.group_rates_["selection_rate"].max() - free.group_rates_["selection_rate"].min() > 0.05
    assert model.status_ is rl.Status.OPTIMAL
    assert free.objective_ < model.objective_
    with pytest.raises(ValueError, match="fairness needs sensitive_features"):
        make(fairness=criterion).fit(X, y)
    if make is rl.RuleListClassifier:
        strict = make(0.02, fairness=criterion, labels="majority").fit(X, y, sensitive_features=groups)
        assert strict.objective_ >= model.objective_
    else:
        with pytest.raises(ValueError, match="violation_penalty must be None"):
            make(fairness=criterion, violation_penalty=0.5).fit(X, y, sensitive_features=groups)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--search", "corels"], "--fairness is not an option of --search corels"),
        (
            ["--model", "falling-rule-list", "--method", "monte_carlo"],
            "method must be 'exact' where a falling list has to be fair",
        ),
    ],
)
def test_commands_refuse_what_does_not_go_with_a_criterion(options, said, tmp_path, capsys):
    table = pd.DataFrame({"a": [0, 1] * 60, "sex": [*"fmm"] * 40, "y": [0, 1, 1, 1] * 30})
    table.to_csv(tmp_path / "t.csv", index=False)
    asked = ("--target", "y", "--sensitive", "sex", "--fairness", "equal-opportunity:0.02", "--quiet")
    refused(capsys, said, "fit", tmp_path / "t.csv", *asked, *options, told=True)


def test_what_is_optimal_has_a_proof_up_to_the_range_of_exact_sums():
    """Thirds as doubles add up to units of the last digit that are nearly too many: 2^60."""
    near = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(20, 60))
        A, groups = rng.random((n, 5)) < 0.4, rng.integers(0, 2, n)
        y, weight = A[:, 0] ^ (rng.random(n) < 0.3), rng.integers(1, 7, n) / 3
        problem = rl.Problem.from_arrays(A, y, sample_weight=weight, groups=groups)
        given = {"regularization": (0.0, 0.5, 0.9)[seed % 3], "fairness": rl.DemographicParity(0.05)}
        search = rl.search(problem, "falling_rule_list", **given, positive_weight=(1.0, 3.0)[seed % 2])
        last = rl.solve(search.without_relaxation())
        if last.status is rl.Status.OPTIMAL:
            near += problem.masses.divided().total > 1 << 59
            assert rl.verify(problem, last.incumbent.model, search.certificate())
    assert near > 2
