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
