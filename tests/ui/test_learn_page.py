"""The Learn tab in a real browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator
from visits import Visit, script
from words import words_are_clear

from rulelab.views.learn.plans import PLANS
from rulelab.views.learn.view import MINUTES

pytestmark = pytest.mark.ui

_LIT = """(e) => {
    const box = e.getBoundingClientRect()
    return e.classList.contains("rl-lit") ? [box.top, box.bottom, innerHeight] : null
}"""


_CONTROLS = script("controls")
_TEXTS = script("small_texts")


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
    for _ in range(2):  # the list is alive for those who come back by its address
        page.goto(f'{view.base}?tab="Learn"')
        page.get_by_text("1 done").wait_for()
        view.button("Go on").click()
        page.get_by_text("step 2 of 6").wait_for()
    page.goto(f'{view.base}?tab="Learn"')
    page.get_by_text("1 done").wait_for()
    view.button("Read").click()
    page.get_by_role("heading", name="Ten minutes before an audience").wait_for()
    for head in ("show", "say"):
        assert page.get_by_role("columnheader", name=head).evaluate("e => getComputedStyle(e).textAlign") == "left"
    page.goto(f'{view.base}?data=tic_tac_toe&regularization=0.02&max_conditions=1&tab="Learn"')
    page.get_by_text("1 done").wait_for()
    view.button("Play").click()
    page.get_by_label("Room", exact=True).wait_for()
    assert page.get_by_role("tab", name="Alternatives").get_attribute("aria-selected") == "true"
    assert (view.console, view.foreign()) == ([], [])


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
        view.until(lambda: any(top < high and bottom > 0 for top, bottom, high in view.each(_LIT)[:1]))
        words_are_clear(page)
        view.until(lambda words=words: 40 <= words.bounding_box()["y"] < height / 2)
        if dark:  # on a projector the figures of the run stay above what is far down
            above = page.get_by_role("button", name="Step").bounding_box()
            status = page.get_by_role("status", name="Status").bounding_box()
            assert above["y"] + above["height"] <= status["y"] + 1 <= 180
            assert view.each(_LIT)[0][0] >= above["y"] + above["height"]
            proven, model = (page.locator(name).filter(visible=True) for name in (".rl-certificate", ".rl-best"))
            proven, model = proven.bounding_box(), model.bounding_box()
            assert model["y"] >= proven["y"] + proven["height"]
    assert (view.too_wide(), view.console) == ([], [])


_GUIDE_AT = """(e, [x, y]) =>
    e.classList.contains("rl-guide") ? e.getRootNode().elementFromPoint(x, y) === e : null"""


def test_on_a_phone_a_step_that_is_done_shows_what_it_speaks_of_and_nothing_covers_what_it_says(
    visit: Callable[..., Visit],
) -> None:
    view = visit(390, 844)
    page = view.page
    page.goto(f'{view.base}?tab="Learn"&walk="column generation"&step=2')
    page.get_by_text("step 2 of 4").wait_for()
    step = page.get_by_role("button", name="Step", exact=True).filter(visible=True)
    view.until(lambda: view.each(_LIT)[0][0] > 844)
    done = page.get_by_text("✓ Done.")

    def is_done() -> bool:
        if not done.is_visible():
            step.click()
            page.wait_for_timeout(500)
        return done.is_visible()

    view.until(is_done)
    view.until(lambda: 0 < view.each(_LIT)[0][0] < 600)

    def can_be_pressed() -> bool:
        box, guide = step.bounding_box(), page.locator(".rl-guide").bounding_box()
        middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
        below = guide["y"] + guide["height"] <= box["y"] < 600
        return bool(below and view.each(_GUIDE_AT, middle) == [False])

    view.until(can_be_pressed)
    guide = page.locator(".rl-guide").bounding_box()
    certificate = page.locator(".rl-certificate").filter(visible=True)
    certificate.evaluate("e => e.scrollIntoView({ block: 'start', behavior: 'instant' })")
    box = certificate.bounding_box()
    assert guide["y"] < box["y"] + 60 < guide["y"] + guide["height"]
    assert view.each(_GUIDE_AT, [box["x"] + box["width"] / 2, box["y"] + 60]) == [True]
    assert view.console == []


def test_on_a_phone_the_buttons_and_what_a_step_speaks_of_stand_below_what_it_says(visit: Callable[..., Visit]) -> None:
    view = visit(390, 844)
    page = view.page
    page.goto(f'{view.base}?tab="Learn"&walk="falling lists"')
    page.get_by_text("step 1 of 4").wait_for()
    guide, panel = page.locator(".rl-guide"), page.get_by_role("tabpanel", name="Learn")
    button = panel.get_by_role("button", name="Run", exact=True)

    def bottom(part: Locator) -> float:
        box = part.bounding_box()
        return box["y"] + box["height"]

    button.click()
    view.until_status("certified")
    page.get_by_text("✓ Done.").wait_for()
    first = panel.get_by_role("radio").first  # the question is in sight once the step is done
    view.until(lambda: guide.bounding_box()["y"] < first.bounding_box()["y"] < bottom(guide))
    view.button("Next").click()
    page.get_by_text("step 2 of 4").wait_for()
    slider = panel.get_by_role("slider").filter(visible=True).first
    view.until(lambda: bottom(guide) <= button.bounding_box()["y"] < bottom(button) <= slider.bounding_box()["y"])
    view.until(lambda: bottom(slider) <= view.each(_LIT)[0][0] < 600)
    page.wait_for_timeout(1000)  # until it rests
    box = slider.bounding_box()
    page.mouse.click(box["x"] + 4, box["y"] + box["height"] / 2)
    view.until_status("looking back")
    assert view.console == []


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)], ids=["projector", "phone"])
def test_the_script_opens_at_its_head_and_its_bar_covers_nothing_that_a_card_speaks_of(
    visit: Callable[..., Visit], width: int, height: int
) -> None:
    view = visit(width, height)
    page = view.page
    page.goto(f'{view.base}?tab="Learn"')
    view.button("Read").click()
    page.get_by_role("heading", name="Ten minutes before an audience").wait_for()
    view.until(lambda: 40 <= view.button("All walks").bounding_box()["y"] < 100)
    view.button("Begin").click()
    bar = page.get_by_role("region", name="Script")
    for number, figure in enumerate(("", "Objective and lower bound", "Prefixes cut, by bound"), 1):
        bar.get_by_text(MINUTES[number - 1][0], exact=False).wait_for()
        bar.get_by_role("button", name="Next card", disabled=False).wait_for()
        if figure:
            shown = page.get_by_role("figure", name=figure).filter(visible=True)
            view.until(lambda shown=shown: shown.bounding_box()["y"] >= 40)

            def uncovered(shown: Locator = shown) -> bool:
                box = shown.bounding_box()
                return bool(box["y"] + 0.9 * box["height"] <= bar.bounding_box()["y"])

            view.until(uncovered)
        page.keyboard.press("ArrowRight")
    assert view.console == []


def test_presenter_mode_is_one_key_and_holds_the_story(visit: Callable[..., Visit]) -> None:
    view = visit(1280, 720, color_scheme="dark").open("?data=tic_tac_toe&regularization=0.05")
    page, settings = view.page, view.page.get_by_label("Regularization")
    view.field("Memory limit").scroll_into_view_if_needed()
    page.keyboard.press("p")
    settings.wait_for(state="hidden")
    view.until(lambda: page.get_by_role("status", name="Status").bounding_box()["y"] >= 0)
    view.until(lambda: len(page.evaluate(_CONTROLS)) <= 7)
    page.keyboard.press("ArrowRight")
    view.until_status("paused")
    page.keyboard.press("6")
    page.keyboard.press(" ")
    view.until_status("certified optimal")
    bottom = page.get_by_role("figure", name="Objective and lower bound").bounding_box()
    assert bottom["y"] + bottom["height"] <= 720
    last = page.locator("table.rules tbody tr").last.bounding_box()
    assert last["y"] + last["height"] <= 720, "the rules are in sight, too"
    controls = page.evaluate(_CONTROLS)
    assert len(controls) <= 7, controls
    assert {*page.evaluate(_TEXTS)} == set(), "no text is smaller than 20 px"
    assert view.too_wide() == []
    page.keyboard.press("ArrowLeft")
    view.until_status("looking back")
    page.keyboard.press("p")
    settings.wait_for()
    assert len(page.evaluate(_CONTROLS)) > 20
    page.keyboard.press("p")
    view.button("Leave").click()
    settings.wait_for()
    settings.fill("0.0")
    page.keyboard.press("p")  # what is typed is no command
    settings.wait_for()
    assert view.console == []


def test_the_script_is_performed_by_one_key(visit: Callable[..., Visit]) -> None:
    view = visit(1440, 900)
    page = view.page
    page.goto(f'{view.base}?tab="Learn"&walk="script"')
    view.button("Begin").click()
    bar = page.get_by_role("region", name="Script")
    rules = page.locator("table.rules tbody tr")
    walk = page.get_by_role("tabpanel", name="Learn")

    def kept(letter: str) -> None:
        assert "certified optimal" in view.status
        page.get_by_text(f"pinned as {letter}").filter(visible=True).first.wait_for()

    def first_list() -> None:
        kept("A")
        assert rules.count() >= 3

    def step_by_step() -> None:
        view.until_status("paused")
        assert rules.count() >= 4, "a better list is found while one looks"
        figure = page.get_by_role("figure", name="Objective and lower bound").bounding_box()
        assert figure["y"] + figure["height"] <= bar.bounding_box()["y"], "the bar covers nothing of the figure"
        page.get_by_label("Regularization").first.wait_for(state="hidden")

    def bars() -> None:
        page.get_by_role("figure", name="Prefixes cut, by bound").wait_for()
        page.get_by_text("width of the beam search 0").filter(visible=True).wait_for()
        expanded = view.expanded
        assert expanded >= 15
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowRight")
        bar.get_by_text("3 of 8").wait_for()
        assert view.expanded == expanded, "what was done is looked at again, and not done"

    def meet() -> None:
        view.until_status("certified optimal")
        assert rules.count() >= 4, "rules pay at the price of the lesson"

    def verify() -> None:
        page.get_by_text("Valid: ").wait_for()

    def another_price() -> None:
        page.get_by_role("button", name="Settings", exact=True).wait_for()
        kept("B")

    def fairness() -> None:
        for tolerance in ("1 (any)", "0.1"):
            walk.get_by_role("columnheader", name=tolerance, exact=True).wait_for()
        page.get_by_text("What fairness costs · step 2 of 4").wait_for()

    def compared() -> None:
        page.get_by_text("test rows").filter(visible=True).first.wait_for()
        assert page.get_by_text("no test rows").filter(visible=True).count() == 0
        assert page.get_by_role("button", name="Remove", exact=True).filter(visible=True).count() == 2
        cards = page.locator(".rl-pinned")
        view.until(lambda: 0 <= cards.bounding_box()["y"] < 200)

    performed = (first_list, step_by_step, bars, meet, verify, another_price, fairness, compared)
    for number, ((time, _, say), seen) in enumerate(zip(MINUTES, performed, strict=True), 1):
        bar.get_by_text(f"{number} of 8 · {time}", exact=True).wait_for()  # the page has done what the card says
        bar.get_by_text(say).wait_for()
        seen()
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    walk.get_by_text("What fairness costs · step 2 of 4").wait_for()  # the card before, where it was performed
    view.button("Leave the script").click()
    bar.wait_for(state="hidden")
    assert view.console == []


def test_every_step_of_a_walk_is_done_by_what_it_asks_for(visit: Callable[..., Visit]) -> None:
    """The one that asks for most; the others are walked without a browser."""
    name = "falling lists"
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
            panel.get_by_role("radio", name=choice, exact=True).check()
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
        for _ in range(40):
            if "Step" in step.do and not done():
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
    assert (view.console, view.foreign()) == ([], [])
