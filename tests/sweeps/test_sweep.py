"""Sweeps against the same fits done one by one; folds, fronts, groups, failures, bad input."""

import threading
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import refused
from command_line import run as command
from fairlearn.metrics import equalized_odds_difference
from patience import PATIENCE
from places import cases_beside
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

import rulelab as rl
from rulelab import recipe
from rulelab.datasets import Dataset, from_frame
from rulelab.sweeps import FAMILIES, SweepError, non_dominated, runners
from rulelab.sweeps.plan import make_plan
from rulelab.sweeps.result import Job
from rulelab.sweeps.running import THREAD_NAME

GRID = {"regularization": [0.02, 0.05, 0.1], "max_conditions": [1, 2]}
TIMES = ["seconds"]


def people(n: int = 240, seed: int = 0) -> Dataset:
    """Rows with a numeric, a categorical and a Boolean column, two groups and a target that depends on all."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 70, n),
            "job": rng.choice(["clerk", "cook", "judge"], n),
            "member": rng.random(n) < 0.5,
            "group": rng.choice(["one", "two"], n, p=[0.6, 0.4]),
        }
    )
    chance = 0.1 + 0.4 * (frame.age < 35) + 0.3 * (frame.job == "cook") + 0.1 * (frame.group == "one")
    frame["y"] = (rng.random(n) < chance).astype(int)
    return from_frame(frame, "y", sensitive=["group"], name="people")


DATA = people()


def hard() -> Dataset:
    """Noise: no proof comes to an end."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((2000, 40)) < 0.5, columns=[f"c{j}" for j in range(40)])
    return from_frame(frame.assign(y=rng.integers(0, 2, 2000)), "y", name="noise")


def waited(sweep: rl.Sweep) -> rl.Sweep:
    """Once it has come to its end."""
    assert sweep.wait(PATIENCE)
    return sweep


def run(**arguments) -> rl.Sweep:
    return waited(rl.sweep(DATA, **{"grid": GRID, "cv": 3, "sensitive": "group"} | arguments))


def jobs_of(sweep: rl.Sweep) -> list[Job]:
    """Its fits, as workers are handed them."""
    return sweep._jobs


