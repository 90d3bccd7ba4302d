"""The form of one person: the columns that the rules test, their values, and which of them may be changed."""

from __future__ import annotations

import param

from ..widgets.style import FOCUS, LINE, MUTED, TEXT
from .asking import Asking

_ESM = """
export function render({ model }) {
  const table = document.createElement("table")
  table.innerHTML = "<thead><tr><th scope='col'>column</th><th scope='col'>value</th>" +
    "<th scope='col'>may change</th></tr></thead>"
  table.setAttribute("aria-label", "One person")
  const body = document.createElement("tbody")
  table.append(body)
  const option = (value, text) => {
    const one = document.createElement("option")
    one.value = value
    one.textContent = text
    return one
  }
  let shape = ""
  const build = () => {
    body.replaceChildren(...model.fields.map((field, k) => {
      const row = document.createElement("tr")
      const name = document.createElement("th")
      name.scope = "row"
      name.textContent = field.name
      const input = document.createElement(field.options ? "select" : "input")
      if (field.options) { input.append(...field.options.map(([value, text]) => option(value, text))) }
      else { input.type = "number"; input.step = "any"; input.placeholder = "missing" }
      input.setAttribute("aria-label", `Value of ${field.name}`)
      input.addEventListener("change", () => { model.send_msg({ do: "set", at: k, value: input.value }) })
      const tick = document.createElement("input")
      tick.type = "checkbox"
      tick.setAttribute("aria-label", `${field.name} may change`)
      tick.addEventListener("change", () => { model.send_msg({ do: "tick", at: k, on: tick.checked }) })
      const cells = [input, tick].map((one) => {
        const cell = document.createElement("td")
        cell.append(one)
        return cell
      })
      row.append(name, ...cells)
      return row
    }))
  }
  const show = () => {
    const now = JSON.stringify(model.fields.map((field) => [field.name, field.options]))
    if (now !== shape) { shape = now; build() }
    model.fields.forEach((field, k) => {
      const [input, tick] = body.children[k].querySelectorAll("select, input")
      if (input.value !== field.value) { input.value = field.value }
      tick.checked = field.ticked
    })
    table.hidden = !model.fields.length
  }
  model.on("fields", show)
  show()
  return table
}
"""
_CSS = f"""
:host {{ width: 100%; color: {TEXT}; font-size: 14px; }}
table {{ border-collapse: collapse; width: 100%; }}
table[hidden] {{ display: none; }}
th, td {{ text-align: left; padding: 3px 6px; border-bottom: 1px solid {LINE}; font-weight: 400;
  overflow-wrap: anywhere; }}
thead th {{ font-size: 12px; color: {MUTED}; }}
th:last-child, td:last-child {{ width: 6em; text-align: center; }}
td:nth-child(2), th:nth-child(2) {{ width: 42%; }}
input:not([type=checkbox]), select {{ font: inherit; color: inherit; background: transparent; border: 1px solid {LINE};
  border-radius: 4px; height: 30px; width: 100%; box-sizing: border-box; padding: 2px 6px; }}
select option {{ color: #1a1a1a; background: #fff; }}
input[type=checkbox] {{ width: 20px; height: 20px; }}
input:focus-visible, select:focus-visible {{ {FOCUS} }}
"""


class PersonForm(Asking):
    """A row per column: its value, and whether it may be changed.

    Parameters
    ----------
    act : callable
        Takes what was entered: a mapping with the entry ``do``.
    """

    fields = param.List(default=[], doc="Of each column its name, value, options (None: a number), and ticked.")

    _esm = _ESM
    _stylesheets = [_CSS]
