"""How files are written: what is guessed, that a guess looks at every row, and that doubts are said."""

import datetime
import gzip
import io
import re
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import cases_beside
from test_datasets import zipped

import rulelab as rl
from rulelab.datasets import DatasetError, DatasetWarning, Reading, numerals, read, sheet

CASES = cases_beside(__file__)
GERMAN = "Alter;Größe;Umsatz;krank\n" + "".join(
    f"{20 + k};1,{50 + k};{k + 1}.{k:03d},25;{'ja' if k % 3 else 'nein'}\n" for k in range(40)
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_german_spreadsheet_in_every_encoding(encoding, packed):
    raw = GERMAN.encode(encoding)
    found = sheet(gzip.compress(raw) if packed else raw)
    assert found.frame.columns.tolist() == ["Alter", "Größe", "Umsatz", "krank"]
    assert found.frame["Alter"].tolist() == list(range(20, 60))
    assert found.frame["Größe"].tolist() == [float(f"1.{50 + k}") for k in range(40)]
    assert found.frame["Umsatz"].tolist() == [1000 * (k + 1) + k + 0.25 for k in range(40)]
    assert found.reading is not None
    assert (found.reading.separator, found.reading.decimal, found.reading.thousands) == (";", ",", ".")
    assert ("western European" in " ".join(found.doubts)) == (encoding in ("cp1252", "latin-1"))


@pytest.mark.parametrize(("cells", "separator", "expected", "marks"), CASES["marks"])
def test_marks_in_numbers(cells, separator, expected, marks):
    text = f"a{separator}y\n" + "".join(f'"{cell}"{separator}{k % 2}\n' for k, cell in enumerate(cells))
    found = sheet(text.encode())
    assert found.frame["a"].tolist() == expected
    assert found.reading is not None
    assert [found.reading.decimal, found.reading.thousands] == marks


def test_numbers_with_missing_cells_and_exact_ones():
    values = [0.1 + 0.2, 1 / 3, 123456789.123456789, 1e-310]
    text = "a;b;y\n" + "".join(f"{v!r};{k};{k % 2}\n".replace(".", ",") for k, v in enumerate(values)) + ";NA;1\n"
    found = sheet(text.encode()).frame
    assert (found["a"].tolist()[:-1], found["b"].tolist()[:-1]) == (values, [0, 1, 2, 3])
    assert found[["a", "b"]].isna().sum().tolist() == [1, 1]


def test_what_can_be_read_in_two_ways_is_said():
    both = b"a;y\n1,234;0\n5,678;1\n"
    found = sheet(both)
    assert found.frame["a"].tolist() == [1.234, 5.678]
    (doubt,) = found.doubts
    assert all(each in doubt for each in ("'1,234' is read as 1.234", "could be 1234"))
    assert sheet(both, thousands="comma").frame["a"].tolist() == [1234, 5678]
    assert sheet(both, decimal="comma").doubts == ()
    with pytest.warns(DatasetWarning, match="could be 1234"):
        read(both, "y")


def test_a_guess_looks_at_every_row():
    """The sample is right; one cell far below is not, and the column stays text, which is said."""
    rows = [f"{k},5;{k % 2}" for k in range(9000)]
    assert sheet("\n".join(["a;y", *rows]).encode()).frame["a"].tolist()[8999] == 8999.5
    rows[8990] = "unheard of;0"
    found = sheet("\n".join(["a;y", *rows]).encode())
    assert found.frame["a"].iloc[3] == "3,5"
    (doubt,) = found.doubts
    assert "column 'a': it is read as text, but 100 % of its cells are numbers; the others are 'unheard of'" in doubt


def test_columns_of_other_marks_than_the_file_s_are_said():
    rows = "".join(f"{k},5;{k}.5;{k},1;{k % 2}\n" for k in range(30))
    found = sheet(("a;b;c;y\n" + rows).encode())
    assert (found.frame["a"].tolist()[:2], found.frame["b"].tolist()[:2]) == ([0.5, 1.5], [0.5, 1.5])
    assert any("column 'b': has decimal points" in doubt for doubt in found.doubts)
    forced = sheet(("a;b;c;y\n" + rows).encode(), decimal=".", thousands="")
    assert forced.frame["a"].tolist()[0] == "0,5"
    assert any(
        "column 'a': it is read as text, but 100 % of its cells are numbers with a decimal comma" in d
        for d in forced.doubts
    )


def test_a_separator_that_may_be_another_is_said():
    found = sheet(b"a;b,y\n1;2,0\n3;4,1\n")
    assert any("the separator may be ',' instead of ';'" in doubt or "may be ';'" in doubt for doubt in found.doubts)
    assert sheet(b"a;b,y\n1;2,0\n3;4,1\n", separator="comma").frame.columns.tolist() == ["a;b", "y"]


def test_what_is_given_overrides_what_is_guessed():
    polish = "miasto,y\nŁódź,0\nKraków,1\n".encode("cp1250")
    assert sheet(polish, encoding="cp1250").frame["miasto"].tolist() == ["Łódź", "Kraków"]
    assert sheet(polish, encoding="cp1250").doubts == ()
    with pytest.raises(DatasetError, match="is not ASCII: byte"):
        sheet(polish, encoding="ascii")
    assert sheet(b"a~y\n1~0\n", separator="~").frame.columns.tolist() == ["a", "y"]


@pytest.mark.parametrize(("given", "message"), CASES["refused"])
def test_what_cannot_be_meant_is_refused(given, message):
    with pytest.raises(DatasetError, match=message):
        Reading(**given).checked()
    with pytest.raises(DatasetError, match=message):
        sheet(b"a,y\n1,0\n", **given)  # type: ignore[arg-type]


def test_plain_files_raise_no_doubts():
    text = b"a,b,c,y\n" + b"".join(b"%d,%d.5,v%d,%d\n" % (k, k, k % 5, k % 2) for k in range(50))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(text, "y", excluded=()).X.dtypes.astype(str).tolist()[:2] == ["int64", "float64"]


MARKS = list(numerals.MARKS)


@given(
    cells=st.lists(st.text("0123456789.,' +-eE\u00a0x", max_size=8), min_size=1, max_size=4),
    marks=st.sampled_from(MARKS),
)
def test_columns_are_read_as_their_cells_are(cells, marks):
    found = numerals.converted(pd.Series(cells), marks)
    right = [numerals.is_number(cell, marks) for cell in cells]
    assert (found is not None) == all(right)
    if found is not None:
        assert found.tolist() == [float(numerals.as_python_writes(cell, marks)) for cell in cells]


TABLES = {name: head + 4 * rows for name, (head, rows) in CASES["tables"].items()} | {
    "codes of one length": "a,zip,y\n" + "1,02139,1\n2,90210,0\n" * 4 + "3,10001,0\n" * 90,
    "hardly a code": "a,z,y\n" + "1,05,1\n" + "2,17,0\n3,4,1\n" * 20,
    "no header": "".join(f"{k % 7},{k * 3},x,{k % 2}\n" for k in range(20)),
}


def plainly(values: pd.Series) -> list[object]:
    return ["" if pd.isna(v) else v if isinstance(v, bool | str) else float(v) for v in values.astype(object)]


@pytest.mark.few(4)
@pytest.mark.parametrize("name", TABLES)
def test_a_file_is_the_same_table_in_memory_and_where_it_is_counted(name, tmp_path):
    """Names, cells, what is missing, doubts, classes, and the conditions of its columns."""
    (tmp_path / "t.csv").write_text(TABLES[name], encoding="utf-8", newline="")
    here, there = sheet(tmp_path / "t.csv"), rl.tables.open(tmp_path / "t.csv")
    counted = there.frame.collect().to_pandas()
    assert list(counted.columns) == list(here.frame.columns)
    dates = [column.name for column in here.columns if column.type in ("date", "time")]
    for column in counted.columns.drop(dates):  # rows are counted in any order
        assert sorted(map(repr, plainly(counted[column]))) == sorted(map(repr, plainly(here.frame[column]))), column
    assert there.doubts == tuple(doubt for doubt in here.doubts if "as text, but" not in doubt)
    target = here.target or here.frame.columns[-1]
    data = here.dataset(target)
    binarizer = rl.Binarizer().fit(there.features(target))
    assert binarizer.conditions_ == rl.Binarizer().fit(data.X).conditions_
    counts = rl.tables.count(there, binarizer, target)
    assert (counts.positive, counts.negative, counts.n_rows) == (data.positive, data.negative, len(data.y))
    rows = binarizer.transform(data.X).assign(y=data.y.to_numpy())
    kinds = counts.frame.assign(y=counts.label.to_numpy()).loc[counts.rows.index.repeat(counts.rows)]
    assert sorted(map(tuple, rows.to_numpy().tolist())) == sorted(map(tuple, kinds.to_numpy().tolist()))
    for dated in dates:
        assert any(str(condition).startswith(f"{dated}: ") for condition in binarizer.conditions_)
        assert rl.Binarizer().fit(there.features(target, dates="ignore")).conditions_ == tuple(
            condition for condition in binarizer.conditions_ if condition.column.rpartition(": ")[0] not in dates
        )


def test_the_index_that_pandas_saves_is_no_feature(tmp_path):
    pd.DataFrame({"a": np.arange(40) % 3, "y": np.arange(40) % 2}).to_csv(tmp_path / "t.csv")
    here, there = sheet(tmp_path / "t.csv"), rl.tables.open(tmp_path / "t.csv")
    assert here.doubts == there.doubts == ("the first column has no name and is called 'index'",)
    assert list(here.dataset("y").X.columns) == ["a"]
    assert here.roles("y") == {"index": "ignore", "a": "feature", "y": "target"}


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("a;größe\n1;2\n".encode("utf-16"), "is written in utf-16; rows are counted in UTF-8: save it so"),
        ("a;größe\n1;2\n".encode("cp1252"), "is written in cp1252; rows are counted in UTF-8: save it so"),
        (b'a,"b\nc",y\r\n1,2,0\r\n2,3,1\r\n', "are line breaks within cells others than those between rows"),
    ],
)
def test_what_memory_reads_and_counting_does_not_is_said(raw, message, tmp_path):
    (tmp_path / "t.csv").write_bytes(raw)
    assert len(sheet(raw).frame)
    with pytest.raises(rl.tables.TableError, match=message):
        rl.tables.open(tmp_path / "t.csv")


