"""Whether one sees where the keyboard is: every stop on its way has a ring that stands out against its surroundings."""

from typing import Any

from visits import script

LEAST_CONTRAST = 3.0
LEAST_WIDTH = 2.0
"""Pixels."""
_MOST_STOPS = 400

_FOCUSED = script("ring")


def _to_the_first(page: Any) -> None:
    """To the name of the page; what is drawn anew meanwhile takes the keyboard's place away, and one begins again."""
    for _ in range(50):
        page.wait_for_function("Bokeh.documents[0].is_idle")
        page.evaluate("document.activeElement?.blur(); getSelection()?.removeAllRanges()")
        page.mouse.click(1, 1)
        page.locator("body").press("Tab")
        focused = page.evaluate(_FOCUSED)
        if focused is not None and focused["name"] == "rulelab":
            return
        page.wait_for_timeout(100)
    raise AssertionError("the first stop is not the name of the page")


def stops(page: Any) -> list[str]:
    """Go through the page by the tabulator key; the names of all that can be reached, each of which shows its ring."""
    _to_the_first(page)
    names: list[str] = []
    hidden = []
    for _ in range(_MOST_STOPS):
        focused = page.evaluate(_FOCUSED)
        if focused is None:
            break
        names.append(focused["name"].removeprefix("?"))
        ring = focused["own"] or (focused["width"] >= LEAST_WIDTH and focused["contrast"] >= LEAST_CONTRAST)
        if not (ring and focused["seen"]):
            hidden.append(focused)
        page.keyboard.press("Tab")
    else:
        raise AssertionError(f"the end of the page was not reached; last: {names[-8:]}")
    assert hidden == [], f"the keyboard is not seen here: {hidden}"
    return names
