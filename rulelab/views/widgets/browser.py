"""What the browser does beside showing the page: keeps a text and the address, goes back and forward, reconnects."""

from __future__ import annotations

import param
from panel.custom import JSComponent

_KEPT = """
export function render({ model, view }) {
  const storage = () => model.lasting ? localStorage : sessionStorage
  model.on("kept", () => {
    try {
      if (model.kept === "") { storage().removeItem(model.key) }
      else { storage().setItem(model.key, model.kept) }
      model.problem = ""
    } catch (error) {
      model.problem = `${error.name}`
    }
  })
  let found = ""
  try { found = storage().getItem(model.key) ?? "" } catch { /* the browser keeps nothing */ }
  // told once the page stands: what is put in the place of what is still being built never comes to be seen
  const page = view.model.document
  let told = false
  const tell = () => { if (!told) { told = true; model.found = found } }
  if (!page || page.is_idle) { tell() }
  else {
    page.idle.connect(tell)
    setTimeout(tell, 5000)  // in a notebook some parts of a document may never be shown
  }
  return document.createElement("span")
}
"""
_BAR = """
export function render({ model, view }) {
  // what was read of a message when its socket closed is no part of the first message of the next socket
  view.model.document?.on_event("connection_lost", (_document, event) => {
    const connection = event.connection?.deref()
    if (connection?._receiver != null) { connection._receiver = new connection._receiver.constructor() }
  })
  model.on("shown", () => {
    const url = location.pathname + model.shown[0] + location.hash
    if (model.shown[1]) { history.pushState({}, "", url) }
    else { history.replaceState({}, "", url) }
  })
  const gone = () => { model.send_msg(location.search) }
  window.addEventListener("popstate", gone)
  model.on("remove", () => { window.removeEventListener("popstate", gone) })
  return document.createElement("span")
}
"""


class Kept(JSComponent):
    """Nothing to see: hands a text to the browser, and gets it back when the page is loaded again.

    It is the session storage of the browser's tab, so that two pages side by side do not write over each other; the
    text never leaves the browser for anywhere but this server.
    """

    key = param.String(default="rulelab", doc="Its name in the browser.")
    lasting = param.Boolean(default=False, doc="Whether all tabs share it, and it outlives them.")
    kept = param.String(default="", doc="The text to keep; empty: none.")
    found = param.String(default=None, allow_None=True, doc="What was kept before; None until the browser says it.")
    problem = param.String(default="", doc="Why the browser does not keep the text.")

    _esm = _KEPT


class AddressBar(JSComponent):
    """Nothing to see: the query in the browser's address, and a clean start for each connection.

    The events of `on_msg` carry, as ``data``, the query after the user has gone back or forward.
    """

    shown = param.Tuple(default=("", False), doc="The query to show, and whether it is a step that Back takes back.")

    _esm = _BAR
