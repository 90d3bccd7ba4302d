"""The drawer in the browser: a button in the head of the page, and beside the page the list of kept runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param
from panel.custom import Child, JSComponent

from ..widgets.style import BLUE, FAINT, FOCUS, LINE, MUTED, SURFACE, TEXT

ACTS = ("look", "open", "rename", "delete", "undo", "compare", "export", "check")
_ESM = """
const made = (tag, text = "", attributes = {}) => {
  const node = document.createElement(tag)
  node.textContent = text
  for (const [name, value] of Object.entries(attributes)) { if (value !== false) { node.setAttribute(name, value) } }
  return node
}
const button = (text, act, attributes = {}) => {
  const node = made("button", text, { type: "button", ...attributes })
  node.addEventListener("click", act)
  return node
}

export function render({ model }) {
  const root = made("div")
  const chosen = new Set()
  const send = (act, hashes = [], text = "") => model.send_msg({ act, hashes, text })
  const dialog = made("dialog", "", { "aria-labelledby": "kept-heading" })
  const opener = button("", () => { dialog.showModal(); send("look", [], words.value) },
    { class: "opener", "aria-label": "Kept runs", title: "Kept runs", "aria-haspopup": "dialog" })
  opener.append(made("span", "☰", { "aria-hidden": "true" }), made("span", "Kept runs", { class: "long" }))
  const heading = made("h2", "Kept runs", { id: "kept-heading" })
  const close = button("✕", () => dialog.close(), { "aria-label": "Close", class: "close" })
  const about = made("p", "", { class: "note" })
  const words = made("input", "", { type: "search", placeholder: "Search: name, data, setting, status",
    "aria-label": "Search the kept runs" })
  let timer = null
  words.addEventListener("input", () => {
    clearTimeout(timer)
    timer = setTimeout(() => send("look", [], words.value), 250)
  })
  const all = made("input", "", { type: "checkbox", "aria-label": "Choose all that are listed" })
  const compare = button("Compare", () => send("compare", [...chosen]))
  const save = button("Export zip", () => send("export", [...chosen]))
  const remove = button("Delete", () => { send("delete", [...chosen]) })
  const bar = made("div", "", { class: "bar" })
  const label = made("label", "", { class: "all" })
  const number = made("span")
  label.append(all, number)
  bar.append(label, compare, save, remove)
  const said = made("p", "", { role: "status", class: "said" })
  const undo = button("Undo", () => send("undo"), { class: "undo" })
  const line = made("div", "", { class: "line" })
  line.append(said, undo)
  const list = made("ul")
  const empty = made("p", "", { class: "note" })
  const foot = made("div", "", { class: "foot" })
  if (model.uploader) { foot.append(model.get_child("uploader")) }
  dialog.append(heading, close, about, words, bar, line, list, empty, foot)
  root.append(opener, dialog)
  dialog.addEventListener("click", (event) => { if (event.target === dialog) { dialog.close() } })

  const count = () => {
    const shown = model.rows.map((row) => row.hash)
    for (const hash of [...chosen]) { if (!shown.includes(hash)) { chosen.delete(hash) } }
    const n = chosen.size
    number.textContent = n ? `${n} chosen` : "choose all"
    all.checked = n > 0 && n === shown.length
    all.indeterminate = n > 0 && n < shown.length
    all.disabled = !shown.length
    for (const one of [compare, save, remove]) { one.disabled = !n || model.busy }
  }
  all.addEventListener("change", () => {
    chosen.clear()
    if (all.checked) { model.rows.forEach((row) => chosen.add(row.hash)) }
    list.querySelectorAll("input[type=checkbox]").forEach((box) => { box.checked = all.checked })
    count()
  })
  let renamed = null  // what is typed stays when the list changes meanwhile
  const item = (row) => {
    const one = made("li", "", { class: row.present ? "present" : "" })
    const box = made("input", "", { type: "checkbox", "aria-label": `Choose ${row.title}`,
      "data-act": `box ${row.hash}` })
    box.checked = chosen.has(row.hash)
    box.addEventListener("change", () => { box.checked ? chosen.add(row.hash) : chosen.delete(row.hash); count() })
    const title = made("span", row.title, { class: "title" })
    const text = made("p", row.said, { class: "words" })
    const acts = made("span", "", { class: "acts" })
    const act = (name, what, run) =>
      button(name, run, { "aria-label": `${name} ${row.title}`, "data-act": `${what} ${row.hash}` })
    const rename = (text) => {
      const field = made("input", "", { type: "text", maxlength: "80", "aria-label": `New name of ${row.title}` })
      field.value = text
      field.placeholder = row.title
      const keep = () => { renamed = { hash: row.hash, text: field.value } }
      const name = () => { renamed = null; send("rename", [row.hash], field.value) }
      field.addEventListener("input", keep)
      field.addEventListener("keydown", (event) => {
        if (event.key === "Enter") { name() }
        if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); renamed = null; show(true) }
      })
      title.replaceChildren(field, button("Save name", name))
      keep()
    }
    const begin = () => {
      rename(row.name)
      const field = title.querySelector("input")
      field.focus()
      field.select()
    }
    if (renamed?.hash === row.hash) { rename(renamed.text) }
    if (row.openable) { acts.append(act("Open", "open", () => { send("open", [row.hash]); dialog.close() })) }
    if (row.proven) { acts.append(act("Check proof", "check", () => send("check", [row.hash]))) }
    acts.append(act("Rename", "rename", begin))
    const link = made("a", "Link", { href: `?run=${row.hash.slice(0, 16)}`, "aria-label": `Link to ${row.title}` })
    acts.append(link)
    const top = made("div", "", { class: "top" })
    top.append(box, title, acts)
    one.append(top, text)
    return one
  }
  let drawn = ""
  const at = () => root.getRootNode().activeElement
  const show = (anew = false) => {
    about.textContent = model.about
    said.textContent = model.said
    undo.hidden = !model.undo
    empty.textContent = model.rows.length ? "" : model.empty
    const now = JSON.stringify(model.rows)
    if (anew === true || now !== drawn) {
      const held = at()?.dataset?.act
      const typed = at()?.type === "text" && list.contains(at()) ? at() : null
      const range = typed && [typed.selectionStart, typed.selectionEnd]
      drawn = now
      list.replaceChildren(...model.rows.map(item))
      if (held) { list.querySelector(`[data-act="${held}"]`)?.focus({ preventScroll: true }) }
      const field = typed && list.querySelector("input[type=text]")
      if (field) { field.focus({ preventScroll: true }); field.setSelectionRange(...range) }
    }
    count()
  }
  model.on(["rows", "about", "said", "undo", "empty", "busy"], show)
  model.on("msg:custom", (event) => {
    const message = event.data ?? event
    const bytes = Uint8Array.from(atob(message.content), (c) => c.charCodeAt(0))
    const link = made("a", "", { download: message.name })
    link.href = URL.createObjectURL(new Blob([bytes], { type: "application/zip" }))
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10000)
  })
  show()
  return root
}
"""
_CSS = f"""
.opener {{ font: inherit; font-size: 14px; line-height: 24px; color: #fff; background: none; border: 0;
  padding: 13px 12px; cursor: pointer; white-space: nowrap; display: inline-flex; gap: 6px; }}
