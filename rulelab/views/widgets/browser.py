"""A text that the browser keeps for the page, in the tab that shows it, until the tab is closed."""

from __future__ import annotations

import param
from panel.custom import JSComponent

_ESM = """
export function render({ model }) {
  model.on("kept", () => {
    try {
      if (model.kept === "") { sessionStorage.removeItem(model.key) }
      else { sessionStorage.setItem(model.key, model.kept) }
      model.problem = ""
    } catch (error) {
      model.problem = `${error.name}`
    }
  })
  let found = ""
  try { found = sessionStorage.getItem(model.key) ?? "" } catch { /* the browser keeps nothing */ }
  model.found = found
  return document.createElement("span")
}
"""


class Kept(JSComponent):
    """Nothing to see: hands a text to the browser, and gets it back when the page is loaded again.

    It is the session storage of the browser's tab, so that two pages side by side do not write over each other; the
    text never leaves the browser for anywhere but this server.
    """

    key = param.String(default="rulelab", doc="Its name in the browser.")
    kept = param.String(default="", doc="The text to keep; empty: none.")
    found = param.String(default=None, allow_None=True, doc="What was kept before; None until the browser says it.")
    problem = param.String(default="", doc="Why the browser does not keep the text.")

    _esm = _ESM
