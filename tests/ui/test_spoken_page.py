"""What a screen reader is told on the way from the first screen to a certificate, a pinned model and a sweep."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from patience import PATIENCE

pytestmark = pytest.mark.ui

TOLD = yaml.safe_load(Path(__file__).with_name("spoken.yaml").read_text(encoding="utf-8"))
"""What each state of the page is told as."""
QUICK = "?data=tic_tac_toe&regularization=0.02&speed=full speed"
_HEADINGS = """(e) => /^H[1-6]$/.test(e.tagName) && e.checkVisibility({ visibilityProperty: true })
    ? Number(e.tagName[1]) : null"""
_CONTROLS = ("button", "link", "combobox", "textbox", "checkbox", "radio", "slider", "spinbutton", "progressbar")


def tells(view: Any, part: Any, expected: str) -> None:
    """The part of the page is told as expected, all of its controls have names, and headings go down one by one."""
    from playwright.sync_api import expect

    expect(part).to_match_aria_snapshot(expected, timeout=1000 * PATIENCE)
    told = view.page.locator("body").aria_snapshot().splitlines()
    nameless = [line for line in told if line.strip().removeprefix("- ").rstrip(":") in (*_CONTROLS, "table", "figure")]
    assert nameless == []
    levels = [1, *view.each(_HEADINGS)]
    assert all(below - above <= 1 for above, below in pairwise(levels))
    assert levels.count(1) == 2, "the page's title, and no other"


def test_the_way_to_a_certificate_a_card_and_a_sweep_is_told(visit) -> None:
    view = visit(1440, 900).open(QUICK)
    panel = view.page.get_by_role("tabpanel")
    tells(view, view.page.locator("body"), TOLD["banner"])
    tells(view, panel, TOLD["first"])
    view.field("Model family").wait_for()
    tells(view, panel, TOLD["settings"])
    view.button("Settings").click()
    view.run()
    tells(view, panel, TOLD["certified"])
    view.check.click()
    view.page.get_by_text("Valid: no rule list").wait_for()
    tells(view, panel, TOLD["verified"])
    view.pin()
    view.page.get_by_role("tab", name="Compare").click()
    tells(view, panel, TOLD["compare"])
    assert view.console == []
