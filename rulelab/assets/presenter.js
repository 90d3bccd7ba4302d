const TYPED = "input, textarea, select, [contenteditable], [role=slider], [role=dialog], [role=listbox]"
const LOOK = { "--rl-fixed": "sticky", "--rl-stage": "none" }  // the bar of the page is away

export function render({ model }) {
  const root = document.documentElement, nothing = document.createElement("span")
  const show = () => {
    for (const [name, value] of Object.entries(LOOK)) {
      if (model.on_stage) { root.style.setProperty(name, value) } else { root.style.removeProperty(name) }
    }
    if (model.on_stage) {
      document.activeElement?.blur()
      for (let at = nothing; at; at = at.parentElement ?? at.getRootNode().host) { at.scrollTop = 0 }
    }
  }
  const press = (event) => {
    const at = event.composedPath()
    if (!model.possible || event.ctrlKey || event.metaKey || event.altKey || event.repeat) { return }
    if (at.some((one) => one.matches?.(TYPED))) { return }
    const key = event.key.toLowerCase()
    if (key === "p" || (key === "escape" && model.on_stage)) { model.send_msg({ key: "p" }) }
    else if (model.on_stage && model.keys.includes(key)) {
      if ((key === " " || key === "enter") && at.some((one) => one.matches?.("button, a, summary"))) { return }
      event.preventDefault()
      model.send_msg({ key })
    }
  }
  const clicked = (event) => {  // what was clicked on does not keep the keys from the search
    if (!model.on_stage || event.detail === 0) { return }
    setTimeout(() => {
      let at = document.activeElement
      while (at?.shadowRoot?.activeElement) { at = at.shadowRoot.activeElement }
      if (at && !at.matches(TYPED)) { at.blur() }
    })
  }
  document.addEventListener("keydown", press)
  document.addEventListener("click", clicked)
  model.on(["on_stage"], show)
  model.on("remove", () => {
    model.on_stage = false
    show()
    for (const [name, act] of [["keydown", press], ["click", clicked]]) { document.removeEventListener(name, act) }
  })
  show()
  return nothing
}