def folds(n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """The training and the test rows of each, as scikit-learn deals them."""
    return list(StratifiedKFold(n, shuffle=True, random_state=0).split(DATA.X, DATA.y))


def alone(train: np.ndarray, max_conditions: int | None = 1, thresholds: int = 5, by_class: bool = False) -> rl.Problem:
    """That of these rows: of antecedents of so many conditions, or of conditions as a rule set takes them."""
    y, groups = DATA.y.iloc[train], DATA.sensitive["group"].iloc[train]
    conditions = rl.Binarizer(thresholds=thresholds).fit_transform(DATA.X.iloc[train])
    if max_conditions is None:
        return rl.Problem.from_arrays(conditions, y, groups=groups)
    mined = rl.mine_antecedents(conditions, max_conditions=max_conditions, y=y if by_class else None)
    return rl.Problem.from_antecedents(mined, y, groups=groups)


def test_every_fit_is_what_it_is_alone(done):
    """Folds of scikit-learn, conditions and antecedents of the training rows only, no warm start."""
    rows = done.frame.set_index(["fold", "regularization", "max_conditions"])
    assert len(rows) == 3 * 3 * 2
    for fold, (train, test) in enumerate(folds(3)):
        for max_conditions in GRID["max_conditions"]:
            problem = alone(train, max_conditions)
            for regularization in GRID["regularization"]:
                best = rl.solve(rl.RuleListSearch(problem, regularization)).incumbent
                row = rows.loc[fold, regularization, max_conditions]
                assert row.status == "optimal"
                assert row.objective == row.lower_bound == best.objective
                model = rl.RuleList.from_json(row.model)
                assert row.rules == best.complexity == len(model.rules)
                assert row.conditions == sum(len(rule.conditions) for rule in model.rules)
                assert row.complexity == row.rules + row.conditions
                for part, at in (("train_", train), ("test_", test)):
                    scores = model.evaluate(DATA.X.iloc[at], DATA.y.iloc[at])
                    assert (row[part + "errors"], row[part + "weight"]) == (scores.errors, len(at))
                    assert row[part + "true_positive_rate"] == scores.confusion.true_positive_rate
                    expected = equalized_odds_difference(
                        DATA.y.iloc[at],
                        model.predict(DATA.X.iloc[at]),
                        sensitive_features=DATA.sensitive["group"].iloc[at],
                    )
                    assert row[part + "equalized_odds_gap"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("family", "grid", "path", "values"),
    [
        ("rule_list", GRID, "regularization", [0.1, 0.05, 0.02]),
        ("rule_set", {"max_complexity": [8, 2, 5], "thresholds": [3]}, "max_complexity", [2, 5, 8]),
    ],
)
def test_a_path_starts_each_search_from_the_optimum_before(monkeypatch, family, grid, path, values):
    starts = []
    search = recipe.search_of

    def spy(family, problem, parameters, **more):
        if problem.n_rows > 4:  # not when parameters are checked
            starts.append((parameters[path], more.get("warm_start")))
        return search(family, problem, parameters, **more)

    monkeypatch.setattr(recipe, "search_of", spy)
    found = run(family=family, grid=grid, cv=2)
    assert [value for value, _ in starts] == len(starts) // 3 * values
    assert [start is None for _, start in starts] == len(starts) // 3 * [True, False, False]
    if family == "rule_set":
        rows = found.frame.sort_values(["fold", "max_complexity"])
        assert rows.groupby("fold")["objective"].apply(lambda each: each.is_monotonic_decreasing).all()


@pytest.mark.parametrize("backend", ["threads", pytest.param("processes", marks=pytest.mark.long)])
def test_workers_change_nothing(done, backend):
    other = run(n_jobs=2, backend=backend)
    pd.testing.assert_frame_equal(other.frame.drop(columns=TIMES), done.frame.drop(columns=TIMES))
    assert not run(random_state=1).frame["test_errors"].equals(done.frame["test_errors"]), "folds are dealt by the seed"


def test_points_are_means_over_folds(done):
    points = done.points()
    assert len(points) == 6
    assert points["folds"].tolist() == points["proven"].tolist() == [3] * 6
    for point in points.itertuples():
        rows = done.frame[done.frame["point"] == point.point]
        assert point.accuracy == pytest.approx(rows["test_accuracy"].mean())
        assert point.accuracy_se == pytest.approx(rows["test_accuracy"].std() / np.sqrt(3))
        assert point.equalized_odds_gap == pytest.approx(rows["test_equalized_odds_gap"].mean())
    trained = done.points("train")
    assert trained["accuracy"].tolist() == pytest.approx(done.frame.groupby("point")["train_accuracy"].mean().tolist())
    with pytest.raises(SweepError, match="on must be 'test' or 'train'"):
        done.points("both")


def test_rates_of_groups_are_counted_over_all_folds(done):
    rates = done.rates(0)
    assert rates["weight"].sum() == len(DATA.y)
    assert rates["errors"].sum() == done.frame.loc[done.frame["point"] == 0, "test_errors"].sum()
    gap = abs(rates["true_positive_rate"].diff().iloc[-1])
    assert done.points()["equal_opportunity_gap_pooled"][0] == pytest.approx(gap)


@pytest.mark.parametrize(("on", "y"), [("test", "complexity"), ("train", "demographic_parity_gap_pooled")])
def test_the_front_is_what_is_not_dominated(done, on, y):
    points = done.points(on)
    front = done.pareto("accuracy", y, on)
    kept = points[non_dominated(points["accuracy"], points[y], (True, False))]
    assert sorted(front["point"]) == sorted(kept["point"])
    done.snapshot().frame["family"] = "spoilt"
    assert set(done.frame["family"]) == {"rule_list"}, "a snapshot is nobody else's"
    assert front[y].is_monotonic_increasing
    assert front["accuracy"].is_monotonic_increasing


def test_a_figure_that_there_is_not(done):
    with pytest.raises(SweepError, match="no figure 'beauty'; choose among objective"):
        done.pareto("beauty", "complexity")
    with pytest.raises(SweepError, match="gaps need a sensitive attribute"):
        run(sensitive=None, grid={"regularization": [0.1]}, cv=2).pareto("accuracy", "equalized_odds_gap")


def test_results_come_as_they_are_done():
    sweep = rl.sweep(DATA, grid=GRID, cv=2)
    seen = []
    for result in sweep.as_completed():
        seen.append((result.point, result.fold))
        assert sweep.progress.done >= len(seen)
        assert result.load().to_dict() == result.model
    assert len(set(seen)) == len(seen) == sweep.progress.total == 12
    assert (sweep.progress.state, sweep.progress.seconds_left) == ("done", 0)
    assert [(r.point, r.fold) for r in sweep.results] == seen
    assert list(sweep.as_completed()) == list(sweep.results)


def test_training_rows_are_drawn_again_and_test_rows_are_not():
    plan = make_plan(DATA, 3, "group", "balance", 7, None, 0.0)
    plain = make_plan(DATA, 3, "group", None, 7, None, 0.0)
    rare = int(DATA.y.mean() < 0.5)
    for index in range(3):
        fold, before = plan.fold(index), plain.fold(index)
        assert np.array_equal(fold.test.rows, before.test.rows)
        assert fold.train.y.sum() * 2 == len(fold.train.y)
        more = Counter(fold.train.rows.tolist()) - Counter(before.train.rows.tolist())
        assert not Counter(before.train.rows.tolist()) - Counter(fold.train.rows.tolist())
        assert set(DATA.y.iloc[list(more)]) == {rare}
        assert max(Counter(before.train.rows.tolist()).values()) == 1
        assert np.array_equal(fold.train.rows, plan.fold(index).train.rows)
        assert np.array_equal(fold.train.groups, DATA.sensitive["group"].to_numpy()[fold.train.rows])
    swept = run(resample="balance", grid={"regularization": [0.05]}).frame
    assert (swept["train_base_rate"].tolist(), swept["test_weight"].sum()) == ([0.5] * 3, len(DATA.y))


def test_nothing_to_search_gives_the_default_alone():
    frame = run(grid={"regularization": [0.1], "min_support": [0.99], "max_support": [0.99]}, cv=2).frame
    assert (frame["status"].tolist(), frame["rules"].tolist()) == (["optimal"] * 2, [0, 0])
    assert frame["message"].str.contains("no conjunction").all()
    assert frame["objective"].tolist() == pytest.approx((1 - frame["train_accuracy"]).tolist())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_error_of_the_program_ends_the_sweep_and_is_told(monkeypatch):
    monkeypatch.setattr(runners, "run", lambda *_: 1 / 0)
    sweep = rl.sweep(DATA, grid=GRID, cv=2)
    with pytest.raises(SweepError, match="ended early: division by zero"):
        sweep.wait(PATIENCE)
    assert sweep.progress.state == "failed"
    with pytest.raises(SweepError, match="division by zero"):
        list(sweep.as_completed())
    for thread in threading.enumerate():
        if thread.name == THREAD_NAME:
            thread.join()  # its own report of the error belongs to this test


def test_the_groups_compared_are_those_with_enough_rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.random(300), "race": ["a"] * 140 + ["b"] * 140 + ["c"] * 20})
    data = from_frame(frame.assign(y=rng.integers(0, 2, 300)), "y", sensitive=["race"])
    sweep = waited(rl.sweep(data, grid={"regularization": [0.1]}, cv=2, sensitive="race"))
    assert sweep.groups == ("a", "b")
    assert list(sweep.rates(0).index) == ["a", "b", "c"]
    assert sweep.rates(0)["few"].tolist() == [False, False, True]
    named = waited(rl.sweep(data, grid={"regularization": [0.1]}, cv=2, sensitive="race", groups=["c", "a"]))
    assert named.groups == ("c", "a")
    assert named.frame["test_few"].all()


