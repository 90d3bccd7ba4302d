/* Shows a view when it is there with its parts. */
const show = (ref, tries) => {
  const view = (window.rulelabViews || {})[ref], parts = window.rulelabParts || {}
  if (view && window.Bokeh && view.parts.every((part) => part in parts)) { view.show() }
  else if (tries) { setTimeout(show, 100, ref, tries - 1) }
}
