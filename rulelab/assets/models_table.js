const button = (text, act, attributes = {}) => {
  const node = made("button", text, { type: "button", ...attributes })
  node.addEventListener("click", act)
  return node
}

/* One list of all: what is pinned and listed besides is one row, with the letter and the figures of its card. */
const folded = (listed, models) => {
  const cards = models.filter((one) => one.letter)
  const rows = [...listed, ...models.filter((one) => !one.letter)].map((row) => {
    const at = row.same ? cards.findIndex((one) => one.same === row.same) : -1
    if (at < 0) { return row }
    const [{ letter, figures, sort }] = cards.splice(at, 1)
    return row.link ? { ...row, letter, figures, sort } : { ...row, letter }
  })
  return [...cards, ...rows]
}

export function render({ model }) {
  const root = made("div")
  const send = (act, key, text = "") => model.send_msg({ act, hashes: key === undefined ? [] : [key], text })
  const words = made("input", "", { type: "search", placeholder: "Filter: name, data, setting, method",
    "aria-label": "Filter the models" })
  let timer = null
  words.addEventListener("input", () => {
    show(true)
    clearTimeout(timer)
    timer = setTimeout(() => send("look", undefined, words.value), 250)
  })
  const said = made("p", "", { role: "status", class: "said" })
  const undo = button("Undo", () => send("undo"))
  const line = made("div", "", { class: "line" })
  line.append(words, said, undo)
  const box = made("div", "", { class: "box", role: "region", "aria-label": "Models", tabindex: "0" })
  const table = made("table", "", { "aria-label": "Models" })
  const head = made("tr")
  const body = made("tbody")
  const top = made("thead")
  top.append(head)
  table.append(top, body)
  const empty = made("p", "", { class: "note" })
  const foot = made("div", "", { class: "foot" })
  const about = made("p", "", { class: "note" })
  foot.append(about)
  if (model.uploader) { foot.append(model.get_child("uploader")) }
  box.append(table)
  root.append(line, box, empty, foot)

  const columns = ["Model", "Test accuracy %", "Training accuracy %", model.gap, "Rules", "Proof", "From"]
  let by = null, falling = true
  head.append(made("th", "", { scope: "col", "aria-label": "Card" }))
  columns.forEach((name, k) => {
    const cell = made("th", "", { scope: "col", class: k ? "num" : "" })
    cell.append(button(name, () => {
      falling = by === k ? !falling : k > 0
      by = k
      for (const one of head.children) { one.removeAttribute("aria-sort") }
      cell.setAttribute("aria-sort", falling ? "descending" : "ascending")
      show(true)
    }, { "data-act": `sort ${k}` }))
    head.append(cell)
  })

  let renamed = null  // what is typed stays when the list changes meanwhile
  const item = (row) => {
    const one = made("tr", "", { class: row.present ? "present" : "" })
    const tick = made("td")
    if (row.tick) {
      const check = made("input", "", { type: "checkbox", "aria-label": `Card of ${row.title}`,
        "data-act": `tick ${row.key}` })
      check.checked = Boolean(row.letter)
      check.addEventListener("change", () => check.checked ? send(row.tick, row.key) : send("remove", row.letter))
      tick.append(check)
    }
    const name = made("th", "", { scope: "row" })
    const title = made("span", "", { class: "title" })
    if (row.letter) { title.append(made("b", row.letter), " ") }
    title.append(made("span", row.title))
    const rename = (text) => {
      const field = made("input", "", { type: "text", maxlength: "80", "aria-label": `New name of ${row.title}` })
      field.value = text
      field.placeholder = row.title
      const keep = () => { renamed = { key: row.key, text: field.value } }
      const done = () => { renamed = null; send("rename", row.key, field.value); show(true) }
      field.addEventListener("input", keep)
      field.addEventListener("keydown", (event) => {
        if (event.key === "Enter") { done() }
        if (event.key === "Escape") { event.preventDefault(); renamed = null; show(true) }
      })
      title.replaceChildren(field, button("Save name", done))
      keep()
    }
    const begin = () => {
      rename(row.name)
      const field = title.querySelector("input")
      field.focus()
      field.select()
    }
    const acts = made("span", "", { class: "acts" })
    for (const [what, text] of Object.entries(row.acts ?? {})) {
      acts.append(button(text, () => what === "rename" ? begin() : send(what, row.key),
        { "aria-label": `${text} ${row.title}`, "data-act": `${what} ${row.key}` }))
    }
    if (row.link) { acts.append(made("a", "Link", { href: row.link, "aria-label": `Link to ${row.title}` })) }
    if (renamed?.key === row.key) { rename(renamed.text) }
    const all = made("div", "", { class: "name" })
    all.append(title, made("span", row.said, { class: "words" }), acts)
    name.append(all)
    one.append(tick, name, ...row.figures.map((text, k) => made("td", text, { class: text === "–" ? "num none" : "num",
      "data-name": columns[k + 1] })))
    return one
  }
  const order = (rows) => {
    if (by === null) { return rows }
    const sign = falling ? -1 : 1
    const value = (row) => by ? row.sort[by - 1] : row.title
    return [...rows].sort((a, b) => {
      const [x, y] = [value(a), value(b)]
      if (x === null || y === null) { return (x === null) - (y === null) }
      return sign * (by ? x - y : x.localeCompare(y))
    })
  }
  let drawn = ""
  const at = () => root.getRootNode().activeElement
  const show = (anew = false) => {
    about.textContent = model.about
    said.textContent = model.said
    undo.hidden = !model.undo
    const asked = words.value.toLowerCase().split(/\s+/)
    const fits = (row) => asked.every((word) => `${row.title} ${row.said}`.toLowerCase().includes(word))
    const rows = order(folded(model.rows, model.more.filter((row) => row.letter || fits(row))))
    box.hidden = !rows.length
    empty.textContent = rows.length ? "" : model.empty
    columns[3] = head.children[4].firstChild.textContent = model.gap
    const now = JSON.stringify([model.gap, rows])
    if (anew !== true && now === drawn) { return }
    const held = at()?.dataset?.act
    const typed = at()?.type === "text" && body.contains(at()) ? at() : null
    const range = typed && [typed.selectionStart, typed.selectionEnd]
    drawn = now
    body.replaceChildren(...rows.map(item))
    if (held) { body.querySelector(`[data-act="${CSS.escape(held)}"]`)?.focus({ preventScroll: true }) }
    const field = typed && body.querySelector("input[type=text]")
    if (field) { field.focus({ preventScroll: true }); field.setSelectionRange(...range) }
  }
  model.on(["rows", "more", "about", "said", "undo", "empty", "gap"], show)
  model.on("msg:custom", (event) => {
    const message = event.data ?? event
    const bytes = Uint8Array.from(atob(message.content), (c) => c.charCodeAt(0))
    const link = made("a", "", { download: message.name })
    link.href = URL.createObjectURL(new Blob([bytes], { type: "application/zip" }))
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10000)
  })
  show(true)
  return root
}
