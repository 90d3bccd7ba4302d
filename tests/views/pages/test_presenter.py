"""Presenter mode without a browser: what keys do, and that everything comes back."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl

import live
import pandas as pd
import panel as pn
import pytest
from live import heard, send, soup
from patience import wait_until

import rulelab as rl
from rulelab.arguments import Text
from rulelab.data.metrics import RATES
from rulelab.families import EVERY_FAMILY
from rulelab.families.account import Account
from rulelab.glossary import TERMS, find
from rulelab.views import front as view
from rulelab.views.allowance import Allowance
from rulelab.views.cards.scores import incumbent_card, proof_block
from rulelab.views.forms import tables
from rulelab.views.forms.address import Address
from rulelab.views.front import Front, FrontAddress
from rulelab.views.learn.view import KEYS
from rulelab.views.live.state import State
from rulelab.views.live.wording import figures, titled
from rulelab.views.pages.tabs import TABS, SearchTab, Tabs
from rulelab.views.search.controls import SPEEDS
from rulelab.views.search.families import LOOKS
from rulelab.views.search.figures import SearchFigures
from rulelab.views.search.setup import Setup
from rulelab.views.widgets.explained import Explained, by_slug, explain_all, term_classes, word
from rulelab.views.widgets.field_cards import FieldCards


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
    assert set(sizes(tab)) == {"20px"}
    tab.view.reset()
    for plot in tab.view.plots.plots:  # as the browser does where the theme changes
        plot.figure.xaxis[0].update(axis_label_text_font_size="1em")
    assert set(sizes(tab)) == {"20px"}
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


# the front: it is there where nothing is asked for, and each card begins what it says ---------------------------------
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


# everything on the page that a person may ask about has an entry in the glossary, and the page can show it ------------
SAY_THEMSELVES = (pn.widgets.Button, pn.widgets.CheckBoxGroup, pn.widgets.FileDownload)


def without_a_term(layout) -> set[str]:
    """The labels of controls without a sign."""
    widgets = {
        str(widget.label)
        for widget in explain_all(layout).select(pn.widgets.Widget)
        if not isinstance(widget, SAY_THEMSELVES) and not live.terms_of(widget.css_classes)
    }
    fields = [each for form in layout.select(FieldCards) for card in form.content for each in card.fields]
    return widgets | {each.label for each in fields if each.kind != "note" and by_slug(each.term) is None}


@pytest.mark.parametrize("tab", TABS)
def test_every_control_of_the_page_has_a_sign(tab: str) -> None:
    assert without_a_term(TABS[tab](Address()).layout) == set()


@pytest.mark.parametrize("family", EVERY_FAMILY)
def test_every_setting_of_a_family_has_a_sign(family: str) -> None:
    setup = Setup(family=family)
    assert sum(len(card.fields) for card in setup.more.content) > len(setup.more.content)
    assert without_a_term(pn.Column(setup.data_card, setup.more)) == set()


@pytest.mark.parametrize("look", LOOKS)
def test_every_plot_has_a_sign_and_every_heading_a_term(look: str) -> None:
    assert find(LOOKS[look].heading) is not None
    for plot in (each.figure for each in SearchFigures(LOOKS[look]).plots):
        assert live.terms_of(plot.css_classes), plot.title.text


SEARCHES = {
    "rule list": lambda: live.small_search(),
    "falling": lambda: rl.FallingRuleListSearch(live.problem(60, 4), regularization=0.02),
    "monte carlo": lambda: rl.search(live.problem(60, 4), "falling_rule_list", method="monte_carlo", iterations=5),
    "rule set": lambda: rl.RuleSetSearch(live.problem(60, 4), max_complexity=4),
}


def heads_of(html: str) -> list[str]:
    """The texts of the heads of a table's columns."""
    found = (each for each in soup(html).find_all("th") if each.get("scope") != "row")
    return ["".join(each.find_all(string=True, recursive=False)) for each in found]


@pytest.mark.parametrize("make", SEARCHES.values(), ids=SEARCHES)
def test_every_figure_of_the_status_and_every_column_of_the_rules_has_a_term(make) -> None:
    search = make()
    last = rl.solve(search)
    for name, _ in figures(last, search.family):
        assert by_slug(name) is not None, name
    best = last.incumbent
    assert best is not None
    before = ""
    for head in heads_of(incumbent_card(best)):
        words = re.sub(r"^P\(.*\)$", "probability", head)
        if ": " in words:
            before = words.split(": ")[0]
        elif words == "negative":
            words = f"{before}: negative"
        assert find(words) is not None, head


def test_columns_of_the_other_tables_have_terms_whose_names_are_distinct_in_addresses() -> None:
    assert {rate.short for rate in RATES.values() if find(rate.short) is None} == set()
    assert all(by_slug(slug.removeprefix("rl-term--")) is t for t in TERMS.values() for slug in term_classes(t.name))
    assert live.HOSTILE not in proof_block(Account("a", "b", live.HOSTILE, live.HOSTILE))
    assert proof_block(Account("a", "b", "", "")) == ""


def test_words_ask_for_a_term_and_answers_are_looked_up() -> None:
    assert term_classes("min_support") == ["rl-term--min-support"]
    assert term_classes("no such thing") == []
    assert word("no such <thing>") == "no such &lt;thing&gt;"
    assert 'data-term="lower-bound">bound</button>' in word("bound", "lower bound")
    widget = Explained()
    sent = heard(widget)
    for asked in ({"term": "lower-bound"}, {"term": live.HOSTILE}, {"term": 3}, "lower-bound", None):
        send(widget, asked)
    (answer,) = sent
    assert (answer["asked"], answer["sentence"]) == ("lower-bound", TERMS["lower bound"].sentence)
    assert answer["see"][1] == ["certificate", "certificate"]


def test_messages_are_in_the_words_of_the_page_but_columns_keep_their_names() -> None:
    family = EVERY_FAMILY["rule_list"]
    supports = Text("need 0 <= {min_support} <= {max_support} <= 1")
    assert titled(supports, family) == "need 0 <= “Least support” <= “Largest support” <= 1"
    assert titled(Text("{EqualOpportunity} compares groups"), family) == "equal opportunity compares groups"
    named = Text("{!r}: {}", "{min_support}", Text("{thresholds} and max_support"))
    assert titled(named, family) == "'{min_support}': “Quantile groups per number” and max_support"
    assert str(named) == "'{min_support}': thresholds and max_support"