@pytest.mark.parametrize(("given", "expected"), CASES["missing"])
def test_what_is_missing_can_be_said(given, expected):
    raw = b"r,y\nNA,0\nEU,1\n?,1\n-,0\n"
    cells = sheet(raw, **given).frame["r"].astype(object)
    expected = expected if given else [None, *expected[1:]]
    assert cells.where(cells.notna(), None).tolist() == expected


@pytest.mark.parametrize("mark", ["k.A.", "N/D", "#NV", "weiß nicht", "Prefer not to say", "(leer)", "n. v.", "…"])
def test_words_for_nothing_are_empty_among_numbers(mark):
    """However many there are; others are named, with what to do."""
    text = "a,b,y\n" + "".join(f"{k if k % 3 else mark},{k if k % 3 else 'odd'},{k % 2}\n" for k in range(60))
    found = sheet(text.encode())
    assert found.frame["a"].isna().sum() == 20
    assert found.doubts[0].endswith(f"its other cells are numbers, so that these are read as empty: {mark!r} 20")
    assert found.doubts[1].endswith(
        "66.7 % of its cells are numbers; the others are 'odd'; name them as missing if they are"
    )
    assert sheet(text.encode(), missing="odd").frame["b"].isna().sum() == 20


def test_a_target_whose_labels_are_words_for_nothing_is_told_how_to_be_kept():
    raw = b"a,region\n1,NA\n2,EU\n3,NA\n4,EU\n"
    with pytest.raises(DatasetError, match=r"'NA' in 2 rows is read as empty; missing='' .* keeps it"):
        read(raw, "region")
    assert read(raw, "region", "NA", missing="").y.tolist() == [1, 0, 1, 0]


