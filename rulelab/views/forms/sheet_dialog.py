"""The sheet of an uploaded file: what was read, what each column is for; the data are used once it is accepted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import param
from panel.custom import JSComponent

from ...arguments import is_whole
from ..live.job import Progress
from ..widgets.sheet_style import SHEET_CSS
from .draft import Draft

_ESM = """
export function render({ model }) {
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties)
    element.append(...children)
    return element
  }
  const list = (label, options, chosen, choose) => {
    const select = make("select", {}, ...options.map(([value, text]) => make("option", { value, textContent: text })))
    select.value = chosen
    select.setAttribute("aria-label", label)
    select.addEventListener("change", () => choose(select.value))
    return select
  }
  const tell = (message) => model.send_msg(message)
  const title = make("h2", { id: "title", tabIndex: -1 })
  const inside = make("div", { className: "inside" })
  const wrong = make("p", { className: "wrong" })
  wrong.setAttribute("role", "alert")
  const accept = make("button", { type: "button", className: "accept", textContent: "Accept" })
  const cancel = make("button", { type: "button", textContent: "Cancel" })
  const dialog = make("dialog", {}, make("header", {}, title), inside, make("footer", {}, wrong, cancel, accept))
  dialog.setAttribute("aria-labelledby", "title")
  const cells = (tag, texts) => make("tr", {}, ...texts.map((text) => make(tag, { textContent: text })))

  const reading = (state) => {
    if (!state.form.length) { return [] }
    const fields = state.form.map(({ name, options, chosen }) => {
      const word = name === "decimal" || name === "thousands" ? `${name} mark` : name
      const choose = (mark) => tell({ type: "read", how: { [name]: mark } })
      if (options.length) { return make("label", {}, word, list(word, options, chosen, choose)) }
      const text = make("input", { value: chosen, placeholder: "such as ?, k.A., -" })
      text.setAttribute("aria-label", word)
      text.addEventListener("change", () => choose(text.value))
      return make("label", {}, word, text)
    })
    return [
      make("h3", { textContent: "How the file was read" }),
      make("p", { className: "note", textContent: state.how }),
      make("div", { className: "form" }, ...fields),
      ...state.doubts.map((doubt) => make("p", { className: "doubt", textContent: doubt })),
    ]
  }
  const preview = (state) => {
    const table = make("table", { className: "preview" },
      make("thead", {}, cells("th", state.head)), make("tbody", {}, ...state.preview.map((row) => cells("td", row))))
    const wide = make("div", { className: "wide", tabIndex: 0 }, table)
    wide.setAttribute("role", "region")
    wide.setAttribute("aria-label", "First rows")
    return [make("h3", { textContent: "First rows" }), wide]
  }
  const column = (state, each, position) => {
    const row = make("tr", { className: each.role === "ignore" ? "ignored" : "" })
    const cell = (className, text, what) => {
      const made = make("td", { className, textContent: text })
      if (what) { made.dataset.what = what }
      return made
    }
    const give = (role) => tell({ type: "role", position, role })
    const role = list(`Role of ${each.name}`, state.roles, each.role, give)
    const notes = cell("notes", each.notes)
    if (each.leak) { notes.prepend(make("span", { className: "leak", textContent: `leak? ${each.leak}` })) }
    const chosen = make("td", { className: "role" }, role)
    if (each.role === "target" && state.classes.length > 1) {
      const classes = state.classes.map((text, place) => [String(place), text])
      const choose = (place) => tell({ type: "positive", position: Number(place) })
      const positive = list("Positive class", classes, String(state.positive), choose)
      chosen.append(make("label", {}, "positive class", positive))
      if (state.unknown.length) {
        const [what, hows, how] = state.unknown
        const unknown = list("Unknown target", hows, how, (given) => tell({ type: "unknown", given }))
        chosen.append(make("label", {}, what, unknown))
      }
    }
    row.append(cell("name", each.name), cell("type", each.type), cell("num", each.missing, "missing"),
      cell("num", each.distinct, "distinct"), chosen, notes)
    return row
  }
  const columns = (state) => [
    make("h3", { textContent: "What the columns are for" }),
    make("p", { className: "note", textContent: state.help }),
    make("table", { className: "columns" },
      make("thead", {}, cells("th", ["column", "type", "missing", "distinct", "role", "notes"])),
      make("tbody", {}, ...state.columns.map((each, position) => column(state, each, position)))),
    ...state.remarks.map((text) => make("p", { className: "note", textContent: text })),
  ]
  const show = () => {
    const state = model.state
    if (!state.columns) { if (dialog.open) { dialog.close() } ; return }
    const root = dialog.getRootNode()
    const focused = root.activeElement?.getAttribute("aria-label")
    const at = inside.scrollTop
    title.textContent = state.busy || state.title
    inside.inert = !!state.busy
    inside.replaceChildren(...reading(state), ...preview(state), ...columns(state))
    const text = state.error || state.lacking
    if (wrong.textContent !== text) { wrong.textContent = text }
    accept.disabled = state.lacking !== "" || !!state.busy
    if (!dialog.open) { dialog.showModal(); title.focus() }
    inside.scrollTop = at
    const lists = [...inside.querySelectorAll("select, input")]
    if (focused) { lists.find((e) => e.getAttribute("aria-label") === focused)?.focus() }
  }
  accept.addEventListener("click", () => tell({ type: "accept" }))
  cancel.addEventListener("click", () => tell({ type: "cancel" }))
  dialog.addEventListener("cancel", (event) => { event.preventDefault(); tell({ type: "cancel" }) })
  model.on("state", show)
  setTimeout(show)
  return dialog
}
"""


class SheetDialog(JSComponent):
    """Shows a `Draft` and lets it be corrected, until it is accepted or given up.

    Parameters
    ----------
    accepted, cancelled : callable
        Called with the draft when it is accepted, and without when it is not wanted.
    changed : callable
        Called with the draft and what changes it, which gets a `Progress`.
    """

    state = param.Dict(default={}, doc="What is shown, see `Draft.state`; empty: the dialog is closed.")

    _esm = _ESM
    _stylesheets = [SHEET_CSS]

    def __init__(
        self,
        accepted: Callable[[Draft], None],
        cancelled: Callable[[], None],
        changed: Callable[[Draft, Callable[[Progress], None]], None],
        **params: Any,
    ) -> None:
        super().__init__(**params)
        self._accepted, self._cancelled, self._changed = accepted, cancelled, changed
        self._draft: Draft | None = None

    def present(self, draft: Draft | None) -> None:
        """Show a draft; None closes the dialog."""
        self._draft = draft
        self.state = {} if draft is None else draft.state()

    def wait(self, doing: str) -> None:
        """Say what is being done, and take nothing but Cancel until a draft is presented again."""
        self.state = {**self.state, "busy": doing}

    def _handle_msg(self, data: Any) -> None:
        """From the browser, which may send anything."""
        draft = self._draft
        if draft is None or not isinstance(data, dict):
            return
        kind = data.get("type")
        if kind == "cancel":
            self._cancelled()
        elif self.state.get("busy"):
            return
        elif kind == "accept":
            self._accepted(draft)
        else:
            self._changed(draft, partial(self._change, draft, kind, data))

    @staticmethod
    def _change(draft: Draft, kind: Any, data: dict[str, Any], progress: Progress) -> None:
        position, how = data.get("position"), data.get("how")
        if kind == "read" and isinstance(how, dict):
            draft.read_as({str(name): str(mark) for name, mark in how.items()}, progress.on_cancel)
        elif kind == "role" and is_whole(position, 0) and position < len(draft.sheet.columns):
            draft.give(draft.sheet.columns[position].name, str(data.get("role")))
        elif kind == "unknown":
            draft.count_unknown(str(data.get("given")))
        elif kind == "positive" and is_whole(position, 0) and position < len(draft.choices):
            draft.choose_positive(position)
