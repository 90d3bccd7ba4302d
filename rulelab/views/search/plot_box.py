"""A plot in its box: its name, what is seen now, a menu that saves it and shows its figures, and the plot."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Protocol

import pandas as pd
import panel as pn
import param
from bokeh.plotting import figure
from panel.custom import JSComponent

from ..widgets.explained import term_slug
from ..widgets.html import Html
from ..widgets.style import CARD_CSS, FIGURE_CSS, PLOT_CSS

_MOST_ROWS = 20
_BELOW, _BAR = 42, 24
"""Least height of what stands under a plot: two lines, so that what follows does not move when they appear."""
_ESM = """
const save = (name, blob) => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10000)
}

async function picture({ name, kind, item, size }) {
  const place = document.createElement("div")
  place.style.cssText = `position: fixed; left: -${10 * size[0]}px; width: ${size[0]}px; height: ${size[1]}px`
  document.body.append(place)
  const known = new Set(Bokeh.documents)
  try {
    const views = await Bokeh.embed.embed_item(item, place)
    const [view] = views.roots ?? [...views]
    await view.ready
    await new Promise((done) => setTimeout(done, 300))
    save(name, await view.export(kind, false).to_blob())
    view.remove()
  } finally {
    place.remove()
    for (let i = Bokeh.documents.length - 1; i >= 0; i--) {
      if (!known.has(Bokeh.documents[i])) { Bokeh.documents.splice(i, 1) }
    }
  }
}

const made = (tag, text, attributes = {}) => {
  const node = document.createElement(tag)
  node.textContent = text
  for (const [name, value] of Object.entries(attributes)) { node.setAttribute(name, value) }
  return node
}

