"""A table before it is used: types, guessed roles with reasons, leaks, dates, rows without a target, weights."""

import datetime
import io
import warnings

import numpy as np
import pandas as pd
import pytest
from places import cases_beside

import rulelab as rl
from rulelab.datasets import DatasetError, from_frame, sheet
from rulelab.datasets.sheet import PREVIEW_ROWS

CASES = cases_beside(__file__)
ROWS = 60


@pytest.fixture
def frame():
    random = np.random.default_rng(0)
    ill = random.random(ROWS) < 0.4
    return pd.DataFrame(
        {
            "patient_id": random.permutation(10_000)[:ROWS],
            "row": np.arange(1, ROWS + 1),
            "code": [f"P-{k:04d}" for k in range(ROWS)],
            "remark": [f"the patient said number {k} and left" for k in range(ROWS)],
            "sex": np.where(random.random(ROWS) < 0.5, "f", None),
            "age": random.integers(20, 30, ROWS),
            "smoker": random.random(ROWS) < 0.5,
            "country": "DE",
            "nothing": np.nan,
            "seen": [f"2024-{1 + k % 12:02d}-{1 + k % 28:02d}" for k in range(ROWS)],
            "therapy": np.where(ill, "drug", "none"),
            "dose": np.where(ill, 5.0, 1.0) + random.random(ROWS),
            "sample_weight": random.integers(1, 4, ROWS),
            "ill": np.where(ill, "yes", "no"),
        }
    )


def as_csv(frame: pd.DataFrame) -> bytes:
    return frame.to_csv(index=False).encode()


@pytest.mark.parametrize("write", [as_csv, pd.DataFrame.to_parquet])
def test_every_column_is_named_for_what_it_is(frame, write):
    found = sheet(write(frame))
    for column in found.columns:
        kind, role, reason = CASES["columns"][column.name]
        assert (column.type, column.role) == (kind, role), column.name
        assert reason in column.reason
        assert column.missing == frame[column.name].isna().sum()
        assert column.distinct == frame[column.name].nunique()
    assert (found.target, found.labels("ill")) == ("ill", frame["ill"].value_counts().to_dict())
    assert (found.labels("patient_id"), found.preview().shape) == ({}, (PREVIEW_ROWS, len(frame.columns)))


def test_columns_that_determine_the_target_are_named_with_the_evidence(frame):
    found = sheet(as_csv(frame))
    leaks = found.leaks("ill")
    assert set(leaks) == {"therapy", "dose"}
    assert leaks["therapy"] == "each of its 2 values goes with one class"
    assert leaks["dose"].startswith("the cut at ")
    assert found.summary().loc["therapy", "notes"].startswith("leak? each of")
    assert found.leaks("patient_id") == {}, "not a target of few classes"


def test_a_leak_may_be_wrong_on_few_rows_and_lie_in_what_is_missing():
    n = 2000
    y = np.arange(n) % 2
    values = np.where(y == 1, "a", "b").astype(object)
    values[:5] = "a"
    frame = pd.DataFrame({"near": values, "when": np.where(y == 1, 3.5, np.nan), "noise": np.arange(n) % 7, "y": y})
    leaks = sheet(as_csv(frame)).leaks("y")
    each = "each of its 2 values goes with one class, but for 3 of 2000 rows"
    assert leaks["near"] == f"alone gets 99.8 % right (majority 50 %): {each}"
    assert set(leaks) == {"near", "when"}
    values[:220] = "a"  # more than a tenth of the errors of the majority
    assert "near" not in sheet(as_csv(frame.assign(near=values))).leaks("y")


def test_no_leak_of_the_rarer_class_alone():
    """Ninety-nine right rows of a hundred are no evidence where ninety-nine are of one class."""
    y = np.zeros(1000, dtype=int)
    y[:10] = 1
    frame = pd.DataFrame({"a": np.arange(1000) % 4, "y": y})
    assert sheet(as_csv(frame)).leaks("y") == {}


