"""The boxes of the Search tab stay where they are, and its plots can be saved and read."""

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import panel as pn
import panel_material_ui as pmui
import pytest
from patience import PATIENCE
from PIL import Image
from servers import free_port
from visits import script
from words import broken_words

import rulelab as rl

pytestmark = pytest.mark.ui

LABELS = {"rule_list": "Rule list", "falling_rule_list": "Falling rule list", "rule_set": "Rule set"}
QUICK = "data=tic_tac_toe&regularization=0.02&max_complexity=8"
MOST_SHIFT = 0.02
FRAMES = "rl-status|bk-CartesianFrame"
_BOXES = script("boxes")
_WATCH = script("shifts")
"""Notes what part of the window moved, times how far, without what is gone, and without pictures and thumbs of sliders
for which the browser knew no place before: it says the left edge, and takes that way for the way of everything else."""


def test_in_a_page_of_the_design_nothing_is_squashed(context: Any) -> None:
    port = free_port()
    data = rl.datasets.load("tic_tac_toe")
    problem = rl.Problem.from_antecedents(rl.mine_antecedents(rl.Binarizer().fit_transform(data.X)), data.y)

    def page() -> pmui.Page:
        return pmui.Page(main=[rl.views.SearchView(rl.RuleListSearch(problem, 0.05))])

    thread = pn.serve(page, port=port, threaded=True, show=False)
    window = context.new_page()
    try:
        window.set_default_timeout(1000 * PATIENCE)
        window.set_viewport_size({"width": 1440, "height": 700})
        window.goto(f"http://127.0.0.1:{port}")
        window.get_by_text("Objective and lower bound").first.wait_for()
        status = window.locator(".rl-status").first
        status.wait_for()
        needed, given = status.evaluate("(e) => [e.scrollHeight, e.clientHeight]")
        assert 0 < needed <= given + 1
    finally:
        window.close()
        thread.stop()


def boxes(view: Any, kinds: str = "rl-(wide|third|row)") -> list[list[int]]:
    """Place and size of all boxes of the view, or of what is of other kinds, once they rest."""
    last: list[list[int]] = []

    def rest() -> bool:
        nonlocal last
        last, before = view.each(_BOXES, kinds), last
        return bool(last) and last == before

    view.page.wait_for_timeout(400)
    view.until(rest)
    return last


def close_to(one: list[list[int]], other: list[list[int]]) -> bool:
    return len(one) == len(other) and all(
        abs(a - b) <= 2 for p, q in zip(one, other, strict=True) for a, b in zip(p, q, strict=True)
    )


def choose(view: Any, family: str) -> None:
    view.field("Model family").select_option(LABELS[family])
    name = re.compile("best " + family.replace("_", " "), re.IGNORECASE)
    view.page.get_by_role("heading", name=name).first.wait_for()


def standing_and_bounds(view: Any) -> list[list[int]]:
    """The boxes of how the search stands, and of the figure of its bounds, which is the highest one."""
    standing, *figures = boxes(view, FRAMES)
    return [standing, min(figures, key=lambda box: box[1])]


CHANGES = {
    1440: ("rule_set", "rule_list", "falling_rule_list", "rule_list", "rule_set"),
    1024: ("falling_rule_list", "rule_list"),
}


def test_running_moves_nothing_and_changing_the_family_gives_the_boxes_of_a_fresh_page(visit) -> None:
    fresh = {}
    for family in LABELS:
        view = visit(1440, 900).open(f"?family={family}&{QUICK}")
        for width in CHANGES:
            view.page.set_viewport_size({"width": width, "height": 900})
            view.field("Model family").wait_for()
            fresh[family, width] = boxes(view)
        view.page.close()
    view = visit(1440, 900)
    view.page.add_init_script(_WATCH)
    view.open(f"?{QUICK}")
    view.field("Model family").wait_for()
    boxes(view)
    view.page.evaluate("window.shifts = []")
    view.run()
    before = boxes(view)
    assert sum(view.page.evaluate("window.shifts")) < MOST_SHIFT
    view.field("Model family").select_option(LABELS["falling_rule_list"])
    view.until(lambda: "With the earlier settings" in view.status)
    view.until(lambda: close_to(boxes(view), before))
    view.reset()
    view.until(lambda: close_to(boxes(view), fresh["falling_rule_list", 1440]))
    for width, families in CHANGES.items():
        view.page.set_viewport_size({"width": width, "height": 900})
        for family in families:
            choose(view, family)
            view.until(lambda now=fresh[family, width]: close_to(boxes(view), now))


def test_changing_method_criterion_and_question_gives_the_boxes_of_a_fresh_page(visit) -> None:
    monte_carlo = "family=falling_rule_list&method=monte_carlo&data=diabetes"
    fair = "family=rule_set&fairness=equal_opportunity&data=diabetes"
    fresh = {}
    for query in (monte_carlo, fair, "family=least_gap"):
        view = visit(1280, 720).open(f"?{query}")
        view.field("Model family").wait_for()
        fresh[query] = boxes(view)
    view = visit(1280, 720).open("?data=diabetes")
    choose(view, "falling_rule_list")
    view.field("Method").filter(visible=True).select_option("Monte-Carlo, as in the paper")
    view.until(lambda: close_to(boxes(view), fresh[monte_carlo]))
    choose(view, "rule_set")
    view.field("Fairness").filter(visible=True).select_option("equal opportunity: missed positives")
    view.until(lambda: close_to(boxes(view), fresh[fair]))
    view.field("Model family").select_option("Rule list of least gap")
    view.until(lambda: close_to(boxes(view), fresh["family=least_gap"]))


