"""Reading a user's CSV and Parquet files: what is accepted, and that every fault is named with its place."""

import gzip
import io

import numpy as np
import pandas as pd
import pytest
from places import cases_beside

from rulelab.datasets import DatasetError, from_frame, read, sheet

CASES = cases_beside(__file__)
CSV = b"age,sex,ill\n40,f,yes\n50,m,no\n60,m,yes\n"


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_read_files(tmp_path, name):
    frame = pd.read_csv(io.BytesIO(CSV))
    contents = {"t.csv": CSV, "t.csv.gz": gzip.compress(CSV), "t.parquet": frame.to_parquet()}[name]
    (tmp_path / name).write_bytes(contents)
    for source in (tmp_path / name, str(tmp_path / name), contents, io.BytesIO(contents)):
        d = read(source, target="ill", sensitive=["sex"])
        assert d.X.to_dict("list") == {"age": [40, 50, 60]}
        assert (d.y.tolist(), d.y.name, d.y.dtype) == ([1, 0, 1], "ill", np.dtype("int64"))
        assert (d.positive, d.negative, d.target) == ("yes", "no", "ill")
        assert d.sensitive is not None
        assert d.sensitive["sex"].tolist() == ["f", "m", "m"]
    with open(tmp_path / name, "rb") as file:
        assert read(file, target="ill").name == "t"
    assert (read(tmp_path / name, target="ill").name, read(CSV, target="ill", name="mine").name) == ("t", "mine")


def test_sensitive_attributes_are_features_only_when_asked_for():
    assert list(read(CSV, "ill", sensitive="sex").X) == ["age"]
    assert list(read(CSV, "ill", sensitive="sex", keep_sensitive=True).X) == ["age", "sex"]
    assert list(read(CSV, "ill", sensitive=["sex", "age"], keep_sensitive="age").X) == ["age"]


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbfa,y\n1,0\n2,1\n", b"a,y\r\n1,0\r\n2,1\r\n", b"a,y\r1,0\r2,1", b"\n\na,y\n\n1,0\n   \n2,1\n\n",
        b'"a","y"\n"1","0"\n"2","1"',
    ],
)  # fmt: skip
def test_forms_of_the_same_table(text):
    d = read(text, "y")
    assert (d.X.to_dict("list"), d.y.tolist()) == ({"a": [1, 2]}, [0, 1])


@pytest.mark.parametrize(("labels", "positive", "expected", "found", "other"), CASES["classes"])
def test_positive_class(labels, positive, expected, found, other):
    frame = pd.DataFrame({"a": [1, 2, 3], "y": labels})
    for d in (from_frame(frame, "y", positive), read(frame.to_parquet(), "y", positive)):
        assert (d.y.tolist(), (d.positive, d.negative)) == (expected, (found, other))
        assert type(d.positive) is type(found)


