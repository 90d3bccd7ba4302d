"""A table whose rows a person sorts by its heads and looks into; what it holds is shown as text, never as HTML."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import param
from panel.custom import JSComponent

from ..live.wording import count, in_signs
from ..widgets.esc import plain
from ..widgets.explained import term_slug
from ..widgets.style import FAINT, FOCUS, LINE, MUTED, SURFACE, TEXT
from .step_plot import TERMS, bound_name

HEADS = {
    "antecedent": "next rule",
    "fate": "fate",
    "bound": "bound",
    **TERMS,
    "label": "label",
    "captured": "captured",
    "errors": "errors",
}
"""Its columns."""
PAGE = 50
"""Rows that are shown at once, and that come along when more are asked for."""
_TEXTS = ("antecedent", "label", "fate")

_ESM = """
const made = (tag, text, attributes = {}) => {
  const node = document.createElement(tag)
  node.textContent = text
  for (const [name, value] of Object.entries(attributes)) { node.setAttribute(name, value) }
  return node
}

export function render({ model }) {
  const about = { class: "children", tabindex: 0, role: "region", "aria-label": "Table of all next rules" }
  const root = made("div", "", about)
  const table = made("table", "")
  const head = made("tr", "")
  const body = document.createElement("tbody")
  const more = made("p", "", { class: "more" })
  const heads = model.heads.map(([key, label, words]) => {
    const cell = made("th", "", words ? { scope: "col", class: "words" } : { scope: "col" })
    const button = made("button", label, { type: "button" })
    button.addEventListener("click", () => model.send_msg({ sort: key }))
    cell.append(button)
    head.append(cell)
    return [key, cell]
  })
  const top = document.createElement("thead")
  top.append(head)
  table.append(top, body)
  root.append(table, more)
  const order = () => {
    const [by, up] = model.order
    for (const [key, cell] of heads) {
      cell.setAttribute("aria-sort", key !== by ? "none" : up ? "ascending" : "descending")
    }
  }
  const fill = () => {
    const inside = root.getRootNode().activeElement
    const lost = inside && body.contains(inside)
    const rows = model.rows.map(({ cells, term, reason }, place) => {
      const row = document.createElement("tr")
      cells.forEach((text, i) => {
        if (i === 0) {
          const cell = made("th", "", { scope: "row" })
          const look = made("button", text, { type: "button", "aria-label": `Look into ${text}` })
          look.addEventListener("click", () => model.send_msg({ look: place }))
          cell.append(look)
          row.append(cell)
        } else if (i === 1) {
          const cell = made("td", term ? "" : text, { class: "words", title: reason })
          if (term) { cell.append(made("button", text, { type: "button", class: "asked", "data-term": term })) }
          row.append(cell)
        } else {
          row.append(made("td", text, model.heads[i][2] ? { class: "words" } : {}))
        }
      })
      return row
    })
    body.replaceChildren(...rows)
    more.replaceChildren()
    if (model.said) {
      const button = made("button", "Show more", { type: "button" })
      button.addEventListener("click", () => model.send_msg({ more: true }))
      more.append(model.said, " ", button)
    }
    if (lost) { root.focus() }
  }
  model.on("order", order)
  model.on(["rows", "said"], fill)
  order()
  fill()
  return root
}
"""
_CSS = f"""
:host {{ color: {TEXT}; font-size: 13px; line-height: 1.35; min-width: 0; }}
.children {{ height: min(690px, 80vh); overflow: auto; border: 1px solid {LINE}; border-radius: 6px; }}
.children:focus-visible {{ {FOCUS} outline-offset: -3px; }}
table {{ border-collapse: collapse; width: 100%; }}
thead th {{ position: sticky; top: 0; z-index: 1; vertical-align: bottom; text-align: right; border: 0;
  box-shadow: inset 0 -1px {LINE};
  background: {SURFACE}; }}
