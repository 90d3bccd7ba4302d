"""A list edited by hand in a real browser."""

import re
from pathlib import Path
from typing import Any

import pytest
from visits import Visit, script

pytestmark = pytest.mark.ui

QUICK = "?tab=Alternatives&data=tic_tac_toe&regularization=0.02&max_conditions=1&room=class+7"
_FOCUSED = script("focused", WHAT="e.getAttribute('aria-label')")

_EARLY = script("early")
"""Whether controls that become able before they are drawn stay disabled."""

_FOCUSED_ID = script("focused", WHAT="e.id")


def rules(view: Visit) -> list[str]:
    return view.page.get_by_role("list", name="Rules").locator(".words").all_inner_texts()


def test_a_list_is_made_by_keyboard_and_dragged_and_flips_one_person(visit) -> None:
    view = visit(1280, 720)
    page = view.page
    page.goto(view.base + QUICK)
    status = page.get_by_label("Your list", exact=True)
    status.get_by_text("above the certified optimum").wait_for()
    field = page.get_by_label("Add a rule")
    for k in range(3):
        field.fill("middle")
        page.locator("#found [role=option]").nth(k).wait_for()
        for _ in range(k):
            field.press("ArrowDown")
        field.press("Enter")
        view.until(lambda k=k: len(rules(view)) == k + 2)
    made = [text.removeprefix("else ") for text in rules(view)]

    view.button("Move rule 1 down").focus()
    page.keyboard.press("Enter")
    view.until(lambda: rules(view)[0].endswith(made[1]))
    assert page.evaluate(_FOCUSED) == "Move rule 2 down"

    handles = page.locator(".handle")
    handles.nth(0).scroll_into_view_if_needed()
    first, last = handles.nth(0).bounding_box(), handles.nth(2).bounding_box()
    page.mouse.move(first["x"] + 8, first["y"] + 8)
    page.mouse.down()
    page.mouse.move(first["x"] + 8, last["y"] + last["height"] + 8, steps=4)
    page.mouse.up()
    view.until(lambda: rules(view)[2].endswith(made[1]))

    view.button("Best single change").click()
    page.get_by_text(re.compile("^Best of all single changes: ")).wait_for()
    before = status.inner_text()
    view.button("Make this change").click()
    view.until(lambda: status.inner_text() != before)
    tick = page.get_by_role("checkbox").first
    tick.check()
    page.get_by_text(re.compile("^(If .* instead of .*|No change of .* flips the decision.*)")).first.wait_for()
    page.get_by_role("row", name=re.compile(r"player \d+ \(you\)")).wait_for()
    view.button("Reveal the optimum").click()
    page.get_by_role("heading", name="The certified optimum").wait_for()
    view.pin()

    page.set_viewport_size({"width": 390, "height": 844})
    view.until(lambda: page.evaluate("document.documentElement.scrollWidth") <= 390)
    assert (view.too_wide(), view.console, view.foreign()) == ([], [], [])


def test_on_a_phone_a_room_stands_above_the_list_that_is_made_in_it(visit) -> None:
    view = visit(390, 844)
    page = view.page
    page.goto(view.base + QUICK)
    room, add = page.get_by_label("Room", exact=True), page.get_by_label("Add a rule")
    add.wait_for()
    view.until(lambda: room.bounding_box()["y"] < min(700, add.bounding_box()["y"]))
    page.set_viewport_size({"width": 1280, "height": 720})
    view.until(lambda: abs(add.bounding_box()["x"] - room.bounding_box()["x"]) > 400)
    assert (view.too_wide(), view.console) == ([], [])


def test_conditions_of_a_rule_set_are_added_and_taken_out_by_keyboard(visit) -> None:
    view = visit(390, 844)
    page = view.page
    page.goto(view.base + "?tab=Alternatives&data=tic_tac_toe&family=rule_set&max_complexity=6&room=sets")
    status = page.get_by_label("Your list", exact=True)
    status.get_by_text("above the certified optimum").wait_for()
    field = page.get_by_label("Add a condition")
    conditions = page.get_by_role("list", name="Rules").locator(".part")

    def parts() -> list[str]:
        return [text.replace("✕", "").strip() for text in conditions.all_inner_texts()]

    for k, (text, place) in enumerate((("middle_middle = x", "a new rule"), ("top_left = x", "rule 1"))):
        page.get_by_label("To", exact=True).select_option(place)
        field.fill(text)
        page.locator("#found [role=option]").get_by_text(text, exact=True).wait_for()
        field.press("Enter")
        view.until(lambda k=k: len(parts()) == k + 1)
    assert sorted(parts()) == ["middle_middle = x", "top_left = x"]
    before = status.inner_text()
    view.button("Take middle_middle = x out of rule 1").focus()
    page.keyboard.press("Enter")
    view.until(lambda: parts() == ["top_left = x"])
    view.until(lambda: status.inner_text() != before)
    before = status.inner_text()
    view.button("Take top_left = x out of rule 1").focus()
    page.keyboard.press("Enter")
    view.until(lambda: [text.strip() for text in rules(view)] == ["always"])
    view.until(lambda: status.inner_text() != before)
    view.until(lambda: page.evaluate(_FOCUSED_ID) == "search")
    view.button("Undo").click()
    view.until(lambda: len(rules(view)) == 2)
    assert page.evaluate(_EARLY) == [False, False, False]
    assert (view.too_wide(), view.console) == ([], [])


ADDED = ("middle_middle = x", "top_left = x", "bottom_right = x")


def test_a_list_is_made_by_finger_on_a_phone_and_its_link_opens_elsewhere(visit, place: Path) -> None:
    view = visit(390, 844, has_touch=True, color_scheme="dark")
    page = view.page
    page.goto(view.base + QUICK.replace("class+7", "phones"))
    status = page.get_by_label("Your list", exact=True)
    status.get_by_text("above the certified optimum").wait_for()
    for k, condition in enumerate(ADDED):
        page.get_by_label("Add a rule").fill(condition)
        page.locator("#found [role=option]").first.tap()
        view.until(lambda k=k: len(rules(view)) == k + 2)
    drag(page, page.locator(".handle").nth(0), page.locator(".handle").nth(2))
    view.until(lambda: ADDED[0] in rules(view)[2])
    assert ADDED[1] in rules(view)[0]
    view.keep.tap()
    page.get_by_text("pinned as A").wait_for()
    page.get_by_role("tab", name="Compare").tap()
    names = page.get_by_role("tabpanel", name="Compare").locator(".rl-model h2")
    view.until(lambda: names.count() == 1 and "pins=" in page.url)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    again = visit(1440, 900, color_scheme="light")
    again.page.goto(f"{again.base}?tab=Compare&{re.search('pins=[0-9a-z]+', page.url)[0]}")
    again.until(lambda: again.page.locator(".rl-model h2").all_inner_texts() == names.all_inner_texts())
    for each in (view, again):
        assert (each.console, each.foreign()) == ([], [])


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
