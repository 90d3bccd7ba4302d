export function render({ model, view }) {
  const storage = () => model.lasting ? localStorage : sessionStorage
  model.on("kept", () => {
    try {
      if (model.kept === "") { storage().removeItem(model.key) }
      else { storage().setItem(model.key, model.kept) }
      model.problem = ""
    } catch (error) {
      model.problem = `${error.name}`
    }
  })
  let found = ""
  try { found = storage().getItem(model.key) ?? "" } catch { /* the browser keeps nothing */ }
  // told once the page stands: what is put in the place of what is still being built never comes to be seen
  const page = view.model.document
  let told = false
  const tell = () => { if (!told) { told = true; model.found = found } }
  if (!page || page.is_idle) { tell() }
  else {
    page.idle.connect(tell)
    setTimeout(tell, 5000)  // in a notebook some parts of a document may never be shown
  }
  return document.createElement("span")
}