def test_without_test_rows_all_are_trained_on_and_only_their_figures_are_known():
    sweep = run(cv=0, grid={"regularization": [0.02, 0.05], "max_conditions": [1]}, baselines=["cart"])
    assert (sweep.plan.n_folds, sweep.plan.tested) == (1, False)
    assert len(sweep.points("test")) == 0
    table = sweep.points("train").set_index("point")
    assert len(table) == len({result.point for result in sweep.results}) > 2
    assert {result.test for result in sweep.results} == {None}
    assert set(table["weight"]) == {len(DATA.y)}
    problem = alone(np.arange(len(DATA.y)), thresholds=rl.Binarizer().thresholds)
    found = rl.solve(rl.RuleListSearch(problem, regularization=0.02)).incumbent
    assert table["objective"][0] == pytest.approx(found.objective)
    assert table["errors"][0] == found.model.errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *cases_beside(__file__),
        ({"cv": StratifiedShuffleSplit(2, random_state=0)}, "cv must be one split"),
        ({"cv": StratifiedShuffleSplit(1)}, "cv must be one split"),
    ],
)
def test_bad_arguments_are_refused_before_anything_runs(arguments, message):
    with pytest.raises(SweepError, match=message):
        rl.sweep(DATA, **{"grid": GRID, "cv": 3, "sensitive": "group"} | arguments)


