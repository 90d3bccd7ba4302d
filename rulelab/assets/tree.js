/* The words that find room in the rectangles that are seen, each in the middle of what is seen of its own. */
const fitting = ({ plot, range, rows, nodes, blocks, size }) => {
  const found = { x: [], y: [], text: [] }
  if (plot.properties?.inner_width.is_unset) { return found }  // not laid out yet, and asking would be an error
  const per = plot.inner_width / (range.end - range.start)
  const high = plot.inner_height / (rows.start - rows.end)
  if (high < 1.28 * size || !(per > 0)) { return found }
  for (const [data, column] of [[nodes.data, "rule"], [blocks.data, "count"]]) {
    const { left, right, top, bottom } = data
    for (let i = 0; i < left.length; i++) {
      const from = Math.max(left[i], range.start), to = Math.min(right[i], range.end)
      const room = Math.floor((to - from) * per / (0.6 * size) - 1)
      const text = String(data[column][i])
      if (room < (column === "count" ? text.length : 6)) { continue }
      found.x.push((from + to) / 2)
      found.y.push((top[i] + bottom[i]) / 2)
      found.text.push(text.length > room ? text.slice(0, room - 1) + "…" : text)
    }
  }
  return found
}
/* The rules from the root to a rectangle. */
const prefix = ({ rule, above }, at) => {
  const rules = []
  for (let i = at; i >= 0 && above[i] >= 0; i = above[i]) { rules.unshift(rule[i]) }
  return rules.map((one, k) => (k ? "else if " : "if ") + one).join("\n") || "no rule yet"
}
