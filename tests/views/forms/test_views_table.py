"""Tables of the server on the page: roles, counting, the search, its card, and what visitors see of the place."""

from pathlib import Path

import numpy as np
import pandas as pd
import panel as pn
import pytest
from doors import html, made
from patience import PATIENCE, wait_until
from table_engines import people

import rulelab as rl
from rulelab.certificate import verify
from rulelab.cli.commands import main
from rulelab.views.cards.card import of_search
from rulelab.views.forms import tables
from rulelab.views.forms.data_settings import DataSettings
from rulelab.views.live.session import SearchSession
from rulelab.views.live.state import State
from rulelab.views.live.wording import count
from rulelab.views.search.setup import Setup

NAME = "trips (table of this server)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    frame = people(1200, 3)[["age", "sex", "two"]].assign(when=pd.Timestamp("2020-01-01"), id=np.arange(1200))
    frame["y"] = np.where((frame.age < 30) ^ (rng.random(1200) < 0.1), "late", "on time")
    place = tmp_path / "secret place"
    place.mkdir()
    frame.iloc[:500].to_parquet(place / "trips_1.parquet")
    frame.iloc[500:].to_parquet(place / "trips_2.parquet")
    return place


@pytest.fixture
def source(folder: Path):
    yield str(folder / "trips_*.parquet")
    tables.offer([])


def test_a_table_is_a_data_set_of_the_page(source: str) -> None:
    tables.offer([source])
    setup = Setup()
    settings = setup.table
    assert NAME in settings.fields[0].options
    settings.data = "trips"
    draft = settings.draft
    state = draft.state()
    assert state["title"] == "trips_*.parquet: a table of this server, its first 1\u202f000 rows"
    assert "secret" not in str(state)
    assert draft.roles["when"] == "ignore"
    draft.give("when", "feature")
    assert "holds dates or times" in draft.error
    for name, role in (("y", "target"), ("sex", "sensitive"), ("id", "ignore")):
        draft.give(name, role)
    draft.choose_positive(draft.classes.index("late"))
    settings.accept()
    assert (settings.pending, settings.data, settings.sensitive) == (False, "trips", "sex")
    assert "counted where they lie" in html(pn.Column(*settings.fields))
    settings.test_share = 0.25
    session = setup.new_session()
    session.run()
    session.join(PATIENCE)
    assert session.state is State.ENDED, session.error
    prepared = session.prepared
    assert prepared.search.problem.n_rows + prepared.data.count(prepared.test_rows) == 1200
    assert "1\u202f200 rows, 3 columns; y is late in" in prepared.notes[0]
    assert "secret" not in " ".join(map(str, (*prepared.notes, *prepared.left_out)))
    card = of_search(prepared.search, session.snapshot, prepared)
    assert card.data["training rows"] == count(prepared.search.problem.n_rows)
    assert "rows counted by duckdb" in card.limits
    assert "25 % of the rows are kept out" in card.limits
    assert "secret" not in str(card.to_dict() if hasattr(card, "to_dict") else card)
    search = prepared.search
    assert verify(search.problem, session.snapshot.incumbent.model, search.certificate())
    known = made(card.code.replace("trips_*.parquet", source))  # the script makes the same model
    assert known["model"].to_dict()["rules"] == session.snapshot.incumbent.model.to_dict()["rules"]


def test_a_target_that_was_named_needs_no_sheet_and_without_roles_the_data_are_as_before(
    source: str, folder: Path
) -> None:
    tables.offer([source])
    settings = DataSettings()
    settings.data = "trips"
    settings.cancel()
    assert settings.data == "diabetes"
    tables.offer([source], target="y")
    settings = DataSettings()
    settings.data = "trips"
    assert settings.draft is None
    assert settings.counted is not None
    settings.reopen()
    assert settings.draft is not None
    settings.cancel()
    assert settings.data == "trips"
    for path in folder.iterdir():
        path.unlink()
    gone = DataSettings()
    gone.data = "trips"
    assert "there is no file 'trips_*.parquet'" in gone.complaint, "without its place"
    assert gone.data == "diabetes"


@pytest.mark.long
def test_counting_is_interrupted_when_nobody_wants_it(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tables.offer([source], target="y")
    setup = Setup()
    setup.table.data = "trips"

    def endless(table: rl.tables.Table, *_: object) -> None:
        table.connection.execute("select count(*) from range(10000000000) a, range(1000) b").fetchone()

    monkeypatch.setattr(tables.tables, "count", endless)
    session = SearchSession(setup.recipe())
    session.run()
    wait_until(lambda: "counting the rows of trips: " in session.doing and "% of this pass" in session.doing)
    session.stop()
    session.join(PATIENCE)
    assert session.state is State.STOPPED


def test_what_cannot_be_offered_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "trips_1.parquet").rename(folder / "compas.parquet")
    for arguments, message in (
        (["--table", str(folder / "nothing.csv")], "there is no file"),
        (["--table", str(folder / "compas.parquet")], "there is a data set 'compas' already"),
        (["--table", str(folder / "trips_2.parquet"), "--target", "z"], "no column 'z'"),
        (["--target", "y"], "name that, too"),
    ):
        assert main(["serve", "--port", "0", *arguments]) == 2
        assert message in capsys.readouterr().err
    assert not tables.offered()
