export function render({ model }) {
  const table = document.createElement("table")
  table.innerHTML = "<thead><tr><th scope='col'>column</th><th scope='col'>value</th>" +
    "<th scope='col'>may change</th></tr></thead>"
  table.setAttribute("aria-label", "One person")
  const body = document.createElement("tbody")
  table.append(body)
  const option = (value, text) => {
    const one = document.createElement("option")
    one.value = value
    one.textContent = text
    return one
  }
  let shape = ""
  const build = () => {
    body.replaceChildren(...model.fields.map((field, k) => {
      const row = document.createElement("tr")
      const name = document.createElement("th")
      name.scope = "row"
      name.append(...field.name.split(/(?<=_)/).flatMap((part, i) => i ? [document.createElement("wbr"), part] : part))
      const input = document.createElement(field.options ? "select" : "input")
      if (field.options) { input.append(...field.options.map(([value, text]) => option(value, text))) }
      else { input.type = "number"; input.step = "any"; input.placeholder = "missing" }
      input.setAttribute("aria-label", `Value of ${field.name}`)
      input.addEventListener("change", () => { model.send_msg({ do: "set", at: k, value: input.value }) })
      const tick = document.createElement("input")
      tick.type = "checkbox"
      tick.setAttribute("aria-label", `${field.name} may change`)
      tick.addEventListener("change", () => { model.send_msg({ do: "tick", at: k, on: tick.checked }) })
      const cells = [input, tick].map((one) => {
        const cell = document.createElement("td")
        cell.append(one)
        return cell
      })
      row.append(name, ...cells)
      return row
    }))
  }
  const show = () => {
    const now = JSON.stringify(model.fields.map((field) => [field.name, field.options]))
    if (now !== shape) { shape = now; build() }
    model.fields.forEach((field, k) => {
      const [input, tick] = body.children[k].querySelectorAll("select, input")
      if (input.value !== field.value) { input.value = field.value }
      tick.checked = field.ticked
    })
    table.hidden = !model.fields.length
  }
  model.on("fields", show)
  show()
  return table
}
