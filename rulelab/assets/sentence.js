const CONTROL = "input:not([type=hidden]), select, button"
/* The control of a field by its label, wherever it stands. */
const behind = (label) => {
  const named = everywhere(document, "label, [role=group]").find(
    (one) => (one.getAttribute("aria-label") ?? one.textContent).trim() === label)
  if (!named) { return null }
  return named.control ?? named.querySelector(CONTROL) ?? named.parentElement.querySelector(CONTROL)
}
/* All settings are seen again, whatever was looked for. */
const unfilter = () => everywhere(document, "input.find").filter((one) => one.value).forEach((one) => {
  one.value = ""
  one.dispatchEvent(new Event("input"))
})
const go = (label, looks = 40) => {  // the settings open a moment later
  const control = behind(label)
  const folded = control?.closest("section")?.querySelector(".card-header[aria-expanded=false]")
  if (folded) { folded.click() }
  if (control?.checkVisibility()) {
    control.focus({ preventScroll: true })
    control.scrollIntoView({ block: "nearest" })
  } else if (looks) { setTimeout(() => go(label, looks - 1), 50) }
}

export function render({ model }) {
  const said = make("p", { className: "said" })
  const settings = make("button", { type: "button", className: "settings", textContent: "Settings" })
  settings.addEventListener("click", () => { model.open = !model.open })
  const fill = () => {
    said.replaceChildren(...model.parts.map(([text, label], k) => {
      if (!label) { return model.parts[k - 1]?.[1] ? text.replace(/^[.,)]+/, "") : text }
      const part = make("button", { type: "button", className: "part", textContent: text, title: label })
      part.addEventListener("click", () => { model.open = true; unfilter(); go(label) })
      const [mark] = model.parts[k + 1]?.[0].match(/^[.,)]+/) ?? [""]  // stays on the line of its word
      return make("span", { className: "marked" }, part, mark)
    }))
  }
  const turn = () => settings.setAttribute("aria-expanded", model.open)
  model.on("parts", fill)
  model.on("open", turn)
  fill()
  turn()
  const root = make("div", { className: "question" }, said, settings)
  root.setAttribute("role", "group")
  root.setAttribute("aria-label", "Question")
  return root
}
