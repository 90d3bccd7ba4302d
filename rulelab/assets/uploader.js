export function render({ model }) {
  const input = make("input", { type: "file", accept: model.accept, hidden: true })  // the button stands for it
  const choose = make("button", { type: "button", className: "choose", textContent: model.label })
  const limit = make("p", { className: "limit", textContent: model.limit })
  const bar = make("progress", { max: 100, value: 0 })
  bar.setAttribute("aria-label", "Upload")
  const doing = make("span", { className: "doing" })
  const cancel = make("button", { type: "button", textContent: "Cancel upload" })
  const progress = make("div", { className: "progress" }, doing, bar, cancel)
  const said = make("p", { className: "said" })
  said.setAttribute("role", "alert")
  let current = 0
  let refused = ""
  const show = () => {
    const text = refused || model.said
    progress.hidden = !model.doing
    choose.disabled = !!model.doing
    doing.textContent = model.doing
    said.hidden = !text
    if (said.textContent !== text) { said.textContent = text }
  }
  const piece = (blob) => new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(blob)
  })
  let file = null
  const send = async (at) => {
    const mine = current
    bar.value = file.size ? 100 * at / file.size : 100
    try {
      const end = Math.min(at + model.piece, file.size)
      const data = at < end ? await piece(file.slice(at, end)) : ""
      if (mine === current) { model.send_msg({ type: "piece", id: mine, data, last: end >= file.size }) }
    } catch (error) {
      model.send_msg({ type: "cancel" })
      refused = `${file.name} cannot be read by the browser: ${error}`
      show()
    }
  }
  const begin = (chosen) => {
    file = chosen
    input.value = ""
    if (!file) { return }
    refused = ""
    if (file.size > model.most) {
      const size = Math.ceil(file.size / 1e5) / 10
      const most = model.limit || `At most ${model.most / 1e6} MB`
      refused = `${file.name} has ${size} MB and was not sent. ${most}. The data are as before.`
      show()
      return
    }
    current += 1
    model.send_msg({ type: "begin", id: current, name: file.name, size: file.size })
  }
  model.on("msg:custom", (event) => {
    const message = event.data ?? event
    if (message.id === current && file) { send(message.at) }
  })
  choose.addEventListener("click", () => input.click())
  input.addEventListener("change", () => begin(input.files[0]))
  cancel.addEventListener("click", () => { current += 1; model.send_msg({ type: "cancel" }) })
  model.on(["said", "doing"], () => { if (model.doing) { refused = "" } ; show() })
  show()
  const all = make("div", { className: "uploader" }, ...(model.open ? [input, choose] : []), limit, progress, said)
  for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
    all.addEventListener(kind, (event) => {
      event.preventDefault()  // or the browser shows the file instead of the page
      all.classList.toggle("over", kind.endsWith("r") && !choose.disabled)
    })
  }
  all.addEventListener("drop", (event) => { if (model.open && !model.doing) { begin(event.dataTransfer.files[0]) } })
  return all
}