export function render({ model }) {
  const root = made("header", "", { class: "plot" })
  const title = made("h2", model.heading, { "aria-label": model.heading })  // without the sign
  const caption = made("p", "", { class: "caption" })
  if (model.term) {
    const why = made("button", "", { type: "button", class: "why", "data-term": model.term })
    why.append(made("span", "?", { "aria-hidden": "true" }),
      made("span", `Explanation: ${model.heading}`, { class: "rl-told" }))
    title.append(" ", why)
  }
  const menu = made("details", "")
  const summary = made("summary", "Save", { "aria-label": `Save or read: ${model.heading}` })
  const sheet = made("div", "", { class: "sheet" })
  const table = made("div", "", { class: "figures", tabindex: 0, role: "region", "aria-label": "Figures" })
  const line = made("p", "", { class: "kinds" })
  for (const kind of ["png", "svg", "csv"]) {
    const button = made("button", kind.toUpperCase(), { type: "button" })
    button.addEventListener("click", () => model.send_msg({ want: kind }))
    line.append(button)
  }
  sheet.append(line, table)
  menu.append(summary, sheet)
  root.append(title, menu, caption)
  menu.addEventListener("toggle", () => { if (menu.open) { model.send_msg({ want: "table" }) } })
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && menu.open) { menu.open = false; summary.focus() }
  })
  const outside = (event) => { if (menu.open && !event.composedPath().includes(menu)) { menu.open = false } }
  document.addEventListener("pointerdown", outside)
  model.on("remove", () => document.removeEventListener("pointerdown", outside))
  const fill = ({ columns, rows, said }) => {
    const shown = made("table", "")
    shown.append(made("caption", said))
    const head = made("tr", "")
    for (const name of columns) { head.append(made("th", name, { scope: "col" })) }
    shown.append(head)
    for (const row of rows) {
      const one = made("tr", "")
      for (const value of row) { one.append(made("td", value)) }
      shown.append(one)
    }
    table.replaceChildren(shown)
  }
  model.on("msg:custom", (message) => {
    const said = JSON.parse(message.text)
    if (said.kind === "table") { fill(said) }
    else if (said.kind === "csv") { save(said.name, new Blob([said.csv], { type: "text/csv" })) }
    else { picture(said) }
  })
  const show = () => { if (caption.textContent !== model.caption) { caption.textContent = model.caption } }
  model.on("caption", show)
  show()
  return root
}
"""


class PlotHead(JSComponent):
    """Name and caption of a plot, all as text, and its menu: PNG, SVG, CSV and a table of the last figures."""

    heading = param.String(doc="The name of the plot.")
    caption = param.String(doc="What is seen now.")
    term = param.String(doc="Its entry in the glossary; empty: none.")

    _esm = _ESM
    _stylesheets = [PLOT_CSS]

    def __init__(self, answer: Callable[[str], dict[str, Any]], **params: Any) -> None:
        super().__init__(**params)
        self._answer = answer

    def _handle_msg(self, data: Any) -> None:
        self._send_msg({"text": json.dumps(self._answer(data["want"]))})


class Drawn(Protocol):
    """A plot that has a box."""

    @property
    def figure(self) -> figure:
        """Its picture."""

    @property
    def caption(self) -> str:
        """What is seen now, in a sentence."""

    @property
    def below(self) -> str | None:
        """HTML that stands under the figure; None: there is never any."""

    def frame(self) -> pd.DataFrame:
        """What is drawn, as a table in the words of the figure."""


class PlotBox:
    """What stands in the box of a plot.

    Parameters
    ----------
    plot : Drawn
    picture : callable
        Makes the picture to be saved, as what Bokeh embeds, and its size in pixels.
    name : callable
        Gives the beginning of the names of saved files.

    Attributes
    ----------
    name : str
        Of the plot.
    pane : Bokeh pane
    items : tuple of viewable
    """

    def __init__(self, plot: Drawn, picture: Callable[[], dict[str, Any]], name: Callable[[], str]) -> None:
        self.plot = plot
        self._picture, self._file_name = picture, name
        title: Any = plot.figure.title
        title.visible, self.name = False, str(title.text)
        plot.figure.html_attributes = {"role": "figure", "aria-label": self.name}
        plot.figure.stylesheets = [FIGURE_CSS]
        plot.figure.css_classes = []  # the sign stands beside the name
        self._head = PlotHead(
            self.answer, heading=self.name, term=term_slug(self.name), sizing_mode="stretch_width", margin=0
        )
        self.pane = pn.pane.Bokeh(plot.figure, sizing_mode="stretch_width", margin=0)
        self._below = None
        if plot.below is not None:
            self._below = Html("", stylesheets=[CARD_CSS], sizing_mode="stretch_width", margin=0, min_height=_BELOW)
        self.items = tuple(item for item in (self._head, self.pane, self._below) if item is not None)

    def fill(self) -> None:
        """Let the figure be as high as its box, whose other parts keep their height, leaves it."""
        self.plot.figure.stylesheets = [FIGURE_CSS, ":host { height: 100% !important; }"]
        self.pane.css_classes = ["rl-plot"]
        self._head.stylesheets = [".caption { min-height: 1.35em; }"]
        if self._below is not None:
            self._below.min_height = _BAR

    def refresh(self) -> None:
        """Show what the plot says beside its picture, where that has changed."""
        if self._head.caption != self.plot.caption:
            self._head.caption = self.plot.caption
        if self._below is not None and self._below.object != self.plot.below:
            self._below.object = self.plot.below

    def answer(self, want: str) -> dict[str, Any]:
        """What the menu asks for: "table", "csv", "png" or "svg"."""
        if want == "table":
            frame = self.plot.frame()
            rows = frame.tail(_MOST_ROWS)
            said = f"The last {len(rows)} of {len(frame)} rows" if len(rows) < len(frame) else ""
            texts = [[_text(value) for value in row] for row in rows.itertuples(index=False)]
            return {"kind": want, "columns": list(frame.columns), "rows": texts, "said": said}
        file = f"{self._file_name()}_{re.sub(r'[^a-z]+', '_', self.name.lower())}.{want}"
        if want == "csv":
            return {"kind": want, "name": file, "csv": self.plot.frame().to_csv(index=False)}
        return {"kind": want, "name": file, **self._picture()}


def _text(value: Any) -> str:
    return "" if value != value else f"{value:.6g}" if isinstance(value, float) else str(value)
