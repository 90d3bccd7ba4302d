export function render({ model }) {
  const root = made("div", "", { class: "runs" })
  const act = (run, what) => model.send_msg({ run, act: what })
  const button = (row, what, text, label, more = {}) => {
    const one = made("button", text, { type: "button", "aria-label": `${label} run ${row.number}`, "data-act":
      `${what} ${row.number}`, ...more })
    one.addEventListener("click", () => act(row.number, what))
    return one
  }
  const lines = (row) => {
    const first = made("tr", "", { class: row.present ? "figures present" : "figures" })
    const box = made("input", "", { type: "checkbox", "aria-label": `Show run ${row.number} in the plot`, "data-act":
      `show ${row.number}` })
    box.checked = row.shown
    box.disabled = !row.comparable
    box.addEventListener("change", () => act(row.number, "show"))
    const name = made("th", "", { scope: "row" })
    const label = made("label", "")
    label.append(box, `${row.number}`)
    name.append(label)
    first.append(name)
    row.cells.forEach((text, i) => first.append(made("td", text, { "data-what": model.heads[i + 1] })))
    const second = made("tr", "", { class: row.present ? "said present" : "said" })
    const cell = made("td", "", { colspan: model.heads.length })
    const acts = made("span", "", { class: "acts" })
    acts.append(button(row, "pin", row.pinned ? "Pinned" : "Pin", row.pinned ? "Let go of" : "Keep",
      { "aria-pressed": String(row.pinned) }))
    if (row.settable) { acts.append(button(row, "form", "To the form", "Set the form as for")) }
    acts.append(button(row, "remove", "Remove", "Remove"))
    cell.append(acts, made("span", row.said, { class: "words" }))
    second.append(cell)
    return [first, second]
  }
  const show = () => {
    const held = root.getRootNode().activeElement?.dataset?.act
    if (!model.rows.length) {
      root.replaceChildren(made("p", model.empty, { class: "empty" }))
      return
    }
    const table = made("table", "", { "aria-label": "Runs" })
    const head = made("tr")
    for (const text of model.heads) {
      const cell = made("th", "", { scope: "col" })
      cell.append(text ? made("button", text, { type: "button", "data-term": model.terms[text] ?? text }) : "")
      head.append(cell)
    }
    const top = made("thead"), body = made("tbody")
    top.append(head)
    for (const row of model.rows) { body.append(...lines(row)) }
    table.append(top, body)
    root.replaceChildren(table)
    if (held) { root.querySelector(`[data-act="${held}"]`)?.focus({ preventScroll: true }) }
  }
  model.on(["rows", "heads", "empty"], show)
  show()
  return root
}