.opener:hover {{ background: rgb(255 255 255 / 12%); }}
.opener:focus-visible {{ outline: 2px solid currentColor; outline-offset: -4px; }}
@media (max-height: 760px) {{ .opener {{ padding-top: 7px; padding-bottom: 6px; }} }}
@media (max-width: 1100px) {{ .opener .long {{ display: none; }} }}
@media (max-width: 600px) {{ .opener {{ padding-left: 3px; padding-right: 3px; }} .acts {{ margin-left: 24px; }} }}
dialog {{ position: fixed; inset: 0 0 0 auto; margin: 0; width: min(640px, 100vw); height: 100dvh; max-width: 100vw;
  max-height: 100dvh; box-sizing: border-box; padding: 16px 20px; border: 0; border-left: 1px solid {LINE};
  background: {SURFACE}; color: {TEXT}; font-size: 14px; line-height: 1.4; overflow-y: auto;
  box-shadow: -4px 0 18px #0006; }}
dialog::backdrop {{ background: #0004; }}
h2 {{ font-size: 18px; margin: 0 40px 4px 0; }}
.close {{ position: absolute; right: 14px; top: 12px; border: 0 !important; font-size: 16px; }}
.note, .words {{ color: {MUTED}; font-size: 13px; margin: 4px 0; overflow-wrap: anywhere; }}
.note:empty, .said:empty {{ display: none; }}
input[type=search], input[type=text] {{ font: inherit; color: inherit; background: transparent;
  border: 1px solid {LINE}; border-radius: 4px; padding: 6px 8px; box-sizing: border-box; }}
input[type=search] {{ width: 100%; margin: 8px 0; }}
.bar {{ display: flex; flex-wrap: wrap; gap: 6px; align-items: center; padding: 4px 0 8px;
  border-bottom: 1px solid {LINE}; }}
.all {{ display: inline-flex; gap: 6px; align-items: center; margin-right: auto; font-size: 13px; color: {MUTED}; }}
dialog button, .acts a {{ font: inherit; font-size: 13px; color: inherit; background: none; border: 1px solid {LINE};
  border-radius: 4px; padding: 3px 9px; cursor: pointer; text-decoration: none; }}
dialog button:disabled {{ opacity: 0.45; cursor: default; }}
dialog button:hover:enabled, .acts a:hover {{ background: {FAINT}; }}
.line {{ display: flex; gap: 8px; align-items: center; min-height: 32px; }}
.said {{ margin: 4px 0; overflow-wrap: anywhere; font-size: 13px; }}
ul {{ list-style: none; margin: 0; padding: 0; }}
li {{ padding: 8px 6px; border-bottom: 1px solid {LINE}; }}
li.present {{ background: {FAINT}; box-shadow: inset 4px 0 {BLUE}; }}
.top {{ display: flex; flex-wrap: wrap; gap: 4px 8px; align-items: center; }}
.title {{ font-weight: 600; flex: 1 1 160px; overflow-wrap: anywhere; display: inline-flex; flex-wrap: wrap;
  gap: 4px; }}
.title input {{ flex: 1 1 120px; min-width: 0; }}
.acts {{ display: inline-flex; gap: 4px; }}
.words {{ margin: 3px 0 0 24px; font-variant-numeric: tabular-nums; }}
.foot {{ margin-top: 14px; }}
[hidden] {{ display: none !important; }}
button:focus-visible, input:focus-visible, a:focus-visible {{ {FOCUS} }}
.opener:focus-visible {{ outline: 2px solid #fff !important; }}
"""


class RunList(JSComponent):
    """Every text is shown as text; what is pressed is told with the hashes of runs.

    Parameters
    ----------
    on_act : callable
        Takes one of `ACTS`, hashes, and a text, of which the last two may be anything that the browser sends.
    """

    rows = param.List(default=[], doc="See `rulelab.views.kept_runs.drawer.row`.")
    about = param.String(default="", doc="Where the runs are kept.")
    said = param.String(default="", doc="What was done, or what went wrong.")
    empty = param.String(default="", doc="What is said where no run is listed.")
    undo = param.Boolean(default=False, doc="Whether what was deleted last can be brought back.")
    busy = param.Boolean(default=False, doc="Whether something is being done.")
    uploader = Child(default=None, doc="Takes an archive.")

    _esm = _ESM
    _stylesheets = [_CSS]

    def __init__(self, on_act: Callable[[str, list[str], str], None], **params: Any) -> None:
        super().__init__(**params)
        self._on_act = on_act

    def _handle_msg(self, data: Any) -> None:
        """From the browser, which may send anything."""
        if not isinstance(data, dict) or data.get("act") not in ACTS:
            return
        hashes, text = data.get("hashes"), data.get("text")
        found = [each for each in hashes if isinstance(each, str)][:1000] if isinstance(hashes, list) else []
        self._on_act(data["act"], found, text[:200] if isinstance(text, str) else "")
