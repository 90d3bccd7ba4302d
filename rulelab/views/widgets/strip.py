"""Names of tabs, of which one is open."""

from __future__ import annotations

import param
from panel.custom import JSComponent

_ESM = """
export function render({ model }) {
  const nav = document.createElement("nav")
  nav.setAttribute("aria-label", model.caption)
  const list = document.createElement("div")
  list.setAttribute("role", "tablist")
  nav.append(list)
  let tabs = []
  const fill = () => {
    tabs = model.names.map((name) => {
      const tab = document.createElement("button")
      tab.type = "button"
      tab.textContent = name
      tab.setAttribute("role", "tab")
      tab.addEventListener("click", () => { model.open = name })
      return tab
    })
    list.replaceChildren(...tabs)
  }
  const moves = { ArrowRight: (i) => i + 1, ArrowLeft: (i) => i - 1, Home: () => 0, End: () => -1 }
  list.addEventListener("keydown", (event) => {
    const move = moves[event.key]
    if (move === undefined) { return }
    event.preventDefault()
    const tab = tabs.at(move(tabs.indexOf(event.target)) % tabs.length)
    tab.focus()
    tab.click()
  })
  const show = () => tabs.forEach((tab, i) => {
    const open = model.names[i] === model.open
    tab.setAttribute("aria-selected", open)
    tab.tabIndex = open ? 0 : -1
  })
  let timer = 0
  const wait = () => {
    const late = model.shown != null && model.open !== model.shown
    const root = document.documentElement.style
    clearTimeout(timer)
    list.setAttribute("aria-busy", late)
    if (late) { timer = setTimeout(() => root.setProperty("--rl-stale", "0.15"), 120) }
    else { root.removeProperty("--rl-stale") }
  }
  const places = {}
  const scroller = () => {
    for (let root = nav.getRootNode(); root; root = root.host?.getRootNode()) {
      const found = root.querySelector(".main-content")
      if (found) { return found }
    }
    return document.scrollingElement
  }
  let stands = model.shown
  const leave = () => {
    if (stands != null && model.open !== stands) { places[stands] = scroller().scrollTop }
  }
  const arrive = () => {
    if (model.shown === stands) { return }
    stands = model.shown
    const at = scroller(), place = places[stands] ?? 0
    const go = (looks) => {  // what stands there now may grow for a while
      at.scrollTop = place
      if (looks && Math.abs(at.scrollTop - place) > 1) { requestAnimationFrame(() => go(looks - 1)) }
    }
    go(30)
  }
  model.on("names", () => { fill(); show() })
  model.on("open", () => { show(); wait(); leave() })
  model.on("shown", () => { wait(); arrive() })
  fill()
  show()
  return nav
}
"""
_CSS = """
[role=tablist] { display: flex; }
[role=tab] { font: inherit; font-size: 14px; line-height: 24px; color: #fff; background: none; border: 0;
  border-bottom: 3px solid transparent; padding: 13px 14px 10px; cursor: pointer;
  white-space: nowrap; }
[role=tab]:hover { background: rgb(255 255 255 / 12%); }
[role=tab][aria-selected=true] { border-bottom-color: currentColor; }
[role=tablist][aria-busy=true] [aria-selected=true] { border-bottom-style: dotted; cursor: progress; }
[role=tab]:focus-visible { outline: 2px solid currentColor; outline-offset: -4px; }
@media (max-height: 760px) { [role=tab] { padding-top: 7px; padding-bottom: 6px; } }
@media (max-width: 600px) { [role=tab] { font-size: 13px; padding-left: 3px; padding-right: 3px; } }
@media (max-width: 430px) { [role=tab] { font-size: 12px; padding-left: 2px; padding-right: 2px; } }
@media (max-width: 400px) { [role=tab] { font-size: 11px; padding-left: 3px; padding-right: 3px; } }
@media (max-width: 385px) { [role=tab] { padding-left: 2px; padding-right: 2px; } }
@media (max-width: 370px) { [role=tab] { font-size: 10.5px; padding-left: 1px; } }
@media (max-width: 345px) { [role=tab] { padding-left: 2px; } }
"""


class Strip(JSComponent):
    """A landmark with a tab per name; the arrow keys go from one to the next.

    While what stands on the page is not yet the tab that is open, the custom property ``--rl-stale`` says so to styles.
    A tab is seen from its top when it is opened first, and later where it was left.
    """

    names = param.List(default=[], doc="In order.")
    caption = param.String(default="Parts of the page", doc="What they are tabs of.")
    open = param.String(default="", doc="The one that is open.")
    shown = param.String(
        default=None, allow_None=True, doc="The one whose content stands on the page; None: always that which is open."
    )

    _esm = _ESM
    _stylesheets = [_CSS]
