"""Brings the part of the page that a walk speaks of into sight."""

from __future__ import annotations

import param
from panel.custom import JSComponent

_ESM = """
const lit = (root) => {
  for (const one of root.querySelectorAll("*")) {
    if (one.classList.contains("rl-lit")) { return one }
    const inside = one.shadowRoot && lit(one.shadowRoot)
    if (inside) { return inside }
  }
}
export function render({ model }) {
  const show = (part) => {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches
    const block = matchMedia("(max-width: 900px)").matches ? "start" : "nearest"  // below what the step says
    part.scrollIntoView({ block, behavior: calm ? "auto" : "smooth" })
  }
  const follow = (last, looks) => {  // the outline may come later than the turn
    const now = lit(document)
    if (now && now !== last) { show(now) }
    if (looks) { setTimeout(() => follow(now, looks - 1), 200) }
  }
  model.on("turns", () => setTimeout(() => follow(undefined, 12), 100))
  return document.createElement("span")
}
"""


class Pointer(JSComponent):
    """Nothing to see: whenever it turns, what is outlined is scrolled into sight."""

    turns = param.Integer(default=0, doc="How often it has turned.")

    _esm = _ESM