thead .words, tbody th {{ text-align: left; }}
th, td {{ font-weight: 400; padding: 3px 6px; }}
tbody th, td {{ border-bottom: 1px solid {LINE}; }}
td {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }}
td.words {{ text-align: left; }}
tbody th {{ min-width: 130px; overflow-wrap: anywhere; }}
tbody tr:nth-child(odd) {{ background: {FAINT}; }}
button {{ font: inherit; color: inherit; background: none; border: 0; padding: 0; text-align: inherit; cursor: pointer;
  text-decoration: underline; text-decoration-color: {MUTED}; text-underline-offset: 3px; }}
thead button {{ color: {MUTED}; font-size: 12px; text-decoration: none; }}
thead button::after {{ content: " \\2195"; }}
[aria-sort="ascending"] button::after {{ content: " \\2191"; }}
[aria-sort="descending"] button::after {{ content: " \\2193"; }}
[aria-sort="ascending"] button, [aria-sort="descending"] button {{ color: {TEXT}; font-weight: 600; }}
.asked {{ text-decoration-style: dotted; cursor: help; }}
button:focus-visible {{ {FOCUS} }}
.more {{ margin: 8px; color: {MUTED}; }}
"""


class StepTable(JSComponent):
    """The children of a prefix.

    Parameters
    ----------
    on_look : callable
        Takes the antecedent of a row that is chosen.
    family : str
        Whose bounds they are.
    """

    heads = param.List(default=[[key, words, key in _TEXTS] for key, words in HEADS.items()], doc="Key, words, text?")
    rows = param.List(default=[], doc="What is shown: texts of the cells, the entry in the glossary, the reason.")
    order = param.Tuple(default=("bound", True), doc="The column that it is sorted by, and whether upwards.")
    said = param.String(doc="What is not shown; empty: nothing.")

    _esm = _ESM
    _stylesheets = [_CSS]

    def __init__(self, on_look: Callable[[str], None], family: str, **params: Any) -> None:
        super().__init__(**params)
        self._on_look, self._family = on_look, family
        self._frame = pd.DataFrame(columns=[*HEADS, "cut_by", "reason"])
        self._most, self._shown = PAGE, list[str]()

    def draw(self, frame: pd.DataFrame) -> None:
        """Show what `PrefixSearch.look_into` gives, from its beginning."""
        self._frame, self._most = frame, PAGE
        self._write()

    def ask(self, wanted: dict[str, Any]) -> None:
        """Do what a person asks for: ``sort`` by a column, ``more`` rows, or a ``look`` into one."""
        by = wanted.get("sort")
        if by in HEADS:
            self.order = (by, not self.order[1] if by == self.order[0] else True)
            self._write()
        elif wanted.get("more"):
            self._most += PAGE
            self._write()
        elif wanted.get("look") in range(len(self.rows)):
            self._on_look(self._shown[wanted["look"]])

    def _handle_msg(self, data: Any) -> None:
        if isinstance(data, dict):
            self.ask(data)

    def _write(self) -> None:
        by, up = self.order
        key = (lambda column: column.astype(str)) if by in _TEXTS else None
        frame = self._frame.sort_values([by, "cut_by"], ascending=up, kind="stable", key=key)
        rows = [self._row(row) for row in frame.head(self._most).to_dict(orient="records")]
        self._shown = frame["antecedent"].head(self._most).tolist()
        left = len(frame) - len(rows)
        said = f"{count(len(rows))} of {count(len(frame))} are shown; Save, CSV has them all." if left else ""
        changed = {"rows": rows, "said": said}
        self.param.update(**{name: value for name, value in changed.items() if value != getattr(self, name)})

    def _row(self, row: dict[str, Any]) -> dict[str, Any]:
        cut = row["fate"] == "cut"
        cells = [plain(in_signs(row["antecedent"]), 10**6), f"cut: {bound_name(row['cut_by'])}" if cut else row["fate"]]
        cells += [f"{row[name]:.4f}" for name in ("bound", *TERMS)]
        cells += [plain(row["label"], 40), *(count(float(row[name])) for name in ("captured", "errors"))]
        return {"cells": cells, "term": term_slug(row["cut_by"], self._family) if cut else "", "reason": row["reason"]}
