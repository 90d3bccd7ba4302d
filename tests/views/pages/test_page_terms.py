"""Everything on the page that a person may ask about has an entry in the glossary, and the page can show it."""

import re
from typing import Any

import live
import panel as pn
import pytest
from live import heard, send, soup

import rulelab as rl
from rulelab.arguments import Text
from rulelab.data.metrics import RATES
from rulelab.families import EVERY_FAMILY
from rulelab.families.account import Account
from rulelab.glossary import TERMS, find
from rulelab.views.cards.incumbent import incumbent_card, proof_block
from rulelab.views.forms.address import Address
from rulelab.views.live.wording import figures, titled
from rulelab.views.pages.tabs import TABS
from rulelab.views.search.families import LOOKS
from rulelab.views.search.figures import SearchFigures
from rulelab.views.search.setup import Setup
from rulelab.views.widgets.explained import Explained, by_slug, explain_all, term_classes, word
from rulelab.views.widgets.field_cards import FieldCards

SAY_THEMSELVES = (pn.widgets.Button, pn.widgets.FileDownload)


def without_a_term(layout: Any) -> set[str]:
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
    "monte carlo": lambda: rl.search_for(live.problem(60, 4), "falling_rule_list", method="monte_carlo", iterations=5),
    "rule set": lambda: rl.RuleSetSearch(live.problem(60, 4), max_complexity=4),
}


def heads_of(html: str) -> list[str]:
    """The texts of the heads of a table's columns."""
    found = (each for each in soup(html).find_all("th") if each.get("scope") != "row")
    return ["".join(each.find_all(string=True, recursive=False)) for each in found]


@pytest.mark.parametrize("make", SEARCHES.values(), ids=SEARCHES)
def test_every_figure_of_the_status_and_every_column_of_the_rules_has_a_term(make: Any) -> None:
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
