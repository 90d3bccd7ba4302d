/* A recorded search, drawn into a figure: the best list so far and the bound, over the prefixes on a log scale. */
const SECONDS = 12
const drawn = (tag, attributes, text = "") => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag)
  for (const [name, value] of Object.entries(attributes)) { node.setAttribute(name, value) }
  node.textContent = text
  return node
}
/* Steps through the points, as what a path holds. */
const steps = (points) => points.map(([x, y], i) => i ? `H${x}V${y}` : `M${x} ${y}`).join("")

const course = (svg, { points, lists }) => {
  const width = svg.clientWidth, height = svg.clientHeight, right = width - 14
  const last = points.at(-1)[0], most = points[0][1], least = points[0][2]
  const x = (work) => 8 + (right - 8) * Math.log(work) / Math.log(last)
  const y = (value) => 30 + (height - 46) * (most - value) / (most - least)
  const then = (work) => points.filter(([when]) => when <= work).at(-1)
  const along = (column) => steps(points.map((point) => [x(point[0]), y(point[column])]))
  const best = along(1), bound = along(2)
  const back = steps([...points].reverse().map((point) => [x(point[0]), y(point[2])])).replace("M", "L")
    .replace(/H([^V]*)V([^H]*)/g, "V$2H$1")
  const window = drawn("rect", { x: 0, y: 0, height, width: 0 })
  const clip = drawn("clipPath", { id: "seen" })
  clip.append(window)
  const seen = drawn("g", { "clip-path": "url(#seen)" })
  const below = drawn("text", { class: "below", x: x(last ** 0.7), y: y(then(last ** 0.7)[2]) + 40 }, "no list is below this")
  seen.append(drawn("path", { class: "between", d: `${best}${back}Z` }), drawn("path", { class: "bound", d: bound }),
    drawn("path", { class: "best", d: best }))
  const dot = drawn("circle", { class: "now", r: 6 })
  const said = drawn("text", { class: "rules" })
  svg.replaceChildren(clip, seen, below, dot, said)
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`)
  return (share) => {
    const work = last ** share
    below.setAttribute("visibility", share < 0.7 ? "hidden" : "visible")  // once the line is there
    window.setAttribute("width", share < 1 ? x(work) : width)
    const [at, text] = lists.filter(([found]) => found <= work).at(-1)
    dot.setAttribute("cx", x(at))
    dot.setAttribute("cy", y(then(at)[1]))
    said.textContent = share < 1 ? text : `proven, ${text}`
    const left = Math.max(0, Math.min(x(at) + 8, width - said.getComputedTextLength() - 4))
    said.setAttribute("x", left)
    said.setAttribute("y", y(then(Math.max(1, last ** ((left - 8) / (right - 8))))[1]) - 12)  // above all of the line
  }
}

/* Plays it once, unless motion is unwanted, and again whenever it is asked for. */
const play = (box, recorded) => {
  const svg = box.querySelector("svg"), button = box.querySelector("button")
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches
  let share = still ? 1 : 0, begun = null, draw = null
  const label = () => {
    button.textContent = begun === null ? "Play" : "Pause"
    button.setAttribute("aria-label", `${button.textContent} the recording`)
  }
  const beat = (now) => {
    if (begun === null || !svg.isConnected) { return }
    share = Math.max(0, Math.min(1, (now - begun) / 1000 / SECONDS))  // a frame may be older than the press
    draw?.(share)
    if (share < 1) { requestAnimationFrame(beat) }
    else { begun = null; label() }
  }
  const go = () => {
    begun = performance.now() - (share < 1 ? share : 0) * 1000 * SECONDS
    label()
    requestAnimationFrame(beat)
  }
  button.addEventListener("click", () => { if (begun === null) { go() } else { begun = null; label() } })
  new ResizeObserver(() => {
    if (!svg.clientWidth) { return }
    const first = !draw
    draw = course(svg, recorded)
    draw(share)
    if (first && !still) { go() }
  }).observe(svg)
  label()
}
