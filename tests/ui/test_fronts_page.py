"""The fronts of the tab Compare in a real browser."""

import io
import re
import threading
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from figures import figures_are_clear
from patience import wait_until
from visits import KEEP, Visit, script
from words import words_are_clear

from rulelab.sweeps.running import THREAD_NAME

pytestmark = pytest.mark.ui

QUICK = "?tab=Compare&values=0.05,0.02&thresholds=3&max_conditions=1&test_share=0.3"
LONG = "?tab=Compare&data=breast_cancer&max_conditions=2&thresholds=10&values=0.2,0.001&time_limit=300"
_PICTURE = script("picture")
AT = script("picture_at", PICTURE=_PICTURE)
DRAWN = script("picture_drawn", PICTURE=_PICTURE)


def opened(view: Visit, query: str = QUICK) -> Visit:
    view.page.goto(view.base + query)
    view.button("Fill the front").wait_for()
    view.page.wait_for_function("Bokeh.documents.length > 0 && Bokeh.documents[0].is_idle")
    return view


def finished(view: Visit) -> None:
    view.until(lambda: "Sweep finished" in said(view))


def said(view: Visit) -> str:
    """What the status line of the sweep says."""
    return " ".join(status(view).inner_text().split())


def status(view: Visit) -> Any:
    return view.page.get_by_role("status", name="Sweep", exact=True)


def sweeping() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == THREAD_NAME]


def download(view: Visit, name: str) -> Path:
    link = view.page.get_by_role("link", name=name).or_(view.button(name)).first
    with view.page.expect_download() as info:
        link.click()
    return Path(info.value.path())


STRIP = "Random forest"
"""A method that has no rule count."""


def drawn(view: Visit) -> list[str]:
    """The labels of the points in the picture."""
    return view.page.evaluate(DRAWN)


def tap(view: Visit, key: str) -> None:
    view.page.mouse.click(*view.page.evaluate(AT, key))


def test_a_sweep_of_all_families_is_tapped_compared_and_exported(visit) -> None:
    view = opened(visit())
    view.button("Fill the front").click()
    finished(view)
    table = view.page.get_by_role("region", name="Models")
    rows = table.locator("tbody tr")

    def row(name: str) -> Any:
        return rows.filter(has=view.page.get_by_text(name, exact=True))

    for name in ("Rule list, regularization 0.05", "Random forest"):
        row(name).wait_for()
    n = rows.count()
    view.page.wait_for_timeout(500)
    tap(view, "0:1")
    title = view.page.locator(".rl-model h2")
    view.until(lambda: title.count() == 1 and "rule list 0.0" in title.inner_text())
    figures = view.page.get_by_role("heading", name="Rule list", exact=True).first
    view.until(lambda: 0 <= figures.bounding_box()["y"] < 900)
    view.page.get_by_text("Rates per group, test rows").first.wait_for()
    row("Rule list, regularization 0.05").get_by_role("button", name=re.compile("^Show")).click()
    view.page.locator(".rl-chosen-point").get_by_text("regularization 0.05").wait_for()
    forest = view.page.locator(".rl-fronts").get_by_role("checkbox", name="Random forest", exact=True)
    view.until(lambda: STRIP in drawn(view))
    forest.uncheck()
    view.until(lambda: STRIP not in drawn(view))
    forest.check()
    view.until(lambda: STRIP in drawn(view))
    row("Rule list, regularization 0.02").get_by_role("button", name=re.compile("^Show")).click()
    view.page.locator(".rl-chosen-point").get_by_text("regularization 0.02").wait_for()
    view.until(lambda: title.count() == 1)
    view.button(KEEP).click()
    view.page.get_by_text("pinned as A").wait_for()
    row("Rule list, regularization 0.05").get_by_role("checkbox").check()
    view.until(lambda: row("Rule list, regularization 0.05").locator("b").all_inner_texts() == ["B"])
    row("Rule list, regularization 0.05").get_by_role("checkbox").uncheck()
    view.until(lambda: rows.count() == n)

    view.button("Export all").click()
    points = pd.read_csv(io.BytesIO(download(view, "All points (CSV)").read_bytes()))
    assert len(points) == 2 * n
    fits = pd.read_csv(io.BytesIO(download(view, "All fits (CSV)").read_bytes()))
    assert {"rule_list", "greedy_list", "cart", "random_forest", "logistic_regression"} == set(fits["family"])
    menu = view.page.locator("header.plot details").first
    menu.locator("summary").click()
    view.until(lambda: menu.locator("tr").count() == n + 1)
    png = download(view, "PNG").read_bytes()
    assert png.startswith(b"\x89PNG")
    assert (int.from_bytes(png[16:20]), int.from_bytes(png[20:24])) == (1600, 900)
    picture = download(view, "SVG").read_text()
    assert picture.lstrip().startswith("<svg")
    assert "Random forest" in picture
    drawn_points = pd.read_csv(io.BytesIO(download(view, "CSV").read_bytes()))
    assert list(drawn_points["point"]) == drawn(view)
    view.page.keyboard.press("Escape")

    view.page.get_by_role("heading", name=re.compile("A rule list 0.02")).wait_for()
    assert (view.foreign(), view.console) == ([], [])


