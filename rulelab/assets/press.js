export function render({ model }) {
  const button = document.createElement("button"), sign = document.createElement("span")
  const text = document.createElement("span")
  button.type = "button"
  button.append(sign, text)
  button.addEventListener("click", () => model.send_msg("press"))
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
