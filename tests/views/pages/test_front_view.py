"""The front: it is there where nothing is asked for, and each card begins what it says."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl

import pandas as pd
import pytest
from live import send

from rulelab.views import front as view
from rulelab.views.allowance import Allowance
from rulelab.views.forms import tables
from rulelab.views.front import Front, FrontAddress
from rulelab.views.live.state import State
from rulelab.views.pages.tabs import Tabs


class Opened:
    """The tabs of a page, and the addresses that its browser has shown."""

    def __init__(self, query: str = "") -> None:
        self.shown: list[tuple[str, bool]] = []
        self.address = FrontAddress(query, lambda query, step: self.shown.append((query, step)))
        self.tabs = Tabs(self.address)
        self.front = next(iter(self.tabs.body.select(Front)), None)


@pytest.fixture
def opened() -> Iterator[Opened]:
    page = Opened()
    yield page
    page.tabs.made("Search").view.close()


@pytest.mark.parametrize(
    ("query", "tab"),
    [
        *(("", ""), ("?", ""), ("?theme=dark", "")),
        ("?data=compas", "Search"),
        ("?run=0123", "Search"),
        ("?tab=Learn", "Learn"),
        ("?theme=dark&speed=x", "Search"),
        ("?room=class+7", "Alternatives"),
        ("?tab=Search&room=class+7", "Search"),
    ],
)
def test_who_asks_for_nothing_sees_the_front_without_tabs_and_who_asks_for_something_sees_it(query, tab) -> None:
    page = Opened(query)
    assert page.tabs.tab == tab
    if not tab:
        assert [place.visible for place in page.tabs.body] == [False] * len(page.tabs.strip.names) + [True]


def test_a_server_of_a_table_begins_with_it(tmp_path: Path) -> None:
    file = tmp_path / "trips.csv"
    pd.DataFrame({"a": [1, 2, 3, 4] * 9, "y": [0, 1, 1, 0] * 9}).to_csv(file, index=False)
    tables.offer([str(file)], target="y")
    try:
        page = Opened()
        assert (page.tabs.tab, page.tabs.made("Search").setup.table.data) == ("Search", "trips")
        page.tabs.made("Search").view.close()
        assert Opened("?data=compas").tabs.tab == "Search"
    finally:
        tables.offer([])


@pytest.mark.parametrize("card", ["proof", "compas"])
def test_a_card_begins_its_search_as_one_step_and_back_brings_the_front(opened: Opened, card: str) -> None:
    send(opened.front, card)
    search = opened.tabs.made("Search").view
    assert (opened.tabs.tab, search.session.state is State.IDLE) == ("Search", False)
    ((query, step),) = opened.shown
    assert step
    assert dict(parse_qsl(query[1:]))["tab"] == "Search"
    opened.address.go("")
    assert opened.tabs.tab == ""
    assert {said for said, _ in opened.shown[1:]} <= {""}
    opened.address.go(query)
    assert opened.tabs.tab == "Search"


def test_only_a_run_of_this_browser_is_offered() -> None:
    page = Opened()
    for kept in ("", "{", "[]", "[1, 2]", '["a"]', "[" * 100_000, None):
        page.tabs.last.found = kept
        send(page.front, "go on")
        assert (page.front.last, page.tabs.tab) == ("", "")


def test_a_server_that_takes_no_files_offers_no_place_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Opened().front.uploader is not None
    monkeypatch.setattr(view, "ALLOWED", Allowance(uploads=False))
    assert Opened().front.uploader is None
