const SHORT = 1500  // a connection that is back so soon was never missed

// Bokeh takes what the server sends for new, and would send it back whole with the first event about it.
function knows_what_it_sent(shown, at_once) {
  const apply = shown.apply_json_patch
  const ids = (value, found) => {
    if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) { return found }
    if (value.type === "object") { found.add(value.id) }
    for (const each of Array.isArray(value) ? value : Object.values(value)) { ids(each, found) }
    return found
  }
  shown.apply_json_patch = (patch, ...more) => {
    at_once(() => apply.call(shown, patch, ...more))
    const sent = shown._new_models?.size ? ids(patch.events, new Set()) : new Set()
    for (const one of sent.size ? shown._new_models : []) { if (sent.has(one.id)) { shown._new_models.delete(one) } }
  }
}

// Bokeh lays the whole page out at each change of what is visible, several of which come with one message; laid out once
// a message, a run takes 1.0 s of the browser's processor time instead of 1.3 (Bokeh 3.9: its own note beside
// invalidate_layout asks for less).
function laid_out_once(root) {
  const lay_out = root.invalidate_layout
  let waits = false, asked = false
  root.invalidate_layout = () => { if (waits) { asked = true } else { lay_out.call(root) } }
  return (change) => {
    waits = true
    try { change() } finally { waits = false }
    if (asked) { asked = false; lay_out.call(root) }
  }
}

export function render({ model, view }) {
  const root = document.createElement("div")
  root.className = "lost"
  root.setAttribute("role", "alert")
  root.setAttribute("aria-label", "Connection")
  root.hidden = true
  let later = null
  const say = (text, again = null) => {
    root.replaceChildren(text)
    if (again !== null) {
      const button = document.createElement("button")
      button.type = "button"
      button.textContent = "Try again"
      button.addEventListener("click", () => { root.hidden = true; again() })
      root.append(" ", button)
    }
    root.hidden = false
  }
  const back = () => {
    clearTimeout(later)
    later = null
    root.hidden = true
  }
  const shown = view.model.document
  if (shown) { knows_what_it_sent(shown, laid_out_once(view.root)) }
  shown?.on_event("client_reconnected", back)
  shown?.on_event("connection_lost", (_document, event) => {
    if (event.timeout === null) {
      clearTimeout(later)
      later = null
      say("The server cannot be reached. What is shown stays, but nothing can be begun.", () => { event.reconnect() })
    } else if (root.hidden && later === null) {
      later = setTimeout(() => {
        say("The connection to the server is lost, and tried again. What is shown stays.")
      }, SHORT)
    }
  })
  model.on("remove", () => { clearTimeout(later) })
  return root
}
