"use strict"
;(() => {
  const field = document.getElementById("words"), said = document.getElementById("said")
  const rows = [...document.querySelectorAll("#models tbody tr")]
  const texts = rows.map((row) => row.lastElementChild.textContent.toLowerCase())
  const show = () => {
    const words = field.value.toLowerCase().replaceAll("<=", "≤").split(/\s+/).filter(Boolean)
    let n = 0
    rows.forEach((row, k) => {
      row.hidden = !words.every((word) => texts[k].includes(word))
      n += !row.hidden
    })
    said.textContent = `${n} of ${rows.length} models`
  }
  field.addEventListener("input", show)
  show()
})()
