const unpack = (packed) => {
  const bytes = Uint8Array.from(atob(packed), (each) => each.charCodeAt(0))
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text()
}
/* A long text that several views have. */
const take_part = (name, packed) => {
  unpack(packed).then((text) => { (window.rulelabParts ??= {})[name] = JSON.parse(text) })
}
/* A view, to be shown once the parts of these names are there. */
const take_view = (ref, packed, parts) => {
  const still = `rl-still-${ref}`
  if (window.Bokeh) { hide(still) }
  unpack(packed).then((text) => {
    const show = () => { hide(still); new Function(text)() };
    (window.rulelabViews ??= {})[ref] = { parts, show }
  })
}
