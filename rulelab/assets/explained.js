const MARK = "rl-term--"
const PRESSED = /^(file|checkbox|radio)$/  // whose label is pressed, too
const sheet = new CSSStyleSheet()

function mark(host) {
  const root = host.shadowRoot
  const name = [...host.classList].find((one) => one.startsWith(MARK))
  const label = name && root.querySelector("label, legend")
  if (!label || label.dataset.term || PRESSED.test(label.control?.type)) { return }
  if (!root.adoptedStyleSheets.includes(sheet)) { root.adoptedStyleSheets.push(sheet) }
  label.dataset.term = name.slice(MARK.length)
  label.classList.add("rl-word")
  label.tabIndex = 0
}

export function render({ model, el }) {
  sheet.replaceSync(model.word_css)
  const box = document.createElement("div")
  box.className = "box"
  box.tabIndex = -1
  box.popover = "auto"
  box.setAttribute("role", "dialog")
  box.setAttribute("aria-label", "Explanation")
  let opener = null
  let asked = ""
  const line = (name, text, kind = "p") => {
    if (!text) { return }
    const one = document.createElement(kind)
    one.className = name
    one.textContent = text
    box.append(one)
  }
  const place = () => {
    if (window.innerWidth < 500 || !opener?.isConnected) {
      box.style.cssText = "left: 8px; right: 8px; bottom: 8px"
      return
    }
    const at = opener.getBoundingClientRect()
    const left = Math.max(8, Math.min(at.left, window.innerWidth - box.offsetWidth - 8))
    const below = at.bottom + 6 + box.offsetHeight <= window.innerHeight
    const top = below ? at.bottom + 6 : Math.max(8, at.top - box.offsetHeight - 6)
    box.style.cssText = `left: ${left}px; top: ${top}px`
  }
  model.on("msg:custom", (event) => {
    const entry = event.data ?? event
    if (entry.asked !== asked) { return }
    box.replaceChildren()
    line("name", entry.name)
    line("sentence", entry.sentence)
    line("text", entry.text)
    line("formula", entry.formula, "code")
    line("source", entry.source)
    if (entry.see.length) {
      const see = document.createElement("p")
      see.className = "see"
      see.append("See also: ")
      entry.see.forEach(([slug, name], i) => {
        const other = document.createElement("button")
        other.type = "button"
        other.dataset.term = slug
        other.textContent = name
        see.append(i ? ", " : "", other)
      })
      box.append(see)
    }
    if (!box.matches(":popover-open")) { box.showPopover() }
    place()
    box.focus()
  })
  box.addEventListener("toggle", (event) => {
    if (event.newState === "closed" && opener?.isConnected && opener.getRootNode().activeElement === null) {
      opener.focus({ preventScroll: true })
    }
  })
  const copy = (event) => {
    const at = event.composedPath().find((one) => one.dataset?.copy)
    if (!at) { return }
    navigator.clipboard?.writeText(at.dataset.copy).then(() => { at.textContent = "Copied" })
  }
  document.addEventListener("click", copy)
  const ask = (event) => {
    const at = event.composedPath().find((one) => one.dataset?.term)
    if (!at || event.defaultPrevented) { return }
    event.preventDefault()
    event.stopPropagation()
    if (!box.contains(at)) { opener = at }
    asked = at.dataset.term
    model.send_msg({ term: asked })
  }
  document.addEventListener("click", ask, true)
  const press = (event) => {  // labels are no buttons
    const at = event.composedPath()[0]
    if (event.key === "Enter" && at.dataset?.term && at.tagName !== "BUTTON") { ask(event) }
  }
  document.addEventListener("keydown", press)

  let waiting = false
  const watched = new WeakSet()
  const observer = new MutationObserver((records) => {
    if (!waiting && records.some((one) => [...one.addedNodes].some((node) => node.nodeType === 1))) { soon() }
  })
  const visit = (root) => {
    if (!watched.has(root)) { watched.add(root); observer.observe(root, { childList: true, subtree: true }) }
    for (const one of root.querySelectorAll("*")) {
      if (!one.shadowRoot || one === el) { continue }
      mark(one)
      if (!one.classList.contains("bk-Figure")) { visit(one.shadowRoot) }
    }
  }
  const soon = () => {
    waiting = true
    const look = () => { waiting = false; visit(document.body) }
    window.requestIdleCallback ? requestIdleCallback(look, { timeout: 400 }) : setTimeout(look, 100)
  }
  soon()
  model.on("remove", () => {
    observer.disconnect()
    document.removeEventListener("click", ask, true)
    document.removeEventListener("keydown", press)
    document.removeEventListener("click", copy)
  })
  return box
}
