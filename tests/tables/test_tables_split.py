"""Rows of a table that are kept out of training: the same on every engine, with their groups, and tested on."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import output_of
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_problems import weights_as_read
from table_engines import ENGINES, open_as, people

import rulelab as rl
from rulelab.cli.commands import main
from rulelab.tables import Split, TableError
from rulelab.tables.weighing import exact_floats


def keyed(n: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    return people(n).assign(key=rng.integers(-(2**62), 2**62, n // 2).repeat(2), small=np.arange(n, dtype=np.int8) % 50)


def on_test(split: Split, table: rl.tables.Table) -> np.ndarray:
    return np.array(table.frame.select(split.of(table).alias("t")).collect()["t"].to_list(), dtype=bool)


@pytest.mark.parametrize(
    "engine", ["pandas", "polars", "pyarrow", "duckdb", pytest.param("dask", marks=pytest.mark.long)]
)
def test_engines_keep_out_the_same_rows(engine, tmp_path):
    frame = keyed()
    table = open_as(engine, frame, tmp_path)
    for column in ("key", "small"):
        split = Split(column, 0.3, seed=1)
        known = on_test(split, rl.tables.open(frame))
        assert pd.Series(known).groupby(frame[column]).nunique().max() == 1, "rows of a key stay together"
        counts = rl.tables.count(table, [rl.Condition("age", "<=", 40)], "y", split=split)
        assert counts.held_out is not None
        assert counts.held_out.n_rows == known.sum()
        label = counts.held_out.label
        assert counts.held_out.rows[label == 1].sum() == (known & frame.y.eq(1)).sum()
        assert counts.training.n_rows == len(frame) - known.sum()


@pytest.mark.parametrize("share", [0.05, 0.3, 0.8])
@pytest.mark.parametrize("step", [1, 2, 64, 1000, 2**31 - 1])
def test_the_share_is_kept_whatever_the_keys_are(share, step):
    n = 20_000
    table = rl.tables.open(pd.DataFrame({"id": np.arange(n) * step - 5, "y": 0}))
    if step == 2**31 - 1:  # the one period that cannot be told apart
        assert len(set(on_test(Split("id", share), table))) == 1
        return
    kept = on_test(Split("id", share), table)
    assert abs(kept.mean() - share) < 5 * (share * (1 - share) / n) ** 0.5
    assert abs(kept[::2].mean() - kept[1::2].mean()) < 10 * (share * (1 - share) / n) ** 0.5
    other = on_test(Split("id", share, seed=1), table)
    assert abs((kept & other).mean() - share**2) < 5 * (share**2 * (1 - share**2) / n) ** 0.5


@pytest.mark.parametrize(
    ("cells", "test"),
    [
        ([True, False] * 200, [True, False]),
        ([1, 0] * 200, [True, False]),
        ([1.0, 0.0] * 200, [True, False]),
        (["train", "Test "] * 200, [False, True]),
    ],
)
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_a_column_may_say_it(engine, cells, test, tmp_path):
    table = open_as(engine, people().assign(part=cells), tmp_path)
    assert on_test(Split("part"), table).tolist() == test * 200


@pytest.mark.parametrize(
    ("split", "message"),
    [
        (Split("sex", 0.3), "which engines do not hash alike; give a key of whole numbers"),
        (Split("visits", 0.3), "do not hash alike"),
        (Split("sex"), "has rows without a value"),
        (Split("city"), "holds 'å'|holds '[a-z]'"),
        (Split("nothing", 0.3), "no column 'nothing'"),
        (Split("constant"), "no row is kept out of training"),
        (Split("constant", 0.3), "kept out of training"),
        (Split("holes", 0.3), "'holes' has rows without a key"),
    ],
)
def test_what_cannot_split_is_said(split, message):
    frame = people().assign(constant=0, holes=pd.array([None, *range(399)], dtype="Int64"))
    with pytest.raises(TableError, match=message):
        rl.tables.count(rl.tables.open(frame), [rl.Condition("age", "<=", 40)], "y", split=split)


def test_shares_and_seeds_are_checked():
    for share in (0, 1, -1, 2):
        with pytest.raises(TableError, match="above 0 and below 1"):
            Split("id", share)
    with pytest.raises(TableError, match="whole number"):
        Split("id", 0.3, seed=-1)


def test_splits_are_saved_and_rare_kinds_are_of_one_side(tmp_path):
    table = rl.tables.open(keyed(2000)[["age", "sex", "two", "key", "y"]].assign(w=0.1))
    split = Split("key", 0.3)
    conditions = rl.Binarizer(thresholds=3).fit(table.features("y", "sex", "key", weight="w", split=split))
    counts = rl.tables.count(table, conditions, "y", sensitive="sex", weight="w", split=split)
    counts.save(tmp_path / "c.parquet")
    again = rl.tables.load(tmp_path / "c.parquet")
    for part, same in ((counts.training, again.training), (counts.held_out, again.held_out)):
        pd.testing.assert_series_equal(part.rows, same.rows)
        pd.testing.assert_series_equal(part.heads, same.heads)
    assert again.split == counts.split
    assert "30 % of the keys in 'key' are kept out" in again.dataset().notes
    some = counts.without_rare(20)
    for part in (some.training, some.held_out):
        kinds = pd.concat([part.features, part.sensitive], axis=1).astype(str)
        assert part.heads.groupby([kinds[c] for c in kinds.columns]).sum().min() >= 20
    assert some.rare + some.n_rows == counts.n_rows == 2000


def test_the_command_line_splits(tmp_path, capsys):
    rng = np.random.default_rng(3)
    frame = people(2000, 3)[["age", "sex", "two"]].assign(id=np.arange(2000), w=rng.integers(1, 9, 2000) / 10)
    frame["y"] = ((frame.age < 30) ^ (rng.random(2000) < 0.1)).astype(int)
    frame["side"] = np.where(on_test(Split("id", 0.3), rl.tables.open(frame)), "test", "train")
    frame.iloc[:900].to_parquet(tmp_path / "a.parquet")
    frame.iloc[900:].to_parquet(tmp_path / "b.parquet")
    files, model, proof = str(tmp_path / "*.parquet"), str(tmp_path / "m.json"), str(tmp_path / "p.npz")
    common = [
        "--target", "y", "--thresholds", "4", "--regularization", "0.01", "--leave-out", "w", "--sensitive", "sex",
    ]  # fmt: skip
    hashed = ["--key", "id", "--test-share", "0.3"]
    said = {}
    for how in ((*hashed, "--leave-out", "side"), ("--test-column", "side", "--leave-out", "id")):
        assert main(["fit", files, *common, *how, "-o", model, "--proof", proof]) == 0
        out = capsys.readouterr()
        said[how[0]] = json.loads(Path(model).read_text())
        n_test = frame.side.eq("test").sum()
        assert f"on {n_test} rows kept out of training" in out.out
        accuracy = float(out.out.split("test: accuracy ")[1].split(" ")[0])
        predicted = rl.models.load_model(model).predict(frame[frame.side.eq("test")])
        assert abs(100 * (predicted == frame.y[frame.side.eq("test")]).mean() - accuracy) < 0.051
        assert "valid" in output_of(capsys, "verify", files, model, proof, *how[:-2])[0]
    assert said["--key"]["rules"] == said["--test-column"]["rules"]
    assert main(["verify", files, model, proof]) == 1  # all rows are others
    assert "give what `rulelab fit` was given, such as --test-share and --key" in capsys.readouterr().out
    options = [*common[:6], "--leave-out", "side", "--at-least", "40"]
    assert "rows of rare kinds are left out" in output_of(capsys, "fit", files, *options, *hashed, "--weight", "w")[1]
    for wrong, message in (
        (["--key", "id"], "--key needs --test-share"),
        (["--test-share", "0.3"], "--test-share needs --key"),
        (["--test-column", "side", *hashed], "leave --key and --test-share out"),
        (["--at-least", "9", "--proof", proof], "leave --at-least out"),
        (["--key", "sex", "--test-share", "0.3"], "give a key of whole numbers"),
    ):
        assert main(["fit", files, *common, *wrong]) in (1, 2)
        assert message in capsys.readouterr().err


def test_kinds_come_in_one_order_however_an_engine_gives_them(tmp_path):
    frame = keyed()
    kinds = []
    for engine in ("duckdb", "duckdb", "polars", "pandas"):
        table = open_as(engine, frame, tmp_path)
        counts = rl.tables.count(table, [rl.Condition("age", "<=", 40)], "y", sensitive=["sex", "city"])
        kinds.append(counts.split_at_random(0.3, seed=4))
    for other in kinds[1:]:
        pd.testing.assert_series_equal(kinds[0].rows, other.rows)
        pd.testing.assert_series_equal(kinds[0].label, other.label)
        assert kinds[0].sensitive.fillna("").astype(str).equals(other.sensitive.fillna("").astype(str))


# weighted tables ------------------------------------------------------------------------------------------------------
WEIGHTS = {
    "thirds": lambda rng, n: rng.random(n) / 3,
    "small and large": lambda rng, n: rng.choice([1e-9, 0.1, 7e5], n),
    "some are 0": lambda rng, n: np.where(rng.random(n) < 0.3, 0, rng.random(n)),
    "tenths": lambda rng, n: rng.integers(1, 30, n) / 10,
    "too large to be rows": lambda rng, n: rng.integers(1, 9, n) * 2.0**60,
}


@pytest.mark.parametrize(
    ("engine", "kind"),
    [
        *(pytest.param(e, "small and large", marks=pytest.mark.long) for e in ENGINES if e != "duckdb"),
        *(("duckdb", kind) for kind in WEIGHTS),
    ],
)
def test_weights_are_those_of_the_rows(engine, kind, tmp_path):
    frame = people(300)
    frame["w"] = WEIGHTS[kind](np.random.default_rng(5), 300)
    table = open_as(engine, frame, tmp_path)
    features = frame.drop(columns=["y", "w"])
    known = rl.Binarizer(thresholds=4, max_categories=6).fit(features, sample_weight=frame.w)
    binarizer = rl.Binarizer(thresholds=4, max_categories=6).fit(table.features("y", weight="w"))
    assert (binarizer.conditions_, binarizer.dropped_) == (known.conditions_, known.dropped_)
    counts = rl.tables.count(table, binarizer, "y", weight="w")
    assert counts.n_rows == (frame.w > 0).sum()
    problem = rl.Problem.from_arrays(counts.frame, counts.label, sample_weight=counts.rows)
    rows = rl.Problem.from_arrays(known.transform(features), frame.y, sample_weight=frame.w)
    assert problem.fingerprint == rows.fingerprint
    assert sum(weights_as_read(counts.rows)) == sum(weights_as_read(frame.w))


CELL = st.one_of(st.none(), st.sampled_from([-1.5, 0.0, 0.1, 2.0, 3.0]))
WEIGHT = st.one_of(st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0, 2.5]), st.floats(1e-6, 1e6))
ROWS = st.lists(st.tuples(CELL, st.sampled_from([None, *"abcde"]), WEIGHT, st.booleans()), min_size=4, max_size=40)


@settings(max_examples=25)
@given(ROWS, st.integers(2, 6))
@example([(None, None, 0.1, True), (None, "c", 0.3, False), (None, "c", 1e-6, False)], 2)
def test_weights_agree_with_memory(rows, groups):
    frame = pd.DataFrame(rows, columns=["x", "t", "w", "y"]).astype({"x": float})
    assert _counted("polars", frame, groups) == _counted(None, frame, groups)


def _counted(engine: str | None, frame: pd.DataFrame, groups: int):
    """What is made of a table, in memory where no engine is named."""
    if not (frame.w > 0).sum() > 1 or frame.y.nunique() < 2:
        return "refused"
    binarizer = rl.Binarizer(thresholds=groups, max_categories=3)
    try:
        if engine is None:
            held = binarizer.fit(frame[["x", "t"]], sample_weight=frame.w).transform(frame[["x", "t"]])
            problem = rl.Problem.from_arrays(held, frame.y.astype(int), sample_weight=frame.w)
        else:
            table = open_as(engine, frame, Path())
            counts = rl.tables.count(table, binarizer.fit(table.features("y", weight="w")), "y", weight="w")
            problem = rl.Problem.from_arrays(counts.frame, counts.label, sample_weight=counts.rows)
    except ValueError:
        return "refused"
    return binarizer.conditions_, binarizer.dropped_, problem.fingerprint


@given(st.lists(st.floats(1e-30, 1e30), min_size=1, max_size=20))
def test_sums_are_held_by_doubles_exactly(weights):
    total = sum(weights_as_read(weights))
    unit = Fraction(1, total.denominator)
    parts, of = exact_floats(np.array([int(total / unit)], dtype=object), unit)
    assert sum(weights_as_read(parts)) == total
    assert (parts > 0).all()
    assert (of == 0).all()
    assert len(parts) < 8


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([-1.0, 0.5], r"numbers of at least 0, and one is -1\.0"), ([np.nan, 0.5], "and 1 rows have none"),
        ([np.inf, 0.5], "and one is inf"), ([0.0, 0.0], "are 0 in every row"),
        ([1e-200, 1e200], "too far apart"), (["a", "b"], "weights must be numbers"),
    ],
)  # fmt: skip
def test_what_is_no_weight_is_said(engine, weights, message, tmp_path):
    table = open_as(engine, pd.DataFrame({"a": [0, 1], "w": weights, "y": [0, 1]}), tmp_path)
    with pytest.raises(TableError, match=message):
        table.features("y", weight="w")


def test_weighted_people_are_not_called_many():
    frame = pd.DataFrame({"a": [0, 0, 0, 1], "w": [0.1, 0.1, 0.1, 1000.5], "y": [0, 1, 0, 1]})
    counts = rl.tables.count(rl.tables.open(frame), [rl.Condition("a", "==", 1)], "y", weight="w")
    some = counts.without_rare(2)
    assert (some.n_rows, some.rare) == (3, 1)


@pytest.mark.parametrize(
    ("engine", "weighted"),
    [("polars", True), *(pytest.param("duckdb", weighted, marks=pytest.mark.long) for weighted in (False, True))],
)
def test_quantiles_of_very_many_values(engine, weighted, tmp_path, monkeypatch):
    rng = np.random.default_rng(7)
    n = 3000
    frame = pd.DataFrame(
        {
            "normal": rng.normal(size=n),
            "heavy": np.exp(rng.normal(size=n) * 40),
            "far": np.where(rng.random(n) < 0.5, rng.random(n) * 1e-12, 1e300 * (rng.random(n) - 0.5)),
            "whole": rng.integers(-(2**62), 2**62, n),
            "halves": np.append(rng.permutation(n - 1).astype(float) + 1, 0.5),
            "holes": np.where(rng.random(n) < 0.2, np.nan, rng.random(n)),
            "most are 9": np.where(rng.random(n) < 0.95, 9.0, rng.random(n) * 9),
            "w": rng.random(n) if weighted else 1.0,
            "y": rng.integers(0, 2, n),
        }
    )
    weight = {"weight": "w"} if weighted else {}
    features = frame.drop(columns=["y", "w"])
    aside = [] if weighted else ["w"]
    monkeypatch.setattr("rulelab.tables.weighing.BINS", 16)
    monkeypatch.setattr("rulelab.tables.table.MOST_VALUES", 60)
    for thresholds in (10, {"normal": [0.25], "whole": 3}):
        known = rl.Binarizer(thresholds=thresholds).fit(features, sample_weight=frame.w if weighted else None)
        table = open_as(engine, frame, tmp_path).features("y", *aside, **weight)
        binarizer = rl.Binarizer(thresholds=thresholds).fit(table)
        assert (binarizer.conditions_, binarizer.dropped_) == (known.conditions_, known.dropped_)