def test_lines_above_and_a_header_can_be_said():
    raw = b"x,y\n1,0\n2,1\n3,1\n4,0\n"
    assert sheet(raw, header="no").frame.shape == (5, 2)
    assert list(sheet(raw, skip=1, header=True).frame.columns) == ["1", "0"]
    for wrong, message in (
        ({"skip": "x"}, "skip must be"),
        ({"header": "maybe"}, "header must be"),
        ({"skip": 9}, "fewer"),
    ):
        with pytest.raises(DatasetError, match=message):
            sheet(raw, **wrong)
    years = b"2019,2020,2021\n2018,7,1\n2019,8,0\n2020,9,1\n"
    assert list(sheet(years).frame.columns) == ["2019", "2020", "2021"], "numbers in a row are names"


def workbook(*sheets: list[list[object]]) -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for rows, page in zip(sheets, [book.active, *(book.create_sheet() for _ in sheets[1:])], strict=True):
        for row in rows:
            page.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_the_first_sheet_of_a_workbook_is_read_as_a_csv_file_is():
    days = [datetime.datetime(2024, 1, 1 + k, 5 * (k % 2)) for k in range(12)]
    rows = [[k, days[k], f"${k + 1},200", k % 2 == 0, "ja" if k % 3 else "nein"] for k in range(12)]
    found = sheet(workbook([["Report"], [], ["a", "when", "money", "flag", "y"], *rows], [["x"]]), name="b.xlsx")
    assert {c.name: c.type for c in found.columns} == {
        "a": "number",
        "when": "date",
        "money": "number",
        "flag": "yes or no",
        "y": "category",
    }
    assert found.dataset("y").X["when: hour"].tolist() == [0, 5] * 6
    assert "of 2 sheets the first one, 'Sheet', is read" in found.doubts
    at = [datetime.time(k, 30) for k in range(12)]
    took = [datetime.timedelta(days=k % 3, minutes=90) for k in range(12)]
    cells = zip(["at", *at], ["took", *took], ["y", *[0, 1] * 6], strict=True)
    times = sheet(workbook([list(row) for row in cells])).dataset("y")
    assert times.X["at: hours"].tolist() == [k + 0.5 for k in range(12)]
    assert times.X["took: hours"].tolist() == [24 * (k % 3) + 1.5 for k in range(12)]
    assert times.notes == "times ('at', 'took') are given in hours"
    with pytest.raises(DatasetError, match="more than the limit of 20"):
        sheet(workbook([["a", "y"], *([k, k % 2] for k in range(40))]), max_cells=20)