FAULTS = {name: (text.encode(), message) for name, (text, message) in CASES["faults"].items()} | {
    "many classes": (
        b"a,y\n" + b"".join(b"1,%d\n" % i for i in range(30)),
        r"'y' has 30 classes: 0, 1, 2, 3, 4, 5, 6, 7 and 22 more",
    ),
    "damaged utf-8": (
        ("ä" * 30 + ",y\n1,0\n").encode() + b"\xe4,1\n",
        r"not UTF-8: byte 0xe4 at position 67 \(line 3\)",
    ),
    "after a mark": (b"\xef\xbb\xbfa,y\n\xe9,1\n", r"byte 0xe9 at position 7 \(line 2\)"),
    "half a letter of utf-16": ("a,y\n1,0\n".encode("utf-16")[:-1], "is not UTF-16"),
    "binary": (bytes(range(1, 256)), "is not CP1252: byte 0x81"),
    "bad gzip": (gzip.compress(CSV)[:-9], "damaged gzip"),
    "bad parquet": (b"PAR1" + b"x" * 40, "damaged Parquet"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_named(fault):
    data, message = FAULTS[fault]
    with pytest.raises(DatasetError, match=message):
        read(data, "y", name="upload.csv")


def test_faulty_arguments():
    for given, said in (
        ({"positive": "maybe"}, "'maybe' is not among the values of target 'ill': 'no', 'yes'"),
        ({"sensitive": ["Sexx"]}, "no sensitive column 'Sexx'; did you mean 'sex'"),
        ({"sensitive": ["ill"]}, "is the target"),
        ({"sensitive": ["sex"], "keep_sensitive": ["age"]}, "'age' is to be kept but is no sensitive"),
        ({"sensitive": ["sex", "age"]}, "no column is left"),
    ):
        with pytest.raises(DatasetError, match=said):
            read(CSV, "ill", **given)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(DatasetError, match=r"there is no file .*absent\.csv"):
        read(tmp_path / "absent.csv", "y")
    with pytest.raises(DatasetError, match="is a folder"):
        read(tmp_path, "y")


def test_parquet_faults():
    nested = pd.DataFrame({"a": [[1], [2]], "y": [0, 1]})
    with pytest.raises(DatasetError, match="column 'a' holds lists"):
        read(nested.to_parquet(), "y")
    infinite = pd.DataFrame({"a": [1.0, np.inf], "y": [0, 1]})
    with pytest.raises(DatasetError, match="column 'a' has an infinite value in row 2"):
        read(infinite.to_parquet(), "y")
    indexed = pd.DataFrame({"a": [1, 2], "y": [0, 1]}, index=["p", "q"])
    assert list(read(indexed.to_parquet(), "y").X) == ["a"]


def test_limits_on_cells_and_columns():
    frame = pd.read_csv(io.BytesIO(CSV))
    for data in (CSV, gzip.compress(CSV), frame.to_parquet()):
        assert len(read(data, "ill", max_cells=9).X) == 3
        with pytest.raises(DatasetError, match=r"9 cells \(3 rows x 3 columns\), more than the limit of 8"):
            read(data, "ill", max_cells=8)
        assert len(read(data, "ill", max_columns=3).X) == 3
        with pytest.raises(DatasetError, match="has 3 columns, more than the limit of 2"):
            read(data, "ill", max_columns=2)


def repeating(length: int, rows: int) -> bytes:
    """A Parquet file that holds a long text once and repeats it in every row."""
    return pd.DataFrame({"a": ["x" * length] * rows, "y": np.arange(rows) % 2}).to_parquet()


def test_a_text_that_is_stored_once_is_counted_as_often_as_it_is_repeated():
    bomb = repeating(1000, 2000)
    assert len(bomb) < 20_000
    with pytest.raises(DatasetError, match="unpacks to more than 1280000 bytes"):
        sheet(bomb, max_cells=40_000)
    assert len(sheet(repeating(100, 2000), max_cells=40_000).frame) == 2000


def test_a_parquet_file_with_a_limit_holds_the_same_as_without():
    frame = pd.DataFrame(
        {
            "text": ["é", None, "b", "b"],
            "category": pd.Categorical(["p", "q", None, "q"]),
            "bytes": [b"1", b"", None, b"1"],
            "number": [1.5, np.nan, 3, 4],
            "whole": [1, 2, 3, 4],
            "none": pd.Series([None] * 4, dtype="str"),
            "date": pd.to_datetime(["2024-01-01", None, "2024-02-01", "2024-02-01"]),
        }
    )
    data = frame.to_parquet()
    pd.testing.assert_frame_equal(sheet(data).frame, sheet(data, max_cells=28).frame)


def test_gzip_that_unpacks_to_too_much_is_not_unpacked():
    bomb = gzip.compress(b"a,y\n" + b" " * 50_000_000)
    with pytest.raises(DatasetError, match="unpacks to more than 320 bytes"):
        read(bomb, "y", max_cells=10)


def test_hostile_names_are_quoted_and_cut():
    name = "<script>alert(1)</script>\n" + "x" * 500
    frame = pd.DataFrame({name: [1.0, np.inf], "y": [0, 1]})
    with pytest.raises(DatasetError) as caught:
        from_frame(frame, "y")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_the_frame_given_is_not_changed():
    frame = pd.DataFrame({0: [1, 2], "y": [0, 1]}, index=[5, 6])
    d = from_frame(frame, "y")
    assert (list(frame.columns), (list(d.X.columns), list(d.X.index))) == ([0, "y"], (["0"], [0, 1]))


def test_a_table_is_no_file():
    with pytest.raises(DatasetError, match=r"a table, not a file: rulelab\.datasets\.from_frame"):
        read(pd.DataFrame({"a": [1], "y": [0]}), target="y")  # type: ignore[arg-type]
