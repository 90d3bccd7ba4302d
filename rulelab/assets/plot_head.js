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


export function render({ model }) {
  const root = made("header", "", { class: "plot" })
  const title = made("h2", "")
  const caption = made("p", "", { class: "caption" })
  const menu = made("details", "")
  const summary = made("summary", "Save")
  const name = () => {
    const { heading, term } = model
    const explained = term && made("button", heading, { type: "button", class: "rl-word", "data-term": term })
    title.replaceChildren(explained || heading)
    title.setAttribute("aria-label", heading)
    summary.setAttribute("aria-label", `Save or read: ${heading}`)
  }
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
  if (model.control) {
    const tools = made("div", "", { class: "tools" })
    tools.append(model.get_child("control"), menu)
    root.append(title, tools, caption)
  } else {
    root.append(title, menu, caption)
  }
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
  model.on("heading", name)
  show()
  name()
  return root
}
