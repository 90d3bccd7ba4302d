"""The Learn tab in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from visits import Visit
from words import words_are_clear

from rulelab.views.learn.plans import PLANS
from rulelab.views.learn.view import MINUTES

pytestmark = [pytest.mark.ui, pytest.mark.long]

_LIT = """() => {
    const find = (root) => {
        for (const e of root.querySelectorAll("*")) {
            if (e.classList.contains("rl-lit")) { return e }
            const inside = e.shadowRoot && find(e.shadowRoot)
            if (inside) { return inside }
        }
    }
    const box = find(document)?.getBoundingClientRect()
    return box ? [box.top, box.bottom, innerHeight, box.width] : null
}"""


def learn(view: Visit) -> None:
    view.page.get_by_role("tab", name="Learn").click()
    view.page.get_by_text("Six short walks").wait_for()


def test_a_walk_is_taken_kept_and_taken_up_again(visit: Callable[..., Visit]) -> None:
    view = visit().open()
    learn(view)
    view.button("Start").nth(1).click()
    page = view.page
    page.get_by_text("step 1 of 6").wait_for()
    page.get_by_role("tabpanel", name="Learn").get_by_role("button", name="Step", exact=True).click()
    page.get_by_text("✓ Done.").wait_for()
    page.get_by_label("lists of one rule are the best ones").check()
    page.get_by_text("Not so.").wait_for()
    page.get_by_label("every list lies below its own beginnings").check()
    page.get_by_text("the prefixes form a tree").wait_for()
    page.get_by_text("0 of 1 answered right at once").wait_for()
    page.get_by_role("button", name="prefix", exact=True).click()
    page.get_by_role("dialog", name="Explanation").wait_for()
    page.keyboard.press("Escape")
    view.button("Next").click()
    page.get_by_text("step 2 of 6").wait_for()
    page.wait_for_url("**step=2**")
    page.reload()
    page.get_by_text("step 2 of 6").wait_for()
    view.button("All walks").click()
    page.get_by_text("6 steps, 1 done").wait_for()
    view.button("Go on").click()
    page.get_by_text("step 2 of 6").wait_for()
    page.go_back()
    page.get_by_text("Six short walks").wait_for()
    assert view.console == []
    assert view.foreign() == []


def test_the_list_of_walks_is_alive_for_those_who_come_back_by_its_address(visit: Callable[..., Visit]) -> None:
    view = visit()
    page = view.page
    page.goto(f'{view.base}?tab="Learn"&walk="branch and bound"')
    page.get_by_text("step 1 of").wait_for()
    page.get_by_role("tabpanel", name="Learn").get_by_role("button", name="Step", exact=True).click()
    page.get_by_text("✓ Done.").wait_for()
    for _ in range(3):
        page.goto(f'{view.base}?tab="Learn"')
        page.get_by_text("1 done").wait_for()
        view.button("Go on").click()
        page.get_by_text("step 2 of").wait_for()
    page.goto(f'{view.base}?tab="Learn"')
    page.get_by_text("1 done").wait_for()
    view.button("Read").click()
    page.get_by_role("heading", name="Ten minutes before an audience").wait_for()
    assert view.console == []


@pytest.mark.parametrize(
    ("width", "height", "dark", "walk", "steps"),
    [(1280, 720, True, "what fairness costs", 4), (390, 844, False, "branch and bound", 6)],
    ids=["projector", "phone"],
)
def test_what_a_step_says_and_what_it_speaks_of_are_in_sight(
    visit: Callable[..., Visit], width: int, height: int, dark: bool, walk: str, steps: int
) -> None:
    view = visit(width, height, color_scheme="dark" if dark else "light")
    page = view.page
    page.goto(f'{view.base}?tab="Learn"&walk="{walk}"')
    page.get_by_text(f"step 1 of {steps}").wait_for()
    for k in range(2, steps + 1):
        view.button("Skip").click()
        words = page.get_by_text(f"step {k} of {steps}")
        words.wait_for()
        view.until(lambda: (at := page.evaluate(_LIT)) is not None and at[0] < at[2] and at[1] > 0)
        words_are_clear(page)
        view.until(lambda words=words: 40 <= words.bounding_box()["y"] < height / 2)
        if dark:  # on a projector the figures of the run stay above what is far down
            above = page.get_by_role("button", name="Step").bounding_box()
            status = page.get_by_role("status", name="Status").bounding_box()
            assert above["y"] + above["height"] <= status["y"] + 1 <= 180
            assert page.evaluate(_LIT)[0] >= above["y"] + above["height"]
    assert view.too_wide() == []
    assert view.console == []


def test_presenter_mode_is_one_key_and_holds_the_story(visit: Callable[..., Visit]) -> None:
    view = visit(1280, 720, color_scheme="dark").open("?data=tic_tac_toe&regularization=0.05")
    page, settings = view.page, view.page.get_by_label("Regularization")
    view.field("Memory limit").scroll_into_view_if_needed()
    page.keyboard.press("p")
    settings.wait_for(state="hidden")
    view.until(lambda: page.get_by_role("status", name="Status").bounding_box()["y"] >= 0)
    page.keyboard.press("ArrowRight")
    view.until_status("paused")
    page.keyboard.press("6")
    page.keyboard.press(" ")
    view.until_status("certified optimal")
    bottom = page.get_by_role("figure", name="Objective and lower bound").bounding_box()
    assert bottom["y"] + bottom["height"] <= 720
    last = page.locator("table.rules tbody tr").last.bounding_box()
    assert last["y"] + last["height"] <= 720, "the rules are in sight, too"
    assert view.too_wide() == []
    page.keyboard.press("ArrowLeft")
    view.until_status("looking back")
    page.keyboard.press("p")
    settings.wait_for()
    settings.fill("0.0")
    page.keyboard.press("p")  # what is typed is no command
    settings.wait_for()
    assert view.console == []


def test_the_script_is_performed_as_it_is_written(visit: Callable[..., Visit]) -> None:
    view = visit(1440, 900).open()
    page = view.page
    walk = page.get_by_role("tabpanel", name="Learn")

    def fill(label: str, text: str) -> None:
        view.field(label).first.fill(text)
        page.keyboard.press("Enter")

    def pin(letter: str) -> None:
        view.until_status("certified optimal")
        view.keep.click()
        page.get_by_text(f"pinned as {letter}").filter(visible=True).first.wait_for()

    def card(name: str) -> None:
        page.get_by_role("link", name="rulelab").click()
        page.locator(f"[data-card='{name}']").click()
        page.locator(f"[data-card='{name}']").wait_for(state="hidden")

    def first_list() -> None:
        fill("Test share", "0.3")
        view.field("Data set").select_option("compas")
        view.button("Run").click()
        pin("A")
        assert page.locator("table.rules tbody tr").count() >= 3

    def step_by_step() -> None:
        card("proof")
        view.button("Pause").click()
        view.until_status("paused")
        beam = view.field("Width of the beam search").first
        assert beam.input_value() == "0", "the form shows what is searched"
        page.keyboard.press("p")
        page.get_by_label("Regularization").first.wait_for(state="hidden")
        for expanded in range(view.expanded + 1, view.expanded + 16):
            page.keyboard.press("ArrowRight")
            view.until(lambda expanded=expanded: view.expanded == expanded)
        assert page.locator("table.rules tbody tr").count() >= 4, "a better list is found while one looks"

    def bars() -> None:
        page.get_by_role("tab", name="Bounds").click()
        page.get_by_role("figure", name="Prefixes cut, by bound").wait_for()

    def meet() -> None:
        page.keyboard.press("5")
        page.keyboard.press(" ")
        view.until_status("certified optimal")
        assert page.locator("table.rules tbody tr").count() >= 4, "rules pay at the price of the lesson"
        page.keyboard.press("r")
        view.until_status("looking back")

    def verify() -> None:
        view.until(lambda: "looking back" not in view.status)
        view.check.click()
        page.get_by_text("Valid: ").wait_for()

    def another_price() -> None:
        page.keyboard.press("p")
        card("compas")
        view.until_status("certified optimal")
        fill("Regularization", "0.005")
        fill("Test share", "0.3")
        view.until(lambda: "earlier settings" in view.status)  # the page has heard of the new ones
        view.button("Run").click()
        view.until(lambda: "earlier settings" not in view.status)
        pin("B")

    def begun() -> bool:
        """The list of walks is drawn anew when the browser has told what it kept, maybe under the click."""
        step = page.get_by_text("What fairness costs · step 1 of 4")
        if not step.is_visible():
            start = walk.get_by_role("button", name="Start")
            start.evaluate_all("(found) => found.at(-1)?.click()")  # a press would wait for one that is gone
            page.wait_for_timeout(1000)
        return step.is_visible()

    def fairness() -> None:
        page.get_by_role("tab", name="Learn").click()
        view.until(begun)
        for tolerance in ("", "0.1"):
            if tolerance:
                view.button("Next").click()
                walk.get_by_role("button", name=tolerance, exact=True).click()
            walk.get_by_role("button", name="Run", exact=True).click()
            walk.get_by_role("columnheader", name=tolerance or "1 (any)", exact=True).wait_for()
        page.get_by_text("✓ Done.").wait_for(state="hidden")

    def compared() -> None:
        page.get_by_role("tab", name="Compare").click()
        page.get_by_text("test rows").filter(visible=True).first.wait_for()
        assert page.get_by_text("no test rows").filter(visible=True).count() == 0
        assert page.get_by_role("button", name="Remove", exact=True).filter(visible=True).count() == 2

    performed = (first_list, step_by_step, bars, meet, verify, another_price, fairness, compared)
    for _line, perform in zip(MINUTES, performed, strict=True):
        perform()
    assert view.console == []


@pytest.mark.parametrize("name", sorted(PLANS))
def test_every_step_of_a_walk_is_done_by_what_it_asks_for(visit: Callable[..., Visit], name: str) -> None:
    view = visit(1440, 900)
    page = view.page
    page.goto(f'{view.base}?tab="Learn"&walk="{name}"')
    panel = page.get_by_role("tabpanel", name="Learn")

    def press(label: str) -> None:
        if label == "Reset":
            view.more()
        panel.get_by_role("button", name=label, exact=True).click()

    def done() -> bool:
        return page.get_by_text("✓ Done.").is_visible()

    chosen = [] if PLANS[name].choice is None else [next(iter(PLANS[name].choice.values))]

    def run(choice: str | None = None) -> None:
        if choice is not None and [choice] != chosen:
            press(choice)
            chosen[:] = [choice]
            view.until_status("ready")
        if "certified" in view.status:
            press("Reset")
            view.until_status("ready")
        press("Run")
        view.until_status("certified")

    view.more()
    panel.get_by_label("Speed").filter(visible=True).select_option("full speed")
    for number, step in enumerate(PLANS[name].steps, 1):
        page.get_by_text(f"step {number} of {len(PLANS[name].steps)}").wait_for()
        for choice in re.findall(r"(?<![\d.])(?:\d+\.\d+|\d+)(?![\d.])", step.do) if step.chooses else [None]:
            if choice is not None or ("Run" in step.do and not done()):
                run(choice)
        for choice in PLANS[name].choice.values if step.chooses else ():  # "each of", "the one that you would choose"
            if not done():
                run(choice)
        if "Reset" in step.do:
            press("Reset")
        presses = 0
        while "Step" in step.do and not done() and presses < 40:
            presses += 1
            press("Step")
            page.wait_for_timeout(300)
        if "slider" in step.do:
            panel.get_by_role("slider").filter(visible=True).first.focus()
            page.keyboard.press("Home")
            view.until_status("looking back: moment 1 ")
            while not done() and "looking back" in (before := view.status):
                page.keyboard.press("ArrowRight")
                view.until(lambda before=before: done() or view.status != before)
        view.until(done)
        if number < len(PLANS[name].steps):
            press("Next")
    assert view.console == []


def test_the_first_walk_is_answered_marked_and_checked(visit: Callable[..., Visit]) -> None:
    view = visit(1280, 720, color_scheme="dark").open()
    learn(view)
    page = view.page
    view.button("Start").first.click()

    def answer(*numbers: str) -> None:
        for number in numbers:
            page.get_by_label("Your number").fill(number)
            page.get_by_label("Your number").press("Enter")
            if number != numbers[-1]:
                page.get_by_text(f"Not {number}:").wait_for()
        page.get_by_label("Your number").wait_for(state="detached")
        view.button("Next").click()

    page.get_by_text("step 1 of 7").wait_for()
    answer("4", "5")
    for number in ("1.5", "2.5", "3.5", "16"):
        answer(number)
    page.get_by_role("button", name="moved: ?").click()
    page.get_by_text("begins with moved costs at least 2.5").wait_for()
    page.get_by_role("button", name="owns: 1.5").click()
    page.get_by_text("After this one alone.").wait_for()
    view.button("Next").click()
    assert view.button("Check the proof").is_disabled()
    for fact in ("owns", "moved", "young"):
        view.button(fact).click()
    page.get_by_text("costs 2.5. Excluded with all that begin with owns, moved, young: at least 2.5.").wait_for()
    view.button("Check the proof").click()
    page.get_by_text("optimal: no list of these facts costs less than 2.5").wait_for()
    page.get_by_text("5 of 7 answered right at once").wait_for()
    assert view.too_wide() == []
    page.set_viewport_size({"width": 390, "height": 844})
    view.until(lambda: view.too_wide() == [])
    page.reload()
    page.get_by_text("step 7 of 7").wait_for()
    view.button("All walks").click()
    page.get_by_text("7 steps, 7 done").wait_for()
    assert view.console == []
    assert view.foreign() == []


def test_the_game_is_begun_from_the_list_of_walks(visit: Callable[..., Visit]) -> None:
    view = visit().open("?data=tic_tac_toe&regularization=0.02&max_conditions=1")
    learn(view)
    view.button("Play").click()
    view.page.get_by_label("Room", exact=True).wait_for()
    assert view.page.get_by_role("tab", name="Alternatives").get_attribute("aria-selected") == "true"
    assert view.console == []
