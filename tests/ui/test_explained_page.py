"""A sign beside a control is reached by keyboard, opens its entry, and Escape closes it; words of the status too."""

from __future__ import annotations

import pytest

from rulelab.glossary import TERMS

pytestmark = pytest.mark.ui


@pytest.mark.long
def test_signs_open_by_keyboard_and_escape_closes(visit) -> None:
    view = visit().open()
    page = view.page
    page.get_by_label("Order of the queue").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    box = page.get_by_role("dialog", name="Explanation")
    box.get_by_text(TERMS["policy"].sentence).wait_for()
    assert TERMS["policy"].source in box.inner_text()
    box.get_by_role("button", name="curiosity").click()
    box.get_by_text(TERMS["curiosity"].formula).wait_for()
    page.keyboard.press("Escape")
    box.wait_for(state="hidden")
    assert not [line for line in view.console if "rror" in line]


@pytest.mark.long
def test_every_plot_has_one_sign_and_figures_of_the_status_answer(visit) -> None:
    view = visit().open()
    page = view.page
    view.button("Step").click()
    page.get_by_role("button", name="lower bound", exact=True).click()
    page.get_by_role("dialog").get_by_text(TERMS["lower bound"].sentence).wait_for()
    page.keyboard.press("Escape")
    plots = page.locator("header.plot").filter(visible=True)
    view.until(lambda: plots.count() >= 2)
    page.wait_for_timeout(1500)
    terms = plots.locator(".why").evaluate_all("all => all.map((e) => e.dataset.term)")
    assert plots.count() == len(terms) == len(set(terms))
