const walk = (view) => {
  if (view.model.css_classes?.includes("rl-chosen-point")) { return view.el }
  for (const child of view.children ? view.children() : []) {
    const found = walk(child)
    if (found) { return found }
  }
  return null
}
let left = 4
for (const moved of ["wheel", "touchmove", "pointerdown"]) {
  addEventListener(moved, () => { left = 0 }, { once: true, passive: true })
}
const look = (tries) => {
  const [place] = [...Bokeh.index].map(walk).filter((one) => one != null && one.clientHeight > 200)
  if (place != null) {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches
    if (left > 0) { place.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" }) }
    if (--left > 0) { setTimeout(() => look(0), 700) }
  } else if (tries > 0) {
    setTimeout(() => look(tries - 1), 250)
  }
}
setTimeout(() => look(20), 250)
