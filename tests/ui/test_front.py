"""The front of the page in a real browser: how much stands on it, how soon, and what its cards do."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from numba.core import event
from visits import Visit, script, workers

pytestmark = pytest.mark.ui

CSV = "colour,size,ok\n" + "".join(f"red,{i},yes\nblue,{10 - i},no\n" for i in range(10))
MOST_CONTROLS, MOST_WORDS, MOST_SHIFT, MOST_SECONDS = 12, 90, 0.02, 1.0
_EVERY = script("every")
_CONTROLS = script("front_controls", EVERY=_EVERY)
_WORDS = script("front_words", EVERY=_EVERY)
_WATCH = script("front_watch", EVERY=_EVERY)
_DROP = script("drop")
_FOCUS = script("focused", WHAT="e?.getAttribute('aria-label') || e?.querySelector('b')?.textContent || e?.textContent")


@pytest.fixture
def front(visit: Callable[..., Visit]) -> Callable[..., Visit]:
    def make(*size: int, **options: Any) -> Visit:
        view = visit(*size or (1440, 900), **options)
        view.page.add_init_script(f"({_WATCH})()")
        view.page.goto(view.base)
        view.page.locator(".course .best").wait_for()
        view.page.wait_for_function("Bokeh.documents.length > 0 && Bokeh.documents[0].is_idle")
        return view

    return make


def card(view: Visit, name: str) -> Any:
    return view.page.locator(f"[data-card='{name}']")


def test_it_is_small_and_soon_there_and_nothing_is_compiled(front: Callable[..., Visit]) -> None:
    front()  # the page's files are in the browser's cache
    with event.install_recorder("numba:compile") as compiled:
        view = front()
        page = view.page
        assert len(controls := page.evaluate(_CONTROLS)) <= MOST_CONTROLS, controls
        assert len(words := page.evaluate(_WORDS)) <= MOST_WORDS, words
        text = page.locator(".course .rules")
        before = text.text_content()
        view.until(lambda: text.text_content() != before)  # it plays by itself
        seen = page.evaluate("window.seen")
    assert not compiled.buffer
    assert not workers()
    assert (seen["picture"] - seen["page"]) / 1000 <= MOST_SECONDS, seen
    assert seen["shift"] < MOST_SHIFT, seen
    assert (view.console, view.dialogs, view.foreign()) == ([], [], [])


@pytest.mark.parametrize(("size", "scheme"), [((1280, 720), "dark"), ((1024, 768), "light"), ((390, 844), "dark")])
def test_it_fits_everywhere_and_stands_still_where_that_is_wanted(front: Callable[..., Visit], size, scheme) -> None:
    view = front(*size, color_scheme=scheme, reduced_motion="reduce")
    assert view.too_wide() == []
    assert view.page.locator(".course .rules").text_content().startswith("proven, 7 rules")
    view.button("Play the recording").click()
    view.button("Pause the recording").click()
    assert not view.page.locator(".course .rules").text_content().startswith("proven")
    assert view.console == []


def test_the_keyboard_goes_through_it_in_order(front: Callable[..., Visit]) -> None:
    view, found = front(), []
    for _ in range(8):  # of the tabs only one is in the way
        view.page.keyboard.press("Tab")
        found.append(view.page.evaluate(_FOCUS))
    cards = ["Watch a proof", "COMPAS", "Beat the optimizer", "Choose a file"]
    assert found[:-1] == ["rulelab", "Search", "Toggle theme", *cards]
    assert found[-1] == "Pause the recording"


def test_a_proof_is_watched_back_brings_the_front_and_the_game_begins(front: Callable[..., Visit]) -> None:
    view = front()
    card(view, "proof").click()
    view.button("Pause").wait_for()
    card(view, "proof").wait_for(state="hidden")
    view.until_status("certified optimal")
    view.page.go_back()
    card(view, "proof").wait_for()
    assert view.page.url == view.base
    view.page.go_forward()
    view.button("Run").wait_for()
    view.page.goto(view.base)
    card(view, "game").click()
    view.page.get_by_text("certified optimum").first.wait_for()
    view.until(lambda: view.page.url == f"{view.base}?tab=Alternatives")
    assert view.console == []


@pytest.mark.parametrize("how", ["dropped", "chosen"])
def test_an_own_table_opens_search_with_its_sheet(front: Callable[..., Visit], how: str) -> None:
    view = front()
    if how == "dropped":
        view.button("Choose a file").evaluate(_DROP, CSV)
    else:
        field = view.page.locator(".own input[type=file]")
        file = {"name": "mine.csv", "mimeType": "text/csv", "buffer": b"a,b,y\n1,2\n"}
        field.set_input_files(file)
        view.page.get_by_role("alert").get_by_text("row 1 (line 2) has 2 cells, the header has 3 columns").wait_for()
        field.set_input_files({**file, "buffer": CSV.encode()})
    view.page.get_by_role("dialog").get_by_text("mine.csv").first.wait_for()
    view.button("Accept").click()
    view.run()
    assert view.console == []


@pytest.mark.usefixtures("place")
def test_who_comes_back_goes_on_with_an_own_run_only(front: Callable[..., Visit], chromium: Any) -> None:
    view = front()
    assert not card(view, "go on").is_visible()
    card(view, "compas").click()
    view.button("Run").wait_for()
    view.until_status("certified optimal")
    assert view.page.url.startswith(f"{view.base}?tab=Search&data=compas")
    view.until(lambda: "run=" in view.page.url)
    run = view.page.url.split("run=")[1]
    view.page.wait_for_function("localStorage.getItem('rulelab-last')")
    assert json.loads(view.page.evaluate("localStorage.getItem('rulelab-last')"))[0] == run
    view.page.goto(view.base)
    card(view, "go on").click()
    view.until_status("certified optimal")
    assert f"run={run}" in view.page.url
    stranger = front(color_scheme="light")
    assert not card(stranger, "go on").is_visible()