DATES = [datetime.date(*day) for day in ((2023, 12, 30), (2024, 2, 29), (2024, 11, 1), (2025, 1, 17))]
FORMS = ["%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%d %b %Y", "%Y-%m-%dT%H:%M:%S"]


@pytest.mark.parametrize("form", FORMS)
def test_dates_become_year_month_and_weekday(form):
    cells = [date.strftime(form) for date in DATES]
    text = "day;y\n" + "".join(f"{cell};{k % 2}\n" for k, cell in enumerate(cells)) + ";0\n"
    found = sheet(text.encode())
    assert found.doubts == ()
    data = found.dataset("y")
    assert data.X["day: year"].tolist()[:4] == [2023, 2024, 2024, 2025]
    assert data.X["day: month"].tolist()[:4] == [12, 2, 11, 1]
    assert data.X["day: weekday"].tolist()[:4] == ["Saturday", "Thursday", "Friday", "Friday"]
    assert data.X.isna().all(axis=1).tolist() == [False] * 4 + [True]
    assert "dates ('day') are given as year, month, weekday" in data.notes
    assert rl.Binarizer().fit_transform(data.X).shape[1] > 0


def test_dates_of_parquet_files_are_dates_too():
    kinds = {
        "dates": DATES,
        "stamps": pd.to_datetime(pd.Series(DATES)),
        "zoned": pd.to_datetime(pd.Series(DATES)).dt.tz_localize("Europe/Berlin"),
    }
    data = sheet(pd.DataFrame({**kinds, "y": [0, 1, 0, 1]}).to_parquet()).dataset("y")
    for name in kinds:
        assert data.X[f"{name}: month"].tolist() == [12, 2, 11, 1]


def test_hours_of_timestamps_times_and_durations_are_features():
    frame = pd.DataFrame(
        {
            "stamp": pd.to_datetime(["2024-01-05 05:00", "2024-01-06 23:10"]),
            "time": [datetime.time(3, 30), datetime.time(4)],
            "lasted": pd.to_timedelta(["1h", "90min"]),
            "y": [0, 1],
        }
    )
    found = sheet(frame.to_parquet()).dataset("y").X
    assert (found["stamp: hour"].tolist(), found["time: hours"].tolist()) == ([5, 23], [3.5, 4.0])
    assert found["lasted: hours"].tolist() == [1.0, 1.5]
    of_texts = sheet(b"t,a,y\n2024-01-05 05:00:00,1,0\n2024-01-06 23:10:00,2,1\n").dataset("y").X
    assert of_texts["t: hour"].tolist() == [5, 23]


def test_that_numbers_are_compared_without_their_units_goes_with_the_data():
    text = "pay,rate,n,y\n" + "".join(f'"${k},200",{k % 7}%,{k % 5},{k % 2}\n' for k in range(30))
    found = sheet(text.encode())
    assert found.dataset("y").notes == "rules compare the numbers of pay ($), rate (%) without the units"
    assert found.dataset("y", excluded=["pay"]).notes == "rules compare the numbers of rate (%) without the units"
    assert found.dataset("y", excluded=["pay", "rate"]).notes == ""


def test_dates_can_be_ignored_and_left_out():
    found = sheet(b"day,a,y\n2024-01-05,1,0\n2024-02-06,2,1\n")
    assert found.dataset("y", dates="ignore").X.columns.tolist() == ["a"]
    assert found.dataset("y", excluded=["day"]).X.columns.tolist() == ["a"]
    with pytest.raises(DatasetError, match="dates must be one of 'parts', 'ignore'"):
        found.dataset("y", dates="years")
    with pytest.raises(DatasetError, match="no column is left"):
        sheet(b"y,day\n0,2024-01-05\n1,2024-02-06\n").dataset("y", dates="ignore")
    with pytest.raises(DatasetError, match="'day: year' is there already"):
        sheet(b"day,day: year,y\n2024-01-05,1,0\n2024-02-06,2,1\n").dataset("y")


