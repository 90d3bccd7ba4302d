const narrow = matchMedia("(max-width: 900px)")
export function render({ model }) {
  const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches
  const show = (part) => {
    const below = part.offsetHeight > 120 ? "start" : "end"  // what is low, as the slider, with what stands above it
    part.scrollIntoView({ block: narrow.matches ? below : "nearest", behavior: calm() ? "auto" : "smooth" })
  }
  const follow = (last, looks) => {  // the outline may come later than the turn
    const now = find(document, "rl-lit")
    if (now && now !== last) { show(now) }
    if (looks) { setTimeout(() => follow(now, looks - 1), 200) }
  }
  const nothing = document.createElement("span")
  const near = (name) => {  // the one that stands the fewest boxes away: other tabs have such, too
    for (let root = nothing.getRootNode(); root; root = root.host?.getRootNode()) {
      const found = find(root, name)
      if (found) { return found }
    }
  }
  const guide = () => near("rl-guide")
  // what stays in sight under what the step says has to know how high that is
  const sized = new ResizeObserver(([of]) => {
    document.documentElement.style.setProperty("--rl-guide", `${of.target.offsetHeight}px`)
  })
  const measure = (looks) => {
    const text = guide()
    if (text) { sized.observe(text) } else if (looks) { setTimeout(() => measure(looks - 1), 100) }
  }
  measure(20)
  model.on("turns", () => {
    const text = guide()
    if (text) { text.scrollTop = 0 }
    setTimeout(() => follow(undefined, 12), 100)
  })
  model.on("ends", () => {
    if (!narrow.matches) { return }
    const part = find(document, "rl-lit"), text = guide(), above = text?.getBoundingClientRect().bottom ?? 0
    if (part && part.getBoundingClientRect().top > (above + innerHeight) / 2) { show(part) }
    // what was to do is done: the question is next, below the buttons that stay above it
    setTimeout(() => {  // and what is said of an answer stands there by then
      const asked = text && find(text.shadowRoot, "rl-asked")
      if (asked) { text.scrollTop += asked.getBoundingClientRect().top - text.getBoundingClientRect().top - 56 }
    }, 200)
  })
  model.on("heads", () => {
    const look = (looks) => {  // it may come, or grow, later
      const head = near(model.head), high = head?.offsetHeight > innerHeight - 120
      if (head) {
        head.style.scrollMargin = high ? "60px 0 0" : "12px 0"  // the tabs, where they scroll with it
        head.scrollIntoView({ block: high ? "start" : "nearest" })
      }
      if (looks) { setTimeout(() => look(looks - 1), 150) }
    }
    setTimeout(() => look(3), 100)
  })
  model.on("remove", () => sized.disconnect())
  return nothing
}
