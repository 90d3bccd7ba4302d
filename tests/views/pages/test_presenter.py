"""Presenter mode without a browser: what keys do, and that everything comes back."""

from collections.abc import Iterator

import pytest
from live import send
from patience import wait_until

from rulelab.views.forms.address import Address
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
