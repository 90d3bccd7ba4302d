const narrow = matchMedia("(max-width: 900px)")
export function render({ model }) {
  const show = (part) => {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches
    const block = narrow.matches ? "start" : "nearest"  // below what the step says
    part.scrollIntoView({ block, behavior: calm ? "auto" : "smooth" })
  }
  const follow = (last, looks) => {  // the outline may come later than the turn
    const now = find(document, "rl-lit")
    if (now && now !== last) { show(now) }
    if (looks) { setTimeout(() => follow(now, looks - 1), 200) }
  }
  const guide = () => find(nothing.getRootNode().host?.getRootNode() ?? document, "rl-guide")
  const nothing = document.createElement("span")
  model.on("turns", () => {
    const text = guide()
    if (text) { text.scrollTop = 0 }
    setTimeout(() => follow(undefined, 12), 100)
  })
  model.on("ends", () => {
    const part = find(document, "rl-lit"), above = guide()?.getBoundingClientRect().bottom ?? 0
    if (part && narrow.matches && part.getBoundingClientRect().top > (above + innerHeight) / 2) { show(part) }
  })
  return nothing
}
