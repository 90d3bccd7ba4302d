"""Tables that are counted where they lie: the same conditions, counts and problems as in memory, on every engine."""

import datetime
import itertools
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from table_engines import ENGINES, SOME, open_as, people

import rulelab as rl
from rulelab.cli import reading
from rulelab.tables import TableError


@pytest.fixture(params=SOME)
def opened(request, tmp_path):
    return lambda frame: open_as(request.param, frame, tmp_path)


def reference(frame: pd.DataFrame, thresholds=5) -> tuple[rl.Binarizer, pd.DataFrame]:
    binarizer = rl.Binarizer(thresholds=thresholds)
    return binarizer, binarizer.fit_transform(frame.drop(columns="y"))


@pytest.mark.few(4)
@pytest.mark.parametrize("engine", ENGINES)
def test_conditions_counts_and_problem_are_those_of_the_rows(engine, tmp_path):
    frame = people()
    known, held = reference(frame)
    table = open_as(engine, frame, tmp_path)
    binarizer = rl.Binarizer(thresholds=5).fit(table.features("y"))
    assert (binarizer.conditions_, binarizer.dropped_) == (known.conditions_, known.dropped_)
    counts = rl.tables.count(table, binarizer, "y", sensitive="sex")
    assert (counts.n_rows, (counts.positive, counts.negative)) == (len(frame), (1, 0))
    mined = rl.mine_antecedents(counts.frame, max_conditions=2, sample_weight=counts.rows)
    problem = rl.Problem.from_antecedents(mined, counts.label, sample_weight=counts.rows)
    rows = rl.mine_antecedents(held, max_conditions=2)
    assert mined.names == rows.names
    assert problem.fingerprint == rl.Problem.from_antecedents(rows, frame.y).fingerprint
    straight = rl.Problem.from_antecedents(rl.mine_antecedents(counts, max_conditions=2))
    of_rows = rl.Problem.from_antecedents(rows, frame.y, groups=frame.sex)
    assert (straight.fingerprint, straight.n_rows) == (of_rows.fingerprint, of_rows.n_rows)
    assert straight.groups.names == of_rows.groups.names
    assert (straight.groups.positives.sum(axis=1) == of_rows.groups.positives.sum(axis=1)).all()
    assert counts.sensitive is not None
    women = counts.sensitive.sex.eq("f")
    assert counts.rows[women].sum() == frame.sex.eq("f").sum()
    assert counts.rows[women & counts.label.eq(1)].sum() == (frame.sex.eq("f") & frame.y.eq(1)).sum()
    assert counts.rows[counts.sensitive.sex.isna()].sum() == frame.sex.isna().sum()


def dated(n: int = 200) -> pd.DataFrame:
    """Timestamps, days with holes, timestamps at midnight, and what is no date."""
    rng = np.random.default_rng(1)
    when = pd.Series(pd.Timestamp("2023-11-01") + pd.to_timedelta(rng.integers(0, 400 * 1440, n), unit="m"))
    day = when.dt.normalize().astype("datetime64[us]")
    frame = pd.DataFrame({"a": rng.integers(0, 9, n), "when": when.astype("datetime64[us]"), "night": day})
    return frame.assign(night=day.mask(rng.random(n) < 0.1), b=rng.choice(list("xyz"), n), y=rng.integers(0, 2, n))


def kinds(held: pd.DataFrame, label, times=1) -> list[tuple]:
    """The rows under conditions with their class, in order."""
    rows = held.assign(label=np.asarray(label))
    return sorted(map(tuple, rows.loc[rows.index.repeat(times)].to_numpy().tolist()))


@pytest.mark.parametrize("engine", SOME)
def test_dates_are_the_same_parts_as_in_memory(engine, tmp_path):
    data = rl.datasets.from_frame(dated(), "y")
    known = rl.Binarizer(thresholds=4).fit(data.X)
    assert {"when: hour", "night: weekday"} < {c.column for c in known.conditions_}
    table = open_as(engine, dated(), tmp_path)
    binarizer = rl.Binarizer(thresholds=4).fit(table.features("y"))
    assert (binarizer.conditions_, binarizer.dropped_) == (known.conditions_, known.dropped_)
    counts = rl.tables.count(table, known, "y")
    assert kinds(counts.frame, counts.label, counts.rows) == kinds(known.transform(data.X), data.y)
    assert table.features("y", "night", dates="ignore").columns == ["a", "b"]
    assert "night: year" not in table.features("y", "night").columns
    with pytest.raises(TableError, match="dates must be one of 'parts', 'ignore', not 'years'"):
        table.features("y", dates="years")


