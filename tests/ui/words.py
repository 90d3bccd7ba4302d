"""Whether no words lie on others, and none are cut off."""

from typing import Any

WORDS = """() => {
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
    const parts = getComputedStyle(e).backgroundColor.match(/[\\d.]+/g) ?? []
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
}"""
_BROKEN = """([within, a_word]) => {
  const found = []
  let words = 0
  const look = (root) => {
    for (const e of root.querySelectorAll("*")) {
      if (e.shadowRoot) { look(e.shadowRoot) }
      for (const text of e.closest(within) ? e.childNodes : []) {
        for (const { 0: word, index } of text.nodeType === 3 ? text.data.matchAll(new RegExp(a_word, "g")) : []) {
          const range = document.createRange()
          range.setStart(text, index)
          range.setEnd(text, index + word.length)
          words += 1
          if (new Set([...range.getClientRects()].map((box) => Math.round(box.y))).size > 1) { found.push(word) }
        }
      }
    }
  }
  look(document)
  return [words, found]
}"""
_WRITE = """(style) => {
  const words = document.createElement("div")
  words.textContent = "written over what stands there"
  words.style.cssText = `position: fixed; z-index: 9999; white-space: nowrap; ${style}`
  document.body.append(words)
  return words
}"""


def words_are_clear(page: Any) -> None:
    """Look at all words within the window, but for those that are painted in plots."""
    found = page.evaluate(WORDS)
    assert found["looked"] > 10
    assert found["pairs"] == [], f"words lie on others: {found['pairs']}"
    assert found["clipped"] == [], f"words are cut off: {found['clipped']}"


def broken_words(page: Any, within: str, a_word: str) -> tuple[int, list[str]]:
    """How many words stand in some elements, and which of them are broken."""
    return page.evaluate(_BROKEN, [within, a_word])


def unclear_words_are_found(page: Any, x: float, y: float) -> None:
    """Write something over the words at a place, and into too small a box: it is noticed."""
    for style, kind in ((f"left: {x}px; top: {y}px", "pairs"), ("top: 0; width: 20px; overflow: hidden", "clipped")):
        words = page.evaluate_handle(_WRITE, style)
        assert page.evaluate(WORDS)[kind], f"this was not noticed: {kind}"
        words.evaluate("e => e.remove()")
