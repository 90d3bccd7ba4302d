([within, a_word]) => {
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
}