@pytest.mark.parametrize(
    "form", ["%d.%m.%Y %H:%M", "%Y-%m-%dT%H:%M:%SZ", "zoned", "category", "time", "ns", "us", "ms"]
)
def test_dates_of_a_parquet_file_are_read_alike_where_it_is_counted(form, tmp_path):
    frame = dated()
    if form == "zoned":
        frame["when"] = frame.when.dt.tz_localize("UTC")
    elif form == "category":
        frame["night"] = frame.night.dt.strftime("%Y-%m-%d").astype("category")
    elif form == "time":
        frame["when"] = frame.when.dt.time.where(frame.b != "x")
    elif len(form) == 2:
        frame["when"] = ((frame.when - frame.when.min()) / 7).astype(f"timedelta64[{form}]").where(frame.b != "x")
    else:
        frame["when"] = frame.when.dt.strftime(form)
    frame.to_parquet(tmp_path / "t.parquet")
    data = rl.datasets.read(tmp_path / "t.parquet", "y")
    known = rl.Binarizer().fit(data.X)
    table = rl.tables.open(tmp_path / "t.parquet")
    assert rl.Binarizer().fit(table.features("y")).conditions_ == known.conditions_
    counts = rl.tables.count(table, known, "y")
    assert kinds(counts.frame, counts.label, counts.rows) == kinds(known.transform(data.X), data.y)


def test_dates_that_only_memory_reads_are_refused_by_name(tmp_path):
    (tmp_path / "t.csv").write_text("at,a,y\n" + "2024-01-05T10,1,0\n2024-01-06T11,2,1\n" * 4)
    with pytest.raises(TableError, match="column 'at' holds dates of which '2024-01-05T10' cannot be read"):
        rl.tables.open(tmp_path / "t.csv")


def test_more_conditions_than_a_word_has_bits(opened):
    rng = np.random.default_rng(1)
    base = rng.random(300)
    frame = pd.DataFrame({f"c{k}": np.round(base * (k + 3) ** 1.5, 3) for k in range(12)}).assign(y=base > 0.5)
    known, held = reference(frame, thresholds=20)
    assert len(known.conditions_) > 400
    counts = rl.tables.count(opened(frame), known, "y")
    rows = held.assign(label=frame.y.astype(int)).value_counts()
    mine = counts.frame.assign(label=counts.label)
    assert (len(mine.value_counts()), counts.n_rows) == (len(rows), len(frame))


def test_whole_weights_count_as_rows(opened):
    frame = people(120).assign(times=np.arange(120) % 4)
    table, known = opened(frame), reference(people(120))[0]
    counts = rl.tables.count(table, known, "y", weight="times")
    repeated = frame.loc[frame.index.repeat(frame.times)].drop(columns="times").reset_index(drop=True)
    again = rl.tables.count(rl.tables.open(repeated), known, "y")
    assert counts.n_rows == len(repeated)
    problems = [rl.Problem.from_arrays(c.frame, c.label, sample_weight=c.rows) for c in (counts, again)]
    assert problems[0].fingerprint == problems[1].fingerprint


def test_rows_without_a_target_are_counted_apart(opened):
    frame = people().assign(y=lambda f: f.y.where(f.age < 70))
    table = opened(frame)
    known = rl.Binarizer(thresholds=5).fit(frame[frame.y.notna()].drop(columns="y"))
    binarizer = rl.Binarizer(thresholds=5).fit(table.features("y"))
    assert binarizer.conditions_ == known.conditions_
    counts = rl.tables.count(table, binarizer, "y")
    assert counts.without_target == frame.y.isna().sum()
    assert counts.n_rows == frame.y.notna().sum()
    assert f"{counts.without_target} rows have no y" in counts.dataset().notes


