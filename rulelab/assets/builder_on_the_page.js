export function render({ model }) {
  const root = document.createElement("div")
  const fill = async () => {
    const inner = document.createElement("div")
    const said = model.said
    if (!said.packed) { return }
    await builder(inner, said, (rules) => model.send_msg({ rules }))
    if (said !== model.said) { return }
    root.replaceChildren(inner)
    model.send_msg({ ready: true })
  }
  model.on("said", fill)
  fill()
  return root
}
