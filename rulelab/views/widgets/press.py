"""A button that may become able or unable at any moment, also while the browser is still making it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param
from panel.custom import JSComponent

from .style import FOCUS, LINE, TEXT

_ESM = """
export function render({ model }) {
  const button = document.createElement("button")
  button.type = "button"
  button.addEventListener("click", () => model.send_msg("press"))
  const show = () => {
    button.textContent = model.label
    button.disabled = !model.able
  }
  model.on(["label", "able"], show)
  show()
  return button
}
"""
_CSS = f"""
button {{ border: 1px solid {LINE}; border-radius: 4px; background: none; color: {TEXT}; padding: 4px 6px;
  font: inherit; font-size: 13px; height: 100%; width: 100%; cursor: pointer; }}
button:hover:enabled {{ background: color-mix(in srgb, {TEXT} 8%, transparent); }}
button:focus-visible {{ {FOCUS} }}
button:disabled {{ opacity: 0.45; cursor: default; }}
"""


class Press(JSComponent):
    """A button. Bokeh's own fails in the browser when it is disabled between being sent and being drawn.

    Parameters
    ----------
    press : callable
        What it does.
    """

    label = param.String(default="", doc="What stands on it.")
    able = param.Boolean(default=True, doc="Whether it can be pressed.")

    _esm = _ESM
    _stylesheets = [_CSS]

    def __init__(self, press: Callable[[], Any], **params: Any) -> None:
        super().__init__(**params)
        self._press = press

    def _handle_msg(self, _message: Any) -> None:
        if self.able:
            self._press()