def test_rates_by_tolerance_are_drawn_while_the_front_fills(visit) -> None:
    fair = "family=rule_set&fairness=equal_opportunity&tolerance=0.05&sensitive=sex&criterion=rates"
    swept = "data=diabetes&thresholds=2&test_share=0.3&time_limit=1&swept=tolerance&values=0.02,0.2"
    view = opened(visit(), f"?tab=Compare&{swept}&{fair}")
    view.button("Fill the front").click()
    view.page.get_by_role("heading", name="Rates by tolerance").wait_for()
    view.page.get_by_text("On training rows groups are at most").wait_for()
    finished(view)
    for method in ("Rule set", "CART", "Random forest"):
        view.page.locator(".rl-fronts").get_by_role("checkbox", name=method, exact=True).wait_for()
    assert view.console == []


def test_results_appear_while_the_sweep_runs_and_cancel_keeps_them_and_closing_the_page_ends_it(visit) -> None:
    view = opened(visit(), LONG)
    view.button("Fill the front").click()
    rows = view.page.get_by_role("region", name="Models").locator("tbody tr")
    view.until(lambda: rows.count() > 0)
    assert "fits to go" in said(view)
    assert sweeping()
    handle = status(view).element_handle()
    view.button("Stop").click()
    view.until(lambda: "Sweep cancelled" in said(view))
    assert handle.evaluate("e => e.isConnected")
    assert rows.count() > 0
    wait_until(lambda: not sweeping(), 0.05)
    assert view.console == []
    view.button("Fill the front").click()
    view.until(lambda: "fits to go" in said(view))
    assert sweeping()
    view.page.close()
    wait_until(lambda: not sweeping(), 0.05)


def test_a_phone_scrolls_down_only_every_control_is_named_and_the_plots_are_clear_and_near_the_top(visit) -> None:
    view = opened(visit(width=390, height=844), "?tab=Compare&data=compas")  # a question that takes one line
    values, alert = view.page.get_by_label("Its values"), view.page.get_by_role("alert").filter(visible=True)
    values.fill("much")
    values.press("Tab")
    view.page.get_by_text("'much' is none of numbers").wait_for()
    view.button("Fill the front").click()
    view.until(lambda: alert.count() == 1 and "much" in alert.inner_text())
    assert sweeping() == []
    values.fill("0.05, 0.02")
    values.press("Tab")
    view.button("Fill the front").click()
    finished(view)
    assert len(figures_are_clear(view.page)) >= 2
    for key in ("0:0", "0:1"):
        view.page.mouse.move(*view.page.evaluate(AT, key))
        told = view.page.get_by_text("proven optimal").and_(view.page.locator("div")).filter(visible=True)
        told.first.wait_for()
        box = told.first.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    view.page.get_by_role("button", name=re.compile("^Show Rule list")).first.click()
    view.page.locator(".rl-model").wait_for()
    assert view.too_wide() == []
    words_are_clear(view.page)
    view.until_all_are_named("button", "combobox", "textbox", "checkbox", "tab")
    view.page.set_viewport_size({"width": 1440, "height": 900})
    assert len(figures_are_clear(view.page)) >= 2
    words_are_clear(view.page)
    assert "proven" in status(view).get_attribute("class"), "a sweep that is finished is no warning"
    boxes = view.page.locator(".rl-fronts > .rl-wide").filter(has=view.page.get_by_role("figure")).filter(visible=True)
    for width, height in ((1440, 900), (1280, 720)):
        view.page.set_viewport_size({"width": width, "height": height})
        view.page.wait_for_timeout(500)
        places = [box.bounding_box() for box in boxes.all()]
        assert len(places) == 2
        assert max(place["y"] for place in places) <= 210
        assert max(place["y"] + place["height"] for place in places) <= height
    named = view.page.locator(".rl-fronts").get_by_role("checkbox").filter(visible=True)
    methods = {label.partition(",")[0] for label in drawn(view)}
    view.until(lambda: named.count() == len(methods))
    assert view.too_wide() == []
