"""Rows of a table that are kept out of training: the same on every engine, with their groups, and tested on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from table_engines import open_as, people

import rulelab as rl
from rulelab.cli.commands import main
from rulelab.tables import Split, TableError


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


def test_rows_of_a_key_stay_together():
    frame = keyed()
    kept = pd.Series(on_test(Split("key", 0.3), rl.tables.open(frame)))
    assert kept.groupby(frame.key).nunique().max() == 1


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


def test_conditions_are_chosen_on_training_rows():
    frame = keyed()
    split = Split("key", 0.3)
    kept = on_test(split, rl.tables.open(frame))
    known = rl.Binarizer().fit(frame[~kept].drop(columns=["y", "key"]))
    assert rl.Binarizer().fit(rl.tables.open(frame).features("y", "key", split=split)).conditions_ == known.conditions_


def test_the_command_line_splits(tmp_path, capsys):
    rng = np.random.default_rng(3)
    frame = people(2000, 3)[["age", "sex", "two"]].assign(id=np.arange(2000), w=rng.integers(1, 9, 2000) / 10)
    frame["y"] = ((frame.age < 30) ^ (rng.random(2000) < 0.1)).astype(int)
    frame["side"] = np.where(on_test(Split("id", 0.3), rl.tables.open(frame)), "test", "train")
    frame.iloc[:900].to_parquet(tmp_path / "a.parquet")
    frame.iloc[900:].to_parquet(tmp_path / "b.parquet")
    files, model, proof = str(tmp_path / "*.parquet"), str(tmp_path / "m.json"), str(tmp_path / "p.npz")
    common = [
        "--target",
        "y",
        "--thresholds",
        "4",
        "--regularization",
        "0.01",
        "--leave-out",
        "w",
        "--sensitive",
        "sex",
    ]
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
        assert main(["verify", files, model, proof, *how[:-2]]) == 0
        assert "valid" in capsys.readouterr().out
    assert said["--key"]["rules"] == said["--test-column"]["rules"]
    assert main(["verify", files, model, proof]) == 1  # all rows are others
    assert "give what `rulelab fit` was given, such as --test-share and --key" in capsys.readouterr().out
    options = [*common[:6], "--leave-out", "side", "--at-least", "40"]
    assert main(["fit", files, *options, *hashed, "--weight", "w"]) == 0
    assert "rows of rare kinds are left out" in capsys.readouterr().err
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
