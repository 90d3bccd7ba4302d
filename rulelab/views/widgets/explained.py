"""What a term means, where it stands: a "?" beside controls, plots and words, and one box that shows the entry."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

from ...glossary import TERMS, Term, find
from .early import PATIENT
from .esc import esc
from .style import BLUE, FAINT, LINE, MUTED, SURFACE, TEXT, UNSEEN

_MARK = "rl-term--"
_PRESSED = (pn.widgets.Button, pn.widgets.FileDownload)
"""They say what they do; `controls` explains those of a search."""

_ESM = """
const MARK = "rl-term--"
const sheet = new CSSStyleSheet()

function button(term, subject) {
  const sign = document.createElement("button")
  sign.type = "button"
  sign.className = "rl-why rl-corner"
  sign.innerHTML = `<span aria-hidden="true">?</span><span class="rl-told"></span>`
  sign.lastChild.textContent = `Explanation: ${subject}`
  sign.dataset.term = term
  return sign
}

function mark(host) {
  const root = host.shadowRoot
  const name = [...host.classList].find((one) => one.startsWith(MARK))
  if (!name || [...root.children].some((one) => one.classList.contains("rl-corner"))) { return }
  if (!root.adoptedStyleSheets.includes(sheet)) { root.adoptedStyleSheets.push(sheet) }
  const term = name.slice(MARK.length)
  const label = root.querySelector("label, legend")
  root.append(button(term, label ? label.textContent : term.replaceAll("-", " ")))
}

export function render({ model, el }) {
  sheet.replaceSync(model.sign_css)
  const box = document.createElement("div")
  box.className = "box"
  box.tabIndex = -1
  box.popover = "auto"
  box.setAttribute("role", "dialog")
  box.setAttribute("aria-label", "Explanation")
  let opener = null
  let asked = ""
  const line = (name, text, kind = "p") => {
    if (!text) { return }
    const one = document.createElement(kind)
    one.className = name
    one.textContent = text
    box.append(one)
  }
  const place = () => {
    if (window.innerWidth < 500 || !opener?.isConnected) {
      box.style.cssText = "left: 8px; right: 8px; bottom: 8px"
      return
    }
    const at = opener.getBoundingClientRect()
    const left = Math.max(8, Math.min(at.left, window.innerWidth - box.offsetWidth - 8))
    const below = at.bottom + 6 + box.offsetHeight <= window.innerHeight
    const top = below ? at.bottom + 6 : Math.max(8, at.top - box.offsetHeight - 6)
    box.style.cssText = `left: ${left}px; top: ${top}px`
  }
  model.on("msg:custom", (event) => {
    const entry = event.data ?? event
    if (entry.asked !== asked) { return }
    box.replaceChildren()
    line("name", entry.name)
    line("sentence", entry.sentence)
    line("text", entry.text)
    line("formula", entry.formula, "code")
    line("source", entry.source)
    if (entry.see.length) {
      const see = document.createElement("p")
      see.className = "see"
      see.append("See also: ")
      entry.see.forEach(([slug, name], i) => {
        const other = document.createElement("button")
        other.type = "button"
        other.dataset.term = slug
        other.textContent = name
        see.append(i ? ", " : "", other)
      })
      box.append(see)
    }
    if (!box.matches(":popover-open")) { box.showPopover() }
    place()
    box.focus()
  })
  box.addEventListener("toggle", (event) => {
    if (event.newState === "closed" && opener?.isConnected && opener.getRootNode().activeElement === null) {
      opener.focus({ preventScroll: true })
    }
  })
  const copy = (event) => {
    const at = event.composedPath().find((one) => one.dataset?.copy)
    if (!at) { return }
    navigator.clipboard?.writeText(at.dataset.copy).then(() => { at.textContent = "Copied" })
  }
  document.addEventListener("click", copy)
  const ask = (event) => {
    const at = event.composedPath().find((one) => one.dataset?.term)
    if (!at || event.defaultPrevented) { return }
    event.preventDefault()
    event.stopPropagation()
    if (!box.contains(at)) { opener = at }
    asked = at.dataset.term
    model.send_msg({ term: asked })
  }
  document.addEventListener("click", ask, true)

  let waiting = false
  const watched = new WeakSet()
  const observer = new MutationObserver((records) => {
    if (!waiting && records.some((one) => [...one.addedNodes].some((node) => node.nodeType === 1))) { soon() }
  })
  const visit = (root) => {
    if (!watched.has(root)) { watched.add(root); observer.observe(root, { childList: true, subtree: true }) }
    for (const one of root.querySelectorAll("*")) {
      if (!one.shadowRoot || one === el) { continue }
      mark(one)
      if (!one.classList.contains("bk-Figure")) { visit(one.shadowRoot) }
    }
  }
  const soon = () => {
    waiting = true
    const look = () => { waiting = false; visit(document.body) }
    window.requestIdleCallback ? requestIdleCallback(look, { timeout: 400 }) : setTimeout(look, 100)
  }
  soon()
  model.on("remove", () => {
    observer.disconnect()
    document.removeEventListener("click", ask, true)
    document.removeEventListener("click", copy)
  })
  return box
}
"""

SIGN_CSS = f"""
:host {{ position: relative; }}
.rl-why {{ font: 600 11px/1 system-ui, sans-serif; width: 18px; height: 18px; padding: 0; border-radius: 50%;
  border: 1px solid {LINE}; background: transparent; color: {MUTED}; cursor: help; }}
