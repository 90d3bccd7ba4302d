"""A line of text that screen readers follow: it stays in the page and only its text changes."""

from __future__ import annotations

import param
from panel.custom import JSComponent

from .style import LIVE_CSS

_ESM = """
export function render({ model }) {
  const root = document.createElement("div")
  root.setAttribute("role", model.role)
  root.setAttribute("aria-live", model.role === "alert" ? "assertive" : "polite")
  root.setAttribute("aria-label", model.caption)
  const phase = document.createElement("p")
  phase.className = "phase"
  const list = document.createElement("p")
  list.className = "figures"
  root.append(phase, " ", list)
  const set = (node, text) => { if (node.textContent !== text) { node.textContent = text } }
  const show = () => {
    root.className = `live ${model.role} ${model.tone}`
    root.hidden = model.phase === ""
    set(phase, model.phase)
    const figures = model.figures
    while (list.children.length > figures.length) { list.lastElementChild.remove() }
    while (list.children.length < figures.length) {
      const item = document.createElement("span")
      item.className = "figure"
      const name = document.createElement("button")
      name.type = "button"
      const value = document.createElement("span")
      name.className = "name"
      value.className = "value"
      item.append(name, " ", value, " ")
      list.append(item)
    }
    figures.forEach(([name, value], i) => {
      set(list.children[i].children[0], name)
      list.children[i].children[0].dataset.term = name
      set(list.children[i].children[1], value)
    })
  }
  model.on(["phase", "tone", "figures"], show)
  show()
  return root
}
"""


class LiveText(JSComponent):
    """A live region with a sentence and named figures, all shown as text, never as HTML; names can be asked about."""

    role: param.Selector[str] = param.Selector(
        default="status", objects=["status", "alert"], doc="Its role in the page."
    )
    caption = param.String(default="Status", doc="Its name for screen readers.")
    tone = param.String(default="idle", doc="How it is coloured.")
    phase = param.String(default="", doc="The sentence; the region is hidden when it is empty.")
    figures = param.List(default=[], doc="Pairs of name and value.")

    _esm = _ESM
    _stylesheets = [LIVE_CSS]
