export function render({ model }) {
  const show = (part) => {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches
    const block = matchMedia("(max-width: 900px)").matches ? "start" : "nearest"  // below what the step says
    part.scrollIntoView({ block, behavior: calm ? "auto" : "smooth" })
  }
  const follow = (last, looks) => {  // the outline may come later than the turn
    const now = find(document, "rl-lit")
    if (now && now !== last) { show(now) }
    if (looks) { setTimeout(() => follow(now, looks - 1), 200) }
  }
  const nothing = document.createElement("span")
  model.on("turns", () => {
    const guide = find(nothing.getRootNode().host?.getRootNode() ?? document, "rl-guide")
    if (guide) { guide.scrollTop = 0 }
    setTimeout(() => follow(undefined, 12), 100)
  })
  return nothing
}
