"""The page under wrong input: numbers of its address and uploads that cannot be read are complained about."""

from __future__ import annotations

import gzip
import io
import random

import pandas as pd
import param
import pytest

import rulelab as rl
from rulelab.datasets import reader
from rulelab.views.forms import address
from rulelab.views.forms.address import Part
from rulelab.views.fronts.order import numbers
from rulelab.views.fronts.setup import SHARED as SWEEP_SHARED
from rulelab.views.fronts.setup import SweepSetup
from rulelab.views.search.setup import Setup

CSV = b"colour,size,ok\n" + b"".join(b"red,%d,yes\nblue,%d,no\n" % (i, 10 - i) for i in range(10))


def numeric(part: Part) -> list[str]:
    return [name for name in part.names if isinstance(part.owner.param[name], param.Number)]


def search_parts() -> tuple[Part, ...]:
    return Setup().parts


def sweep_parts() -> tuple[Part, ...]:
    return (Part(SweepSetup(), SWEEP_SHARED),)


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "-1", "1e400", "many", "true", "[1]", "null", ""])
@pytest.mark.parametrize("make", [search_parts, sweep_parts])
def test_no_number_of_the_address_takes_what_it_cannot_mean(make, text) -> None:
    parts = make()
    shown = [part for part in parts if part.shown()]
    assert sum(len(numeric(part)) for part in shown) >= 5
    for part in shown:
        for name in numeric(part):
            before = getattr(part.owner, name)
            complaints = address.read(f"?{name}={text}", *parts)
            assert getattr(part.owner, name) == before, name
            assert len(complaints) == (1 if text else 0), name
            assert all(name in complaint for complaint in complaints)


@pytest.mark.parametrize("text", ["nan", "0.1, inf", "-inf", "1e400"])
def test_grids_are_finite_numbers(text) -> None:
    with pytest.raises(ValueError, match="Regularizations"):
        numbers(text, "Regularizations")


def parquet() -> bytes:
    out = io.BytesIO()
    pd.read_csv(io.BytesIO(CSV)).to_parquet(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("contents", "name"),
    [
        (b"", "a.csv"),
        (b"  \n", "a.csv"),
        (b"\x1f\x8b", "a.csv.gz"),
        (b"\x1f\x8b\x08\xff" + b"\0" * 20, "a.csv.gz"),
        (b"\x1f\x8b" + b"no gzip at all", "a.csv.gz"),
        (gzip.compress(CSV)[:-12], "a.csv.gz"),
        (gzip.compress(CSV)[:40] + b"\0" * 20, "a.csv.gz"),
        (gzip.compress(b""), "a.csv.gz"),
        (gzip.compress(bytes(range(256))), "a.csv.gz"),
        (bytes(range(256)), "a.csv"),
        (CSV.decode().encode("utf-16")[:-1], "a.csv"),
        (b"PAR1", "a.parquet"),
        (b"PAR1" + b"\0" * 50 + b"PAR1", "a.parquet"),
        (parquet()[:-30], "a.parquet"),
    ],
)
def test_an_upload_that_cannot_be_read_is_an_alert(contents, name) -> None:
    setup = Setup()
    before = setup.table.data
    setup.table.take(contents, name)
    assert name in setup.table.complaint
    assert setup.table.complaint.endswith("The data are as before.")
    assert (setup.table.draft, setup.table.pending) == (None, False)
    assert (setup.table.data, setup.table.uploaded) == (before, None)


@pytest.mark.parametrize("contents", [gzip.compress(CSV), parquet()], ids=["gzip", "parquet"])
def test_damaged_bytes_are_read_or_refused_and_nothing_else(contents) -> None:
    rng = random.Random(0)
    for _ in range(400):
        damaged = bytearray(contents)
        for _ in range(rng.choice([1, 2, 5])):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        try:
            reader.sheet(bytes(damaged), name="a file")
        except rl.datasets.DatasetError:
            continue


def test_a_small_file_that_unpacks_to_a_huge_one_is_refused_by_its_size() -> None:
    bomb = gzip.compress(b"a,b\n" + b"1,2\n" * 1_000_000)
    with pytest.raises(rl.datasets.DatasetError, match="unpacks to more than 32000 bytes"):
        reader.sheet(bomb, name="bomb.csv.gz", max_cells=1000)


def test_views_of_something_else_say_what_they_show() -> None:
    with pytest.raises(TypeError, match="search must be a rulelab search"):
        rl.views.SearchView(5)
    with pytest.raises(TypeError, match="model must be a rulelab model"):
        rl.views.ModelCard(5)
