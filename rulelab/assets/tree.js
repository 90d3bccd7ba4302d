/* The words that find room in the rectangles that are seen, each in the middle of what is seen of its own. */
const fitting = ({ plot, range, rows, nodes, size }) => {
  const found = { x: [], y: [], text: [] }
  if (plot.properties?.inner_width.is_unset) { return found }  // not laid out yet, and asking would be an error
  const per = plot.inner_width / (range.end - range.start)
  const high = plot.inner_height / (rows.start - rows.end)
  if (high < 1.28 * size || !(per > 0)) { return found }
  const { left, right, top, bottom, rule } = nodes.data
  for (let i = 0; i < left.length; i++) {
    const from = Math.max(left[i], range.start), to = Math.min(right[i], range.end)
    const room = Math.floor((to - from) * per / (0.6 * size) - 1)
    if (room < 6) { continue }
    found.x.push((from + to) / 2)
    found.y.push((top[i] + bottom[i]) / 2)
    found.text.push(rule[i].length > room ? rule[i].slice(0, room - 1) + "…" : rule[i])
  }
  return found
}
/* The rules from the root to a rectangle, or to what a stub goes on from. */
const prefix = ({ rule, above, alone }, at) => {
  const rules = []
  for (let i = alone[at] ? at : above[at]; above[i] >= 0; i = above[i]) { rules.unshift(rule[i]) }
  return rules.map((one, k) => (k ? "else if " : "if ") + one).join("\n") || "no rule yet"
}