def test_day_or_month_first_is_said_where_both_are_possible():
    found = sheet(b"day,y\n01/02/2024,0\n03/04/2024,1\n")
    (doubt,) = found.doubts
    assert "'01/02/2024' is read with the day first; it could be the month" in doubt
    assert sheet(b"day,y\n01/02/2024,0\n03/24/2024,1\n").doubts == ()


def test_rows_without_a_target_are_counted():
    raw = b"a,y\n1,0\n2,\n3,1\n4,\n5,1\n"
    data = sheet(raw).dataset("y", drop_missing_target=True)
    assert (data.X["a"].tolist(), data.y.tolist()) == ([1, 3, 5], [0, 1, 1])
    assert data.notes == "2 of 5 rows have no target and are left out"
    with pytest.raises(DatasetError, match="missing in rows 2, 4"):
        sheet(raw).dataset("y")
    with pytest.raises(DatasetError, match="missing in every row"):
        sheet(b"a,y\n1,\n2,\n").dataset("y", drop_missing_target=True)


def test_weights_are_no_feature_and_checked():
    raw = b"a,w,y\n1,2,0\n2,0,1\n3,1.5,1\n"
    data = rl.datasets.read(raw, "y", weight="w")
    assert data.weight is not None
    assert (data.weight.tolist(), data.X.columns.tolist()) == ([2, 0, 1.5], ["a"])
    assert "weighted by: w" in data.summary()
    for cells, message in [
        ("2,-1,1", "row 2"),
        ("2,,1", "row 2"),
        ("x,y,z", "no numbers"),
        ("0,0,0", "0 in every row"),
    ]:
        frame = pd.read_csv(io.StringIO("w\n" + cells.replace(",", "\n") + "\n"), skip_blank_lines=False)
        with pytest.raises(DatasetError, match=message):
            from_frame(frame.assign(a=[1, 2, 3], y=[0, 1, 1]), "y", weight="w")


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"excluded": ["y"]}, "is the target"), ({"weight": "y"}, "is the target"),
        ({"weight": "w", "excluded": ["w"]}, "holds the weights"),
        ({"weight": "w", "sensitive": ["w"]}, "holds the weights"), ({"weight": "ww"}, "no weight column 'ww'"),
    ],
)  # fmt: skip
def test_roles_that_exclude_each_other(roles, message):
    with pytest.raises(DatasetError, match=message):
        sheet(b"a,w,y\n1,2,0\n2,1,1\n").dataset("y", **roles)


def test_an_excluded_column_may_hold_anything():
    data = from_frame(pd.DataFrame({"a": [1, 2], "b": [np.inf, 0.0], "y": [0, 1]}), "y", excluded=["b"])
    assert data.X.columns.tolist() == ["a"]


def test_a_measurement_that_is_nearly_right_is_no_leak_and_neither_is_one_of_chance():
    """The flower of the iris is told by how wide it is; a single positive row is the largest of something."""
    n = 150
    y = np.arange(n) // 50
    wide = 1 + y * 10 + np.arange(n) % 7
    wide[[60, 70, 80, 110, 120, 130]] = [24, 25, 24, 13, 14, 13]  # 6 of 100 that are not of the commonest class
    codes = np.where(wide > 20, 2, np.where(wide > 10, 1, 0))
    frame = pd.DataFrame({"wide": wide, "code": codes, "kind": np.array(["a", "b", "c"])[y]})
    leaks = sheet(as_csv(frame)).leaks("kind")
    assert set(leaks) == {"code"}, "in as many values as there are classes"
    assert leaks["code"].startswith("alone gets 96.0 % right (majority 33.3 %): each of its 3 values")
    rare = pd.DataFrame({"size": np.arange(n) * 1.5, "y": np.arange(n) >= n - 1})
    assert sheet(as_csv(rare)).leaks("y") == {}
    rare["y"] = rare["size"] > 150
    assert sheet(as_csv(rare)).leaks("y") == {"size": "the cut at 150.0 separates the classes"}