def test_counts_are_saved_and_read(tmp_path):
    table = rl.tables.open(people())
    counts = rl.tables.count(table, rl.Binarizer(thresholds=5).fit(table.features("y", "sex")), "y", sensitive="sex")
    path = tmp_path / "counts.parquet"
    counts.save(path)
    again = rl.tables.load(path)
    assert again.conditions == counts.conditions
    pd.testing.assert_frame_equal(again.frame, counts.frame)
    pd.testing.assert_series_equal(again.rows, counts.rows)
    assert (again.target, again.positive, again.negative, again.name) == ("y", 1, 0, "table")
    assert again.sensitive is not None
    assert again.sensitive.sex.fillna("?").tolist() == counts.sensitive.sex.fillna("?").tolist()
    for text in (b"", b"PAR1", path.read_bytes()[:-20]):
        path.write_bytes(text)
        with pytest.raises(TableError, match="holds no counts"):
            rl.tables.load(path)
    people().to_parquet(path)
    with pytest.raises(TableError, match="holds no counts"):
        rl.tables.load(path)


@pytest.mark.parametrize("least", [2, 5, 30])
def test_no_rare_kind_leaves(least):
    table = rl.tables.open(people(2000)[["age", "sex", "two", "y"]])
    counts = rl.tables.count(table, rl.Binarizer(thresholds=3).fit(table.features("y", "sex")), "y", sensitive="sex")
    some = counts.without_rare(least)
    kinds = pd.concat([some.features, some.sensitive], axis=1).astype(str)
    assert some.rows.groupby([kinds[c] for c in kinds.columns]).sum().min() >= least
    assert some.rare + some.n_rows == counts.n_rows
    assert (f"{some.rare} rows of rare kinds" in some.dataset().notes) == (some.rare > 0)
    for wrong, message in ((10_000, "fewer than 10000 rows"), (0, "whole number")):
        with pytest.raises(TableError, match=message):
            counts.without_rare(wrong)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.assign(y=3), "single label, '3'; two are needed$"),
        (
            lambda f: f.assign(y=np.where(f.index % 2, "EU", None)),
            "'EU'; two are needed; 30 rows are empty there, or have",
        ),
        (lambda f: f.assign(y=np.arange(len(f)) % 3), "3 labels"),
        (lambda f: f.assign(age=np.where(f.age > 70, np.inf, f.age)), "'age' holds infinite numbers"),
        (
            lambda f: f.assign(age=datetime.time(2, 30)),
            "column 'age' holds dates or times; turn it into numbers first, such as its year or a number of hours",
        ),
        (lambda f: f.assign(y=datetime.date(2020, 1, 1)), "column 'y' holds dates or times"),
        (
            lambda f: f.assign(age=pd.Timestamp("2020-01-01", tz="Europe/Berlin")),
            "column 'age' holds timestamps with a time zone",
        ),
        (lambda f: f.assign(age=datetime.date(2020, 1, 1), **{"age: year": 1}), "'age: year' is there already"),
        (lambda f: f.drop(columns="y"), "no column 'y'"),
    ],
)
def test_what_cannot_be_counted_is_said(change, message):
    table = rl.tables.open(pa.Table.from_pandas(change(people(60)), preserve_index=False))
    with pytest.raises(TableError, match=message):
        rl.tables.count(table, rl.Binarizer(thresholds=3).fit(table.features("y")), "y")


def test_files_must_agree(tmp_path):
    people(20).to_parquet(tmp_path / "a.parquet")
    people(20).astype({"age": float}).to_parquet(tmp_path / "b.parquet")
    with pytest.raises(TableError, match=r"column 'age' holds BIGINT in .*a.parquet and DOUBLE in .*b.parquet"):
        rl.tables.open(str(tmp_path / "*.parquet"))
    people(20).drop(columns="two").to_parquet(tmp_path / "b.parquet")
    with pytest.raises(TableError, match="do not have the same columns: 'two'"):
        rl.tables.open([tmp_path / "a.parquet", tmp_path / "b.parquet"])
    people(20).to_csv(tmp_path / "c.csv")
    with pytest.raises(TableError, match="files of one kind"):
        rl.tables.open([tmp_path / "a.parquet", tmp_path / "c.csv"])
    for wrong in (tmp_path / "nothing.csv", str(tmp_path / "*.tsv"), []):
        with pytest.raises(TableError, match=r"there is no file|a table is a path"):
            rl.tables.open(wrong)
    (tmp_path / "d.csv").write_bytes(b"\x00\xff\x00")
    with pytest.raises(TableError):
        rl.tables.count(rl.tables.open(tmp_path / "d.csv"), [], "y")
    with pytest.raises(TableError, match="not int"):
        rl.tables.open(3)