def test_each_family_has_a_grid_of_its_own_and_data_sets_alone_are_swept():
    for family in FAMILIES.values():
        assert set(family.grid) <= set(family.defaults)
        assert all(len(values) > 1 for values in family.grid.values())
    with pytest.raises(SweepError, match=r"must be a rulelab.datasets.Dataset"):
        rl.sweep(DATA.X)


@pytest.mark.parametrize("options", [{"by_class": [True]}, {"positive_weight": [3.0]}, {"violation_penalty": [0.1]}])
def test_falling_rule_lists(options):
    grid = {"regularization": [0.02, 0.1], "max_conditions": [1]} | options
    frame = run(family="falling_rule_list", grid=grid, cv=2).frame
    parameters = {name: values[0] for name, values in options.items() if name != "by_class"}
    assert frame["status"].tolist() == ["optimal"] * 4
    rows = frame.set_index(["fold", "regularization"])
    for fold, (train, _) in enumerate(folds(2)):
        problem = alone(train, by_class="by_class" in options)
        for price in grid["regularization"]:
            best = rl.solve(rl.search(problem, "falling_rule_list", regularization=price, **parameters)).incumbent
            assert rows.loc[fold, price].objective == rows.loc[fold, price].lower_bound == best.objective


def test_what_fairness_costs():
    """Each search of lists begins with the optimum before it, which need not be as fair."""
    fair, own = [None, rl.EqualOpportunity(0.05)], {"regularization": [0.1, 0.02], "max_conditions": [1]}
    frame = run(grid={**own, "fairness": fair, "min_group_size": [0]}, cv=2).frame
    assert frame["status"].tolist() == ["optimal"] * 8
    free, bound = (frame[frame["fairness"].isna() == none] for none in (True, False))
    assert (bound["train_equal_opportunity_gap"] <= 0.05 + 1e-12).all()
    assert (bound["objective"].to_numpy() > free["objective"].to_numpy()).any()
    for fold, (train, _) in enumerate(folds(2)):
        for row in bound[bound["fold"] == fold].itertuples():
            search = rl.search(alone(train), regularization=row.regularization, fairness=fair[1])
            assert row.objective == row.lower_bound == rl.solve(search).incumbent.objective
    with pytest.raises(SweepError, match="fairness needs the groups"):
        rl.sweep(DATA, "rule_list", {"fairness": fair}, cv=2)


