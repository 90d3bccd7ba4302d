export function render({ model }) {
  const root = document.createElement("div")
  root.className = "front"
  root.innerHTML = model.html
  root.querySelectorAll("[data-card]").forEach((card) => {
    card.addEventListener("click", () => model.send_msg(card.dataset.card))
  })
  const own = root.querySelector(".own")
  if (model.uploader) { own.append(model.get_child("uploader")) }
  else { own.remove() }  // a server that takes no files
  const show = () => {
    const last = root.querySelector(".last"), said = root.querySelector(".said")
    last.hidden = !model.last
    last.firstChild.textContent = `Go on with ${model.last}`
    said.hidden = !model.said
    said.textContent = model.said
  }
  model.on(["last", "said"], show)
  show()
  play(root.querySelector(".search"), model.course)
  return root
}
