() => {
  const cut = (a, b) =>
    [Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])]
  const box = ({ left, top, right, bottom }) => [left, top, right, bottom]
  const up = (e) => e.assignedSlot ?? e.parentElement ?? e.getRootNode().host
  const chain = (e) => { const all = []; for (let at = e; at; at = up(at)) { all.push(at) } return all }
  const found = [], clipped = []
  const one = (text, e) => {
    if (!e || /^(STYLE|SCRIPT|OPTION|TEMPLATE|NOSCRIPT)$/.test(e.tagName)) { return }
    if (!e.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) { return }
    const all = chain(e), styles = all.map((each) => getComputedStyle(each)), range = document.createRange()
    if (styles.some((style) => style.clipPath !== "none" || style.clip !== "auto")) { return }  // for ears alone
    range.selectNodeContents(text)
    for (const whole of [...range.getClientRects()].map(box)) {
      let seen = whole, lost = false
      for (const [i, style] of styles.entries()) {
        const [x, y] = [style.overflowX, style.overflowY], [l, t, r, b] = box(all[i].getBoundingClientRect())
        const next = cut(seen, [x === "visible" ? -1e9 : l, y === "visible" ? -1e9 : t,
          x === "visible" ? 1e9 : r, y === "visible" ? 1e9 : b])
        const over = [seen[0] - next[0], seen[1] - next[1], next[2] - seen[2], next[3] - seen[3]].map((d) => d < -3)
        lost ||= /hidden|clip/.test(x) && style.textOverflow !== "ellipsis" && (over[0] || over[2])
        lost ||= /hidden|clip/.test(y) && (over[1] || over[3])
        seen = next
        if (style.position === "fixed") { break }
      }
      const said = text.data.trim().slice(0, 40)
      if (lost) { clipped.push(said) }
      if (seen[2] - seen[0] > 2 && seen[3] - seen[1] > 2) { found.push({ said, e, all, seen }) }
    }
  }
  const look = (root) => {
    for (const node of root.childNodes) {
      if (node.nodeType === Node.TEXT_NODE && node.data.trim()) { one(node, node.parentElement ?? root.host) }
      if (node.shadowRoot) { look(node.shadowRoot) }
      look(node)
    }
  }
  look(document.body)
  const opaque = (e) => {
    const parts = getComputedStyle(e).backgroundColor.match(/[\d.]+/g) ?? []
    return parts.length < 4 || +parts[3] > 0.9
  }
  const covers = (over, under) => {
    for (const e of over) {
      if (under.includes(e)) { return false }
      if (opaque(e)) { return true }
    }
    return false
  }
  const hit = (x, y) => {
    let e = document.elementFromPoint(x, y)
    for (let inside = e; inside;) {
      e = inside
      inside = e.shadowRoot?.elementFromPoint(x, y)
      if (inside === e) { break }
    }
    return e
  }
  const collide = (a, b) => {
    const [l, t, r, bottom] = cut(a.seen, b.seen)
    if (a.e === b.e || r - l <= 2 || bottom - t <= 3) { return false }
    const top = hit((l + r) / 2, (t + bottom) / 2)
    if (!top) { return false }  // out of the window
    const [first, second] = [a.all.includes(top), b.all.includes(top)]
    if (first && second) { return true }
    if (first) { return !covers(a.all, b.all) }
    if (second) { return !covers(b.all, a.all) }
    const at = chain(top)
    return !(covers(at, a.all) && covers(at, b.all))
  }
  found.sort((a, b) => a.seen[1] - b.seen[1])
  const pairs = []
  for (const [i, a] of found.entries()) {
    for (let j = i + 1; j < found.length && found[j].seen[1] < a.seen[3] - 2; j++) {
      if (collide(a, found[j])) { pairs.push([a.said, found[j].said]) }
    }
  }
  return { pairs, clipped, looked: found.length }
}
