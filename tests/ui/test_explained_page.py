"""Labels are reached by keyboard and open their entries, and Escape closes them; words of the status too."""

import pytest

from rulelab.glossary import TERMS

pytestmark = pytest.mark.ui


def test_labels_open_by_keyboard_and_escape_closes(visit) -> None:
    view = visit().open()
    page = view.page
    label = view.field("Order of the queue").evaluate_handle("e => e.labels[0]")
    label.focus()
    page.keyboard.press("Enter")
    box = page.get_by_role("dialog", name="Explanation")
    box.get_by_text(TERMS["policy"].sentence).wait_for()
    assert TERMS["policy"].source in box.inner_text()
    box.get_by_role("button", name="curiosity").click()
    box.get_by_text(TERMS["curiosity"].formula).wait_for()
    page.keyboard.press("Escape")
    box.wait_for(state="hidden")
    assert not [line for line in view.console if "rror" in line]


def test_every_plot_has_one_term_and_figures_of_the_status_answer(visit) -> None:
    view = visit().open()
    page = view.page
    view.button("Step").click()
    page.get_by_role("button", name="lower bound", exact=True).click()
    page.get_by_role("dialog").get_by_text(TERMS["lower bound"].sentence).wait_for()
    page.keyboard.press("Escape")
    plots = page.locator("header.plot").filter(visible=True)
    view.until(lambda: plots.count() >= 2)
    page.wait_for_timeout(1500)
    terms = plots.locator("h2 .rl-word").evaluate_all("all => all.map((e) => e.dataset.term)")
    assert plots.count() == len(terms) == len(set(terms))