def test_categories_in_an_order_are_cut_along_it():
    grade = pd.Categorical(["low", "mid", "high"] * 10, ["low", "mid", "high"], ordered=True)
    frame = pd.DataFrame({"grade": grade, "kind": pd.Categorical(list(grade)[::-1]), "y": [0, 1] * 15})
    made = sheet(frame.to_parquet()).dataset("y", 1)
    assert "categories in an order ('grade') are given by the levels that a cell is at most" in made.notes
    assert made.X.columns.tolist() == ["grade: at most low", "grade: at most mid", "kind"]
    assert made.X["grade: at most mid"].tolist() == [True, True, False] * 10
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "not grade: at most mid" in map(str, rl.Binarizer().fit(made.X).conditions_)


@pytest.mark.parametrize("text", [False, True])
def test_that_a_column_is_filled_may_give_the_positive_class_away(text):
    """Of a column of texts or numbers, most of them missing, and of one class of three."""
    n = 400
    y = np.where(np.arange(n) % 4 == 0, "churned", np.where(np.arange(n) % 4 == 1, "kept", "new"))
    filled = (y == "churned") ^ (np.arange(n) < 2)
    reason = pd.Series([f"reason {k}" if text else str(k) for k in range(n)]).where(filled)
    found = sheet(as_csv(pd.DataFrame({"reason": reason, "a": np.arange(n) % 7, "y": y})))
    leaks = found.leaks("y", "churned")
    assert set(leaks) == {"reason"}
    assert leaks["reason"].startswith(
        "alone gets 99.5 % right (majority 75 %): cells that are filled go with one class"
    )
    assert found.leaks("y") == {}, "of all three classes it tells one"


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("labels", "rows", "expected"), CASES["positive"])
def test_the_positive_class_means_yes_or_is_the_rarer_one(labels, rows, expected, turned):
    """In every door, and in whichever order the labels come."""
    cells = [label for label, n in zip(labels, rows, strict=True) for _ in range(n)]
    frame = pd.DataFrame({"a": np.arange(10) % 3, "y": cells[:: -1 if turned else 1]})
    assert from_frame(frame, "y").positive == expected
    assert str(rl.datasets.read(as_csv(frame), "y").positive) == str(expected)
    assert f"positive class {expected}" in sheet(as_csv(frame)).summary("y").loc["y", "notes"]
    conditions = rl.Binarizer().fit(rl.tables.open(frame).features("y"))
    assert rl.tables.count(rl.tables.open(frame), conditions, "y").positive == expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["Gender", "amount", "Defaulted"], "Defaulted"), (["Defaulted", "amount", "Gender"], "Defaulted"),
        (["applicantSex", "amount", "result_x"], "result_x"), (["churned", "amount", "active"], "churned"),
        (["active", "amount", "Geschlecht"], "active"), (["race", "amount", "edad"], None),
    ],
)  # fmt: skip
def test_the_target_is_guessed_by_names_and_is_never_protected(names, expected):
    columns = [np.arange(60) % 2, np.arange(60) % 37, np.where(np.arange(60) % 3, "no", "yes")]
    assert sheet(as_csv(pd.DataFrame(dict(zip(names, columns, strict=True))))).target == expected


def test_a_last_column_of_three_classes_is_preferred_to_one_of_two_values_before_it():
    grades = pd.DataFrame({"gender": ["f", "m"] * 30, "active": [0, 1] * 30, "grade": ["low", "mid", "high"] * 20})
    found = sheet(as_csv(grades))
    assert found.target == "grade"
    assert found.roles("active") == {"gender": "sensitive", "active": "target", "grade": "feature"}


