"""The Search tab in a real browser."""

import io
import re
import time
from typing import Any

import numpy as np
import pytest
from patience import wait_until
from PIL import Image
from rings import stops
from visits import script, workers

from rulelab.views.live.state import TICK_SECONDS

pytestmark = pytest.mark.ui

QUICK = "?data=tic_tac_toe&regularization=0.02"
LONG = "?data=breast_cancer&thresholds=10&regularization=0.001&beam_width=0"
HOSTILE = "<img src=x onerror=alert(1)>"


def upload(visit, name: str, contents: str | bytes) -> None:
    data = contents.encode() if isinstance(contents, str) else contents
    field = visit.page.get_by_role("tabpanel", name="Search").locator('input[type=file][accept*=".csv"]')
    field.set_input_files({"name": name, "mimeType": "text/csv", "buffer": data})


def speed(visit, name: str) -> None:
    visit.more().page.get_by_label("Speed").select_option(name)


def test_tick_pause_step_stop_reset_and_the_end_of_the_worker(visit) -> None:
    view = visit().open(LONG)
    speed(view, "1 step per tick")
    began = time.monotonic()
    view.button("Run").focus()
    view.page.keyboard.press("Enter")
    view.until(lambda: "expanded" in view.counts and view.expanded >= 2)
    assert view.expanded <= (time.monotonic() - began) / TICK_SECONDS + 1
    view.page.keyboard.press("Enter")
    view.until_status("paused")
    view.page.keyboard.press("Enter")  # a button keeps the keyboard whatever stands on it
    view.button("Pause").wait_for()
    speed(view, "full speed")
    view.until(lambda: view.expanded > 500)
    view.button("Pause").click()
    view.until_status("paused")
    view.page.wait_for_timeout(400)
    before = view.expanded
    for done in (1, 2, 3):
        view.button("Step").click()
        view.until(lambda done=done: view.expanded == before + done)
    view.button("Run").click()
    view.until(lambda: view.expanded > before + 3)
    view.more().button("Stop").click()
    view.until_status("stopped: ")
    assert re.search(r"within 0\.\d+ of the optimum", view.status)
    view.reset()
    assert (view.page.locator("table.rules").count(), view.console) == (0, [])
    view.run("branch and bound")
    assert workers()
    view.page.close()
    wait_until(lambda: not workers(), 0.05)


def test_hostile_names_stay_text(visit) -> None:
    rows = "\n".join(f"{'yes' if i % 3 else HOSTILE},{i},{i % 3 > 0:d}" for i in range(60))
    view = visit().open()
    upload(view, f"{HOSTILE}.csv", f"{HOSTILE},<script>alert(2)</script>,<b>y</b>\n{rows}\n")
    sheet = view.page.get_by_role("dialog")
    sheet.get_by_label("Positive class").wait_for()
    assert HOSTILE in sheet.inner_text()
    assert sheet.locator("img, script, b").count() == 0
    view.button("Accept").click()
    speed(view, "full speed")
    view.run()
    table = view.page.locator("table.rules")
    assert HOSTILE in table.inner_text()
    assert table.locator("img, script").count() == 0
    assert (view.page.locator("img[src=x]").count(), view.dialogs, view.foreign()) == (0, [], [])


BAD_FILES = {
    "empty.csv": ("", "empty"),
    "ragged.csv": ("a,y\n1,0\n2\n", "row 2"),
    "binary.csv": (b"a,y\n1,0\n\xff\x01,1\n", "control character"),
    "packed.csv": (b"PK\x03\x04 no more", "it is damaged or has a password"),
}
TOO_LARGE = script("too_large")


def test_bad_uploads_are_explained_large_ones_not_sent_and_the_session_goes_on(visit) -> None:
    view = visit().open(QUICK)
    alert = view.page.get_by_role("alert").filter(visible=True)
    view.field("Data set").wait_for()
    view.page.evaluate(TOO_LARGE)
    view.until(lambda: alert.count() == 1 and "was not sent" in alert.inner_text())
    assert "at most 100 MB" in alert.inner_text()
    assert view.button("Run").is_enabled()
    assert view.console == []
    for name, (contents, expected) in BAD_FILES.items():
        upload(view, name, contents)
        view.until(lambda expected=expected: alert.count() == 1 and expected in alert.inner_text())
    view.field("Order of the queue").select_option("curiosity")
    view.until(lambda: "policy=curiosity" in view.page.url)
    assert "data=tic_tac_toe" in view.page.url
    view.run()
    assert "The data are as before." in alert.inner_text()
    assert view.field("Data set").input_value() == "tic_tac_toe"


GERMAN = "Höhe;sex;krank\n" + "".join(f"1,{50 + k};{'fm'[k % 2]};{'ja' if k > 30 else 'nein'}\n" for k in range(60))