def test_what_a_workbook_does_not_say_is_said():
    """Formulas that were never computed, cells that are merged, and names in two rows."""
    openpyxl = pytest.importorskip("openpyxl")
    rows = [[k // 6, f"=A{k + 2}*2", k % 5, k % 2] for k in range(12)]
    assert sheet(workbook([["a", "b", "c", "y"], *rows])).doubts == (
        "12 cells hold formulas whose value is not in the file, and are read as empty: "
        "open it in Excel and save it again",
    )
    book = openpyxl.load_workbook(io.BytesIO(workbook([["Title"], ["g", "y"], *([k, k % 2] for k in range(12))])))
    book.active.merge_cells("A1:B1")
    assert book_doubts(book) == ("above the table 'Title' is skipped",)
    book.active.merge_cells("A3:A8")
    said = "cells are merged with those below: the first of them has the value, the others are empty"
    assert book_doubts(book) == (said, "above the table 'Title' is skipped")
    with pytest.raises(DatasetError, match=r"column 2 has no name \(if names stand in a row below, skip those above\)"):
        sheet(workbook([["Person", None, "Outcome"], ["age", "sex", "y"], [1, 2, 3]]))


def book_doubts(book) -> tuple[str, ...]:
    out = io.BytesIO()
    book.save(out)
    return sheet(out.getvalue()).doubts


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:Cell:UserWarning")
def test_a_damaged_workbook_is_refused_in_words_whatever_is_damaged():
    """Each part is left out, is empty, is cut and has other attributes: read, or refused; no other error."""
    raw = workbook([["a", "when", "f", "y"], *([k, datetime.datetime(2024, 1, 1 + k), "=A1", "x"] for k in range(12))])
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    refused = 0
    for name, part in parts.items():
        others = [None, b"", part[: len(part) // 2]]
        others += [re.sub(rb'"[^"]*"', wrong, part) for wrong in (b'""', b'"-1"', b'"x"', b'"1e400"')]
        others += [re.sub(rb">[^<]+<", wrong, part) for wrong in (b"><", b">-1<", b">1e400<", b">99999999<")]
        for other in others:
            damaged = {**parts, name: other}
            try:
                sheet(zipped(**{key: content for key, content in damaged.items() if content is not None}))
            except DatasetError:
                refused += 1
    assert refused > len(parts)


def test_a_zip_file_of_one_table_is_read_and_others_are_refused_in_words_that_help():
    raw = b"a,y\n1,0\n2,1\n"
    assert sheet(zipped(a=raw, **{"__MACOSX/a": b"x"}), max_cells=10).frame.shape == (2, 2)
    for wrong, message in (
        (zipped(a=raw, b=raw), r"holds 2 files \('a', 'b'\); give the one to be read"),
        (zipped(a=b" " * 50_000_000), "unpacks to more than"),
        (zipped(mimetype=b"ods", a=raw), "OpenDocument file.* save the table as one of these"),
        (b"PK\3\4" + b"x" * 50, "this zip file cannot be opened: it is damaged or has a password; make it anew"),
        (b"\xd0\xcf\x11\xe0" + "EncryptedPackage".encode("utf-16-le"), "this workbook cannot be opened: it is damaged"),
        (b"\xd0\xcf\x11\xe0" + b"x" * 50, "old Excel workbook, .* save the table as one of these"),
        (zipped(a=b"\x89PNG\r\n\x1a\n\0\0"), r"is a PNG picture; what is read is CSV \(also in gzip or zip\), Excel"),
    ):
        with pytest.raises(DatasetError, match=message):
            sheet(wrong, max_cells=10)


def test_sums_and_columns_of_the_same_cells_are_doubted():
    rows = "".join(f"r{k % 7},{k % 5},{k % 5},{k % 2}\n" for k in range(30))
    found = sheet(("name,a,b,y\n" + rows + "Total,3,3,1\n").encode())
    assert "column 'b': it has the same cells as 'a'" in found.doubts
    assert "the last row begins with 'Total': is it a sum? Remove it" in found.doubts
    assert sheet(("name,a,b,y\n" + rows.replace(",4,4,", ",4,3,")).encode()).doubts == ()


def test_lines_above_the_table_may_hold_the_separator():
    table = "x,q,y\n" + "".join(f"{k % 7},{k % 3},{'yes' if k % 2 else 'no'}\n" for k in range(12))
    read = rl.datasets.sheet(f"Report 2024, all\nmade by us\n\n{table}".encode())
    assert (list(read.frame.columns), len(read.frame)) == (["x", "q", "y"], 12)
    assert read.doubts == ("above the table 'Report 2024', 'made by us' is skipped",)
    for head in ("x,q\n", "x,q\n1,2\n"):  # what follows names no columns
        with pytest.raises(rl.datasets.DatasetError, match="the header has 2 columns"):
            rl.datasets.sheet((head + table.partition("\n")[2]).encode())
