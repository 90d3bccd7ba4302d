export function render({ model }) {
  const made = (tag, className, textContent = "") =>
    Object.assign(document.createElement(tag), { className, textContent })
  const root = made("div", "order")
  const list = made("ol", "chips")
  list.setAttribute("aria-label", "Order of the cards")
  const bin = made("span", "bin", "Drop here to remove")
  const note = made("p", "note")
  note.id = "keys"
  note.append("Drag a name to another place, or ", made("kbd", "", "Shift"), " + ", made("kbd", "", "\u2190"), " ",
    made("kbd", "", "\u2192"), "; ", made("kbd", "", "F2"), " or a double click renames, ", made("kbd", "", "Delete"),
    " removes, ", made("kbd", "", "Enter"), " shows the card.")
  const said = made("p", "aside")
  said.setAttribute("role", "status")
  said.setAttribute("aria-label", "What was changed")
  root.append(list, bin, note, said)
  let at = 0, wanted = null, writing = false
  const chips = () => [...list.children]
  const ask = (message) => { model.send_msg(message) }
  const focus = (k) => {
    at = Math.max(0, Math.min(k, chips().length - 1))
    chips().forEach((one, i) => { one.firstChild.tabIndex = i === at ? 0 : -1 })
    chips()[at]?.firstChild.focus({ preventScroll: true })
  }
  const reveal = (k) => {
    everywhere(document, ".rl-model")[k]?.scrollIntoView({ behavior: "smooth", block: "nearest", inline: "start" })
  }
  const move = (from, to) => {
    if (to < 0 || to >= chips().length || to === from) { return }
    wanted = to
    said.textContent = `${model.cards[from][0]} is now card ${to + 1} of ${model.cards.length}`
    ask({ do: "move", at: from, to })
  }
  const remove = (k) => {
    wanted = Math.min(k, chips().length - 2)
    said.textContent = `${model.cards[k][1]} is removed`
    ask({ do: "remove", at: k })
  }
  const rename = (k) => {
    const chip = chips()[k], button = chip.firstChild
    const field = made("input", "name")
    field.value = model.cards[k][1]
    field.maxLength = 160
    field.setAttribute("aria-label", `Name of card ${model.cards[k][0]}`)
    field.style.width = `${Math.max(160, button.offsetWidth)}px`
    writing = true
    const end = (keep) => {
      if (!writing) { return }
      writing = false
      const name = field.value.trim()
      field.remove()
      button.hidden = false
      show()
      focus(k)
      if (keep && name !== model.cards[k][1]) { wanted = k; ask({ do: "rename", at: k, name }) }
    }
    field.addEventListener("blur", () => end(true))
    field.addEventListener("keydown", (event) => {
      event.stopPropagation()
      if (event.key === "Enter") { end(true) } else if (event.key === "Escape") { end(false) }
    })
    button.hidden = true
    chip.append(field)
    field.focus()
    field.select()
  }
  list.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) { return }
    const k = chips().indexOf(event.target.closest("li")), n = chips().length
    const to = { ArrowLeft: k - 1, ArrowRight: k + 1, Home: 0, End: n - 1 }[event.key]
    if (to !== undefined) {
      event.preventDefault()
      if (event.shiftKey) { move(k, to) } else { focus(to) }
    } else if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault()
      remove(k)
    } else if (event.key === "F2") {
      event.preventDefault()
      rename(k)
    }
  })
  const drag = (event, chip) => {
    if (event.button || writing) { return }
    const row = chips(), from = row.indexOf(chip), places = row.map((one) => one.getBoundingClientRect())
    const [x, y] = [event.clientX, event.clientY]
    let to = from, away = false, moving = false
    const go = (now) => {
      if (!moving && Math.hypot(now.clientX - x, now.clientY - y) < 6) { return }
      if (!moving) { moving = true; chip.setPointerCapture(event.pointerId); root.classList.add("dragging") }
      chip.style.transform = `translate(${now.clientX - x}px, ${now.clientY - y}px)`
      chip.classList.add("dragged")
      const box = bin.getBoundingClientRect()
      away = now.clientX >= box.left && now.clientX <= box.right && now.clientY >= box.top && now.clientY <= box.bottom
      bin.classList.toggle("over", away)
      to = places.filter((place, k) => k !== from && (place.bottom < now.clientY
        || (place.top <= now.clientY && place.left + place.width / 2 < now.clientX))).length
      row.forEach((one, k) => {
        one.classList.toggle("before", !away && to < from && k === to)
        one.classList.toggle("after", !away && to > from && k === to)
      })
    }
    const end = (now) => {
      for (const name of ["pointermove", "pointerup", "pointercancel"]) { window.removeEventListener(name, heard) }
      chip.style.transform = ""
      row.forEach((one) => { one.classList.remove("before", "after", "dragged") })
      root.classList.remove("dragging")
      bin.classList.remove("over")
      if (!moving || now.type !== "pointerup") { return }
      const hold = (click) => { click.stopImmediatePropagation() }
      chip.firstChild.addEventListener("click", hold, { capture: true, once: true })
      setTimeout(() => { chip.firstChild.isConnected && show() }, 0)
      if (away) { remove(from) } else { move(from, to) }
    }
    const heard = (now) => { if (now.pointerId === event.pointerId) { (now.type === "pointermove" ? go : end)(now) } }
    // a quick hand has left the chip before the first move is told
    for (const name of ["pointermove", "pointerup", "pointercancel"]) { window.addEventListener(name, heard) }
  }
  const show = () => {
    if (writing) { return }
    const inside = list.contains(list.getRootNode().activeElement)
    list.replaceChildren(...model.cards.map(([letter, name], k) => {
      const chip = made("li", "chip"), button = made("button", "")
      button.type = "button"
      button.append(made("b", "letter", letter), made("span", "words", name))
      button.title = name
      button.setAttribute("aria-describedby", "keys")
      button.addEventListener("click", () => { at = k; reveal(k) })
      button.addEventListener("dblclick", () => { rename(k) })
      button.addEventListener("focus", () => { at = k })
      chip.addEventListener("pointerdown", (event) => { drag(event, chip) })
      chip.append(button)
      return chip
    }))
    if (wanted !== null) { at = wanted }
    at = Math.max(0, Math.min(at, chips().length - 1))
    chips().forEach((one, i) => { one.firstChild.tabIndex = i === at ? 0 : -1 })
    if (inside) { focus(at) }
    wanted = null
  }
  model.on("cards", show)
  show()
  return root
}