def test_a_file_is_used_once_its_sheet_is_accepted(visit) -> None:
    view = visit().open(QUICK)
    dialog = view.page.get_by_role("dialog")
    chosen = view.field("Data set")
    upload(view, "daten.csv", GERMAN.encode("utf-16"))
    dialog.wait_for()
    assert not view.button("Run").is_enabled(), "nothing runs before the sheet is accepted"
    assert dialog.get_by_label("decimal mark").input_value() == ","
    assert dialog.get_by_label("encoding").input_value() == "utf-16"
    assert "1.51" in dialog.inner_text()
    view.page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    assert chosen.input_value() == "tic_tac_toe"
    upload(view, "daten.csv", GERMAN)
    role = dialog.get_by_label("Role of Höhe")
    role.select_option("ignore")
    view.until(lambda: "ignored" in (dialog.locator("tr", has_text="Höhe").last.get_attribute("class") or ""))
    role.select_option("feature")
    dialog.get_by_label("Positive class").select_option("0")  # ja
    dialog.get_by_label("decimal mark").select_option("point")
    view.until(lambda: "decimal comma" in dialog.inner_text())
    dialog.get_by_label("decimal mark").select_option("comma")
    view.button("Accept").click()
    view.field("Data set").wait_for()
    view.page.get_by_text("Predicts krank = ja. Groups: sex.").wait_for()
    view.run()
    assert "Höhe" in view.page.locator("table.rules").inner_text()
    assert (view.console, view.foreign()) == ([], [])


def test_all_classes_of_a_file_are_predicted_by_one_list(visit, place) -> None:
    view = visit().open("?data=tic_tac_toe&regularization=0.02&max_conditions=1")
    rows = "".join(f"{k},{k % 7},{HOSTILE if k < 30 else 'mid' if k < 60 else 'high'}\n" for k in range(90))
    upload(view, "kinds.csv", f"size,rest,kind\n{rows}")
    dialog = view.page.get_by_role("dialog")
    dialog.wait_for()
    dialog.get_by_label("Role of kind").select_option("target")
    dialog.get_by_label("Positive class").select_option(label="all classes, in one list")
    dialog.get_by_text("their errors are counted together").wait_for()
    view.button("Accept").click()
    family = view.field("Model family")
    view.page.get_by_text("Predicts kind, all 3 classes in one list.").wait_for()
    offered = "e => [...e.options].map(option => option.text)"
    view.until(lambda: family.evaluate(offered) == ["Rule list of several classes"])
    view.run("certified optimal: no rule list of several classes")
    table = view.page.get_by_role("region", name="Training rows by class")
    table.wait_for()
    assert HOSTILE[:20] in table.inner_text()
    size = view.page.viewport_size
    view.page.set_viewport_size({"width": 390, "height": 844})
    view.until(lambda: table.locator("td").last.bounding_box()["width"] < 80)
    view.page.set_viewport_size(size)
    assert view.page.locator("table.rules img, table.confusion img").count() == 0
    view.check.click()
    view.page.get_by_text("Valid: no rule list of these antecedents has an objective below").wait_for()
    view.pin()
    view.until(lambda: "run=" in view.page.url)
    view.page.reload()
    view.until_status("certified optimal: no rule list of several classes")
    view.page.get_by_role("tab", name="Compare", exact=True).click()
    card = view.page.locator(".rl-model")
    card.get_by_role("region", name="Training rows by class").wait_for()
    assert card.locator("h2").count() == 1
    assert HOSTILE[:20] in card.locator("table.confusion").inner_text()
    assert card.locator("img").count() == 0
    assert view.console == []


def test_every_control_is_named_and_reached_by_keyboard_and_the_status_is_told(visit) -> None:
    view = visit().open(QUICK)
    for name in ("objective", "Objective and lower bound", "Best rule list so far"):
        assert view.page.get_by_role("button", name=name, exact=True).count() == 1
    view.page.locator("body").press("Tab")
    for _ in range(4):
        if view.focused == "Run":
            break
        view.page.keyboard.press("Tab")
    assert view.focused == "Run"
    status = view.page.get_by_role("status")
    assert (status.count(), status.get_attribute("aria-live")) == (1, "polite")
    handle = status.element_handle()
    view.page.keyboard.press("Enter")
    view.until_status("certified optimal")
    assert handle.evaluate("e => e.isConnected"), "the region must stay in the page for screen readers to follow it"
    assert re.search(r"made [\d ]+ cut [\d ]+ expanded [\d ]+ queue 0$", view.counts)
    view.field("Data set").wait_for()
    view.until_all_are_named("button", "combobox", "textbox", "checkbox")
    view.page.get_by_label("Find a setting").fill("SUPPORT")
    view.page.get_by_label("Regularization").wait_for(state="hidden")
    assert view.field("Least support").is_visible()
    view.page.get_by_label("Find a setting").fill("")
    view.page.get_by_label("Regularization").wait_for()


