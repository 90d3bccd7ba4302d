"""Presenter mode: one key puts the settings away and makes type larger, others drive the search from a projector."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

_ESM = """
const TYPED = "input, textarea, select, [contenteditable], [role=slider], [role=dialog], [role=listbox]"
const LOOK = { "--rl-columns": "minmax(0, 1fr)", "--rl-place": "auto", "--rl-zoom": "1.2", "--rl-fixed": "sticky" }

export function render({ model }) {
  const root = document.documentElement, nothing = document.createElement("span")
  const show = () => {
    for (const [name, value] of Object.entries(LOOK)) {
      if (model.on_stage) { root.style.setProperty(name, value) } else { root.style.removeProperty(name) }
    }
    if (model.on_stage) {
      document.activeElement?.blur()
      for (let at = nothing; at; at = at.parentElement ?? at.getRootNode().host) { at.scrollTop = 0 }
    }
  }
  const press = (event) => {
    const at = event.composedPath()
    if (!model.possible || event.ctrlKey || event.metaKey || event.altKey || event.repeat) { return }
    if (at.some((one) => one.matches?.(TYPED))) { return }
    const key = event.key.toLowerCase()
    if (key === "p" || (key === "escape" && model.on_stage)) { model.send_msg({ key: "p" }) }
    else if (model.on_stage && model.keys.includes(key)) {
      if ((key === " " || key === "enter") && at.some((one) => one.matches?.("button, a, summary"))) { return }
      event.preventDefault()
      model.send_msg({ key })
    }
  }
  const clicked = (event) => {  // what was clicked on does not keep the keys from the search
    if (!model.on_stage || event.detail === 0) { return }
    setTimeout(() => {
      let at = document.activeElement
      while (at?.shadowRoot?.activeElement) { at = at.shadowRoot.activeElement }
      if (at && !at.matches(TYPED)) { at.blur() }
    })
  }
  document.addEventListener("keydown", press)
  document.addEventListener("click", clicked)
  model.on(["on_stage"], show)
  model.on("remove", () => {
    model.on_stage = false
    show()
    for (const [name, act] of [["keydown", press], ["click", clicked]]) { document.removeEventListener(name, act) }
  })
  show()
  return nothing
}
"""


class Presenter(JSComponent):
    """Nothing to see: listens to the keyboard.

    Parameters
    ----------
    actions : mapping of str to callable
        What keys do while it is on, by the names that browsers give them, in small letters.
    switched : callable
        Called when it goes on or off.
    """

    on_stage = param.Boolean(default=False, doc="Whether it is on.")
    possible = param.Boolean(default=True, doc="Whether there is something to present.")
    keys = param.List(default=[], doc="Those that do something while it is on, beside P and Escape.")

    _esm = _ESM

    def __init__(self, actions: dict[str, Callable[[], Any]], switched: Callable[[bool], Any], **params: Any) -> None:
        super().__init__(keys=list(actions), **params)
        self._actions, self._switched = actions, switched

    def _handle_msg(self, data: Any) -> None:
        self.press(data.get("key") if isinstance(data, dict) else None)

    def press(self, key: Any) -> None:
        """What a key does."""
        if key == "p" and self.possible:
            with pn.io.hold():  # the browser must not see that the settings are gone before it takes other keys
                self.on_stage = not self.on_stage
        elif self.on_stage and self.possible and isinstance(key, str) and key in self._actions:
            self._actions[key]()

    @param.depends("on_stage", watch=True)
    def _tell(self) -> None:
        self._switched(self.on_stage)

    @param.depends("possible", watch=True)
    def _leave(self) -> None:
        if not self.possible:
            self.on_stage = False
