"""The table of runs: figures of each, what it was set to that others were not, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param
from panel.custom import JSComponent

from ...widgets.style import FAINT, FOCUS, LINE, MUTED, TEXT

ACTS = ("show", "pin", "form", "remove")
_ESM = """
const made = (tag, text = "", attributes = {}) => {
  const node = document.createElement(tag)
  node.textContent = text
  for (const [name, value] of Object.entries(attributes)) { if (value !== false) { node.setAttribute(name, value) } }
  return node
}

export function render({ model }) {
  const root = made("div", "", { class: "runs" })
  const act = (run, what) => model.send_msg({ run, act: what })
  const button = (row, what, text, label, more = {}) => {
    const one = made("button", text, { type: "button", "aria-label": `${label} run ${row.number}`, "data-act":
      `${what} ${row.number}`, ...more })
    one.addEventListener("click", () => act(row.number, what))
    return one
  }
  const lines = (row) => {
    const first = made("tr", "", { class: row.present ? "figures present" : "figures" })
    const box = made("input", "", { type: "checkbox", "aria-label": `Show run ${row.number} in the plot`, "data-act":
      `show ${row.number}` })
    box.checked = row.shown
    box.disabled = !row.comparable
    box.addEventListener("change", () => act(row.number, "show"))
    const name = made("th", "", { scope: "row" })
    const label = made("label", "")
    label.append(box, `${row.number}`)
    name.append(label)
    first.append(name)
    row.cells.forEach((text, i) => first.append(made("td", text, { "data-what": model.heads[i + 1] })))
    const second = made("tr", "", { class: row.present ? "said present" : "said" })
    const cell = made("td", "", { colspan: model.heads.length })
    const acts = made("span", "", { class: "acts" })
    acts.append(button(row, "pin", row.pinned ? "Pinned" : "Pin", row.pinned ? "Let go of" : "Keep",
      { "aria-pressed": String(row.pinned) }))
    if (row.settable) { acts.append(button(row, "form", "To the form", "Set the form as for")) }
    acts.append(button(row, "remove", "Remove", "Remove"))
    cell.append(acts, made("span", row.said, { class: "words" }))
    second.append(cell)
    return [first, second]
  }
  const show = () => {
    const held = root.getRootNode().activeElement?.dataset?.act
    if (!model.rows.length) {
      root.replaceChildren(made("p", model.empty, { class: "empty" }))
      return
    }
    const table = made("table", "", { "aria-label": "Runs" })
    const head = made("tr")
    for (const text of model.heads) {
      const cell = made("th", "", { scope: "col" })
      cell.append(text ? made("button", text, { type: "button", "data-term": model.terms[text] ?? text }) : "")
      head.append(cell)
    }
    const top = made("thead"), body = made("tbody")
    top.append(head)
    for (const row of model.rows) { body.append(...lines(row)) }
    table.append(top, body)
    root.replaceChildren(table)
    if (held) { root.querySelector(`[data-act="${held}"]`)?.focus({ preventScroll: true }) }
  }
  model.on(["rows", "heads", "empty"], show)
  show()
  return root
}
"""
_CSS = f"""
:host {{ color: {TEXT}; font-size: calc(13px * var(--rl-zoom, 1)); line-height: 1.35; container-type: inline-size; }}
table {{ border-collapse: collapse; width: 100%; }}
th, td {{ text-align: right; padding: 3px 5px; font-weight: 400; font-variant-numeric: tabular-nums; }}
td {{ white-space: nowrap; }}
th:first-child {{ text-align: left; }}
thead th {{ border-bottom: 1px solid {LINE}; vertical-align: bottom; }}
thead button {{ font: inherit; font-size: 12px; color: {MUTED}; padding: 0; border: 0; background: none;
  text-align: inherit; text-decoration: underline dotted; text-underline-offset: 3px; cursor: help; }}
.said td {{ text-align: left; white-space: normal; border-bottom: 1px solid {LINE}; padding-top: 0;
  padding-bottom: 5px; }}
.present {{ background: {FAINT}; }}
.words {{ overflow-wrap: anywhere; color: {MUTED}; }}
.acts {{ float: right; display: inline-flex; gap: 4px; margin-left: 8px; }}
.acts button {{ font: inherit; font-size: 12px; color: inherit; background: none; border: 1px solid {LINE};
  border-radius: 4px; padding: 1px 6px; cursor: pointer; }}
.acts [aria-pressed=true] {{ font-weight: 600; }}
label {{ display: inline-flex; gap: 4px; align-items: center; font-weight: 600; }}
input {{ margin: 0; }}
button:focus-visible, input:focus-visible {{ {FOCUS} }}
.empty {{ color: {MUTED}; margin: 6px 0; }}
@container (max-width: 470px) {{
  thead {{ display: none; }}
  tr.figures {{ display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); }}
  tr.figures > * {{ text-align: left; }}
  tr.figures td::before {{ content: attr(data-what); display: block; font-size: 11px; color: {MUTED}; }}
  tr.figures th {{ grid-column: 1 / -1; }}
  tr.said, tr.said td {{ display: block; }}
  .acts {{ float: none; display: flex; margin: 4px 0; }}
}}
"""


class RunTable(JSComponent):
    """Two lines a run, all as text; what is pressed is told by the number of the run.

    Parameters
    ----------
    on_act : callable
        Takes the number of a run, which may be anything, and one of `ACTS`.
    """

    heads: param.List[list[str]] = param.List(default=[], doc="Names of the columns, that of the number first.")
    terms = param.Dict(default={}, doc="What a name is called in the glossary, where that is something else.")
    rows = param.List(default=[], doc="See `rulelab.views.search.runs.box.rows`.")
    empty = param.String(default="", doc="What is said where there is no run.")

    _esm = _ESM
    _stylesheets = [_CSS]

    def __init__(self, on_act: Callable[[Any, str], None], **params: Any) -> None:
        super().__init__(**params)
        self._on_act = on_act

    def _handle_msg(self, data: Any) -> None:
        """From the browser, which may send anything."""
        if isinstance(data, dict) and data.get("act") in ACTS:
            self._on_act(data.get("run"), data["act"])