def test_too_many_different_values_are_refused_in_words(monkeypatch):
    monkeypatch.setattr("rulelab.tables.table.MOST_VALUES", 25)
    with pytest.raises(TableError, match=r"'city' has more than 25 different values; round it, or"):
        rl.Binarizer().fit(rl.tables.open(people()).features("y"))


def test_counts_are_mined_with_their_own_weights():
    frame = people(200).assign(w=1.5, id=range(200))
    table = rl.tables.open(frame)
    split = rl.tables.Split("id", 0.3)
    conditions = [rl.Condition("age", "<=", 40), rl.Condition("sex", "==", "f")]
    counts = rl.tables.count(table, conditions, "y", weight="w", split=split)
    with pytest.raises(TableError, match="kept out of training; take the counts' training part"):
        rl.mine_antecedents(counts)
    mined = rl.mine_antecedents(counts.training, 1)
    problem = rl.Problem.from_antecedents(mined)
    assert problem.total_weight == pytest.approx(1.5 * counts.training.n_rows)
    assert problem.n_rows == counts.training.n_rows
    with pytest.raises(ValueError, match="counts, whose rows have weights already"):
        rl.mine_antecedents(counts.training, sample_weight=counts.training.rows)
    with pytest.raises(rl.errors.ProblemError, match="counts have their own"):
        rl.Problem.from_antecedents(mined, groups=["a"] * len(counts))
    with pytest.raises(rl.errors.ProblemError, match="y is missing"):
        rl.Problem.from_antecedents(rl.mine_antecedents(counts.training.frame, 1))


@pytest.mark.parametrize("groups", [3, 40])
def test_it_is_said_what_coarsening_a_column_saves(groups, monkeypatch):
    table = rl.tables.open(people())
    binarizer = rl.Binarizer(thresholds=groups).fit(table.features("y"))
    counts = rl.tables.count(table, binarizer, "y")
    monkeypatch.setattr("rulelab.tables.counting.MOST_PATTERNS", len(counts) - 1)
    with pytest.raises(TableError, match=r"different rows .* coarsen the finest columns: ") as refused:
        rl.tables.count(table, binarizer, "y")
    pattern = r"'(\w+)' \(\d+ cuts or values, without which (\d+) of the first (\d+) kinds are left\)"
    said = re.findall(pattern, str(refused.value))
    assert len(said) == 3
    kinds = len(counts.frame.drop_duplicates())
    columns = np.array([each.column for each in counts.conditions])
    for column, left, of in said:
        assert (int(left), int(of)) == (len(counts.frame.loc[:, columns != column].drop_duplicates()), kinds)
    assert [int(left) for _, left, _ in said] == sorted(int(left) for _, left, _ in said)


def test_every_pair_of_cells_is_told_apart():
    values = [None, 1, 2, 3]
    frame = pd.DataFrame(list(itertools.product(values, values)), columns=["a", "b"]).assign(y=[0, 1] * 8)
    conditions = [rl.Condition("a", "<=", 1), rl.Condition("a", ">", 2), rl.Condition("b", "==", 2)]
    counts = rl.tables.count(rl.tables.open(pl.from_pandas(frame)), conditions, "y")
    expected = pd.DataFrame({str(c): c.evaluate(frame[c.column]) for c in conditions})
    assert sorted(map(tuple, counts.frame.to_numpy().repeat(counts.rows, axis=0).tolist())) == sorted(
        map(tuple, expected.to_numpy().tolist())
    )


def test_a_process_of_a_cluster_reads_a_part_of_a_file_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "PART_ROWS", 30)
    files = [str(tmp_path / f"{k}.parquet") for k in range(2)]
    for file, rows, group in ((files[0], 100, 10), (files[1], 40, 20)):
        pa.parquet.write_table(pa.table({"a": list(range(rows))}), file, row_group_size=group)
    assert [reading.row_groups(each) for each in (files[:1], files[1:], files)] == [3, 1, 1]
    pa.parquet.write_table(pa.table({"a": []}), files[0])
    assert reading.row_groups(files[:1]) == 30
