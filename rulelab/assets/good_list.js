export function render({ model }) {
  const root = made("div", "", { class: "list", tabindex: 0, role: "region", "aria-label": "Lines of the good models" })
  const table = made("table", "", { "aria-label": "Good models", class: "models" })
  const top = made("thead"), body = made("tbody")
  table.append(top, body)
  root.append(table)
  const mark = () => {
    for (const row of body.children) {
      const chosen = Number(row.dataset.model) === model.chosen
      row.classList.toggle("chosen", chosen)
      row.querySelector("button").setAttribute("aria-pressed", String(chosen))
    }
  }
  const line = ([number, ...cells]) => {
    const row = made("tr", "", { "data-model": number })
    const first = made("th", "", { scope: "row" })
    first.append(made("button", `${number + 1}`, { type: "button", "aria-label": `Choose model ${number + 1}` }))
    row.append(first, ...cells.map((text, k) => made("td", text, k === cells.length - 1 ? { class: "text" } : {})))
    row.addEventListener("click", () => model.send_msg({ do: "choose", at: number }))
    return row
  }
  const show = () => {
    table.style.setProperty("--columns", model.heads.length - 1)
    const head = made("tr")
    head.append(...model.heads.map((text) => made("th", text, { scope: "col" })))
    top.replaceChildren(head)
    body.replaceChildren(...model.rows.map(line))
    root.scrollTop = 0
    mark()
  }
  model.on(["heads", "rows"], show)
  model.on("chosen", mark)
  show()
  return root
}