@pytest.mark.parametrize(
    ("query", "size"),
    [
        ("family=falling_rule_list&data=tic_tac_toe", (1440, 900)),
        ("family=rule_set&data=tic_tac_toe", (1440, 900)),
        ("family=rule_set&data=diabetes&fairness=equal_opportunity&max_difference=0.05", (1024, 768)),
        ("family=least_gap", (1440, 900)),
    ],
)
def test_legends_ticks_and_claims_have_their_place_before_they_are(visit, query, size) -> None:
    view = visit(*size).open(f"?{query}")
    before = standing_and_bounds(view)
    view.run()
    assert close_to(standing_and_bounds(view), before)


def pinning_moves_nothing(view: Any) -> None:
    view.keep.scroll_into_view_if_needed()
    before = boxes(view)
    view.pin()
    assert boxes(view) == before


def test_on_a_phone_verifying_and_pinning_move_nothing_and_one_scrolls_down_only(visit) -> None:
    view = visit(390, 900)
    view.page.add_init_script(_WATCH)
    view.open(f"?{QUICK}")
    name = view.page.get_by_role("heading", level=1).bounding_box()
    first = view.page.get_by_role("tab", name="Search").bounding_box()
    assert first["x"] >= name["x"] + name["width"] + 5
    assert view.page.get_by_role("tab", name="Search").evaluate("e => parseFloat(getComputedStyle(e).fontSize)") >= 12
    assert view.check.count() == 0
    assert view.page.get_by_role("status", name="Status").locator(".phase").bounding_box()["height"] < 40, "two lines"
    view.run()
    assert view.too_wide() == []
    assert view.page.evaluate("document.documentElement.scrollWidth") <= 390
    view.check.scroll_into_view_if_needed()
    assert view.check.locator("span").last.bounding_box()["height"] < 24, "on one line"
    before = boxes(view)
    view.page.evaluate("window.shifts = []")
    view.check.click()
    view.page.get_by_text(re.compile("^Valid: no rule list")).wait_for()
    assert sum(view.page.evaluate("window.shifts")) < MOST_SHIFT
    assert close_to(boxes(view), before)
    assert view.page.get_by_role("status", name="Check of the model").count() == 1
    pinning_moves_nothing(view)
    assert view.console == []


def test_errors_move_no_box(visit) -> None:
    view = visit(1280, 720).open(f"?{QUICK}")
    view.field("Regularization").wait_for()
    before = boxes(view)
    view.field("Regularization").fill("much")
    view.page.keyboard.press("Tab")
    view.page.get_by_role("alert").filter(has_text="“much” is not a number").first.wait_for()
    view.page.get_by_text("Mend the field that is marked").filter(visible=True).first.wait_for()
    assert view.button("Run").is_disabled()
    view.until_status("not ready: a field is wrong")
    assert close_to(boxes(view), before)


def test_at_twice_the_size_one_sees_what_to_press_and_what_is_said_and_pinning_moves_nothing(visit) -> None:
    view = visit(720, 450).open(f"?{QUICK}")
    assert view.page.get_by_role("banner").bounding_box()["height"] <= 64
    view.button("Run").scroll_into_view_if_needed()
    view.run()
    view.page.get_by_role("status", name="Status").scroll_into_view_if_needed()
    run, status = view.button("Run").bounding_box(), view.page.get_by_role("status", name="Status").bounding_box()
    assert 0 <= run["y"] < run["y"] + run["height"] <= 450
    assert 0 <= status["y"] < status["y"] + status["height"] <= 450
    assert view.too_wide() == []
    view.page.set_viewport_size({"width": 1280, "height": 900})
    pinning_moves_nothing(view)


def test_no_word_is_broken_in_the_heads_of_the_rules(visit) -> None:
    view = visit(1440, 900).open("?data=diabetes&regularization=0.02&max_conditions=1")
    view.run()
    for width in (1440, 1280, 1024, 390, -1280, -1024, -390):  # then before an audience
        if width == -1280:
            view.page.keyboard.press("p")
        view.page.set_viewport_size({"width": abs(width), "height": 800})
        boxes(view)
        words, broken = broken_words(view.page, "table.rules th", r"[^\s_]+")  # an underscore ends a word
        assert words > 5
        assert broken == [], width


_HEADS = """(e) => {
    const { fontWeight, fontSize } = getComputedStyle(e), x = e.getBoundingClientRect().x
    return e.tagName === "H2" ? { name: e.textContent.trim(), x, looks: fontWeight + fontSize } : null
}"""


