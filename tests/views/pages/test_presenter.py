"""Presenter mode without a browser: what keys do, and that everything comes back."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl

import pandas as pd
import pytest
from live import send
from patience import wait_until

from rulelab.views import front as view
from rulelab.views.allowance import Allowance
from rulelab.views.forms import tables
from rulelab.views.forms.address import Address
from rulelab.views.front import Front, FrontAddress
from rulelab.views.learn.view import KEYS
from rulelab.views.live.state import State
from rulelab.views.pages.tabs import SearchTab, Tabs
from rulelab.views.search.controls import SPEEDS


@pytest.fixture
def tab() -> Iterator[SearchTab]:
    query = '?data="tic_tac_toe"&regularization=0.02&beam_width=0&speed="1 step per tick"'
    made = SearchTab(Address(query, lambda *_: None))
    yield made
    made.view.close()


def settle(tab: SearchTab) -> None:
    wait_until(lambda: not tab.view.session.state.busy)
    tab.view.tick()


def sizes(tab: SearchTab) -> list[object]:
    return [plot.figure.xaxis[0].axis_label_text_font_size for plot in tab.view.plots.plots]


def test_keys_do_nothing_before_it_is_on_and_what_is_no_key_is_ignored(tab: SearchTab) -> None:
    named = {"P": "p", "Space": " ", "→": "arrowright", "←": "arrowleft", "R": "r", "0": "0", "1 … 6": "1"}
    assert {named[key] for key, _ in KEYS} - {"p"} == set(tab.presenter.keys) - set("23456"), "the script names them"
    for key in tab.presenter.keys:
        tab.presenter.press(key)
    assert tab.view.session.state is State.IDLE
    assert tab.view.speed == "1 step per tick"
    tab.presenter.press("p")
    for message in (None, 3, {}, {"key": None}, {"key": ["p"]}, {"key": "q"}):
        send(tab.presenter, message)
    assert tab.presenter.on_stage


def test_settings_go_away_and_come_back_as_they_were(tab: SearchTab) -> None:
    before = sizes(tab)
    tab.setup.sentence.open = True
    tab.presenter.press("p")
    assert not tab.setup.sentence.open
    assert set(sizes(tab)) == {"17px"}
    tab.view.reset()
    assert set(sizes(tab)) == {"17px"}
    tab.presenter.press("p")
    assert tab.setup.sentence.open
    assert sizes(tab) == before


@pytest.mark.long
def test_keys_drive_the_search(tab: SearchTab) -> None:
    press, view = tab.presenter.press, tab.view
    press("p")
    press("arrowright")
    settle(tab)
    assert view.session.snapshot.work == 1
    press(" ")
    assert view.session.state.busy
    press(" ")
    settle(tab)
    assert view.session.state is State.PAUSED
    press("6")
    assert view.speed == list(SPEEDS)[5]
    press(" ")
    wait_until(lambda: view.session.state.over)
    view.tick()
    press("arrowleft")
    assert view.moment is not None
    press("arrowright")
    assert view.moment is None
    press("r")
    assert view.part("moment").playing
    press("0")
    assert view.session.state is State.IDLE


def test_it_ends_where_there_is_nothing_to_present() -> None:
    tabs = Tabs(Address("", lambda *_: None))
    presenter = tabs.made("Search").presenter
    presenter.press("p")
    tabs.tab = "Compare"
    assert not presenter.on_stage
    presenter.press("p")
    assert not presenter.on_stage
    tabs.tab = "Search"
    presenter.press("p")
    assert presenter.on_stage
    tabs.made("Search").view.close()


# front ----------------------------------------------------------------------------------------------------------------
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
