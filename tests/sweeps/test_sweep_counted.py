"""Sweeps over counted rows against the same fits on the rows themselves."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import sem
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from table_engines import people
from test_sweep import DATA, waited

import rulelab as rl
from rulelab.sweeps import BASELINES, FAMILIES, SweepError, SweepWarning
from rulelab.sweeps import results_file as keys
from rulelab.sweeps.families import Certified
from rulelab.sweeps.frames import MAXIMISED, front, mean_and_error, non_dominated
from rulelab.sweeps.results_file import plain
from rulelab.tables import PatternCounts, Split

GRID = {"regularization": [0.05, 0.01], "max_conditions": [1]}
_NOISE = np.random.default_rng(5).random(600)
FRAME = people(600)[["age", "sex", "two"]].assign(id=np.arange(600))
FRAME["y"] = ((FRAME.age < 40) ^ (FRAME.two == 1) ^ (_NOISE < 0.2)).astype(int)
SPLIT = Split("id", 0.3)


def counted(frame: pd.DataFrame = FRAME, weight: str | None = None) -> PatternCounts:
    table = rl.tables.open(frame, "people")
    chosen = rl.Binarizer(thresholds=4).fit(table.features("y", "sex", "id", weight=weight, split=SPLIT))
    return rl.tables.count(table, chosen, "y", sensitive="sex", weight=weight, split=SPLIT)


COUNTS = counted()


def run(counts: PatternCounts = COUNTS, family: str = "rule_list", **arguments) -> rl.Sweep:
    return waited(rl.sweep(counts, family, **{"grid": GRID, "sensitive": "sex"} | arguments))


def sides() -> tuple[pd.DataFrame, pd.DataFrame]:
    table = rl.tables.open(FRAME)
    kept_out = np.array(table.frame.select(SPLIT.of(table).alias("t")).collect()["t"].to_list(), dtype=bool)
    return FRAME[~kept_out], FRAME[kept_out]


def test_fits_and_rates_are_those_of_the_rows() -> None:
    sweep = run(baselines={"cart": {"max_leaf_nodes": [4]}, "logistic_regression": None})
    train, test = sides()
    binarizer = rl.Binarizer(thresholds=4).fit(train[["age", "two"]])
    conditions = binarizer.transform(train[["age", "two"]])
    problem = rl.Problem.from_antecedents(rl.mine_antecedents(conditions, max_conditions=1), train.y)
    rows = sweep.frame.set_index("point")
    lists = rows[~rows["baseline"]]
    assert set(lists["status"]) == {"optimal"}
    assert lists["rules"].max() > 1
    assert set(rows["fold"]) == {0}
    for result, row in zip(sweep.results, rows.loc[[r.point for r in sweep.results]].itertuples(), strict=True):
        if not row.baseline:
            alone = rl.solve(rl.RuleListSearch(problem, row.regularization))
            assert row.objective == row.lower_bound == alone.incumbent.objective
        model = result.load() if not row.baseline else None
        if row.family in ("cart", "logistic_regression"):
            other = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0) if row.family == "cart" else None
            other = other or LogisticRegression(max_iter=1000)
            other.fit(conditions.to_numpy(np.float32), train.y)
        told = {
            "train": (train, row.train_errors, row.train_weight, row.train_true_positive_rate),
            "test": (test, row.test_errors, row.test_weight, row.test_true_positive_rate),
        }
        for part, (some, wrong, weight, rate) in told.items():
            if model is not None:
                scores = model.evaluate(some, some.y, groups=some[["sex"]])
                assert rate == scores.confusion.true_positive_rate
                errors = scores.errors
                known = sweep.rates(row.Index, part)["true_positive_rate"]
                pd.testing.assert_series_equal(known, scores.groups["true_positive_rate"].loc[known.index])
            else:
                found = other.predict(binarizer.transform(some[["age", "two"]]).to_numpy(np.float32))
                errors = (found != some.y).sum()
            assert (wrong, weight) == (errors, len(some))


def test_weights_are_summed_and_rows_make_groups() -> None:
    counts = counted(FRAME.assign(w=0.1 + FRAME.id % 3), "w")
    sweep = run(counts, grid={"regularization": [0.02], "max_conditions": [1]})
    row = sweep.frame.iloc[0]
    _, test = sides()
    weight = 0.1 + test.id % 3
    wrong = sweep.results[0].load().predict(test) != test.y
    assert row.test_errors / row.test_weight == pytest.approx(weight[wrong].sum() / weight.sum(), rel=1e-12)


@pytest.mark.parametrize("family", ["falling_rule_list", "rule_set"])
def test_every_family_and_fairness(family: str) -> None:
    own = {"max_complexity": [4], "max_conditions": [2]} if family == "rule_set" else GRID
    free, fair = run(family=family, grid={**own, "fairness": [None, rl.EqualOpportunity(0.05)]}).frame.groupby(
        "fairness", dropna=False, sort=False
    )
    assert (fair[1]["train_equal_opportunity_gap"] <= 0.05).all()
    assert fair[1]["objective"].min() >= free[1]["objective"].min()


def test_results_are_kept_for_the_same_counts_alone(tmp_path) -> None:
    path = tmp_path / "results.jsonl"
    first = run(results=path)
    again = run(results=path)
    assert again.progress.resumed == len(first.results) == 2
    with pytest.raises(SweepError, match="choose another file"):
        run(counted(FRAME[:590]), results=path)


def test_without_test_rows_all_kinds_are_trained_on() -> None:
    sweep = run(COUNTS, cv=0, baselines=["cart"])
    assert (len(sweep.points("test")), set(sweep.points("train")["weight"])) == (0, {600})
    assert sweep.plan.identity["data"] == run(COUNTS).plan.identity["data"]


@pytest.mark.parametrize(
    ("counts", "arguments", "message"),
    [
        (COUNTS.training, {}, "keep no rows for the test; count with"),
        (COUNTS, {"cv": 5}, "cannot be dealt to folds any more.*30 % of the keys in 'id'"),
        (COUNTS, {"resample": "balance"}, "not drawn again"),
        (COUNTS, {"sensitive": "race"}, "no sensitive attribute 'race'; those of people are 'sex'"),
        (COUNTS, {"grid": {**GRID, "thresholds": [3]}}, "rule_list names thresholds, but the rows are counted"),
        (COUNTS, {"baselines": ["random_forest"]}, "needs the rows one by one; of counted rows there are cart"),
        (COUNTS, {"baselines": {"cart": {"min_samples_leaf": [5]}}}, "leave it at 1"),
        (COUNTS, {"baselines": ["threshold_optimizer"]}, "needs the rows one by one"),
        (COUNTS, {"baselines": ["compas_score"]}, "COMPAS scores"),
        (COUNTS, {"time_limit": -1}, "time_limit must be"),
    ],
)
def test_what_counts_cannot_do_is_said(counts: PatternCounts, arguments: dict, message: str) -> None:
    with pytest.raises(SweepError, match=message):
        run(counts, **arguments)


def test_both_classes_are_needed_on_both_sides() -> None:
    split = Split("two")
    frame = FRAME.assign(two=FRAME.y)
    counts = rl.tables.count(rl.tables.open(frame, "people"), [rl.Condition("age", "<=", 40)], "y", split=split)
    with pytest.raises(SweepError, match="all training rows of people are 0; take another split"):
        rl.sweep(counts, grid=GRID)


# fronts against the definition of dominance, means and standard errors against NumPy and SciPy ------------------------
NUMBERS = st.one_of(st.integers(0, 4).map(float), st.floats(allow_nan=True, allow_infinity=True))
POINTS = st.lists(st.tuples(NUMBERS, NUMBERS), max_size=30)


def dominates(p: tuple[float, float], q: tuple[float, float], maximise: tuple[bool, bool]) -> bool:
    p, q = (tuple(-v if more else v for v, more in zip(point, maximise, strict=True)) for point in (p, q))
    return p[0] <= q[0] and p[1] <= q[1] and p != q


@example([(0.0, math.inf)], (False, False))
@given(POINTS, st.tuples(st.booleans(), st.booleans()))
def test_a_point_is_on_the_front_when_none_dominates_it(points, maximise):
    x, y = np.array(points).reshape(-1, 2).T
    complete = [p for p in points if not any(map(math.isnan, p))]
    expected = [p in complete and not any(dominates(q, p, maximise) for q in complete) for p in points]
    assert non_dominated(x, y, maximise).tolist() == expected


def test_the_lengths_must_agree():
    with pytest.raises(ValueError, match="of one length"):
        non_dominated([1, 2], [1])


@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), st.sampled_from([0.1, None]), NUMBERS), min_size=1, max_size=20))
def test_means_and_standard_errors(rows):
    rows = [row for row in rows if not math.isinf(row[2]) and not abs(row[2]) > 1e100] or [("a", None, 1.0)]
    frame = pd.DataFrame(rows, columns=["family", "parameter", "value"])
    points = mean_and_error(frame, ["family", "parameter"], ["value"])
    assert len(points) == len({row[:2] for row in rows})
    for point in points.itertuples():
        parameter = None if pd.isna(point.parameter) else point.parameter
        values = [row[2] for row in rows if row[:2] == (point.family, parameter)]
        assert point.folds == len(values)
        known = np.array([v for v in values if not math.isnan(v)])
        scale = max(1.0, np.abs(known).max(initial=0))
        if len(known):
            assert point.value / scale == pytest.approx(known.mean() / scale, abs=1e-9)
        else:
            assert math.isnan(point.value)
        if len(known) > 1:
            assert point.value_se / scale == pytest.approx(sem(known) / scale, abs=1e-7)
        else:
            assert math.isnan(point.value_se)


def test_more_accuracy_is_better_and_less_of_the_rest():
    points = pd.DataFrame({"accuracy": [0.9, 0.8, 0.95, 0.9], "complexity": [5, 2, 9, 6]})
    assert front(points, "accuracy", "complexity").values.tolist() == [[0.8, 2], [0.9, 5], [0.95, 9]]
    assert front(points, "complexity", "accuracy")["complexity"].tolist() == [2, 5, 9]
    assert "complexity" not in MAXIMISED
    gaps = pd.DataFrame({"accuracy": [0.9, 0.8], "equal_opportunity_gap": [0.1, 0.1]})
    assert front(gaps, "accuracy", "equal_opportunity_gap").values.tolist() == [[0.9, 0.1]]


# results are used again only where version, settings and limits are the same; what is not used is told of -------------
ONE = {"regularization": [0.1]}


def swept(path: Path, grid: dict[str, Any] | None = None, **arguments: Any) -> rl.Sweep:
    return waited(rl.sweep(DATA, **{"grid": ONE if grid is None else grid, "cv": 2, "results": path} | arguments))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    swept(tmp_path / "results.jsonl")
    return tmp_path / "results.jsonl"


def test_keys_name_all_settings_and_versions(path):
    key = json.loads(path.read_text().splitlines()[1])["key"]
    method, settings, versions = keys.split(key)
    assert (method, versions) == ("rule_list", {"rulelab": rl.__version__})
    assert settings.keys() == FAMILIES["rule_list"].defaults.keys() > {"policy", "beam_width"}
    assert settings["regularization"] == 0.1
    for method in BASELINES.values():
        if method.defaults:
            elsewhere = method.name not in ("greedy_list", "ripper")  # made here, and by a package without scikit-learn
            assert ("scikit-learn" in method.packages) == elsewhere


def test_another_version_computes_again_and_says_so(path, monkeypatch):
    version = rl.__version__
    monkeypatch.setattr(rl, "__version__", "9.9")
    message = f"not used but computed again: 2 computed with rulelab {version}, here 9.9"
    with pytest.warns(SweepWarning, match=message):
        new = swept(path)
    assert new.progress.resumed == 0
    assert message in new.messages[0]
    assert swept(path).progress.resumed == 2
    monkeypatch.undo()
    assert swept(path).progress.resumed == 2


def test_another_default_computes_again_and_says_so(path, monkeypatch):
    defaults = {**FAMILIES["rule_list"].defaults, "max_conditions": 1}
    monkeypatch.setattr(FAMILIES["rule_list"], "defaults", defaults)
    new = swept(path)
    assert new.progress.resumed == 0
    assert new.messages == (
        f"results in {path} that are not used but computed again: 2 of other settings: max_conditions 2, here 1",
    )
    assert swept(path, {**ONE, "max_conditions": [2]}).progress.resumed == 2


def test_another_version_of_scikit_learn_fits_baselines_again(path, monkeypatch):
    one = {"cart": {"max_leaf_nodes": [2]}}
    assert swept(path, baselines=one).progress.resumed == 2
    monkeypatch.setattr(keys, "version_of", lambda name: "0.1")
    with pytest.warns(SweepWarning, match="2 computed with scikit-learn .*, here 0.1"):
        assert swept(path, baselines=one).progress.resumed == 2


def test_failures_and_other_limits_are_told(path, monkeypatch):
    grid = {"regularization": [0.02]}
    swept(path, grid, gap=0.5)
    again = swept(path, grid)
    assert again.messages[0].endswith("computed again: 2 which other limits had ended")
    monkeypatch.setattr(Certified, "fit", lambda *_: 1 / 0)
    assert swept(path, {"regularization": [0.03]}).progress.failed == 2
    monkeypatch.undo()
    assert swept(path, {"regularization": [0.03]}).messages[0].endswith("computed again: 2 which had failed")
    assert swept(path, {"regularization": [0.2]}).messages == ()  # another point of a grid is no old result


def test_a_result_has_the_columns_of_the_sweep_that_uses_it(path):
    again = swept(path, {**ONE, "max_conditions": [2]})
    assert (again.progress.resumed, again.frame["max_conditions"].tolist()) == (2, [2, 2])
    assert len(again.points()) == 1


def test_long_arrays_of_cuts_differ():
    cuts = [np.arange(3000.0), np.arange(3000.0)]
    cuts[1][1500] = -1.0
    assert plain({"age": cuts[0]}) != plain({"age": cuts[1]})
    assert plain({"age": cuts[0]}) == plain({"age": cuts[0].tolist()})
    one, other = (keys.make_key("rule_list", {"thresholds": {"age": some}}) for some in cuts)
    assert one != other
