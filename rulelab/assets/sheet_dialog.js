export function render({ model }) {
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

  const asked = (state) => {
    const at = state.columns.findIndex((each) => each.role === "target")
    const names = state.columns.map((each, position) => [String(position), each.name])
    if (at < 0) { names.unshift(["-1", state.target]) }
    const predict = (position) => tell({ type: "role", position: Number(position), role: "target" })
    const fields = [make("label", {}, "target", list("Target", names, String(at), predict))]
    if (state.classes.length > 1) {
      const classes = state.classes.map((text, place) => [String(place), text])
      const choose = (place) => tell({ type: "positive", position: Number(place) })
      fields.push(make("label", {}, "positive class", list("Positive class", classes, String(state.positive), choose)))
      if (state.unknown.length) {
        const [what, hows, how] = state.unknown
        const unknown = list("Unknown target", hows, how, (given) => tell({ type: "unknown", given }))
        fields.push(make("label", {}, what, unknown))
      }
    }
    return [
      make("h3", { textContent: "What is predicted" }),
      make("div", { className: "form" }, ...fields),
      ...state.remarks.map((text) => make("p", { className: "note", textContent: text })),
    ]
  }
  const reading = (state) => {
    const fields = state.form.map(({ name, options, chosen }) => {
      const word = name === "decimal" || name === "thousands" ? `${name} mark` : name
      const choose = (mark) => tell({ type: "read", how: { [name]: mark } })
      if (options.length) { return make("label", {}, word, list(word, options, chosen, choose)) }
      const text = make("input", { value: chosen, placeholder: "such as ?, k.A., -" })
      text.setAttribute("aria-label", word)
      text.addEventListener("change", () => choose(text.value))
      return make("label", {}, word, text)
    })
    const doubts = state.doubts.map((doubt) => make("p", { className: "doubt", textContent: doubt }))
    if (state.sums) {
      const leave = make("button", { type: "button", textContent: "Leave it out" })
      leave.addEventListener("click", () => tell({ type: "sums" }))
      doubts.at(-1).append(" ", leave)
    }
    if (!fields.length) { return doubts }
    return [
      make("h3", { textContent: "How the file was read" }),
      make("p", { className: "note", textContent: state.how }),
      make("div", { className: "form" }, ...fields),
      ...doubts,
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
    const bars = make("div", { className: "bars" }, ...each.bars.map(([rows, hits, title]) => {
      const bar = make("i", { title })
      bar.style.cssText = `--rows: ${rows}%; --hits: ${hits}%`
      return bar
    }))
    row.append(cell("name", each.name), cell("type", each.type), cell("num", each.missing, "missing"),
      cell("num", each.distinct, "distinct"), make("td", {}, each.bars.length ? bars : ""), chosen, notes)
    return row
  }
  const columns = (state) => [
    make("h3", { textContent: "What the columns are for" }),
    make("p", { className: "note", textContent: state.help }),
    make("table", { className: "columns" },
      make("thead", {}, cells("th", ["column", "type", "missing", "distinct", "values", "role", "notes"])),
      make("tbody", {}, ...state.columns.map((each, position) => column(state, each, position)))),
  ]
  const show = () => {
    const state = model.state
    if (!state.columns) { if (dialog.open) { dialog.close() } ; return }
    const root = dialog.getRootNode()
    const focused = root.activeElement?.getAttribute("aria-label")
    const at = inside.scrollTop
    title.textContent = state.busy || state.title
    inside.inert = !!state.busy
    inside.replaceChildren(...asked(state), ...reading(state), ...preview(state), ...columns(state))
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
