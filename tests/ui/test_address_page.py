"""The address of the page in a real browser: back and forward, reload, tabs, the theme."""

import re

import pytest
from visits import script

pytestmark = pytest.mark.ui

_SOCKETS = script("sockets")
_CUT = "() => { window.cut = true; window.sockets.forEach((socket) => socket.close()) }"


_SCROLLED = script("scrolled")


def _opened(view) -> str:
    return view.page.locator("[role=tab][aria-selected=true]").first.inner_text()


def test_back_and_forward_set_tab_and_data_and_a_tab_is_seen_from_its_top_or_where_it_was_left(visit) -> None:
    view = visit(390, 844).open("?data=tic_tac_toe")
    data = view.field("Data set").first
    data.select_option("breast_cancer")
    view.until(lambda: "data=breast_cancer" in view.page.url)
    view.field("Memory limit").scroll_into_view_if_needed()
    left = view.page.evaluate(_SCROLLED)
    assert left > 844
    view.page.get_by_role("tab", name="Alternatives").click()
    view.button("Run the search").wait_for()
    view.until(lambda: view.page.evaluate(_SCROLLED) == 0)
    view.page.go_back()
    view.until(lambda: _opened(view) == "Search")
    view.until(lambda: abs(view.page.evaluate(_SCROLLED) - left) <= 1)
    assert data.input_value() == "breast_cancer"
    view.page.go_back()
    view.until(lambda: data.input_value() == "tic_tac_toe")
    view.page.go_forward()
    view.until(lambda: data.input_value() == "breast_cancer")
    assert view.console == []


def test_reload_keeps_the_theme_that_was_chosen_from_the_first_paint(visit) -> None:
    view = visit(color_scheme="light").open()
    ground = "getComputedStyle(document.querySelector('main') ?? document.body).backgroundColor"
    assert int(re.findall(r"\d+", view.page.evaluate(ground))[0]) > 128, "the theme is the system's"
    view.page.get_by_role("button", name="Toggle theme").click()
    view.until(lambda: "theme=dark" in view.page.url)
    view.page.route("**/*.js*", lambda route: route.abort())  # what is drawn before anything runs
    view.page.reload(wait_until="domcontentloaded")
    red = view.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert int(re.findall(r"\d+", red)[0]) < 128


def test_the_address_opens_a_tab_and_a_bad_one_is_complained_about(visit) -> None:
    view = visit()
    view.page.goto(view.base + "?tab=Compare&values=0.05")
    view.page.get_by_role("button", name="Fill the front").wait_for()
    assert view.page.get_by_label("Its values").input_value() == "0.05"
    assert view.page.get_by_role("tabpanel", name="Compare").count() == 1
    view.open("?tab=Nowhere&family=x")
    alert = view.page.get_by_role("alert").filter(visible=True)
    alert.wait_for()
    assert view.page.get_by_role("heading", level=1, name="rulelab").count() == 1
    assert view.page.get_by_role("navigation", name="Parts of the page").count() == 1
    assert "tab = Nowhere" in alert.inner_text()
    assert "family = x" in alert.inner_text()
    names = view.page.get_by_role("navigation", name="Parts of the page")
    last = max(box["x"] + box["width"] for tab in names.get_by_role("tab").all() if (box := tab.bounding_box()))
    assert alert.bounding_box()["x"] >= last, "the names of the tabs stay to be seen"


def test_a_lost_connection_is_said(visit) -> None:
    view = visit(390, 844)
    view.page.add_init_script(_SOCKETS)
    view.open("?data=tic_tac_toe")
    lost = view.page.get_by_role("alert", name="Connection")
    assert not lost.is_visible()
    view.page.evaluate(_CUT)
    lost.wait_for()
    assert view.too_wide() == []
