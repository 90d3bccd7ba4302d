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
