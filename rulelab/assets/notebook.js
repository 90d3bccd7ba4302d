const unpack = (packed) => {
  const bytes = Uint8Array.from(atob(packed), (each) => each.charCodeAt(0))
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text()
}
/* A long text that several views have. */
const take_part = (name, packed) => {
  unpack(packed).then((text) => { (window.rulelabParts ??= {})[name] = JSON.parse(text) })
}
/* Sends the kernel what is changed in the page alone. Panel's manager of comms sends back what comes from the kernel, too,
   and what comes back late undoes what has come after it: "searching" for good, where the search has paused. Bokeh's own
   session looks at `sync`, too. */
const send_own_changes = (tries) => {
  const manager = window.Bokeh.Models?.get("panel.models.comm_manager.CommManager")?.prototype
  if (!manager && tries) { setTimeout(send_own_changes, 50, tries - 1) }
  if (!manager || manager.sends_own_changes) { return }
  const send = manager._document_changed
  manager.sends_own_changes = true
  manager._document_changed = function (event) { if (event.sync !== false) { send.call(this, event) } }
}
/* A view, to be shown once the parts of these names are there. */
const take_view = (ref, packed, parts) => {
  const still = `rl-still-${ref}`
  if (window.Bokeh) { hide(still) }
  unpack(packed).then((text) => {
    const show = () => { send_own_changes(100); hide(still); new Function(text)() };
    (window.rulelabViews ??= {})[ref] = { parts, show }
  })
}
