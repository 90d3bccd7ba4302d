window.sockets = []
window.cut = false
const Real = window.WebSocket
window.WebSocket = class extends Real {
  constructor(url, ...more) {
    super(window.cut ? url.replace("/ws", "/nowhere") : url, ...more)
    window.sockets.push(this)
  }
}
