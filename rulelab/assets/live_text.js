export function render({ model }) {
  const root = document.createElement("div")
  root.setAttribute("role", model.role)
  root.setAttribute("aria-live", { alert: "assertive", status: "polite", group: "off" }[model.role])
  root.setAttribute("aria-label", model.caption)
  const phase = document.createElement("p")
  phase.className = "phase"
  const list = document.createElement("p")
  list.className = "figures"
  root.append(phase, " ", list)
  const set = (node, text) => { if (node.textContent !== text) { node.textContent = text } }
  const joined = (text) => text.replace(/(\d) (?=(?:ms|s|min|h|kB|MB|GB)\b|%)/g, "$1\u00a0")
  const show = () => {
    root.className = `live ${model.role} ${model.tone}`
    root.hidden = model.role !== "group" && model.phase === ""
    set(phase, joined(model.phase))
    const figures = model.figures
    while (list.children.length > figures.length) { list.lastElementChild.remove() }
    while (list.children.length < figures.length) {
      const item = document.createElement("span")
      item.className = "figure"
      const name = document.createElement("button")
      name.type = "button"
      const value = document.createElement("span")
      name.className = "name"
      value.className = "value"
      item.append(name, " ", value, " ")
      list.append(item)
    }
    figures.forEach(([name, value], i) => {
      set(list.children[i].children[0], name)
      list.children[i].children[0].dataset.term = name
      set(list.children[i].children[1], joined(value))
    })
  }
  model.on(["phase", "tone", "figures"], show)
  show()
  return root
}
