export function render({ model, view }) {
  // what was read of a message when its socket closed is no part of the first message of the next socket
  view.model.document?.on_event("connection_lost", (_document, event) => {
    const connection = event.connection?.deref()
    if (connection?._receiver != null) { connection._receiver = new connection._receiver.constructor() }
  })
  model.on("shown", () => {
    const url = location.pathname + model.shown[0] + location.hash
    if (model.shown[1]) { history.pushState({}, "", url) }
    else { history.replaceState({}, "", url) }
  })
  const gone = () => { model.send_msg(location.search) }
  window.addEventListener("popstate", gone)
  model.on("remove", () => { window.removeEventListener("popstate", gone) })
  return document.createElement("span")
}
