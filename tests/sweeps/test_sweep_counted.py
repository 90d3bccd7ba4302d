"""Sweeps over counted rows against the same fits on the rows themselves."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from table_engines import people
from test_sweep import waited

import rulelab as rl
from rulelab.sweeps import SweepError
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
        for part, some in (("train", train), ("test", test)):
            if model is not None:
                scores = model.evaluate(some, some.y, groups=some[["sex"]])
                assert getattr(row, f"{part}_true_positive_rate") == scores.confusion.true_positive_rate
                errors = scores.errors
                known = sweep.rates(row.Index, part)["true_positive_rate"]
                pd.testing.assert_series_equal(known, scores.groups["true_positive_rate"].loc[known.index])
            else:
                found = other.predict(binarizer.transform(some[["age", "two"]]).to_numpy(np.float32))
                errors = (found != some.y).sum()
            assert getattr(row, f"{part}_errors") == errors
            assert getattr(row, f"{part}_weight") == len(some)


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
