export function render({ model }) {
  const button = document.createElement("button"), sign = document.createElement("span")
  const text = document.createElement("span")
  button.type = "button"
  button.append(sign, text)
  button.addEventListener("click", () => model.send_msg("press"))
  const fold = (event) => {  // a press on what is unfolded, or on the buttons beside it, is none elsewhere
    const elsewhere = !event.composedPath().some((one) => one.classList?.contains("rl-side"))
    if (event.key === "Escape" || (event.type === "pointerdown" && elsewhere)) {
      if (event.key) { button.focus() }
      model.send_msg("fold")
    }
  }
  const listen = (listens) => {
    for (const kind of ["keydown", "pointerdown"]) {
      if (listens) { document.addEventListener(kind, fold) } else { document.removeEventListener(kind, fold) }
    }
  }
  model.on(["unfolded"], () => listen(model.unfolded))
  model.on("remove", () => listen(false))
  const show = () => {
    sign.innerHTML = model.icon
    sign.hidden = !model.icon
    text.textContent = model.label
    button.classList.toggle("primary", model.primary)
    button.disabled = !model.able
    button.title = model.able ? "" : model.why
  }
  model.on(["label", "icon", "primary", "able", "why"], show)
  show()
  return button
}
