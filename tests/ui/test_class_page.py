"""A class exercise from start to end, on a phone with a touch screen: data, a list by hand, a fairer one, a link."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from visits import Visit

import rulelab as rl

pytestmark = [pytest.mark.ui, pytest.mark.long]
PHONE = {"has_touch": True, "color_scheme": "dark"}
ADDED = ("owns", "group", "works")
"""What is looked for, rule after rule, of the list by hand."""


def people() -> bytes:
    """Rows with three best lists of one rule; the one that also the first column would give is hard on group b."""
    rng = np.random.default_rng(3)
    n = 240
    group = rng.choice(["a", "b"], n)
    owns = rng.random(n) < np.where(group == "a", 0.7, 0.3)
    works = rng.random(n) < 0.5
    paid = np.where(rng.random(n) < 0.25, rng.random(n) < 0.5, works | (owns & (rng.random(n) < 0.6)))
    frame = pd.DataFrame({"group": group, "owns": owns, "works": works})
    for name, rows in (("insured", 4), ("votes", 6)):  # as good as whether one works, and kinder to b
        other = works.copy()
        for kind in (paid, ~paid):
            other[np.flatnonzero((group == "b") & ~works & kind)[:rows]] = True
        frame[name] = other
    return frame.assign(age=rng.integers(20, 60, n), paid=np.where(paid, "yes", "no")).to_csv(index=False).encode()


def open_upload(view: Visit) -> None:
    page = view.page
    file = {"name": "class.csv", "mimeType": "text/csv", "buffer": people()}
    page.get_by_role("tabpanel", name="Search").locator("input[type=file]").first.set_input_files(file)
    page.get_by_label("Role of group").select_option(label="sensitive, and a feature")
    view.button("Accept").tap()
    page.get_by_role("button", name="paid = yes", exact=True).wait_for()


def test_a_class_builds_finds_compares_and_comes_back(visit, place: Path) -> None:
    view = visit(390, 844, **PHONE).open("?tab=Search&regularization=0.02&max_conditions=1&thresholds=2&room=class")
    page = view.page
    open_upload(view)
    page.get_by_role("tab", name="Alternatives").tap()
    status = page.get_by_label("Your list", exact=True)
    status.get_by_text("above the certified optimum").wait_for()
    words = page.get_by_role("list", name="Rules").locator(".words")
    for k, column in enumerate(ADDED):
        page.get_by_label("Add a rule").fill(column)
        page.locator("#found [role=option]").first.tap()
        view.until(lambda k=k: words.count() == k + 2)
    drag(page, page.locator(".handle").nth(0), page.locator(".handle").nth(2))
    view.until(lambda: ADDED[0] in words.nth(2).inner_text())
    assert ADDED[1] in words.nth(0).inner_text()
    status.get_by_text(re.compile(r"^[0-9.]+ above the certified optimum")).wait_for()
    view.keep.tap()
    page.get_by_text("pinned as A").wait_for()

    view.button("Leave the game").tap()
    view.button("Run the search").tap()
    page.get_by_text(re.compile("^(certified|not) complete")).wait_for()
    page.get_by_label("Above the optimum, at most").select_option("1 %")
    complete, more = page.get_by_text(re.compile("^certified complete: .* within 1 % of")), view.button("Find more")

    def found() -> bool:
        """What fits in two seconds, or a minute, depends on who else is computing."""
        if more.is_visible():
            more.tap()
        return complete.is_visible()

    view.until(found)
    page.get_by_label("Groups by").filter(visible=True).select_option("group")
    table = page.get_by_role("table", name="Good models", exact=True)
    table.get_by_role("columnheader", name="gap, %").wait_for()
    models = table.locator("tbody tr")
    optimum = gap(models.first)
    page.get_by_label("In order of", exact=True).select_option("gap between groups")
    view.until(lambda: models.first.locator("th").inner_text() != "1")
    assert models.count() >= 3, "several models to choose from"
    assert gap(models.first) < optimum
    models.first.get_by_role("button").tap()
    chosen = models.first.get_by_role("button", pressed=True)
    chosen.wait_for()
    status.get_by_text(re.compile("^as good as the certified optimum|still within 1 % of it$")).wait_for()
    view.keep.filter(visible=True).tap()
    page.get_by_text("pinned as B").wait_for()

    page.get_by_role("tab", name="Compare").tap()
    page.get_by_role("heading", name="At a glance").wait_for()
    cards = page.get_by_role("tabpanel", name="Compare").locator(".rl-model h2")
    view.until(lambda: cards.count() == 2)
    view.button("Export all").tap()
    with page.expect_download() as report:
        page.get_by_role("link", name="Report (HTML)").or_(view.button("Report (HTML)")).first.tap()
    report.value.save_as(place.with_name("report.html"))
    text = place.with_name("report.html").read_text(encoding="utf-8")
    assert "Made by hand" in text
    assert text.count("<svg") > 3
    with page.context.browser.new_context(viewport={"width": 390, "height": 844}, offline=True) as offline:
        alone = offline.new_page()
        alone.goto(place.with_name("report.html").as_uri())
        assert alone.evaluate("document.documentElement.scrollWidth") <= 390, "the cards scroll, not the page"
    view.until(lambda: "pins=" in page.url)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    names = cards.all_inner_texts()
    link = re.search(r"pins=\w+", page.url)
    assert link is not None

    rl.views.keep_runs(None)  # the next day: another server, another browser, the same file
    rl.views.keep_runs(rl.store.open(place))
    again = visit(1440, 900, color_scheme="light")
    again.page.goto(f"{again.base}?tab=Compare&{link[0]}")
    there = again.page.locator(".rl-model h2")
    again.until(lambda: there.all_inner_texts() == names)
    tables = again.page.locator(".rl-model h3", has_text="Rates per group, training rows")
    again.until(lambda: tables.count() == 2)
    for each in (view, again):
        assert (each.console, each.foreign()) == ([], [])


def gap(line: Any) -> float:
    """What is said of a model in the list."""
    return float(line.locator("td").nth(2).inner_text())


def drag(page: Any, handle: Any, to: Any) -> None:
    """With a finger."""
    handle.scroll_into_view_if_needed()
    begin, end = handle.bounding_box(), to.bounding_box()
    x, y, last = begin["x"] + 10, begin["y"] + 10, end["y"] + end["height"] + 30
    client = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        at = [{"x": across, "y": down} for across, down in points]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})

    touch("touchStart", (x, y))
    for k in range(1, 6):
        touch("touchMove", (x, y + (last - y) * k / 5))
    page.wait_for_timeout(500)
    touch("touchMove", (x, last))  # the finger rests: what is thrown takes the next tap for a stop
    page.wait_for_timeout(500)
    touch("touchEnd")