def test_constraints_are_about_the_groups_that_are_compared():
    """A group without positives would be refused, were it compared."""
    sensitive = DATA.sensitive.copy()
    sensitive.loc[DATA.y.index[DATA.y == 0][:8], "group"] = "never positive"
    data = replace(DATA, sensitive=sensitive)
    grid = {"max_complexity": [4], "fairness": [rl.EqualOpportunity(0.1)], "min_group_size": [0]}
    sweep = waited(rl.sweep(data, "rule_set", grid, cv=2, sensitive="group", groups=["one", "two"]))
    assert sweep.frame["status"].tolist() == ["optimal"] * 2
    assert (sweep.frame["train_equal_opportunity_gap"] <= 0.1 + 1e-12).all()
    assert list(sweep.rates(0).index) == ["never positive", "one", "two"]


ACCURACIES = [0.6, 0.68, 0.99]
MODELS = {"least_gap": "rule list", "least_gap_of_sets": "rule set"}
GRIDS: dict[str, dict[str, list[Any]]] = {
    "least_gap": {"max_length": [2], "max_conditions": [1]},
    "least_gap_of_sets": {"max_complexity": [4], "max_conditions": [2]},
}


@pytest.mark.parametrize("name", ["least_gap", pytest.param("least_gap_of_sets", marks=pytest.mark.long)])
def test_every_least_gap_is_the_search_on_its_training_rows(name: str) -> None:
    own = {"min_accuracy": ACCURACIES, "thresholds": [3], "min_group_size": [0], **GRIDS[name]}
    sweep = run(family=name, grid=own, cv=2)
    fits = sweep.frame.set_index(["min_accuracy", "fold"])
    assert set(fits.loc[0.99, "status"]) == {"infeasible"}
    for fold, (train, _) in enumerate(folds(2)):
        for accuracy in ACCURACIES[:2]:
            search: rl.Search
            if name == "least_gap":
                search = rl.LeastGapSearch(alone(train, thresholds=3), min_accuracy=accuracy, max_length=2)
            else:
                problem = alone(train, None, thresholds=3)
                search = rl.engines.LeastGapRuleSetSearch(
                    problem, min_accuracy=accuracy, max_complexity=4, max_conditions=2
                )
            last, fit = rl.solve(search), fits.loc[(accuracy, fold)]
            assert fit["status"] == last.status == "optimal"
            assert fit["objective"] == fit["lower_bound"] == last.incumbent.objective
            assert fit["train_equal_opportunity_gap"] == pytest.approx(last.incumbent.objective, abs=1e-12)
            assert fit["train_accuracy"] >= accuracy
    tight = fits.loc[0.68, "objective"].to_numpy()
    assert (tight >= fits.loc[0.6, "objective"].to_numpy()).all()
    assert tight.max() > 0


@pytest.mark.parametrize("name", MODELS)
def test_a_least_gap_needs_groups(name: str) -> None:
    with pytest.raises(SweepError, match=f"a {MODELS[name]} of least gap needs the groups of people"):
        rl.sweep(DATA, name, GRIDS[name], cv=2)
    with pytest.raises(SweepError, match="criterion must be one of equal_opportunity"):
        rl.sweep(DATA, name, {"criterion": [rl.EqualOpportunity]}, cv=2, sensitive="group")


def test_the_command_line_sweeps_least_gaps(capsys: pytest.CaptureFixture[str]) -> None:
    small = ("--max-complexity", 3, "--thresholds", 2, "--folds", 2, "--sensitive", "sex", "--quiet")
    asked = ("--vary", "min_accuracy=0.6,0.7", "--criterion", "demographic-parity")
    status, out, err = command(capsys, "sweep", "diabetes", "--model", "least-gap-of-sets", *asked, *small)
    assert status == 0, err
    assert "certified: no rule set that is as accurate on its training rows has a smaller gap there" in out
    assert out.count("2 of 2") == 2
    for options, said in (
        (("--model", "rule-set", "--min-accuracy", 0.7), "--min-accuracy is not an option of --model rule-set"),
        (("--model", "least-gap", "--vary", "criterion=fair"), "must be one of equal_opportunity"),
        (("--model", "least-gap", "--fairness", "equal-opportunity:0.1"), "--fairness is not an option"),
    ):
        refused(capsys, said, "sweep", "diabetes", *options, "--sensitive", "sex", told=True)
