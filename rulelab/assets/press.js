export function render({ model }) {
  const button = document.createElement("button")
  button.type = "button"
  button.addEventListener("click", () => model.send_msg("press"))
  const show = () => {
    button.textContent = model.label
    button.disabled = !model.able
    button.title = model.able ? "" : model.why
  }
  model.on(["label", "able", "why"], show)
  show()
  return button
}