def test_on_a_phone_an_ablation_keeps_the_place_and_one_person_comes_into_sight(visit) -> None:
    view = visit(390, 844).open("?data=tic_tac_toe&regularization=0.02&max_conditions=1")
    page = view.page
    view.run()
    page.get_by_role("tab", name="Without a bound").click()
    ablate = view.button("Ablation")
    ablate.scroll_into_view_if_needed()
    ablate.click()
    page.get_by_text("all 6 runs have ended").wait_for()
    view.until(lambda: 60 < ablate.bounding_box()["y"] < 844 - 60)
    page.set_viewport_size({"width": 1280, "height": 720})
    view.button("One person").click()
    table = page.get_by_role("table", name="One person").filter(visible=True)
    view.until(lambda: (box := table.bounding_box())["y"] > 60 and box["y"] + box["height"] <= 720)
    page.get_by_role("tab", name="Alternatives").click()
    page.get_by_role("tab", name="All together").wait_for()
    page.get_by_role("tabpanel", name="Alternatives").get_by_role("button", name="One person").first.click()
    view.until(lambda: (box := table.bounding_box())["y"] > 60 and box["y"] + box["height"] <= 720)
    assert view.console == []


def test_a_part_of_the_question_opens_its_field_wherever_it_is_pressed(visit) -> None:
    view = visit().open(QUICK)
    page, focused = view.page, "e => e.getRootNode().activeElement === e"
    page.get_by_role("button", name="0.02", exact=True).click()
    field = page.get_by_label("Regularization")
    view.until(lambda: field.evaluate(focused))
    field.fill("0.05")
    field.press("Enter")
    page.get_by_role("button", name="0.05", exact=True).wait_for()
    page.get_by_role("tab", name="Compare", exact=True).click()
    page.get_by_role("tabpanel", name="Compare").get_by_role("button", name="rule list", exact=True).click()
    family = page.get_by_label("Model family")
    view.until(lambda: family.is_visible() and family.evaluate(focused))
    assert page.get_by_role("tab", name="Search", exact=True).get_attribute("aria-selected") == "true"
    assert view.console == []


_TURNING = """(e) => {
    const style = getComputedStyle(e), seen = e.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    return seen && style.animationName !== "none" && style.animationIterationCount === "infinite" ? e.className : null
}"""


def test_the_theme_is_the_system_s_the_keyboard_is_seen_and_nothing_turns_unwanted(visit) -> None:
    view = visit(color_scheme="dark", reduced_motion="reduce").open(QUICK)
    icon = view.page.locator("link[rel~=icon]").first.get_attribute("href")
    assert icon.startswith("data:image/svg+xml"), "a picture of its own, from no other host"
    seen = stops(view.page)
    assert {"Search", "Toggle theme", "Run", "Settings", "Tree", "More"} <= set(seen)
    assert view.each(_TURNING) == []
    for expected in (True, False):
        view.until(lambda now=expected: is_dark(view) is now)
        view.until(lambda now=expected: has_edges(view, now))
        view.until(lambda: values_read_as_text(view))
        view.page.get_by_role("button", name="Toggle theme").click()
    view.button("Run").click()
    view.until_status("certified")
    view.page.get_by_role("button", name="Toggle theme").click()
    view.until(lambda: rims(view) == [{(255, 255, 255)}] * 2)


def rims(view: Any) -> list[set[tuple[int, ...]]]:
    """The colours of the first row and the first column of the figure."""
    pixels = np.asarray(Image.open(io.BytesIO(view.page.locator(".rl-plot").first.screenshot())).convert("RGB"))
    return [set(map(tuple, line.tolist())) for line in (pixels[0], pixels[:, 0])]


def is_dark(view: Any) -> bool:
    main = "getComputedStyle(document.querySelector('main') ?? document.body).backgroundColor"
    return int(re.findall(r"\d+", view.page.evaluate(main))[0]) < 128


def has_edges(view: Any, dark: bool) -> bool:
    """Whether the cards of settings have edges that are light on dark, or dark on light."""
    edge = "e => { const s = getComputedStyle(e); return [s.borderTopWidth, s.borderTopColor] }"
    width, color = view.page.locator(".card.rl-data").evaluate(edge)
    *parts, alpha = map(float, re.findall(r"[\d.]+", color.removeprefix("color(srgb")))
    return width == "1px" and alpha > 0.1 and (min(parts) > 0.5) is dark


def values_read_as_text(view: Any) -> bool:
    """Whether what is chosen in fields has the colour of the text around them, not of hints."""
    fields = [view.page.get_by_label(name) for name in ("Data set", "Regularization", "Speed")]
    colours = {each.evaluate("e => getComputedStyle(e).color") for each in fields}
    return colours == {view.button("Step").evaluate("e => getComputedStyle(e).color")}


def test_a_lost_connection_pauses_and_comes_back(visit) -> None:
    view = visit()
    view.page.add_init_script(
        "window.sockets = []; window.WebSocket = class extends WebSocket { constructor(...given) "
        "{ super(...given); window.sockets.push(this) } }"
    )
    view.open(LONG)
    speed(view, "10 per tick")
    view.button("Run").click()
    view.until(lambda: "expanded" in view.counts and view.expanded > 20)
    view.page.evaluate(
        "const socket = window.sockets.at(-1); "
        """socket.onmessage({ data: '{"msgid": "1", "msgtype": "PATCH-DOC"}' }); """  # the first part of a message
        "socket.close(3000, 'cut by the test')"
    )
    view.until(lambda: view.page.evaluate("window.sockets.length") > 1)
    before = view.expanded
    view.until(lambda: view.expanded > before)
