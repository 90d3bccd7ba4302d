"""The front: it is there where nothing is asked for, and each card begins what it says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from patience import PATIENCE, wait_until

import rulelab as rl
from rulelab.views.front.address import FrontAddress
from rulelab.views.front.view import CARDS
from rulelab.views.live.state import State
from rulelab.views.pages.tabs import Tabs

CSV = b"colour,size,ok\n" + b"".join(b"red,%d,yes\nblue,%d,no\n" % (i, 10 - i) for i in range(10))


class Opened:
    """The tabs of a page, and the addresses that its browser has shown."""

    def __init__(self, query: str = "") -> None:
        self.shown: list[tuple[str, bool]] = []
        self.address = FrontAddress(query, lambda query, step: self.shown.append((query, step)))
        self.tabs = Tabs(self.address)
        self.front = self.tabs._front

    def close(self) -> None:
        self.tabs.made("Search").view.close()
        self.tabs.made("What if").view.close()


@pytest.fixture
def opened() -> Iterator[Opened]:
    page = Opened()
    yield page
    page.close()


@pytest.mark.parametrize("query", ["", "?", "?theme=dark"])
def test_who_asks_for_nothing_sees_the_front_and_no_tab_is_made(query: str) -> None:
    page = Opened(query)
    assert page.tabs.tab == ""
    assert not page.tabs._made
    assert [place.visible for place in page.tabs.body] == [False] * 6 + [True]


@pytest.mark.parametrize(
    ("query", "tab"),
    [("?data=compas", "Search"), ("?run=0123", "Search"), ("?tab=Learn", "Learn"), ("?theme=dark&speed=x", "Search")],
)
def test_who_asks_for_something_sees_it(query: str, tab: str) -> None:
    assert Opened(query).tabs.tab == tab


@pytest.mark.parametrize("card", ["proof", "compas"])
def test_a_card_begins_its_search_as_one_step_and_back_brings_the_front(opened: Opened, card: str) -> None:
    opened.front._handle_msg(card)
    view = opened.tabs.made("Search").view
    assert (opened.tabs.tab, view.session.state is State.IDLE) == ("Search", False)
    ((query, step),) = opened.shown
    assert step
    assert dict(parse_qsl(query[1:]))["tab"] == "Search"
    opened.address.go("")
    assert opened.tabs.tab == ""
    assert {said for said, _ in opened.shown[1:]} <= {""}
    opened.address.go(query)
    assert opened.tabs.tab == "Search"


def test_the_game_begins(opened: Opened) -> None:
    opened.front._handle_msg("game")
    view = opened.tabs.made("What if").view
    wait_until(lambda: not view.refresh())
    assert opened.tabs.tab == "What if"
    assert view.hand is not None
    assert not view.hand.model.rules
    assert set(CARDS) == {"proof", "compas", "game"}


def test_a_file_that_is_dropped_waits_for_its_roles(opened: Opened) -> None:
    opened.front._received(CSV, "mine.csv")
    table = opened.tabs.made("Search").setup.table
    wait_until(lambda: not table._tick())
    assert opened.tabs.tab == "Search"
    assert table.draft is not None
    assert [column.name for column in table.draft.sheet.columns] == ["colour", "size", "ok"]


@pytest.mark.parametrize("kept", ["", "{", "[]", "[1, 2]", '["a"]', "[" * 100_000, None])
def test_only_a_run_of_this_browser_is_offered(kept: str | None) -> None:
    page = Opened()
    page.tabs.last.found = kept
    page.front._handle_msg("go on")
    assert (page.front.last, page.tabs.tab) == ("", "")


def test_the_last_run_is_offered_and_opened(tmp_path: Path) -> None:
    rl.views.keep_runs(rl.store.open(tmp_path / "runs.sqlite"))
    try:
        first = Opened("?data=tic_tac_toe&regularization=0.02&max_conditions=1")
        view = first.tabs.made("Search").view
        view.run()
        view.session.join(PATIENCE)
        view.refresh()
        wait_until(lambda: not first.tabs.runs.refresh())
        kept = first.tabs.last.kept
        assert json.loads(kept)[0] == first.tabs.runs.run
        again = Opened()
        again.tabs.last.found = kept
        assert again.front.last == "rule list of tic_tac_toe"
        again.front._handle_msg("go on")
        wait_until(lambda: not again.tabs.runs.refresh())
        assert again.tabs.tab == "Search"
        found = again.tabs.made("Search").view.model
        assert [rule.name for rule in found.rules] == [rule.name for rule in view.model.rules]
        first.close()
        again.close()
    finally:
        rl.views.keep_runs(None)
