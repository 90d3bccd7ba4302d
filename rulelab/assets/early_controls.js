// A control that is made and not yet drawn cannot show a change, and need not: it is drawn as it is by then. Without
// this, Bokeh fails where a button becomes able so early, and what came with that message is lost.
function be_patient() {
  let view = globalThis.Bokeh?.Models?.get?.("Button")?.prototype.default_view
  while (view && view.__name__ !== "ControlView") { view = Object.getPrototypeOf(view) }
  if (!view || Object.hasOwn(view.prototype, "connect")) { return }
  const connect = view.prototype.connect
  view.prototype.connect = function (signal, slot) {
    return connect.call(this, signal, (...told) => {
      try {
        return slot.apply(this, told)
      } catch (error) {
        if (this.shadow_el.childElementCount) { throw error }
      }
    })
  }
}
be_patient()