def middles(button: Any) -> tuple[float, float]:
    """How far down a button its icon and its word are drawn, in pixels."""
    ink = np.asarray(Image.open(io.BytesIO(button.screenshot())).convert("L")).astype(int)[4:-4, 4:-4]
    drawn = abs(ink - np.median(ink)) > 40
    columns = np.flatnonzero(drawn.any(axis=0))
    gap = np.diff(columns).argmax()  # between the icon and the word
    icon, word = (np.flatnonzero(drawn[:, part[0] : part[-1] + 1].any(axis=1)) for part in np.split(columns, [gap + 1]))
    return (icon[0] + icon[-1]) / 2, (word[0] + word[-1]) / 2


def plots_are_saved_and_their_figures_read(view: Any) -> None:
    plots = view.page.get_by_role("figure")
    named = [plots.nth(i).get_attribute("aria-label") for i in range(plots.count())]
    headings = view.page.locator("header.plot h2").all()
    assert sorted(named) == sorted(heading.get_attribute("aria-label") for heading in headings)
    assert len(named) == 3
    view.page.get_by_role("tab", name="Bounds", exact=True).click()
    view.page.get_by_role("figure", name="Prefixes cut, by bound").wait_for()
    assert view.page.locator("[role=tablist][aria-busy=true]").count() == 0, "what is open stands there"
    menu = view.page.locator("header.plot details").first
    menu.locator("summary").click()
    menu.locator("table tr").nth(1).wait_for()
    assert "lower bound" in menu.locator("th").all_inner_texts()
    starts = {"PNG": b"\x89PNG", "SVG": b"<svg", "CSV": b"time (s),work,objective,lower bound"}
    for kind, start in starts.items():
        with view.page.expect_download() as info:
            menu.get_by_role("button", name=kind).click()
        saved = Path(info.value.path()).read_bytes()
        assert saved.lstrip().startswith(start)
        assert info.value.suggested_filename == f"tic_tac_toe_objective_and_lower_bound.{kind.lower()}"
        if kind == "PNG":
            assert (int.from_bytes(saved[16:20]), int.from_bytes(saved[20:24])) == (1600, 900)
    view.page.keyboard.press("Escape")
    assert menu.get_attribute("open") is None
    assert (view.foreign(), view.console) == ([], [])


def test_buttons_wait_for_their_time_titles_stand_in_line_and_plots_are_saved_and_read(visit) -> None:
    view = visit().open(f"?{QUICK}")
    assert view.button("Run").bounding_box()["y"] < 120
    icon, word = middles(view.button("Run"))
    assert abs(icon - word) <= 1.5
    heads = {each["name"].partition(" ?")[0].partition("?")[0].strip(): each for each in view.each(_HEADS)}
    assert "Search" not in heads
    bounds, tree = heads["Objective and lower bound"], heads["Search tree"]
    assert (bounds["x"], bounds["looks"]) == (tree["x"], tree["looks"])
    assert heads["Best rule list so far"]["looks"] == tree["looks"]
    assert view.button("Pause").count() == 0
    assert view.more().button("Stop").is_disabled()
    view.button("Step").click()
    view.until_status("paused")
    view.until(lambda: view.more().button("Stop").is_enabled())
    view.more().button("Stop").click()
    view.until(lambda: view.button("Step").is_disabled())
    view.page.get_by_text("Step cannot go on").wait_for()
    assert view.button("Run").is_enabled()
    view.reset()
    view.run()
    plots_are_saved_and_their_figures_read(view)


_CONTROLS = script("controls")
"""What can have the focus, but for words that only ask the glossary, and for what is within such elements."""
_ROWS = "tr, li, .rl-model"
"""Those of tables, the rules of a list, and cards: there are as many as what is shown has."""
MOST_CONTROLS = 32


def test_after_a_run_there_are_few_controls_and_no_sign_that_asks(visit) -> None:
    view = visit(1440, 900).open("?data=compas")
    view.run()
    view.check.wait_for()
    found = view.page.evaluate(_CONTROLS)
    assert 10 < len(found) <= MOST_CONTROLS, found
    assert view.page.get_by_text("?", exact=True).filter(visible=True).count() == 0
    status = view.page.get_by_role("status", name="Status").bounding_box()
    figure = view.page.get_by_role("figure", name="Objective and lower bound").bounding_box()
    assert status["x"] + status["width"] < figure["x"], "the answer is on the left of how it was found"
    view.page.set_viewport_size({"width": 1280, "height": 720})
    following = view.page.get_by_text("Next rules", exact=True)
    view.until(lambda: following.bounding_box()["y"] < 680)
    view.page.set_viewport_size({"width": 1440, "height": 900})
    view.keep.click()
    view.page.get_by_role("tab", name="Compare").click()
    view.page.get_by_text("Sweep finished").wait_for()
    found = view.page.evaluate(_CONTROLS, _ROWS)
    assert 10 < len(found) <= MOST_CONTROLS, found
    view.page.get_by_role("tab", name="Alternatives").click()
    view.until_all_are_found()
    view.page.get_by_label("Add a rule").wait_for()
    found = view.page.evaluate(_CONTROLS, _ROWS)
    assert 10 < len(found) <= MOST_CONTROLS, found