.rl-why:hover, .rl-why:focus-visible {{ color: {TEXT}; border-color: {BLUE}; outline: 2px solid {BLUE}; }}
.rl-told {{ {UNSEEN} }}
.rl-corner {{ position: absolute; top: 0; right: 0; z-index: 1; background: {SURFACE}; }}
label {{ padding-right: 20px; }}
@media (pointer: coarse) {{ .rl-why {{ width: 26px; height: 26px; }} .rl-corner {{ top: -4px; right: -4px; }} }}
"""
"""Of the sign, in whatever part of the page it stands."""

_BOX_CSS = f"""
:host {{ position: absolute; width: 0; height: 0; }}
.box {{ position: fixed; inset: auto; margin: 0; box-sizing: border-box; width: max-content;
  max-width: min(420px, 100vw - 16px); max-height: 70vh; overflow: auto; padding: 10px 14px;
  border: 1px solid {LINE}; border-left: 5px solid {BLUE};
  border-radius: 6px; color: {TEXT}; background: {SURFACE};
  font-size: 14px; line-height: 1.4; box-shadow: 0 4px 18px rgb(0 0 0 / 30%); }}
.box:focus {{ outline: none; }}
p, code {{ margin: 0 0 6px; display: block; overflow-wrap: anywhere; }}
.name {{ font-weight: 600; }}
.formula {{ background: {FAINT}; padding: 5px 8px; border-radius: 4px; font-size: 13px; white-space: pre-wrap; }}
.source, .see {{ color: {MUTED}; font-size: 12px; }}
.see button {{ font: inherit; color: inherit; background: none; border: 0; padding: 0; text-decoration: underline;
  cursor: pointer; }}
"""


class Explained(JSComponent):
    """Nothing to see before a "?" is pressed; one on the page serves all signs and words in it.

    Parts of the page whose CSS classes name a term (`term_classes`) get a sign in their corner. The entries stay on
    the server: a sign costs the page a class, and an entry is sent when it is asked for.
    """

    sign_css = param.String(default=SIGN_CSS, doc="Style of the signs.")

    _esm = PATIENT + _ESM
    _stylesheets = [_BOX_CSS]

    def _handle_msg(self, data: Any) -> None:
        asked = data.get("term") if isinstance(data, dict) else None
        term = by_slug(asked) if isinstance(asked, str) else None
        if term is not None:
            see = [[_slug(name), name] for name in term.see]
            said = {name: getattr(term, name) for name in ("name", "sentence", "text", "formula", "source")}
            self._send_msg({**said, "see": see, "asked": asked})


def term_slug(name: str, family: str = "") -> str:
    """What a part of the page asks for when it names a term itself; empty where there is no entry."""
    term = find(name, family)
    return "" if term is None else _slug(term.name)


def term_classes(name: str, family: str = "") -> list[str]:
    """The CSS classes that give a part of the page a sign for this term; none where there is no entry."""
    slug = term_slug(name, family)
    return [_MARK + slug] if slug else []


def explain_all(layout: Any) -> Any:
    """Give a sign to every control of a layout whose label is a term and that has none yet; the layout."""
    for widget in layout.select(pn.widgets.Widget):
        if not any(name.startswith(_MARK) for name in widget.css_classes) and not isinstance(widget, _PRESSED):
            widget.css_classes = [*widget.css_classes, *term_classes(widget.label)]
    return layout


def terms_of(css_classes: list[str]) -> Iterator[Term]:
    """The entries that CSS classes name."""
    for name in css_classes:
        if name.startswith(_MARK):
            yield _SLUGS[name.removeprefix(_MARK)]


def sign(name: str, family: str = "") -> str:
    """HTML of a sign for this term; empty where there is no entry. Its style is `SIGN_CSS`."""
    term = find(name, family)
    if term is None:
        return ""
    return (
        f'<button type="button" class="rl-why" data-term="{_slug(term.name)}"><span aria-hidden="true">?</span>'
        f'<span class="rl-told">Explanation: {esc(term.name)}</span></button>'
    )


def by_slug(slug: str) -> Term | None:
    """The entry of what a sign asks for: a slug of its name or of any other."""
    return _SLUGS.get(slug) or find(slug)


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


_SLUGS: dict[str, Term] = {_slug(term.name): term for term in TERMS.values()}