@pytest.mark.parametrize("word", ["unknown", "Unbekannt", "?", "n.a.", "(missing)"])
def test_rows_whose_target_is_unknown_are_left_out_or_negative_and_counted(word):
    frame = pd.DataFrame({"a": np.arange(60) % 7, "y": (["Yes", "No", "No", word] * 15)})
    found = sheet(as_csv(frame))
    assert (found.target, found.columns[1].reason) == ("y", "by its name, and of two classes, and what is not known")
    for data in (found.dataset("y"), from_frame(frame, "y", "Yes"), rl.datasets.read(as_csv(frame), "y")):
        assert (len(data.y), data.positive, data.negative) == (45, "Yes", "No")
        assert f"15 of 60 rows, whose y is {word!r}, are left out" in data.notes
    table = rl.tables.open(frame)
    for unknown, rows in (("leave out", 45), ("negative", 60)):
        conditions = rl.Binarizer().fit(table.features("y", unknown=unknown))
        counts = rl.tables.count(table, conditions, "y", "Yes", unknown=unknown)
        assert (counts.n_rows, counts.without_target) == (rows, 60 - rows)
        for data in (found.dataset("y", "Yes", unknown=unknown), found.dataset("y", unknown=unknown)):
            assert (len(data.y), data.positive, int(data.y.sum())) == (rows, "Yes", 15)
        assert rl.tables.count(table, conditions, "y", unknown=unknown).positive == "Yes"
    with pytest.raises(DatasetError, match="unknown must be one of"):
        found.dataset("y", unknown="maybe")


def test_protected_columns_are_groups_and_no_features_unless_they_are_kept():
    frame = pd.DataFrame(
        {"a": np.arange(60) % 7, "Geschlecht": ["w", "m"] * 30, "age": np.arange(60) % 59, "y": [0, 0, 1] * 20}
    )
    for data in (from_frame(frame, "y"), rl.datasets.read(as_csv(frame), "y")):
        assert (list(data.X), list(data.sensitive)) == (["a", "age"], ["Geschlecht"])
        assert "sensitive by name: 'Geschlecht', not for rules unless kept" in data.notes
    assert "Geschlecht" in from_frame(frame, "y", keep_sensitive=True).X
    assert from_frame(frame, "y", sensitive=()).sensitive is None
    assert list(from_frame(frame[["Geschlecht", "y"]], "y").X) == ["Geschlecht"], "else nothing is left"


def test_columns_that_number_the_rows_are_no_features_unless_they_are_kept():
    """By their names or from 0 or 1 without a gap, in whatever order; where no other column is left they stay."""
    n = 40
    row, code, age = np.arange(n)[::-1], np.arange(n) * 7, np.arange(n) * 3
    frame = pd.DataFrame({"row": row, "PassengerId": code, "age": age, "y": np.arange(n) % 2})
    found = sheet(as_csv(frame))
    assert found.dataset("y").X.columns.tolist() == ["age"]
    assert found.dataset("y").notes == "identifiers ('row', 'PassengerId') are left out"
    assert found.dataset("y", excluded=()).X.columns.tolist() == ["row", "PassengerId", "age"]
    assert found.dataset("y", excluded="age").X.columns.tolist() == ["row", "PassengerId"]
    assert found.dataset("y", weight="row").X.columns.tolist() == ["age"]
    assert sheet(as_csv(frame[["row", "y"]])).dataset("y").X.columns.tolist() == ["row"]
    assert sheet(as_csv(frame.assign(row=row + 1990))).dataset("y").X.columns.tolist() == ["row", "age"]
    assert sheet(as_csv(frame[:20])).dataset("y").X.columns.tolist() == ["row", "PassengerId", "age"]
    table = rl.tables.open(frame)
    assert (table.identifiers("y"), table.identifiers("y", "age")) == (["row", "PassengerId"], [])
    assert rl.tables.open(frame.assign(PassengerId=code // 14)).identifiers("y") == ["row"]
    assert rl.tables.open(frame.assign(row=pd.array([None, *row[1:]], "Int64"))).identifiers("y") == ["PassengerId"]
