"""Whether one sees where the keyboard is: every stop on its way has a ring that stands out against its surroundings."""

from typing import Any

LEAST_CONTRAST = 3.0
LEAST_WIDTH = 2.0
"""Pixels."""
_MOST_STOPS = 400

_FOCUSED = """() => {
    const up = (e) => e.assignedSlot ?? e.parentElement ?? e.getRootNode().host
    let e = document.activeElement
    while (e?.shadowRoot?.activeElement) { e = e.shadowRoot.activeElement }
    if (!e || e === document.body) { return null }
    const page = document.createElement("canvas").getContext("2d", { willReadFrequently: true })
    const light = () => [...page.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255)
        .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0)
    const paint = (color) => { page.fillStyle = color; page.fillRect(0, 0, 1, 1) }
    const name = [e.getAttribute("aria-label"), e.labels?.[0]?.textContent, e.textContent, e.title, e.tagName]
        .map((text) => (text ?? "").trim()).find((text) => text).slice(0, 40)
    const unseen = ({ opacity, clip, clipPath }) => opacity === "0" || clip !== "auto" || clipPath !== "none"
    while (unseen(getComputedStyle(e))) { e = up(e) }  // what is seen of it has the ring
    const around = []
    for (let at = up(e); at; at = up(at)) { around.unshift(getComputedStyle(at).backgroundColor) }
    around.forEach(paint)
    const back = light(), style = getComputedStyle(e)
    paint(style.outlineColor)
    const ring = light(), [least, most] = [ring, back].sort((a, b) => a - b)
    const { width, height } = e.getBoundingClientRect()
    return {
        name,
        width: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
        own: style.outlineStyle === "auto",  // the ring of the browser, of two colours
        contrast: (most + 0.05) / (least + 0.05),
        place: [e.tagName, e.className?.baseVal ?? e.className, width, height].join(" "),
        seen: e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && width > 1 && height > 1,
    }
}"""


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
