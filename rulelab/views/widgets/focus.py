"""Gives the keyboard's focus back to a button that was moved, which takes the focus from it."""

from __future__ import annotations

import param
from panel.custom import JSComponent

_ESM = """
export function render({ model }) {
  const all = (root, selector) => {
    const found = [...root.querySelectorAll(selector)]
    for (const e of root.querySelectorAll("*")) { if (e.shadowRoot) { found.push(...all(e.shadowRoot, selector)) } }
    return found
  }
  const give = () => {
    const [place, name] = model.wanted
    const box = all(document, model.boxes)[place]
    const free = document.activeElement === document.body || document.activeElement === null
    if (box && free) { all(box.shadowRoot ?? box, "button").find((b) => b.textContent.trim() === name)?.focus() }
  }
  model.on("wanted", () => { for (const wait of [0, 60, 200, 500]) { setTimeout(give, wait) } })
  return document.createElement("span")
}
"""


class Focus(JSComponent):
    """Nothing to see."""

    boxes = param.String(default="", doc="CSS selector of the boxes that the buttons are in.")
    wanted = param.List(default=[0, "", 0], doc="Place of the box, name of its button, and a number to ask again with.")

    _esm = _ESM
