"""One sees where the keyboard is, on every tab, before and after there is something to see, in light and dark."""

import re

import pytest
from rings import stops
from visits import CHECK, KEEP, Visit

pytestmark = pytest.mark.ui

QUICK = "?data=tic_tac_toe&regularization=0.02&max_conditions=1&distance=0.013&speed=full speed"
SWEEP = "?tab=Compare&values=0.05&thresholds=3&max_conditions=1"
TABS = {
    "Search": {"Search", "Toggle theme", "Run", "Settings", "tic_tac_toe", "More", "Tree"},
    "Alternatives": {"Run the search"},
    "Compare": {"Upload saved model (JSON)", "Fill the front", "Setting to sweep"},
    "Learn": {"Start"},
}


def to(view: Visit, tab: str) -> None:
    view.page.get_by_role("tab", name=tab, exact=True).click()
    view.page.get_by_role("tabpanel", name=tab).wait_for()
    view.page.wait_for_function("Bokeh.documents[0].is_idle")


def test_the_keyboard_is_seen_on_every_tab(visit) -> None:
    view = visit(1280, 900, color_scheme="light").open(QUICK)
    for tab, some in TABS.items():
        to(view, tab)
        view.page.get_by_role("tabpanel", name=tab).get_by_role("button").first.wait_for()
        found = set(stops(view.page))
        assert some <= found, (tab, sorted(found))
    assert view.console == []


def test_the_keyboard_is_seen_where_there_are_results(visit) -> None:
    view = visit(1280, 900, color_scheme="dark").open(QUICK)
    page = view.page
    view.run()
    view.pin()
    seen = {"Search": stops(page)}
    to(view, "Alternatives")
    view.until_all_are_found()
    page.get_by_role("figure", name="Models by accuracy").first.wait_for()
    seen["Alternatives"] = stops(page)
    page.get_by_role("tab", name="Build a list").click()
    page.get_by_text(re.compile(r"^Each of these \d+ lists costs at most ")).wait_for()
    seen["Build a list"] = stops(page)
    to(view, "Compare")
    view.button("Fit baselines").wait_for()
    seen["Compare"] = stops(page)
    to(view, "Learn")
    view.button("Start").nth(2).click()
    page.get_by_text("step 1 of 4").wait_for()
    view.button("Skip").click()
    view.button("Skip").click()
    page.get_by_text("step 3 of 4").wait_for()
    seen["Learn"] = stops(page)
    page.goto(view.base + SWEEP)
    view.button("Fill the front").click()
    page.get_by_role("status", name="Sweep", exact=True).get_by_text("Sweep finished").wait_for()
    page.get_by_role("button", name=re.compile("^Show Rule list")).first.click()
    page.locator(".rl-model h2").wait_for()
    page.get_by_role("tabpanel", name="Compare").get_by_role("button", name=KEEP).wait_for()
    seen["Fronts of Compare"] = stops(page)
    assert {"Replay", CHECK, "Edit", "Export", "Save or read: Objective and lower bound"} <= set(seen["Search"])
    assert {"Choose model 1", "Save or read: Models by accuracy", "Add a rule", KEEP} <= set(seen["Alternatives"])
    assert not {"Room", "Your name"} & set(seen["Alternatives"]), "the room is for who plays"
    assert {CHECK, "Remove", "Fit baselines"} <= set(seen["Compare"])
    assert {"Export all", "CART", KEEP} <= set(seen["Fronts of Compare"])
    assert {"All walks", "Skip", "Step"} <= set(seen["Learn"])
    assert view.console == []
