"""How files are written: what is guessed, that a guess looks at every row, and that doubts are said."""

from __future__ import annotations

import gzip
import warnings

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulelab.datasets import DatasetError, DatasetWarning, Reading, numerals, read, sheet

GERMAN = "Alter;Größe;Umsatz;krank\n" + "".join(
    f"{20 + k};1,{50 + k};{k + 1}.{k:03d},25;{'ja' if k % 3 else 'nein'}\n" for k in range(40)
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_german_spreadsheet_in_every_encoding(encoding: str, packed: bool) -> None:
    raw = GERMAN.encode(encoding)
    found = sheet(gzip.compress(raw) if packed else raw)
    assert found.frame.columns.tolist() == ["Alter", "Größe", "Umsatz", "krank"]
    assert found.frame["Alter"].tolist() == list(range(20, 60))
    assert found.frame["Größe"].tolist() == [float(f"1.{50 + k}") for k in range(40)]
    assert found.frame["Umsatz"].tolist() == [1000 * (k + 1) + k + 0.25 for k in range(40)]
    assert found.reading is not None
    assert (found.reading.separator, found.reading.decimal, found.reading.thousands) == (";", ",", ".")
    assert ("western European" in " ".join(found.doubts)) == (encoding in ("cp1252", "latin-1"))


@pytest.mark.parametrize(
    ("cells", "separator", "expected", "marks"),
    [
        (["1,5", "2,25"], ";", [1.5, 2.25], (",", "")),
        (["1.5", "2.25"], ";", [1.5, 2.25], (".", "")),
        (["1,234.5", "2.25"], ",", [1234.5, 2.25], (".", ",")),
        (["1.234,5", "-2"], "\t", [1234.5, -2], (",", ".")),
        (["1 234,5", "2\u00a0345"], "|", [1234.5, 2345], (",", " ")),
        (["1\u202f234.5", "2"], ";", [1234.5, 2], (".", " ")),
        (["1'234.5", "999"], ";", [1234.5, 999], (".", "'")),
        (["1,5e3", "+2"], ";", [1500, 2], (",", "")),
        (["1,234,567", "89"], ",", [1234567, 89], (".", ",")),
    ],
)
def test_marks_in_numbers(cells: list[str], separator: str, expected: list[float], marks: tuple[str, str]) -> None:
    text = f"a{separator}y\n" + "".join(f'"{cell}"{separator}{k % 2}\n' for k, cell in enumerate(cells))
    found = sheet(text.encode())
    assert found.frame["a"].tolist() == expected
    assert found.reading is not None
    assert (found.reading.decimal, found.reading.thousands) == marks


def test_numbers_with_missing_cells_and_exact_ones() -> None:
    values = [0.1 + 0.2, 1 / 3, 123456789.123456789, 1e-310]
    text = "a;b;y\n" + "".join(f"{v!r};{k};{k % 2}\n".replace(".", ",") for k, v in enumerate(values)) + ";NA;1\n"
    found = sheet(text.encode()).frame
    assert found["a"].tolist()[:-1] == values
    assert found["b"].tolist()[:-1] == [0, 1, 2, 3]
    assert found[["a", "b"]].isna().sum().tolist() == [1, 1]


def test_what_can_be_read_in_two_ways_is_said() -> None:
    both = b"a;y\n1,234;0\n5,678;1\n"
    found = sheet(both)
    assert found.frame["a"].tolist() == [1.234, 5.678]
    (doubt,) = found.doubts
    assert "'1,234' is read as 1.234" in doubt
    assert "could be 1234" in doubt
    assert sheet(both, thousands="comma").frame["a"].tolist() == [1234, 5678]
    assert sheet(both, decimal="comma").doubts == ()
    with pytest.warns(DatasetWarning, match="could be 1234"):
        read(both, "y")


def test_a_guess_looks_at_every_row() -> None:
    """The sample is right; one cell far below is not, and the column stays text, which is said."""
    rows = [f"{k},5;{k % 2}" for k in range(9000)]
    assert sheet("\n".join(["a;y", *rows]).encode()).frame["a"].tolist()[8999] == 8999.5
    rows[8990] = "unknown;0"
    found = sheet("\n".join(["a;y", *rows]).encode())
    assert found.frame["a"].iloc[3] == "3,5"
    (doubt,) = found.doubts
    assert "column 'a': it is read as text, but 100 % of its cells are numbers; the others are 'unknown'" in doubt


def test_a_decimal_comma_far_below_whole_numbers_is_found() -> None:
    rows = [f"{k};{k % 2}" for k in range(9000)]
    rows[8990] = "0,5;0"
    assert sheet("\n".join(["a;y", *rows]).encode()).frame["a"].iloc[8990] == 0.5


def test_columns_of_other_marks_than_the_file_s_are_said() -> None:
    rows = "".join(f"{k},5;{k}.5;{k},1;{k % 2}\n" for k in range(30))
    found = sheet(("a;b;c;y\n" + rows).encode())
    assert found.frame["a"].tolist()[:2] == [0.5, 1.5]
    assert found.frame["b"].tolist()[:2] == [0.5, 1.5]
    assert any("column 'b' has decimal points" in doubt for doubt in found.doubts)
    forced = sheet(("a;b;c;y\n" + rows).encode(), decimal=".", thousands="")
    assert forced.frame["a"].tolist()[0] == "0,5"
    assert any(
        "column 'a': it is read as text, but 100 % of its cells are numbers with a decimal comma" in d
        for d in forced.doubts
    )


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators_are_those_by_which_all_rows_are_alike(separator: str) -> None:
    other = ";" if separator == "," else ","
    text = f"a{other} b{other} c{separator}y\n" + f"5{separator}0\n7{separator}1\n"
    found = sheet(text.encode())
    assert found.frame.columns.tolist() == [f"a{other} b{other} c", "y"]
    assert found.doubts == ()


def test_a_separator_that_may_be_another_is_said() -> None:
    found = sheet(b"a;b,y\n1;2,0\n3;4,1\n")
    assert any("the separator may be ',' instead of ';'" in doubt or "may be ';'" in doubt for doubt in found.doubts)
    assert sheet(b"a;b,y\n1;2,0\n3;4,1\n", separator="comma").frame.columns.tolist() == ["a;b", "y"]


def test_what_is_given_overrides_what_is_guessed() -> None:
    polish = "miasto,y\nŁódź,0\nKraków,1\n".encode("cp1250")
    assert sheet(polish, encoding="cp1250").frame["miasto"].tolist() == ["Łódź", "Kraków"]
    assert sheet(polish, encoding="cp1250").doubts == ()
    with pytest.raises(DatasetError, match="is not ASCII: byte"):
        sheet(polish, encoding="ascii")
    assert sheet(b"a~y\n1~0\n", separator="~").frame.columns.tolist() == ["a", "y"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"encoding": "klingon"}, "encoding must be one that Python knows"),
        ({"encoding": "base64"}, "encoding must be one that Python knows"),
        ({"separator": "ab"}, "separator must be one character"),
        ({"separator": '"'}, "separator must be one character"),
        ({"decimal": ";"}, "decimal must be one of"),
        ({"thousands": "x"}, "thousands must be one of"),
        ({"decimal": ",", "thousands": "comma"}, "cannot both be"),
    ],
)
def test_what_cannot_be_meant_is_refused(given: dict[str, str], message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        Reading(**given).checked()
    with pytest.raises(DatasetError, match=message):
        sheet(b"a,y\n1,0\n", **given)  # type: ignore[arg-type]


def test_plain_files_raise_no_doubts() -> None:
    text = b"a,b,c,y\n" + b"".join(b"%d,%d.5,v%d,%d\n" % (k, k, k % 5, k % 2) for k in range(50))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(text, "y").X.dtypes.astype(str).tolist()[:2] == ["int64", "float64"]


MARKS = list(numerals.MARKS)


@given(
    cells=st.lists(st.text("0123456789.,' +-eE\u00a0x", max_size=8), min_size=1, max_size=4),
    marks=st.sampled_from(MARKS),
)
def test_columns_are_read_as_their_cells_are(cells: list[str], marks: tuple[str, str]) -> None:
    found = numerals.converted(pd.Series(cells), marks)
    right = [numerals._is_number(cell, marks) for cell in cells]
    assert (found is not None) == all(right)
    if found is not None:
        assert found.tolist() == [float(numerals._plain(cell, marks)) for cell in cells]
